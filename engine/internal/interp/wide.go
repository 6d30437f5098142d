package interp

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reduction down the columns of a narrow matrix has few lanes and many
// positions. Its runs of 64 positions are independent. So one block holds several
// runs: lane k*n + j is column j of run k. The interpreter pushes the finished runs
// on the stack in order, so the bits do not change.

// wideMin is the least number of runs for which wide blocks are faster.
const wideMin = 3

// widen sets q.wide if the body of a seq loop can compute several runs in a block:
// every instruction works on all lanes, no instruction stores, and no reduction
// returns a position.
func (c *compiler) widen(q *seqInfo, b *blk) {
	q.vec = int32(len(c.code.vecs) - 1)
	q.wide = len(q.axes) == 1 && len(q.runs) > 0 && len(q.carries) == 0
	for _, r := range q.runs {
		q.wide = q.wide && !c.code.runs[r].row.Position()
	}
	made := map[int32]bool{}
	c.widenBody(q, b, made)
}

func (c *compiler) widenBody(q *seqInfo, b *blk, made map[int32]bool) {
	for i := range b.code {
		s := &b.code[i]
		if s.lanes != 0 || s.site == storeSite {
			q.wide = false
		}
		if s.site == loadSite {
			q.sites = append(q.sites, s.aux)
		}
		if s.body != nil {
			c.widenBody(q, s.body, made)
		}
		for _, r := range s.reads {
			g := &c.regs[r]
			full := !g.vector || g.konst || slices.ContainsFunc(c.regs, func(o reg) bool { return o.splat == r })
			if !made[r] && r != s.dst && !full && !slices.Contains(q.outer, r) {
				q.outer = append(q.outer, r)
			}
		}
		if s.dst >= 0 {
			made[s.dst] = true
		}
	}
}

// bindWide binds the accesses of wide seq loops again, with the runs as the
// outermost digit of the lanes.
func (in *instance) bindWide(b *binder) {
	for i := range in.seqs {
		q := &in.seqs[i]
		if n := in.vecs[q.info.vec].n; !q.info.wide || n == 0 || n > block/2 || q.n/ir.Run < wideMin {
			continue
		}
		if slices.ContainsFunc(q.info.outer, func(r int32) bool { return slices.Contains(in.visitors, r) }) {
			continue
		}
		q.runs = q.n / ir.Run
		if in.wide == nil {
			in.wide = slices.Clone(in.sites)
		}
		axis, vec := q.info.axes[0], q.info.vec
		ofAxis, order := b.OfAxis[axis], b.orders[vec]
		run := len(b.Digits)
		b.Digits = append(b.Digits, bound.Digit{Axis: axis, Extent: q.runs, Weight: ir.Run}, bound.Digit{Axis: axis, Extent: ir.Run, Weight: 1})
		b.OfAxis[axis] = []int{run, run + 1}
		b.orders[vec] = append([]int{run}, order...)
		b.Analyse()
		for _, s := range q.info.sites {
			info := b.code.sites[s]
			info.view = false
			in.wide[s] = b.site(&info)
			// The remaining positions must not leave a register that points at an
			// array: the runs of the next row would write to the array.
			in.sites[s].view = false
		}
		b.OfAxis[axis], b.orders[vec] = ofAxis, order
	}
}

// wideRuns computes the whole runs of a seq loop and returns their number of
// positions. It sets the position on the axis to the first remaining one. It does
// nothing and returns 0 if the block is not the whole vec loop.
func wideRuns(f *frame, q *boundSeq, body []ins, n int) int {
	if n != f.inst.vecs[q.info.vec].n {
		return 0
	}
	axis := q.info.axes[0]
	lo := f.lo
	f.sites, f.wide = f.inst.wide, true
	atOnce := min(block/n, q.runs)
	for _, r := range q.info.outer {
		f.replicate(r, n, atOnce)
	}
	for run := 0; run < q.runs && !f.inst.Stopped(); run += atOnce {
		m := min(atOnce, q.runs-run)
		f.lo = run * n
		for t := range ir.Run {
			f.Pos[axis] = t
			exec(f, body, m*n)
		}
		for _, r := range q.info.runs {
			f.runs[r].pushWide(f, n, m)
		}
	}
	f.sites, f.wide, f.lo = f.inst.sites, false, lo
	f.Pos[axis] = q.runs * ir.Run
	return q.runs * ir.Run
}

// pushWide pushes m runs of n lanes on the stack.
func (st *runsState) pushWide(f *frame, n, m int) {
	home := f.at(st.merge.d)
	for k := range m {
		f.set(st.merge.d, unsafe.Add(home, k*n*st.size))
		st.push(f, n)
	}
	f.set(st.merge.d, home)
}

// replicate copies the first n lanes of register r, so that it has m copies of
// them.
func (f *frame) replicate(r int32, n, m int) {
	size := f.inst.code.regs[r].t.Size()
	v := (*[block * 8]byte)(f.at(r * regSize))[: n*m*size : n*m*size]
	for at := n * size; at < len(v); {
		at += copy(v[at:], v[:at])
	}
}
