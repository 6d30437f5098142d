package jit

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/jit/emit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/machine/probe"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A code is a lowered kernel. Its machine code depends on the layouts of a binding.
// Bindings with the same layouts share it.
type code struct {
	p        *lower.Program
	gen      *generator
	k        *ir.Kernel
	portable backend.Code // the interpreter's code, for bindings that machine code cannot run

	mu        sync.Mutex
	functions map[string]*function
	fallback  string
}

// Fallback returns the reason why the interpreter ran a binding of this kernel, or
// an empty string.
func (c *code) Fallback() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fallback
}

// A function is the machine code of some phases.
type function struct {
	code    *exec.Code
	slots   int
	variant layout.Variant
}

// An instance is code bound to arrays and extents.
type instance struct {
	code     *code
	bind     *ir.Binding
	extents  []int
	items    []boundItem
	vecs     []*boundVec
	phases   []*boundPhase
	periodic []*boundPhase // with loads that are copied once in a run
	rowBytes []int
	partials [][]reduce.Partial
	frame    int // bytes
	need     gather.Need
	lanes    int // most lanes of a call of Go code that copies elements
	count    int // units
	cost     float64

	work.Run
}

// A boundPhase is a phase of an instance, with its layout and its machine code.
type boundPhase struct {
	*layout.Phase
	vec      int // index of the loop in the instance
	strip    int // most lanes of a piece
	fn       *function
	streamed *function    // the function whose stores bypass the caches; nil without such stores
	tiles    []*exec.Code // of the transposed sites
}

type boundItem struct {
	scalar *boundPhase
	vec    *boundVec
	par    []boundItem
	axes   []int32
	n      int      // iterations of par
	rows   *rowLoop // of par, if one call does many of them
}

type boundVec struct {
	v      *lower.VecLoop
	id     int
	n      int
	step   int // lanes that run all phases before the next lanes start
	row    int // step should be a multiple of it; 0: no preference
	phases []*boundPhase
	reds   []*boundRed
}

func newCode(p *lower.Program, gen *generator) *code {
	return &code{p: p, gen: gen, functions: map[string]*function{}}
}

func (c *code) Bind(bind *ir.Binding) (backend.Instance, error) {
	in, err := c.bind(bind)
	if u, ok := err.(lower.Unsupported); ok {
		code, err := c.interpreted(string(u))
		if err != nil {
			return nil, err
		}
		return code.Bind(bind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.gen.Name(), c.p.IR.Name, err)
	}
	return in, nil
}

// interpreted returns the interpreter's code of the kernel, and records the reason.
func (c *code) interpreted(reason string) (backend.Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fallback = reason
	if c.portable == nil {
		var err error
		if c.portable, err = newPortable(c.k, reason); err != nil {
			return nil, err
		}
	}
	return c.portable, nil
}

func (c *code) bind(bind *ir.Binding) (*instance, error) {
	n, err := bound.New(c.p.IR, bind, false)
	if err != nil {
		return nil, err
	}
	b := &layout.Binder{Kernel: n, Binding: bind, Machine: model()}
	in := &instance{code: c, bind: bind, extents: n.Extents, phases: make([]*boundPhase, len(c.p.Phases)), lanes: 1}
	_, in.count = n.Units()
	for i := range c.p.IR.Bufs {
		d, bytes := &c.p.IR.Bufs[i], 0
		if d.Mode == ir.Row {
			bytes = max(b.Size(i)*d.Type.Size(), 1)
		}
		in.rowBytes = append(in.rowBytes, bytes)
	}
	if in.items, err = in.bindItems(b, c.p.Items); err != nil {
		return nil, err
	}
	slots, err := in.functions(b, in.items)
	if err != nil {
		return nil, err
	}
	in.frame = c.p.SlotBase + slots*64
	in.chooseCost()
	reds := 0
	if c.p.Units == bound.BlockUnits {
		reds = len(in.items[c.p.Main].vec.reds)
	}
	if err := hostmem.ReserveFor(in.count, reds*int(unsafe.Sizeof(reduce.Partial{})), in.rowBytes); err != nil {
		return nil, err
	}
	for range reds {
		in.partials = append(in.partials, make([]reduce.Partial, in.count))
	}
	return in, nil
}

func (in *instance) bindItems(b *layout.Binder, items []lower.Item) ([]boundItem, error) {
	var out []boundItem
	for i := range items {
		it := &items[i]
		bi := boundItem{axes: it.Axes, n: 1}
		var err error
		switch {
		case it.Scalar != nil:
			bi.scalar, err = in.bindPhase(b, it.Scalar)
		case it.Vec != nil:
			bi.vec, err = in.bindVec(b, it.Vec)
		default:
			bi.n = b.Product(it.Axes)
			bi.par, err = in.bindItems(b, it.Par)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, bi)
	}
	return out, nil
}

