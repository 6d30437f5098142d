package cudagen

import (
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
)

// By default one thread reduces one column. Few and long columns would leave most
// of a GPU idle. Then one thread reduces one run of 64 positions: the runs of a
// column are independent. A second kernel combines the runs, with a thread block
// for each columnGroup columns, or for each one. The results of neighbouring columns are
// neighbours in memory.

// columnGroup columns of results fill at least a sector of 32 bytes.
const columnGroup = 8

// split sets loopLayout.split for the vec loops whose columns are reduced by runs, and
// loopLayout.columns.
func (n *numbers) split() {
	for i := range n.k.Loops {
		seq := n.splittable(int32(i))
		if seq < 0 || n.total(seq) < 4*ir.Run || n.total(int32(i)) >= 1024*n.device.SMs {
			continue
		}
		if size := times(n.total(int32(i)), ceilDiv(n.total(seq), ir.Run)); size < limit {
			l := &n.layout.loops[i]
			l.split, l.columns = true, 1
			if n.total(int32(i)) >= columnGroup*n.device.SMs/2 {
				l.columns = columnGroup
			}
		}
	}
}

// splittable returns the seq loop whose runs can be computed in parallel, or -1.
func (n *numbers) splittable(vec int32) int32 {
	l := &n.k.Loops[vec]
	if l.Kind != ir.Vec || n.loops[vec].outer >= 0 || n.reduces(l.Body) {
		return -1
	}
	return n.reducing(l.Body)
}

// reducing returns the only loop in a region, if it reduces, and no store or fault precedes it
// or lies in it; else -1.
func (n *numbers) reducing(region int32) int32 {
	loop := int32(-1)
	for _, in := range instructions(n.k, region) {
		switch {
		case in.Op == ir.For && loop < 0 && n.reduces(n.k.Loops[in.Aux].Body) && !n.effects(n.k.Loops[in.Aux].Body):
			loop = in.Aux
		case in.Op == ir.For, loop < 0 && (in.Op == ir.Store || in.Op == ir.Fault):
			return -1
		}
	}
	return loop
}

// effects reports whether a region stores, raises faults or carries values.
func (n *numbers) effects(region int32) bool {
	return slices.ContainsFunc(instructions(n.k, region), func(in *ir.Ins) bool {
		b := n.k.Body(in)
		return in.Op == ir.Store || in.Op == ir.Fault || in.Op == ir.Carry || b >= 0 && n.effects(b)
	})
}

// runCount returns the number of runs of all columns of a vec loop.
func (n *numbers) runCount(vec int32) int {
	return n.total(vec) * ceilDiv(n.total(n.splittable(vec)), ir.Run)
}

// runs writes the kernel that computes the runs.
func (g *generator) runs(vec int32) {
	code, at := g.loopOf(vec)
	seq := code[at].Aux
	reds := g.reductions(seq)
	g.results(runArea, "runs", seq, seq)
	g.open("for (ix t = first; t < %s; t += step)", g.ix("threads"+itoa(int(vec)), runsField, int(vec), 0))
	lanes := g.divisor("lanes"+itoa(int(vec)), lanesField, int(vec))
	g.line("const ix run = prim::quo(t, %s), i = t - run*%s.n;", lanes, lanes)
	g.positions(vec, "i")
	g.list(code[:at], scope{})
	for _, r := range reds {
		g.line("%s::acc r%d = %s::identity();", g.reduction(r), r.Dst, g.reduction(r))
	}
	total := g.total(seq)
	g.open("for (ix k = run * %d; k < prim::min(run * %d + %d, %s); k++)", ir.Run, ir.Run, ir.Run, total)
	g.positions(seq, "k")
	g.region(g.k.Loops[seq].Body, scope{add: func(in *ir.Ins) {
		g.line("r%d = %s::put(r%d, v%d, k);", in.Dst, g.reduction(in), in.Dst, in.Args[0])
	}})
	g.close()
	for _, r := range reds {
		g.line("runs_%d[run * %s.n + i] = r%d;", r.Dst, lanes, r.Dst)
	}
	g.close()
}

// columns writes the kernel that combines the runs of each column. One thread of those
// of a column has its effects.
func (g *generator) columns(vec int32) {
	code, at := g.loopOf(vec)
	seq := code[at].Aux
	g.results(runArea, "runs", seq, seq)
	total := g.total(vec)
	own := g.l.loops[vec].columns
	threads := (&pass{kind: columnsPass}).threads(g.l)
	g.line("const ix column = threadIdx.x %% %d, thread = threadIdx.x / %d; // of the columns at work, of the column", own, own)
	g.open("for (ix left = (ix)blockIdx.x * %d; left < %s; left += (ix)gridDim.x * %d)", own, total, own)
	g.line("const ix i = prim::min(left + column, %s - 1);", total)
	g.positions(vec, "i")
	g.list(code[:at], scope{})
	runs := ceil(g.total(seq), ir.Run)
	for _, r := range g.reductions(seq) {
		red := g.reduction(r)
		g.line("const %s v%d = %s::result(red::tree<%s>(runs_%d + i, %s, %s, left + column < %s ? thread : %s, (ix)%d));", r.Type.Short(), r.Dst, red, red, r.Dst, runs, total, total, runs, threads/own)
	}
	g.open("if (thread == 0 && left + column < %s)", total)
	g.list(code[at+1:], scope{})
	g.close()
	g.close()
}
