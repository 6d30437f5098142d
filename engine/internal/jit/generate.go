package jit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/plan/bound"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A generator makes machine code for one instruction set.
type generator struct {
	isa    isa
	nv     int // vector registers
	vbytes int // bytes of a vector register
}

func newGenerator(target isa) *generator {
	g := &generator{isa: target}
	g.nv, g.vbytes = target.vectors()
	return g
}

// A function is the machine code of some phases.
type function struct {
	code    *exec.Code
	slots   int
	lanes   int
	spills  int
	phases  []*boundPhase // of the binding that it was made for
	variant variant
	text    *listing.Function // nil without a listing
}

// A variant is one of several functions for the same phases.
type variant struct {
	rows   bool // runs frameRows rows; sites step by siteRow
	narrow bool // vectors of 256 bits at most
	stream bool // stores to pure sites bypass the caches
	fetch  bool // prefetches loads
}

// prepare writes the steps of the sites, which all calls share, to the frame.
func (bp *boundPhase) prepare(w *worker) {
	for i := range bp.sites {
		s := &bp.sites[i]
		if s.staged {
			w.set(s.arg+siteLo, bp.strip)
		}
		w.set(s.arg+siteStride, s.line.Step()*s.size)
		w.set(s.arg+siteRow, s.row*s.size)
	}
}

// opGather is a load from computed offsets. Its arguments are the offsets, the mask
// and the fill value. A Store has computed offsets in args[1]. A masked load of
// contiguous lanes has its mask there.
const opGather = opOperand + 1

// An acc is the accumulators of one reduction of a map phase: in registers in the
// main loop if they fit, in memory in the tail.
type acc struct {
	*red
	area int32 // offset in the frame
	n    int   // vectors
	regs []x86.Vec
	idx  []x86.Vec // positions, for ArgMin and ArgMax
}

// generate returns a function that runs phases one after the other. If list is set,
// the function has a listing but no executable code.
func (g *generator) generate(c *code, phases []*boundPhase, v variant, list bool) (*function, error) {
	a := x86.New()
	a.Listing = list
	text := &listing.Function{Name: v.symbol(c.p.k.Name, phases), Variant: v.String()}
	fn := &function{phases: phases, variant: v}
	again := a.NewLabel()
	a.Bind(again)
	var tables []tableData
	for _, bp := range phases {
		f := newEmitter(g, a, c, bp, v)
		f.phaseCode()
		if f.err != nil {
			return nil, f.err
		}
		tables = append(tables, f.tables...)
		fn.slots, fn.lanes = max(fn.slots, f.slots), max(fn.lanes, f.w)
		fn.spills += f.spills
		if list {
			text.Phases = append(text.Phases, f.listing())
		}
	}
	if v.rows {
		a.Head("next row")
		nextRow(a, phases, again)
	}
	a.Head("end")
	if v.stream {
		a.I(x86.SFENCE, 0)
	}
	a.I(x86.VZEROUPPER, 0)
	a.I(x86.RET, 0)
	for _, t := range tables {
		a.Head("table")
		a.Align(64)
		a.Bind(t.label)
		a.Bytes(t.bits...)
	}
	obj, err := a.Finish()
	if err != nil {
		return nil, unsupported(err.Error())
	}
	if list {
		text.Spills, text.Lines, text.Code, text.Text, text.Consts = fn.spills, obj.Lines, obj.Bytes, obj.Text, obj.Consts
		fn.text = text
		return fn, nil
	}
	fn.code, err = install(obj)
	if err != nil {
		return nil, unsupported(err.Error())
	}
	return fn, nil
}