func (in *instance) bindVec(b *layout.Binder, v *lower.VecLoop) (*boundVec, error) {
	bv := &boundVec{v: v, id: len(in.vecs), n: b.Product(v.Axes), step: layout.MaxLanes}
	in.vecs = append(in.vecs, bv)
	for _, ph := range v.Phases {
		bp, err := in.bindPhase(b, ph)
		if err != nil {
			return nil, err
		}
		bp.vec = bv.id
		bp.FindTiles()
		bv.phases = append(bv.phases, bp)
		bp.strip = layout.MaxLanes
		if len(bp.Loads)+len(bp.Stores) > 0 {
			bp.strip = stageLanes
			if ph.Kind == lower.SeqPhase {
				bp.strip = 128
			}
		}
		if bp.Turned() {
			bp.strip = min(bp.strip, turnedLanes)
		}
		bv.step = min(bv.step, bp.strip)
	}
	if len(v.Arrays) > 0 {
		bv.step = min(bv.step, 2*stageLanes)
	}
	bv.step = min(bv.step, in.code.gen.callLanes(bv))
	if len(bv.phases) == 1 {
		if bp := bv.phases[0]; len(bp.Transposed) > 0 {
			bv.row = bp.TileRows * bp.Spans[len(bp.Spans)-1]
			bv.step = bv.row * max(1, stageLanes/bv.row) // a call is a tile
		} else if bp.Tiled {
			bv.step = 16 * layout.MaxLanes // a call is a tile, or a row of one
			if rows, _ := bp.TileShape(); rows < layout.TileRows {
				all := rows * bp.Spans[len(bp.Spans)-1]
				bv.step = max(all, bv.step-bv.step%all)
			}
		}
	}
	if len(v.Reds) > 0 {
		bv.step = ir.Block * in.code.gen.callBlocks(bv)
	}
	for _, r := range v.Reds {
		bv.reds = append(bv.reds, &boundRed{Red: r, area: in.code.p.RedBase + int(r.State)*frame.RedBytes})
	}
	if len(v.Phases) == 1 && bv.phases[0].Most > layout.MaxLanes && bv.row == 0 && !bv.phases[0].Tiled {
		bv.step = max(bv.step, bv.phases[0].Most)
	}
	if len(v.Phases) == 1 && bv.phases[0].Rows && bv.row == 0 {
		bv.row = bv.phases[0].Spans[len(bv.phases[0].Spans)-1]
		if bv.row <= bv.step { // whole rows
			bv.step -= bv.step % bv.row
		} else {
			bv.row = 0
		}
	}
	for _, bp := range bv.phases {
		if len(v.Reds) == 0 || bp.Lowered.Kind == lower.MapPhase { // blocks are one call
			bp.strip = bv.step
		}
		bp.strip = min(bp.strip, bv.step)
		if bp.Along {
			bp.strip = 1
		}
	}
	return bv, nil
}

func (in *instance) bindPhase(b *layout.Binder, ph *lower.Phase) (*boundPhase, error) {
	bp := &boundPhase{Phase: b.Phase(ph)}
	in.phases[ph.ID] = bp
	if ph.Kind == lower.SeqPhase {
		for i := range ph.Reds {
			r := &ph.Reds[i]
			arg := ph.ArgBase + (len(ph.Sites)+2*i)*frame.SiteBytes
			bp.Reds = append(bp.Reds, layout.SeqRed{Red: r, At: arg, PosAt: arg + frame.SiteBytes})
			bp.Ordered = bp.Ordered || r.Kern.Ordered
		}
	}
	for _, i := range bp.Transposed {
		tile, err := in.code.gen.tile(bp.Sites[i].Size, bp.Far)
		if err != nil {
			return nil, lower.Unsupported(err.Error())
		}
		bp.tiles = append(bp.tiles, tile)
	}
	for _, i := range append(slices.Clone(bp.Loads), bp.Stores...) {
		in.need.Add(&bp.Sites[i].Stage.Site)
		in.lanes = ir.Block
		if bp.Sites[i].Stage.Period > 0 && !slices.Contains(in.periodic, bp) {
			in.periodic = append(in.periodic, bp)
		}
	}
	for i := range bp.Sites {
		for d := range bp.Sites[i].Dyn {
			in.need.Add(&bp.Sites[i].Dyn[d].Site)
		}
	}
	return bp, nil
}

// functions makes the machine code of items and returns how many slots it needs.
func (in *instance) functions(b *layout.Binder, items []boundItem) (slots int, err error) {
	phase := func(bp *boundPhase) error {
		v := layout.Variant{Rows: bp.Rows, Narrow: bp.Narrow, Fetch: bp.Fetch, Ahead: b.Machine.Fetch}
		if bp.Fetch || len(bp.Pure) > 0 {
			probe.Want()
		}
		one := []*layout.Phase{bp.Phase}
		if bp.fn, err = in.code.function(one, v); err != nil {
			return err
		}
		slots = max(slots, bp.fn.slots)
		if len(bp.Pure) > 0 {
			v.Narrow, v.Stream, v.Ahead = b.Machine.Narrow, true, b.Machine.StreamFetch
			if bp.streamed, err = in.code.function(one, v); err != nil {
				return err
			}
			slots = max(slots, bp.streamed.slots)
		}
		return nil
	}
	for i := range items {
		switch it := &items[i]; {
		case it.scalar != nil:
			err = phase(it.scalar)
		case it.vec != nil:
			for _, bp := range it.vec.phases {
				if err = phase(bp); err != nil {
					return 0, err
				}
			}
		default:
			n := 0
			if it.rows = in.findRowLoop(b, it); it.rows == nil {
				n, err = in.functions(b, it.par)
			} else if it.rows.fn, err = in.code.function(it.rows.phases, layout.Variant{Rows: true}); err == nil {
				n = it.rows.fn.slots
			}
			slots = max(slots, n)
		}
		if err != nil {
			return 0, err
		}
	}
	return slots, nil
}

