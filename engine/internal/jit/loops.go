package jit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

func leadingZeros(x uint64) int { return bits.LeadingZeros64(x) }

func frameAt(off int) x86.Mem { return x86.At(x86.RDI, int32(off)) }

// spareRegs is the number of registers that an instruction may need for
// temporaries.
const spareRegs = 6

// memReds is the number of further temporaries for a step of a reduction whose
// accumulator is in memory.
const memReds = 3

// scalarBody emits a scalar phase: one lane of a masked body.
func (f *emitter) scalarBody() {
	f.prologue()
	f.i(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	f.i(x86.MOV, x86.W32, x86.RCX, x86.Imm(1))
	f.isa.setTail(f)
	f.masked = true
	f.start(1)
	f.body(f.top)
}

// chooseCopies returns the number of vectors in a group: limit, halved until the
// registers suffice. Accumulators take fixed registers.
func (f *emitter) chooseCopies(limit, fixed int) int {
	v, m := f.pressure()
	c := limit
	for c > 1 && (c*v+spareRegs+fixed > f.nv || !f.fits(c*m)) {
		c /= 2
	}
	return c
}

// pinSites keeps the addresses of sites in registers, as many as siteRegs has.
func (f *emitter) pinSites() {
	next := 0
	for i := range f.bp.sites {
		s := &f.bp.sites[i]
		ok := s.kind == unitSite || s.kind == flatSite || s.kind == transposedSite
		if f.ph.kind == seqPhase {
			ok = ok || s.kind == uniSite && !f.isUniformSite(int32(i))
		}
		if alias := f.alias(i); ok && alias >= 0 && f.siteReg[alias] >= 0 {
			f.siteReg[i] = f.siteReg[alias]
			continue
		}
		if ok && next < len(siteRegs) {
			f.siteReg[i] = int8(siteRegs[next])
			next++
		}
	}
}

// alias returns an alias of site i of a map phase: the first earlier site with the
// same address, or -1.
func (f *emitter) alias(i int) int {
	s := &f.bp.sites[i]
	if f.ph.kind != mapPhase || s.kind != unitSite || s.guard || s.dyn != nil {
		return -1
	}
	a := &f.c.p.k.Access[f.ph.sites[i].access]
	for j := range i {
		t := &f.bp.sites[j]
		if t.kind != unitSite || t.guard || t.dyn != nil || t.buf != s.buf {
			continue
		}
		if slices.Equal(a.Coords, f.c.p.k.Access[f.ph.sites[j].access].Coords) {
			return j
		}
	}
	return -1
}

func (f *emitter) isUniformSite(i int32) bool {
	for _, id := range f.hoisted {
		if n := &f.nodes[id]; (n.op == ir.Load || n.op == ir.Index) && n.aux == i {
			return true
		}
	}
	return false
}

// mapLoop emits a map phase.
func (f *emitter) mapLoop() {
	f.prologue()
	f.pinSites()
	for i, r := range f.siteReg {
		if r >= 0 && f.alias(i) < 0 {
			f.i(x86.MOV, x86.W64, x86.Reg(r), frameAt(f.bp.sites[i].arg+f.bp.sites[i].origin))
		}
	}
	if len(f.ph.reds) > 0 {
		f.reduceLoop()
		return
	}
	group := f.chooseCopies(4, 0)
	v, _ := f.pressure()
	f.pinUniforms(f.nv - group*v - spareRegs)
	f.elementLoop(group)
}

// longBody is the most nodes of a loop that is emitted again for single vectors.
// For a longer loop the tail does them, which saves code.
const longBody = 64

// elementLoop emits a loop without reductions: groups of vectors, single vectors,
// and a masked vector for the rest. If stores need aligned addresses, masked
// vectors also come first: see alignStores.
func (f *emitter) elementLoop(group int) {
	main, single, tail, masked, done := f.a.NewLabel(), f.a.NewLabel(), f.a.NewLabel(), f.a.NewLabel(), f.a.NewLabel()
	lanes := frameAt(f.ph.lanes)
	f.i(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	again := tail
	align := f.a.NewLabel()
	f.a.Bind(align)
	if (f.stream || f.rows) && f.alignStores(main, masked) {
		again = main
		if f.stream { // the first line may take several masked vectors
			again = align
		}
	}
	f.a.Bind(main)
	if f.fetch && group > 1 && f.bp.apart() {
		f.part("main loop: %d vectors at once, half of them in the second half of the elements", group)
		f.halves(group, single)
	} else {
		f.part("main loop: %d vectors at once", group)
		f.vectors(group, single)
	}
	f.a.Bind(single)
	if group > 1 && len(f.top) <= longBody {
		f.part("single vectors")
		f.part64 = true
		f.vectors(1, tail)
		f.part64 = false
	}
	f.part("tail: vectors under a mask, up to the last element")
	f.a.Bind(tail)
	f.i(x86.MOV, x86.W64, x86.RCX, lanes)
	f.i(x86.SUB, x86.W64, x86.RCX, x86.RSI)
	f.i(x86.JLE, 0, done)
	f.a.Bind(masked) // RCX: lanes left
	f.i(x86.MOV, x86.W32, x86.RAX, x86.Imm(f.w))
	f.i(x86.CMP, x86.W64, x86.RCX, x86.RAX)
	f.i(x86.CMOVG, x86.W64, x86.RCX, x86.RAX)
	f.i(x86.MOV, x86.W64, frameAt(frameI), x86.RCX)
	f.isa.setTail(f)
	f.masked = true
	f.start(1)
	f.body(f.top)
	f.masked = false
	f.i(x86.ADD, x86.W64, x86.RSI, frameAt(frameI))
	f.i(x86.CMP, x86.W64, x86.RSI, lanes)
	f.i(x86.JL, 0, again)
	f.a.Bind(done)
}

// vectors emits a loop over whole groups of vectors. It jumps to end if too few
// lanes are left for one iteration. If stores bypass the caches, an iteration
// stores whole lines, and may have several groups.
func (f *emitter) vectors(group int, end x86.Label) {
	unroll := group
	if f.stream && !f.part64 {
		unroll = max(group, lineBytes/(f.w*f.ph.widest()))
	}
	step := unroll * f.w
	lanes := frameAt(f.ph.lanes)
	f.i(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.i(x86.CMP, x86.W64, x86.RAX, lanes)
	f.i(x86.JG, 0, end)
	loop := f.a.NewLabel()
	f.a.Align(32)
	f.a.Bind(loop)
	f.ahead(x86.RSI, step)
	for f.base = 0; f.base < unroll; f.base += group {
		f.start(group)
		f.body(f.top)
	}
	f.base = 0
	f.i(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.i(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.i(x86.CMP, x86.W64, x86.RAX, lanes)
	f.i(x86.JLE, 0, loop)
}

// halves emits the loop of vectors for arrays in memory. Half of a group is in the
// first half of the lanes, half in the second. The processor limits its prefetches
// for each page and each stream of addresses; two streams allow twice as many. A
// half is whole groups and whole lines. vectors(1) and the tail do the lanes after
// the second half. Every site must be contiguous or uniform: see apart.
func (f *emitter) halves(group int, end x86.Label) {
	f.half = group / 2
	step := f.half * f.w
	f.i(x86.MOV, x86.W64, x86.RAX, frameAt(f.ph.lanes))
	f.i(x86.SUB, x86.W64, x86.RAX, x86.RSI)
	f.i(x86.SHR, x86.W64, x86.RAX, x86.Imm(1))
	f.i(x86.AND, x86.W64, x86.RAX, x86.Imm(-max(step, lineBytes/f.ph.widest())))
	f.i(x86.JE, 0, end)
	f.i(x86.LEA, x86.W64, x86.RBX, x86.AtX(x86.RSI, x86.RAX, 1, 0))
	f.i(x86.MOV, x86.W64, frameAt(frameI), x86.RBX)
	loop := f.a.NewLabel()
	f.a.Align(32)
	f.a.Bind(loop)
	f.ahead(x86.RSI, step)
	f.ahead(x86.RBX, step)
	f.start(group)
	f.body(f.top)
	f.i(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.i(x86.ADD, x86.W64, x86.RBX, x86.Imm(step))
	f.i(x86.CMP, x86.W64, x86.RSI, frameAt(frameI))
	f.i(x86.JL, 0, loop)
	f.i(x86.MOV, x86.W64, x86.RSI, x86.RBX)
	f.half = 0
}

// reduceLoop emits a loop with reductions: a main loop over all lanes of the
// accumulators, and a masked loop for the rest.
func (f *emitter) reduceLoop() {
	unroll := f.accumulators()
	f.keepAccs()
	fixed := 0
	for i := range f.accs {
		fixed += len(f.accs[i].regs) + len(f.accs[i].idx)
	}
	if fixed > 0 {
		fixed += f.programRegs()
	}
	group := min(f.chooseCopies(4, fixed), unroll)
	v, _ := f.pressure()
	f.pinUniforms(f.nv - fixed - group*v - spareRegs)

	lanes := frameAt(f.ph.lanes)
	f.i(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	tail, done := f.a.NewLabel(), f.a.NewLabel()
	step := unroll * f.w
	f.i(x86.CMP, x86.W64, lanes, x86.Imm(step))
	f.i(x86.JL, 0, tail)
	f.loadAccs()
	loop := f.a.NewLabel()
	f.part("main loop: %d vectors, %d at once", unroll, group)
	f.a.Align(32)
	f.a.Bind(loop)
	f.ahead(x86.RSI, step)
	for f.base = 0; f.base < unroll; f.base += group {
		f.start(group)
		f.body(f.top)
		f.accumulate()
	}
	f.base = 0
	f.i(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	f.i(x86.LEA, x86.W64, x86.RAX, x86.At(x86.RSI, int32(step)))
	f.i(x86.CMP, x86.W64, x86.RAX, lanes)
	f.i(x86.JLE, 0, loop)
	f.storeAccs()
	f.freeAccs()

	f.part("tail: vectors under a mask, up to the last element")
	f.a.Bind(tail)
	f.i(x86.XOR, x86.W32, x86.RBX, x86.RBX)
	more := f.a.NewLabel()
	f.a.Bind(more)
	f.i(x86.MOV, x86.W64, x86.RCX, lanes)
	f.i(x86.SUB, x86.W64, x86.RCX, x86.RSI)
	f.i(x86.JLE, 0, done)
	f.isa.setTail(f)
	f.masked = true
	f.start(1)
	f.body(f.top)
	f.accumulate()
	f.masked = false
	f.i(x86.ADD, x86.W64, x86.RSI, x86.Imm(f.w))
	f.i(x86.ADD, x86.W64, x86.RBX, x86.Imm(1))
	f.i(x86.JMP, 0, more)
	f.a.Bind(done)
	f.fold()
	if f.rows {
		f.results()
	}
}

// accumulators prepares the reductions of a map phase and returns the most vectors
// of an accumulator. It stores the identity to each accumulator in memory, and
// gives registers to those that fit.
func (f *emitter) accumulators() (unroll int) {
	for i := range f.ph.reds {
		r := &f.ph.reds[i]
		kern := r.kern
		a := acc{red: r, area: int32(f.c.redBase + int(r.state)*redBytes), n: ir.Lanes(kern.lane) / f.w}
		unroll = max(unroll, a.n)
		t := f.tmp()
		f.loadConst(t, kern.lane, kern.identity)
		for k := range 256 / (f.lenOf(kern.lane) / 8) {
			f.i(x86.VMOVUPS, f.lenOf(kern.lane), x86.At(x86.RDI, a.area+int32(k)*int32(f.lenOf(kern.lane)/8)), t)
		}
		if kern.arg {
			f.loadConst(t, dtype.I32, noPosition)
			for k := range a.n {
				f.i(x86.VMOVUPS, f.lenOf(dtype.I32), f.idxMem(&a, k), t)
			}
		}
		f.released = true
		f.end()
		f.accs = append(f.accs, a)
	}
	total := 0
	for i := range f.accs {
		a := &f.accs[i]
		need := a.n
		if a.kern.arg {
			need *= 2
		}
		if total+need > f.nv/2 || total+need+10 > f.nv {
			continue // stays in memory
		}
		total += need
		for range a.n {
			a.regs = append(a.regs, f.takeTop())
		}
		if a.kern.arg {
			for range a.n {
				a.idx = append(a.idx, f.takeTop())
			}
		}
	}
	return unroll
}

// takeTop takes the highest free register and returns it. It is never spilled.
func (f *emitter) takeTop() x86.Vec {
	r := 63 - leadingZeros(f.vfree)
	f.vfree &^= 1 << r
	f.vowner[r] = -1
	return x86.Vec(r)
}

func (f *emitter) accMem(a *acc, k int) x86.Mem {
	return x86.At(x86.RDI, a.area+int32(k)*int32(f.lenOf(a.kern.lane)/8))
}

func (f *emitter) idxMem(a *acc, k int) x86.Mem {
	return x86.At(x86.RDI, a.area+redBytes/2+int32(k)*int32(f.lenOf(dtype.I32)/8))
}

func (f *emitter) loadAccs() {
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			f.i(x86.VMOVUPS, f.lenOf(a.kern.lane), r, f.accMem(a, k))
		}
		for k, r := range a.idx {
			f.i(x86.VMOVUPS, f.lenOf(dtype.I32), r, f.idxMem(a, k))
		}
	}
}

func (f *emitter) storeAccs() {
	for i := range f.accs {
		a := &f.accs[i]
		for k, r := range a.regs {
			f.i(x86.VMOVUPS, f.lenOf(a.kern.lane), f.accMem(a, k), r)
		}
		for k, r := range a.idx {
			f.i(x86.VMOVUPS, f.lenOf(dtype.I32), f.idxMem(a, k), r)
		}
	}
}

func (f *emitter) freeAccs() {
	for i := range f.accs {
		a := &f.accs[i]
		for _, r := range append(a.regs, a.idx...) {
			f.vfree |= 1 << r
		}
		a.regs, a.idx = nil, nil
	}
}

// accumulate combines the values of a group with the accumulators of a map phase.
func (f *emitter) accumulate() {
	for i := range f.accs {
		a := &f.accs[i]
		for c := range f.copies {
			f.copy, f.released = c, true
			k := (f.base + c) % a.n
			switch {
			case a.regs != nil:
				x := f.operand(a.red)
				idx := x86.Vec(0)
				if a.kern.arg {
					idx = a.idx[k]
				}
				f.step(a.kern, a.regs[k], idx, x, false)
			default:
				m, im := f.accMem(a, k), x86.Mem{}
				if a.kern.arg {
					im = f.idxMem(a, k)
				}
				if f.masked { // vector RBX of the tail
					f.tailOffset(x86.RAX, int(f.lenOf(a.kern.lane)/8), 255)
					m = x86.AtX(x86.RDI, x86.RAX, 1, a.area)
					if a.kern.arg {
						f.tailOffset(x86.RDX, int(f.lenOf(dtype.I32)/8), a.n*int(f.lenOf(dtype.I32)/8)-1)
						im = x86.AtX(x86.RDI, x86.RDX, 1, a.area+redBytes/2)
					}
				}
				f.stepMem(a.kern, m, im, a.red)
			}
			f.end()
		}
	}
	for i := range f.accs {
		for c := range f.copies {
			if n := f.accs[i].arg; !f.uniform[n] {
				if p := &f.places[f.key(n, c)]; p.reg >= 0 || p.slot >= 0 {
					f.drop(n, c)
				}
			}
		}
	}
}

func (f *emitter) tailOffset(r x86.Reg, bytes, mask int) {
	f.i(x86.MOV, x86.W32, r, x86.RBX)
	f.i(x86.SHL, x86.W32, r, x86.Imm(bits.TrailingZeros(uint(bytes))))
	f.i(x86.AND, x86.W32, r, x86.Imm(mask))
}

// stepMem combines a value with an accumulator in memory.
func (f *emitter) stepMem(k *redKern, m, im x86.Mem, r *red) {
	x := f.operand(r)
	d := f.tmp()
	var idx x86.Vec
	f.i(x86.VMOVUPS, f.lenOf(k.lane), d, m)
	if k.arg {
		idx = f.tmp()
		f.i(x86.VMOVUPS, f.lenOf(dtype.I32), idx, im)
	}
	if k.prog != nil { // the program may overwrite RAX, which has the address
		f.i(x86.MOV, x86.W64, frameAt(frameAddress), x86.RAX)
	}
	f.within(func() { f.step(k, d, idx, x, f.masked) })
	if k.prog != nil {
		f.i(x86.MOV, x86.W64, x86.RAX, frameAt(frameAddress))
	}
	f.within(func() { f.storeAcc(k.lane, m, d) })
	if k.arg {
		f.within(func() { f.storeAcc(dtype.I32, im, idx) })
	}
}

// storeAcc stores a vector of an accumulator. In the tail it stores only the lanes
// of the tail mask.
func (f *emitter) storeAcc(t dtype.Type, m x86.Mem, x x86.Vec) {
	if f.masked {
		f.isa.storeTail(f, t, m, x)
		return
	}
	f.i(pick(t, x86.VMOVUPS, x86.VMOVUPD), f.lenOf(t), m, x)
}

// operand returns the value of a reduction as a vector. The vector of a predicate
// is not zero in the lanes that change the result.
func (f *emitter) operand(r *red) x86.Vec {
	if r.typ != dtype.Bool {
		return f.src(r.arg)
	}
	return f.isa.predicateLanes(f, r.arg, r.kern.all())
}

// step combines x with an accumulator.
func (f *emitter) step(k *redKern, d, idx, x x86.Vec, _ bool) {
	switch {
	case k.prog != nil:
		f.program(k.prog, d, x)
	case k.arg:
		f.isa.stepArg(f, k, d, idx, x)
	default:
		f.isa.stepValue(f, k, d, x)
	}
}