// newEmitter prepares the emission of a phase.
func newEmitter(g *generator, a *x86.Asm, c *code, bp *boundPhase, v variant) *emitter {
	f := &emitter{generator: g, a: a, c: c, bp: bp, ph: bp.ph, variant: v}
	f.nodes = slices.Clone(f.ph.nodes)
	f.top = slices.Clone(f.ph.top)
	f.expandGathers()
	size := widest(f.nodes)
	for i := range f.ph.reds {
		if p := f.ph.reds[i].kern.prog; p != nil {
			size = max(size, widest(p.nodes))
		}
	}
	f.w = g.vbytes / size
	if v.narrow {
		f.w = 32 / size
	}
	for f.w>>f.wlog > 1 {
		f.wlog++
	}
	f.findUniform()
	f.settleGathers()
	f.liveness()
	f.siteReg = make([]int8, len(bp.sites))
	for i := range f.siteReg {
		f.siteReg[i] = -1
	}
	for i := range f.vowner {
		f.vowner[i] = -1
	}
	for i := range f.kowner {
		f.kowner[i] = -1
	}
	f.vfree = 1<<g.nv - 1
	f.kfree = 0x7e
	return f
}

func (f *emitter) phaseCode() {
	switch f.ph.kind {
	case scalarPhase:
		f.scalarBody()
	case mapPhase:
		f.mapLoop()
	case seqPhase:
		f.seqLoop()
	}
}

// findUniform finds the uniform nodes: the same in all lanes and all rows. It hoists
// them from the body (top) to the prologue (pro).
func (f *emitter) findUniform() {
	f.uniform = make([]bool, len(f.nodes))
	f.uslot = make([]int32, len(f.nodes))
	f.home = make([]int8, len(f.nodes))
	for i := range f.nodes {
		f.uslot[i], f.home[i] = -1, -1
		op := f.nodes[i].op
		f.uniform[i] = op == prim.Const || op == opCell
		if op == opCell && !f.isa.broadcasts() {
			f.uslot[i] = f.newSlot()
			f.hoisted = append(f.hoisted, int32(i))
		}
	}
	if f.ph.kind == scalarPhase {
		return
	}
	var rest []int32
	for _, id := range f.top {
		n := &f.nodes[id]
		ok := true
		switch n.op {
		case ir.Load, ir.Index:
			s := &f.bp.sites[n.aux]
			ok = s.kind == uniSite && !s.guard && !f.stored(s.buf) || s.kind == iotaSite && s.line.Step() == 0
			ok = ok && bound.StepOf(s.seq) == 0
		case ir.Store, ir.Fault, ir.Cold, opExport, opGather, opIota:
			ok = false
		}
		for _, a := range n.args {
			ok = ok && (a == none || f.uniform[a])
		}
		if !ok {
			rest = append(rest, id)
			continue
		}
		f.uniform[id] = true
		f.uslot[id] = f.newSlot()
		f.hoisted = append(f.hoisted, id)
	}
	f.top = rest
}

func (f *emitter) stored(buf int32) bool {
	for i := range f.ph.sites {
		if f.ph.sites[i].store && f.ph.sites[i].buf == buf {
			return true
		}
	}
	return false
}

// liveness finds the last use of each node: a position in the order of emission.
func (f *emitter) liveness() {
	f.last = make([]int32, len(f.nodes))
	pos := int32(0)
	def := make([]int32, len(f.nodes))
	var walk func(list []int32)
	walk = func(list []int32) {
		for _, id := range list {
			n := &f.nodes[id]
			start := pos
			if n.op == ir.Cold {
				pos++
				start = pos
				walk(n.body)
			}
			pos++
			n.at = pos
			def[id] = pos
			f.last[id] = max(f.last[id], pos)
			for _, a := range n.args {
				if a != none {
					f.last[a] = pos
				}
			}
			if n.op == ir.Cold {
				f.last[n.yield] = pos
				// Values from before the region must live until its end.
				f.keepInside(n.body, def, start, pos)
			}
		}
	}
	walk(f.top)
	pos++
	for i := range f.ph.reds {
		f.last[f.ph.reds[i].arg] = pos
	}
}

