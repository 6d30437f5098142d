package interp

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// An instance is code with the numbers of a binding, ready to run.
type instance struct {
	code     *code
	bind     *ir.Binding
	extents  []int // by axis
	units    bound.UnitKind
	count    int // number of units
	sites    []site
	wide     []site // the sites for blocks of several runs, or nil; see wide.go
	vecs     []boundVec
	seqs     []boundSeq
	rowBytes []int       // by buffer
	partials [][]partial // results of the main loop, by reduction and block
	visitors []int32     // registers that may point at arrays
	need     gather.Need
	cost     float64 // of one unit, in nanoseconds

	work.Run
	overlap bool // in this run, an array that is stored to overlaps another
}

type boundVec struct {
	info   *vecInfo
	n      int
	step   int // lanes of a block, a multiple of the tile if the loop has tiles
	direct []boundDirect
}

type boundDirect struct {
	reg, site int32
	size      int
}

type boundSeq struct {
	info *seqInfo
	n    int
	runs int // whole runs of 64 positions that wideRuns computes; 0: none
}

func (c *code) Bind(bind *ir.Binding) (backend.Instance, error) {
	in := &instance{code: c, bind: bind}
	n, err := bound.New(c.k, bind, false)
	if err != nil {
		return nil, fmt.Errorf("interp: %s: %w", c.k.Name, err)
	}
	in.extents = n.Extents
	in.bindAll(&binder{Kernel: n, code: c, inst: in})
	reds := 0
	if in.units == bound.BlockUnits {
		reds = len(in.vecs[c.entry[c.main].aux].info.reds)
	}
	if err := hostmem.ReserveFor(in.count, reds*int(unsafe.Sizeof(partial{})), in.rowBytes); err != nil {
		return nil, err
	}
	in.partials = lists.Make(reds, func(int) []partial { return make([]partial, in.count) })
	return in, nil
}

func (in *instance) bindAll(b *binder) {
	c := in.code
	in.units, in.count = b.Units()
	b.tiles()
	for i := range c.k.Bufs {
		n := 0
		if c.k.Bufs[i].Mode == ir.Row {
			n = b.Size(i) * c.k.Bufs[i].Type.Size()
		}
		in.rowBytes = append(in.rowBytes, n)
	}
	in.sites = lists.Make(len(c.sites), func(i int) site { return b.site(&c.sites[i]) })
	for i := range c.vecs {
		v := &c.vecs[i]
		bv := boundVec{info: v, n: b.Product(v.axes), step: block}
		if t := b.tiled[i]; t != (tile{}) {
			size := b.Digits[t.col].Extent * b.Digits[t.row].Extent
			bv.step = block / size * size
		}
		for _, d := range v.direct {
			if s := &in.sites[d.site]; s.Contiguous() {
				s.view = true
				bv.direct = append(bv.direct, boundDirect{d.reg, d.site, c.regs[d.reg].t.Size()})
				in.visitors = append(in.visitors, d.reg)
			}
		}
		in.vecs = append(in.vecs, bv)
	}
	in.seqs = lists.Make(len(c.seqs), func(i int) boundSeq { return boundSeq{info: &c.seqs[i], n: b.Product(c.seqs[i].axes)} })
	in.visit(c.entry)
	in.bindWide(b)
	in.cost = in.unitOps() * opTime
}

// visit adds the registers that loads may point at arrays to in.visitors.
func (in *instance) visit(code []ins) {
	for i := range code {
		s := &code[i]
		if s.load && in.sites[s.aux].view {
			in.visitors = append(in.visitors, s.d/regSize)
		}
		in.visit(s.body)
	}
}

// vecCost returns an estimate of the operations of one position of a vec loop.
func (in *instance) vecCost(v *boundVec) float64 {
	ops := float64(v.info.ops)
	for _, s := range v.info.seqs {
		ops += float64(in.seqs[s].n * in.seqs[s].info.ops)
	}
	return ops
}

// opTime is an estimate of the time of one operation on one lane, in nanoseconds.
const opTime = .5

