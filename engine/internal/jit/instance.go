package jit

import (
	le "encoding/binary"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A code is a lowered kernel. Its machine code depends on the layouts of a binding.
// Bindings with the same layouts share it.
type code struct {
	p        *program
	gen      *generator
	cellBase int
	redBase  int
	slotBase int
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

// An instance is code bound to arrays and extents.
type instance struct {
	code     *code
	bind     *ir.Binding
	extents  []int
	items    []boundItem
	vecs     []*boundVec
	phases   []*boundPhase
	rowBytes []int
	partials [][]partial
	frame    int // bytes
	need     gather.Need
	lanes    int // most lanes of a call of Go code that copies elements
	count    int // units
	cost     float64

	work.Run
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
	v      *vecLoop
	id     int
	n      int
	step   int // lanes that run all phases before the next lanes start
	row    int // step should be a multiple of it; 0: no preference
	phases []*boundPhase
	reds   []*boundRed
}

func newCode(p *program, gen *generator) *code {
	c := &code{p: p, gen: gen, functions: map[string]*function{}}
	off := frameSites
	scratch := 0
	for _, ph := range p.phases {
		ph.lanes = off
		off += 8
		ph.argBase = off
		off += (len(ph.sites) + 2*len(ph.reds)) * siteBytes
		ph.scratch = int32(scratch)
		scratch += len(ph.sites)
	}
	c.cellBase = off
	off += len(p.cells) * 8
	c.redBase = (off + 63) &^ 63
	c.slotBase = c.redBase + p.states*redBytes
	return c
}

func (c *code) Bind(bind *ir.Binding) (backend.Instance, error) {
	in, err := c.bind(bind)
	if u, ok := err.(unsupported); ok {
		code, err := c.interpreted(string(u))
		if err != nil {
			return nil, err
		}
		return code.Bind(bind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.gen.Name(), c.p.k.Name, err)
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
	n, err := bound.New(c.p.k, bind, false)
	if err != nil {
		return nil, err
	}
	b := &binder{Kernel: n, p: c.p, bind: bind}
	in := &instance{code: c, bind: bind, extents: n.Extents, phases: make([]*boundPhase, len(c.p.phases)), lanes: 1}
	_, in.count = n.Units()
	for i := range c.p.k.Bufs {
		d, bytes := &c.p.k.Bufs[i], 0
		if d.Mode == ir.Row {
			bytes = max(b.Size(i)*d.Type.Size(), 1)
		}
		in.rowBytes = append(in.rowBytes, bytes)
	}
	if in.items, err = in.bindItems(b, c.p.items); err != nil {
		return nil, err
	}
	slots, err := in.functions(b, in.items)
	if err != nil {
		return nil, err
	}
	in.frame = c.slotBase + slots*64
	in.chooseCost()
	reds := 0
	if c.p.units == bound.BlockUnits {
		reds = len(in.items[c.p.main].vec.reds)
	}
	if err := hostmem.ReserveFor(in.count, reds*int(unsafe.Sizeof(partial{})), in.rowBytes); err != nil {
		return nil, err
	}
	for range reds {
		in.partials = append(in.partials, make([]partial, in.count))
	}
	return in, nil
}

func (in *instance) bindItems(b *binder, items []item) ([]boundItem, error) {
	var out []boundItem
	for i := range items {
		it := &items[i]
		bi := boundItem{axes: it.axes, n: 1}
		var err error
		switch {
		case it.scalar != nil:
			bi.scalar, err = in.bindPhase(b, it.scalar)
		case it.vec != nil:
			bi.vec, err = in.bindVec(b, it.vec)
		default:
			bi.n = b.Product(it.axes)
			bi.par, err = in.bindItems(b, it.par)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, bi)
	}
	return out, nil
}

func (in *instance) bindVec(b *binder, v *vecLoop) (*boundVec, error) {
	bv := &boundVec{v: v, id: len(in.vecs), n: b.Product(v.axes), step: maxLanes}
	in.vecs = append(in.vecs, bv)
	for _, ph := range v.phases {
		bp, err := in.bindPhase(b, ph)
		if err != nil {
			return nil, err
		}
		bp.vec = bv.id
		bp.findTiles()
		bv.phases = append(bv.phases, bp)
		bp.strip = maxLanes
		if len(bp.loads)+len(bp.stores) > 0 {
			bp.strip = stageLanes
			if ph.kind == seqPhase {
				bp.strip = 128
			}
		}
		bv.step = min(bv.step, bp.strip)
	}
	if len(v.arrays) > 0 {
		bv.step = min(bv.step, 2*stageLanes)
	}
	bv.step = min(bv.step, in.code.gen.callLanes(bv))
	if len(bv.phases) == 1 {
		if bp := bv.phases[0]; len(bp.transposed) > 0 {
			bv.row = bp.tileRows * bp.spans[len(bp.spans)-1]
			bv.step = bv.row // a call is a tile
		} else if bp.tiled {
			bv.step = 16 * maxLanes // a call is a row of a tile
		}
	}
	if len(v.reds) > 0 { // a block is one call
		bv.step = ir.Block
	}
	for _, r := range v.reds {
		bv.reds = append(bv.reds, &boundRed{red: r, area: in.code.redBase + int(r.state)*redBytes})
	}
	if len(v.phases) == 1 && bv.phases[0].most > maxLanes && bv.row == 0 && !bv.phases[0].tiled {
		bv.step = max(bv.step, bv.phases[0].most)
	}
	if len(v.phases) == 1 && bv.phases[0].rows && bv.row == 0 {
		bv.row = bv.phases[0].spans[len(bv.phases[0].spans)-1]
		if bv.row <= bv.step { // whole rows
			bv.step -= bv.step % bv.row
		} else {
			bv.row = 0
		}
	}
	for _, bp := range bv.phases {
		if len(v.reds) == 0 || bp.ph.kind == mapPhase { // a block is one call
			bp.strip = bv.step
		}
		bp.strip = min(bp.strip, bv.step)
	}
	return bv, nil
}

func (in *instance) bindPhase(b *binder, ph *phase) (*boundPhase, error) {
	bp := b.layout(ph)
	in.phases[ph.id] = bp
	if ph.kind == seqPhase {
		for i := range ph.reds {
			r := &ph.reds[i]
			arg := ph.argBase + (len(ph.sites)+2*i)*siteBytes
			bp.reds = append(bp.reds, seqRed{red: r, arg: arg, idx: arg + siteBytes})
			bp.ordered = bp.ordered || r.kern.ordered
		}
	}
	for _, i := range append(slices.Clone(bp.loads), bp.stores...) {
		in.need.Add(&bp.sites[i].stage.site)
		in.lanes = ir.Block
	}
	for i := range bp.sites {
		for d := range bp.sites[i].dyn {
			in.need.Add(&bp.sites[i].dyn[d].site)
		}
	}
	return bp, nil
}

// functions makes the machine code of items and returns how many slots it needs.
func (in *instance) functions(b *binder, items []boundItem) (slots int, err error) {
	phase := func(bp *boundPhase) error {
		v := variant{rows: bp.rows, narrow: bp.narrow, fetch: bp.fetch}
		one := []*boundPhase{bp}
		if bp.fn, err = in.code.function(one, v); err != nil {
			return err
		}
		slots = max(slots, bp.fn.slots)
		if len(bp.pure) > 0 {
			v.narrow, v.stream = true, true
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
			} else if it.rows.fn, err = in.code.function(it.rows.phases, variant{rows: true}); err == nil {
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
func (c *code) function(phases []*boundPhase, v variant) (*function, error) {
	var key []byte
	for _, bp := range phases {
		key = bp.appendKey(key)
	}
	key = append(key, byte(boolBit(v.rows)|boolBit(v.stream)<<1|boolBit(v.narrow)<<2|boolBit(v.fetch)<<3))
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.functions[string(key)]; ok {
		return f, nil
	}
	f, err := c.gen.generate(c, phases, v, false)
	if err != nil {
		return nil, err
	}
	c.functions[string(key)] = f
	return f, nil
}

// appendKey appends all that the machine code of a phase depends on to key.
func (bp *boundPhase) appendKey(key []byte) []byte {
	key = append(key, byte(bp.ph.id), byte(bp.ph.id>>8))
	for i := range bp.sites {
		s := &bp.sites[i]
		k := uint32(s.kind)
		for bit, is := range [...]bool{
			s.guard, s.staged, s.dyn != nil, s.row != 0, s.pure,
			s.line.Step() != 0, bound.StepOf(s.seq) != 0,
			s.trails,
		} {
			k |= uint32(boolBit(is)) << (8 + bit)
		}
		key = le.LittleEndian.AppendUint32(key, k)
		if s.gather == nil {
			key = append(key, 0)
			continue
		}
		// Strides and extents are constants of the code.
		key = le.LittleEndian.AppendUint64(append(key, byte(1+len(s.gather.dims))), uint64(s.line.Step()))
		for _, d := range s.gather.dims {
			key = le.LittleEndian.AppendUint32(append(key, byte(d.bounds)), uint32(d.coord.node))
			key = le.LittleEndian.AppendUint32(key, uint32(d.coord.site))
			key = le.LittleEndian.AppendUint64(key, uint64(d.stride))
			key = le.LittleEndian.AppendUint64(key, uint64(d.extent))
		}
	}
	return key
}

func (in *instance) Units() (n, grain int, cost float64) {
	if in.code.p.units == bound.ElementUnits {
		return in.count, in.vecs[0].grain(), in.cost
	}
	return in.count, 1, in.cost
}

func (in *instance) NewWorker() backend.Worker {
	w := &worker{inst: in}
	w.mem = work.Memory(in.frame + 64)
	w.frame = unsafe.Pointer(unsafe.SliceData(w.mem))
	w.Scratch = in.need.New(len(in.extents), in.lanes, w)
	w.reds = make([]redState, in.code.p.states)
	w.rows = make([]unsafe.Pointer, len(in.rowBytes))
	for i, n := range in.rowBytes {
		if n > 0 {
			w.rows[i] = w.memory(n)
		}
	}
	for _, v := range in.vecs {
		var arrays []unsafe.Pointer
		for _, t := range v.v.arrays {
			arrays = append(arrays, w.memory(v.step*t.Size()))
		}
		w.arrays = append(w.arrays, arrays)
	}
	n := 0
	for _, ph := range in.code.p.phases {
		n = max(n, int(ph.scratch)+len(ph.sites))
	}
	w.scratch, w.inside = make([]unsafe.Pointer, n), make([]unsafe.Pointer, n)
	w.accs = make([][]accState, len(in.phases))
	for id, bp := range in.phases {
		lanes := 1
		if bp.ph.vec != nil {
			lanes = bp.strip
		}
		if bp.ph.kind == seqPhase {
			lanes *= ir.Run
		}
		for _, i := range append(slices.Clone(bp.loads), bp.stores...) {
			s := &bp.sites[i]
			w.scratch[int(bp.ph.scratch)+int(i)] = w.memory(lanes * s.size)
			if s.guard {
				w.inside[int(bp.ph.scratch)+int(i)] = w.memory(lanes)
			}
			w.flat(bp, s, i, 0)
		}
		for _, i := range bp.transposed {
			w.scratch[int(bp.ph.scratch)+int(i)] = w.memory((bp.tileRows + 1) * tilePitch * bp.sites[i].size)
		}
		for i := range bp.reds {
			r := &bp.reds[i]
			st := accState{acc: w.memory(bp.strip * r.kern.lane.Size())}
			for range r.kern.levels(bp.seqN) {
				st.levels = append(st.levels, w.memory(bp.strip*r.kern.lane.Size()))
			}
			if r.kern.arg {
				st.pos = w.memory(bp.strip * 4)
			}
			w.accs[id] = append(w.accs[id], st)
		}
		bp.prepare(w)
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