func (f *emitter) keepInside(body, def []int32, start, end int32) {
	keep := func(a int32) {
		if a != none && def[a] != 0 && def[a] <= start {
			f.last[a] = max(f.last[a], end)
		}
	}
	for _, id := range body {
		n := &f.nodes[id]
		for _, a := range n.args {
			keep(a)
		}
		if n.op == ir.Cold {
			keep(n.yield)
			f.keepInside(n.body, def, start, end)
		}
	}
}

// pressure returns the most vector and mask registers that one copy needs at once.
func (f *emitter) pressure() (vecs, masks int) {
	if f.pressed {
		return f.mostVecs, f.mostMasks
	}
	f.pressed = true
	f.press(f.top, nil)
	return f.mostVecs, f.mostMasks
}

func (f *emitter) press(list, live []int32) []int32 {
	for _, id := range list {
		n := &f.nodes[id]
		if n.op == ir.Cold {
			live = f.press(n.body, live)
		}
		v, m, kept := 0, 0, 0
		if n.op != ir.Store && n.op != ir.Fault && n.op != opExport {
			live = append(live, id)
		}
		for _, l := range live {
			if f.last[l] < n.at {
				continue
			}
			live[kept] = l
			kept++
			if f.isMask(l) {
				m++
			} else {
				v++
			}
		}
		live = live[:kept]
		f.mostVecs, f.mostMasks = max(f.mostVecs, v), max(f.mostMasks, m)
	}
	return live
}

// start prepares the emission of a group of so many copies: no node has a place.
func (f *emitter) start(copies int) {
	f.copies = copies
	f.places = make([]place, len(f.nodes)*copies)
	for i := range f.places {
		f.places[i] = place{-1, -1}
	}
}

// body emits the nodes for all copies of a group.
func (f *emitter) body(list []int32) {
	for _, id := range list {
		n := &f.nodes[id]
		f.at = n.at
		if f.a.Listing {
			f.note(id)
		}
		if n.op == ir.Cold {
			f.cold(id)
			continue
		}
		for c := range f.copies {
			f.emit(id, c)
		}
		if f.last[id] == n.at && n.op != ir.Store && n.op != ir.Fault && n.op != opExport {
			for c := range f.copies {
				f.drop(id, c)
			}
		}
	}
}

// prologue emits the uniform nodes and stores them in slots.
func (f *emitter) prologue() {
	if len(f.hoisted) > 0 {
		f.part("before the loop: what all elements share")
	}
	f.start(1)
	f.prolog = true
	for _, id := range f.hoisted {
		if f.a.Listing {
			f.note(id)
		}
		f.emitUniform(id)
	}
	f.prolog = false
	f.ownAddresses()
}

// emitUniform emits a uniform node and stores the result.
func (f *emitter) emitUniform(id int32) {
	f.emitNode(id, 0)
	if f.isMask(id) {
		f.i(x86.KMOVW, 0, f.slot(f.uslot[id]), x86.Mask(f.result))
	} else {
		f.i(x86.VMOVUPS, f.lenOf(f.nodes[id].typ), f.slot(f.uslot[id]), x86.Vec(f.result))
	}
	f.end()
}

// pinUniforms pins the uniform nodes with the most uses in registers, at most room.
func (f *emitter) pinUniforms(room int) {
	// The code of one node holds at most ten registers at once.
	room = min(room, bits.OnesCount64(f.vfree)-10)
	uses := make([]int, len(f.nodes))
	var ids []int32
	for _, id := range f.top { // cold regions do not count
		for _, a := range f.nodes[id].args {
			if a == none || !f.uniform[a] || f.isMask(a) {
				continue
			}
			if uses[a] == 0 {
				ids = append(ids, a)
			}
			uses[a]++
		}
	}
	slices.SortFunc(ids, func(a, b int32) int {
		if uses[a] != uses[b] {
			return uses[b] - uses[a]
		}
		return int(a - b)
	})
	for _, id := range ids {
		if room <= 0 {
			break
		}
		room--
		r := 63 - leadingZeros(f.vfree)
		f.vfree &^= 1 << r
		f.vowner[r] = -1
		f.loadUni(x86.Vec(r), id)
		f.home[id] = int8(r)
	}
}