func (in *instance) unitOps() float64 {
	total := 1.0
	for i := range in.vecs {
		total += float64(in.vecs[i].n) * in.vecCost(&in.vecs[i])
	}
	switch in.units {
	case bound.RowUnits, bound.OneUnit:
		return total
	case bound.BlockUnits:
		return ir.Block * in.vecCost(&in.vecs[0])
	}
	return in.vecCost(&in.vecs[0])
}

func (in *instance) Units() (n, grain int, cost float64) {
	if in.units == bound.ElementUnits {
		return in.count, 8 * in.vecs[0].step, in.cost
	}
	return in.count, 1, in.cost
}

func (in *instance) Begin() {
	in.Run.Begin()
	in.overlap = in.overlaps()
}

// overlaps reports whether an array that is stored to shares memory with another.
// Then registers must not point at arrays: a store would change the value of an
// earlier load.
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

// span returns the address range lo <= address < hi of an array.
func (in *instance) span(buf int) (lo, hi uintptr) {
	b := &in.bind.Bufs[buf]
	a := bound.Array{Strides: b.Strides, Extents: b.Extents}
	from, to := a.Span()
	size := in.code.k.Bufs[buf].Type.Size()
	return uintptr(b.Ptr) + uintptr(from*size), uintptr(b.Ptr) + uintptr(to*size)
}

func (in *instance) NewWorker() backend.Worker {
	c := in.code
	w := &worker{}
	f := &w.frame
	f.inst, f.sites = in, in.sites
	bytes := c.arena + block*8
	f.arena = work.Memory(bytes)
	f.raw = unsafe.Pointer(&f.arena[(c.arena+7)/8])
	f.table = make([]unsafe.Pointer, max(len(c.regs), 1))
	for i := range c.regs {
		f.table[i] = unsafe.Pointer(&f.arena[c.regs[root(c.regs, int32(i))].home/8])
	}
	f.homes = slices.Clone(f.table)
	f.regs = unsafe.Pointer(unsafe.SliceData(f.table))
	f.Scratch = in.need.New(len(in.extents), block, f)
	f.rows = make([]unsafe.Pointer, len(c.k.Bufs))
	for i, n := range in.rowBytes {
		if n > 0 {
			f.rows[i] = unsafe.Pointer(unsafe.SliceData(work.Memory(n)))
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
		setBits(f.at(c.reg*regSize), c.size, c.bits, c.lanes)
	}
	return w
}

func (f *frame) newRuns(r int32, positions int) {
	info := &f.inst.code.runs[r]
	st := &f.runs[r]
	st.kern, st.size = info.kern, info.arg.Size()
	st.stack = unsafe.Pointer(unsafe.SliceData(work.Memory(info.kern.levels(positions) * block * st.size)))
	d, tmp, src := info.dst*regSize, info.tmp*regSize, info.src*regSize
	st.step = ins{d: d, a: d, b: src, aux: r}
	st.merge = ins{d: d, a: tmp, b: d, aux: r}
}

// A site is an access with the numbers of a binding.
type site struct {
	gather.Access
	buf  int32
	view bool // the register of the access points at the array instead of the arena
}

// A binder computes the accesses of an instance.
type binder struct {
	*bound.Kernel
	code   *code
	inst   *instance
	orders [][]int // the digits of each vec loop, outermost first
	tiled  []tile  // by vec loop; zero if the loop has no tiles
}

// site returns the bound access of a load, a store or an index.
func (b *binder) site(info *siteInfo) (s site) {
	for _, l := range info.guard {
		if b.Product(b.IR.Loops[l].Axes) == 0 {
			return site{Access: gather.Access{Kind: gather.Skip}}
		}
	}
	at := gather.At{Kernel: b.Kernel, Handle: func(v ir.Value) int32 { return root(b.code.regs, v) }}
	if info.vec >= 0 {
		at.Digits = b.orders[info.vec]
	}
	if info.access < 0 {
		s = site{Access: at.Index(info.ix), buf: -1}
	} else {
		a := &b.Access[info.access]
		s.buf = a.Buf
		s.Access = at.Access(a)
		s.view = info.view && s.Contiguous()
	}
	b.inst.need.Add(&s.Access)
	return s
}
