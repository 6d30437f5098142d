package interp

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/plan/affine"
	"github.com/oneloop/oneloop/plan/ir"
)

// An instance is code with its numbers.
type instance struct {
	code     *code
	bind     *ir.Binding
	extents  []int // by axis
	sites    []site
	wide     []site // as sites, for runs side by side
	vecs     []boundVec
	seqs     []boundSeq
	rowBytes []int       // by buffer
	partials [][]partial // of the main loop, by reduction and block
	visitors []int32     // registers that may point at arrays

	vectors int     // scratch vectors of index expressions
	guarded bool    // some site may be outside in part
	cost    float64 // of one unit

	run     uint64
	overlap bool // in this run, something stored overlaps something else
	fault   atomicFault
	ctx     context.Context // may end a run; nil: nothing does
}

type boundVec struct {
	info   *vecInfo
	n      int
	step   int // lanes of a block: whole tiles
	direct []boundDirect
}

type boundDirect struct {
	reg, site int32
	size      int
}

type boundSeq struct {
	info *seqInfo
	n    int
	runs int // whole runs of 64 positions to go through side by side; see wide.go
}

func (c *code) Bind(bind *ir.Binding) (backend.Instance, error) {
	in := &instance{code: c, bind: bind, extents: slices.Clone(bind.Extents)}
	b := &binder{k: c.k, code: c, inst: in, extents: in.extents, Space: affine.New(&c.k.Index, in.extents, bind.Params)}
	if err := in.bindAll(b); err != nil {
		return nil, fmt.Errorf("interp: %s: %w", c.k.Name, err)
	}
	return in, nil
}

func (in *instance) bindAll(b *binder) error {
	c := in.code
	if err := in.bind.Check(c.k); err != nil {
		return err
	}
	if err := b.split(); err != nil {
		return err
	}
	for i := range c.k.Bufs {
		n := 0
		if c.k.Bufs[i].Mode == ir.Row {
			n = b.rowBytes(i)
		}
		in.rowBytes = append(in.rowBytes, n)
	}
	for i := range c.sites {
		s, err := b.site(&c.sites[i], in.bind)
		if err != nil {
			return err
		}
		in.sites = append(in.sites, s)
	}
	for i := range c.vecs {
		v := &c.vecs[i]
		bv := boundVec{info: v, n: in.product(v.axes), step: block}
		if t := b.tiled[i]; t != (tile{}) {
			size := b.Digits[t.col].Extent * b.Digits[t.row].Extent
			bv.step = block / size * size
		}
		for _, d := range v.direct {
			s := &in.sites[d.site]
			if s.kind == runSite && s.line.spans[0].coef == 1 {
				s.view = true
				bv.direct = append(bv.direct, boundDirect{d.reg, d.site, c.regs[d.reg].t.Size()})
				in.visitors = append(in.visitors, d.reg)
			}
		}
		in.vecs = append(in.vecs, bv)
	}
	for i := range c.seqs {
		in.seqs = append(in.seqs, boundSeq{info: &c.seqs[i], n: in.product(c.seqs[i].axes)})
	}
	in.visit(c.entry)
	if err := in.bindWide(b); err != nil {
		return err
	}
	in.cost = in.unitCost()
	if c.units == blockUnits {
		v := in.vecs[c.entry[c.main].aux]
		for range v.info.reds {
			in.partials = append(in.partials, make([]partial, (v.n+reduceBlock-1)/reduceBlock))
		}
	}
	return nil
}

// visit notes the registers that loads may point at arrays.
func (in *instance) visit(code []ins) {
	for i := range code {
		s := &code[i]
		if s.load && in.sites[s.aux].view {
			in.visitors = append(in.visitors, s.d/regSize)
		}
		in.visit(s.body)
	}
}

func (in *instance) product(axes []int32) int {
	n := 1
	for _, a := range axes {
		n *= in.extents[a]
	}
	return n
}

// vecCost is a rough number of operations of one position of a vec loop.
func (in *instance) vecCost(v *boundVec) float64 {
	ops := float64(v.info.ops)
	for _, s := range v.info.seqs {
		ops += float64(in.seqs[s].n * in.seqs[s].info.ops)
	}
	return ops
}

// opTime is what the interpreter takes for an operation on a lane, in
// nanoseconds, roughly.
const opTime = .5

func (in *instance) unitCost() float64 { return in.unitOps() * opTime }

func (in *instance) unitOps() float64 {
	total := 1.0
	for i := range in.vecs {
		total += float64(in.vecs[i].n) * in.vecCost(&in.vecs[i])
	}
	switch in.code.units {
	case rowUnits, oneUnit:
		return total
	case blockUnits:
		return reduceBlock * in.vecCost(&in.vecs[0])
	}
	return in.vecCost(&in.vecs[0])
}