// settle records that the result of a cold region is in register d. If it was in a
// slot before the region, settle stores it there: code after a skip reads the slot.
func (f *emitter) settle(saved []place, key int32, d x86.Operand) {
	f.places[key].slot = -1
	if saved[key].reg >= 0 {
		return
	}
	op, l := x86.KMOVW, x86.Len(0)
	if _, ok := d.(x86.Vec); ok {
		op, l = x86.VMOVUPS, f.lenOf(f.nodes[int(key)/f.copies].typ)
	}
	f.i(op, l, f.slot(saved[key].slot), d)
}

// cold emits a region that is skipped unless some lane needs it.
func (f *emitter) cold(id int32) {
	n := &f.nodes[id]
	f.id, f.cur = id, n
	skip := f.a.NewLabel()
	for c := range f.copies {
		f.copy, f.released = c, true
		if f.isMask(id) {
			s := f.mask(n.args[1])
			f.i(x86.KMOVW, 0, f.mdst(), s)
		} else {
			s := f.src(n.args[1])
			f.i(x86.VMOVAPS, f.lenOf(n.typ), f.dst(), s)
		}
		f.end()
	}
	for c := range f.copies {
		f.copy, f.released = c, true
		f.isa.addNeed(f, n.args[0], c == 0)
		f.end()
	}
	f.isa.skipCold(f, skip)

	saved := slices.Clone(f.places)
	vowner, kowner, vfree, kfree, outer := f.vowner, f.kowner, f.vfree, f.kfree, f.inCold
	f.inCold = true
	f.body(n.body)
	n = &f.nodes[id]
	f.at = n.at
	for c := range f.copies {
		f.id, f.cur, f.copy, f.released = id, n, c, true
		f.settle(saved, f.key(id, c), f.isa.mergeCold(f, id, n))
		f.end()
	}
	// Restore the registers from before the region: store values that it moved to
	// other registers, then reload all that it displaced.
	for i := range saved {
		s, p := &saved[i], &f.places[i]
		if s.reg < 0 || p.reg == s.reg || p.reg < 0 {
			continue
		}
		nd := int32(i / f.copies)
		if p.slot < 0 {
			p.slot = f.newSlot()
			if f.isMask(nd) {
				f.i(x86.KMOVW, 0, f.slot(p.slot), x86.Mask(p.reg))
			} else {
				f.i(x86.VMOVUPS, f.lenOf(f.nodes[nd].typ), f.slot(p.slot), x86.Vec(p.reg))
			}
		}
	}
	for i := range saved {
		s, p := &saved[i], &f.places[i]
		if s.reg < 0 || p.reg == s.reg {
			continue
		}
		nd := int32(i / f.copies)
		if f.isMask(nd) {
			f.i(x86.KMOVW, 0, x86.Mask(s.reg), f.slot(p.slot))
		} else {
			f.i(x86.VMOVUPS, f.lenOf(f.nodes[nd].typ), x86.Vec(s.reg), f.slot(p.slot))
		}
	}
	f.places, f.vowner, f.kowner, f.vfree, f.kfree, f.inCold = saved, vowner, kowner, vfree, kfree, outer
	f.a.Bind(skip)
	for c := range f.copies {
		for _, a := range n.args {
			if a != none && f.dies(a) {
				f.drop(a, c)
			}
		}
	}
	if f.last[id] == n.at {
		for c := range f.copies {
			f.drop(id, c)
		}
	}
	// Free outer values whose last use was inside the region.
	for i := range f.places {
		nd := int32(i / f.copies)
		if p := &f.places[i]; (p.reg >= 0 || p.slot >= 0) && f.last[nd] <= f.at && nd != id {
			f.drop(nd, i%f.copies)
		}
	}
}