// function returns the machine code of phases for their layouts. It generates the
// code on the first use.
func (c *code) function(phases []*layout.Phase, v layout.Variant) (*function, error) {
	var key []byte
	for _, bp := range phases {
		key = bp.AppendKey(key)
	}
	key = append(key, byte(frame.Bit(v.Rows)|frame.Bit(v.Stream)<<1|frame.Bit(v.Narrow)<<2|frame.Bit(v.Fetch)<<3), byte(v.Ahead>>6), byte(v.Ahead>>14))
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.functions[string(key)]; ok {
		return f, nil
	}
	obj, err := emit.Generate(c.gen.isa, c.p, phases, v, false)
	if err != nil {
		return nil, err
	}
	f := &function{slots: obj.Slots, variant: v}
	if f.code, err = exec.Install(obj.Code); err != nil {
		return nil, lower.Unsupported(err.Error())
	}
	c.functions[string(key)] = f
	return f, nil
}

func (in *instance) Units() (n, grain int, cost float64) {
	if in.code.p.Units == bound.ElementUnits {
		return in.count, in.vecs[0].grain(), in.cost
	}
	return in.count, 1, in.cost
}

func (in *instance) NewWorker() backend.Worker {
	w := &worker{inst: in}
	w.mem = work.Memory(in.frame + 64)
	w.frame = unsafe.Pointer(unsafe.SliceData(w.mem))
	w.Scratch = in.need.New(len(in.extents), in.lanes, w)
	w.reds = make([]redState, in.code.p.States)
	w.rows = make([]unsafe.Pointer, len(in.rowBytes))
	for i, n := range in.rowBytes {
		if n > 0 {
			w.rows[i] = w.memory(n)
		}
	}
	for _, v := range in.vecs {
		var arrays []unsafe.Pointer
		for _, t := range v.v.Arrays {
			arrays = append(arrays, w.memory(v.step*t.Size()))
		}
		w.arrays = append(w.arrays, arrays)
	}
	n := 0
	for _, ph := range in.code.p.Phases {
		n = max(n, int(ph.Scratch)+len(ph.Sites))
	}
	w.scratch, w.inside = make([]unsafe.Pointer, n), make([]unsafe.Pointer, n)
	w.accs = make([][]accState, len(in.phases))
	for id, bp := range in.phases {
		lanes := 1
		if bp.Lowered.Vec != nil {
			lanes = bp.strip
		}
		if bp.Lowered.Kind == lower.SeqPhase {
			lanes *= ir.Run
		}
		for _, i := range append(slices.Clone(bp.Loads), bp.Stores...) {
			s := &bp.Sites[i]
			w.scratch[int(bp.Lowered.Scratch)+int(i)] = w.memory((lanes + s.Stage.Period) * s.Size)
			if s.Guard {
				w.inside[int(bp.Lowered.Scratch)+int(i)] = w.memory(lanes)
			}
			w.flat(bp, s, i, 0)
		}
		for _, i := range bp.Transposed {
			if bp.Copy < 0 && bp.Lowered.Kind == lower.MapPhase {
				w.scratch[int(bp.Lowered.Scratch)+int(i)] = w.memory((bp.TileRows + 1) * layout.TilePitch * bp.Sites[i].Size)
			}
		}
		for i := range bp.Reds {
			r := &bp.Reds[i]
			st := accState{acc: w.memory(bp.strip * r.Kern.Lane.Size())}
			for range r.Kern.Levels(bp.SeqN) {
				st.levels = append(st.levels, w.memory(bp.strip*r.Kern.Lane.Size()))
			}
			if r.Kern.Arg {
				st.pos = w.memory(bp.strip * 4)
			}
			w.accs[id] = append(w.accs[id], st)
		}
		w.prepare(bp)
	}
	w.findShortcut()
	return w
}

// memory returns zeroed memory, with room for one vector after it.
func (w *worker) memory(bytes int) unsafe.Pointer {
	m := work.Memory(bytes + 64)
	w.keep = append(w.keep, m)
	return unsafe.Pointer(unsafe.SliceData(m))
}

// prepare writes the steps of the sites, which all calls share, to the frame.
func (w *worker) prepare(bp *boundPhase) {
	for i := range bp.Sites {
		s := &bp.Sites[i]
		w.set(s.Arg+frame.SiteStride, s.Line.Step()*s.Size)
		w.set(s.Arg+frame.SiteRow, s.Row*s.Size)
	}
}