func (in *instance) Units() (n, grain int, cost float64) {
	c := in.code
	switch c.units {
	case rowUnits:
		return in.product(c.k.Loops[c.entry[c.main].aux].Axes), 1, in.cost
	case elementUnits:
		return in.vecs[0].n, 8 * in.vecs[0].step, in.cost
	case blockUnits:
		return (in.vecs[0].n + reduceBlock - 1) / reduceBlock, 1, in.cost
	}
	return 1, 1, in.cost
}

func (in *instance) Watch(ctx context.Context) { in.ctx = ctx }

// stopped reports whether the run is to end early.
func (in *instance) stopped() bool { return in.ctx != nil && in.ctx.Err() != nil }

func (in *instance) Begin() {
	in.run++
	in.fault.Store(0)
	in.overlap = in.overlaps()
}

// overlaps reports whether an array that is stored to shares memory with
// another: then registers must not point at arrays, because a store in the
// middle of the body would change what an earlier load read.
func (in *instance) overlaps() bool {
	bufs := in.code.k.Bufs
	for i := range bufs {
		if bufs[i].Mode == ir.In || bufs[i].Mode == ir.Row {
			continue
		}
		lo, hi := in.span(i)
		for j := range bufs {
			if j == i || bufs[j].Mode == ir.Row || j < i && bufs[j].Mode != ir.In {
				continue
			}
			if l, h := in.span(j); lo < h && l < hi {
				return true
			}
		}
	}
	return false
}

// span is the address range of an array.
func (in *instance) span(buf int) (lo, hi uintptr) {
	b := &in.bind.Bufs[buf]
	lo = uintptr(b.Ptr)
	hi = lo
	size := in.code.k.Bufs[buf].Type.Size()
	for d, e := range b.Extents {
		if e == 0 {
			return lo, lo
		}
		if n := (e - 1) * b.Strides[d] * size; n > 0 {
			hi += uintptr(n)
		} else {
			lo -= uintptr(-n)
		}
	}
	return lo, hi + uintptr(size)
}

func (in *instance) NewWorker() backend.Worker {
	c := in.code
	w := &worker{}
	f := &w.frame
	f.inst, f.sites = in, in.sites
	bytes := c.arena + block*8
	f.arena = alignedWords(bytes)
	f.raw = unsafe.Pointer(&f.arena[(c.arena+7)/8])
	f.table = make([]unsafe.Pointer, max(len(c.regs), 1))
	for i := range c.regs {
		r := &c.regs[i]
		for r.alias >= 0 {
			r = &c.regs[r.alias]
		}
		f.table[i] = unsafe.Pointer(&f.arena[r.home/8])
	}
	f.homes = slices.Clone(f.table)
	f.regs = unsafe.Pointer(unsafe.SliceData(f.table))
	f.pos = make([]int, len(in.extents))
	f.offs = make([]int64, block)
	for range in.vectors {
		f.ixs = append(f.ixs, make([]int64, block))
	}
	if in.guarded {
		f.spans = make([]interval, 0, block)
	}
	f.rows = make([]unsafe.Pointer, len(c.k.Bufs))
	for i, n := range in.rowBytes {
		if n > 0 {
			f.rows[i] = unsafe.Pointer(unsafe.SliceData(alignedWords(n)))
		}
	}
	f.reds = make([]lanesState, len(c.reds))
	f.runs = make([]runsState, len(c.runs))
	for i := range in.seqs {
		for _, r := range in.seqs[i].info.runs {
			f.newRuns(r, in.seqs[i].n)
		}
	}
	for _, c := range c.inits {
		fillBits(f, c.reg*regSize, c.size, c.bits, c.lanes)
	}
	return w
}

func (f *frame) newRuns(r int32, positions int) {
	info := &f.inst.code.runs[r]
	st := &f.runs[r]
	st.kern, st.size = info.kern, info.arg.Size()
	st.stack = unsafe.Pointer(unsafe.SliceData(alignedWords(info.kern.levels(positions) * block * st.size)))
	d, tmp, src := info.dst*regSize, info.tmp*regSize, info.src*regSize
	st.step = ins{d: d, a: d, b: src, aux: r}
	st.merge = ins{d: d, a: tmp, b: d}
}

// alignedWords allocates memory that begins on a cache line.
func alignedWords(bytes int) []uint64 {
	words := (bytes + 7) / 8
	mem := make([]uint64, words+8)
	skip := (64 - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))&63) & 63
	return mem[skip/8:][:max(words, 1):max(words, 1)]
}
