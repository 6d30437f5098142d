package jit

import (
	"fmt"
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// General registers: RDI has the frame, RSI the lane, R8 to R13 the addresses of
// sites. RAX, RCX, RDX and RBX hold temporaries. RDX and RBX are counters in some
// loops. In the loop of halves RBX is the lane in the second half.
var siteRegs = [...]x86.Reg{x86.R8, x86.R9, x86.R10, x86.R11, x86.R12, x86.R13}

const (
	tailMask = x86.K7
	maskTmp  = x86.K0 // never a write mask
)

// A place says where one copy of a node is: in a register, a slot, or both.
type place struct {
	reg  int8  // -1: in no register
	slot int32 // -1: in no slot
}

// An emitter writes the machine code of one phase.
type emitter struct {
	*generator
	a  *x86.Asm
	c  *code
	bp *boundPhase
	ph *phase
	variant
	w    int // lanes of a vector
	wlog int

	nodes   []node
	top     []int32 // nodes of the body of the loop
	uniform []bool
	hoisted []int32 // hoisted nodes, which the prologue computes
	last    []int32 // position of the last use, of a node
	at      int32   // position of the current node
	uslot   []int32 // slot of a uniform node, or -1
	home    []int8  // register of a pinned uniform node, or -1
	slots   int
	spare   []int32 // free slots

	half    int     // copies from half on have lanes from RBX on; 0: all have lanes from RSI on
	part64  bool    // stores may write a part of a cache line
	places  []place // node * copies + copy
	copies  int
	vfree   uint64 // free vector registers
	kfree   uint64
	vowner  [32]int32 // index in places of the value in a register, or -1
	kowner  [8]int32
	vpinned uint64
	kpinned uint64
	vtmp    uint64 // temporaries of the current instruction
	ktmp    uint64

	pressed             bool // pressure is known
	mostVecs, mostMasks int
	masked              bool
	prolog              bool
	err                 error
	cur                 *node
	id                  int32
	copy                int
	released            bool
	inCold              bool
	result              int8 // register of the result, in the prologue
	spills              int
	siteReg             []int8
	tables              []tableData
	accs                []acc
	owned               []owned
	kept                []listing.Kept
	inRegs              []bool     // of the reductions of a seq loop: in registers
	base                int        // vectors of the iteration before this group
	operands            [2]x86.Vec // of the program of a reduction
}

type tableData struct {
	label x86.Label
	bits  []byte
}

// lenOf returns the size in bits of a vector of register type t.
func (f *emitter) lenOf(t dtype.Type) x86.Len {
	if t == dtype.Bool && f.predicateVectors() {
		return x86.Len(8 * f.vbytes)
	}
	if t.Size() == 8 {
		return x86.Len(f.w * 64)
	}
	return x86.Len(f.w * 32)
}

func wide(t dtype.Type) bool { return t.Size() == 8 }

// pick returns q if t has 64 bits, d otherwise.
func pick(t dtype.Type, d, q x86.Op) x86.Op {
	if wide(t) {
		return q
	}
	return d
}

func (f *emitter) i(op x86.Op, l x86.Len, ops ...x86.Operand) { f.a.I(op, l, ops...) }

func (f *emitter) isMask(n int32) bool { return !f.predicateVectors() && f.nodes[n].typ == dtype.Bool }

func (f *emitter) key(n int32, c int) int32 { return n*int32(f.copies) + int32(c) }

// slot returns the memory of slot s.
func (f *emitter) slot(s int32) x86.Mem { return x86.At(x86.RDI, int32(f.c.slotBase)+s*64) }

func (f *emitter) newSlot() int32 {
	if k := len(f.spare); k > 0 {
		s := f.spare[k-1]
		f.spare = f.spare[:k-1]
		return s
	}
	f.slots++
	return int32(f.slots - 1)
}

// uniMem returns the memory of a uniform node: one element if the target broadcasts,
// else all lanes.
func (f *emitter) uniMem(n int32) x86.Mem {
	nd := &f.nodes[n]
	if !f.isa.broadcasts() {
		if nd.op == prim.Const {
			return f.full(nd.typ, nd.imm)
		}
		return f.slot(f.uslot[n])
	}
	switch nd.op {
	case prim.Const:
		x := canonical(nd.typ, nd.imm)
		if wide(nd.typ) {
			return f.a.Const64(x)
		}
		return f.a.Const32(uint32(x))
	case opCell:
		return x86.At(x86.RDI, int32(f.c.cellBase)+nd.aux*8)
	}
	return f.slot(f.uslot[n])
}

// takeVec takes a free vector register and returns it. If none is free, it spills
// the value whose last use is latest.
func (f *emitter) takeVec() x86.Vec {
	if f.vfree == 0 {
		f.spillVec()
	}
	if f.vfree == 0 {
		f.fail("too few registers")
		return 0
	}
	r := bits.TrailingZeros64(f.vfree)
	f.vfree &^= 1 << r
	f.vowner[r] = -1
	return x86.Vec(r)
}

func (f *emitter) spillVec() {
	best, far := -1, int32(-1)
	for r := range f.nv {
		o := f.vowner[r]
		if o < 0 || f.vpinned>>r&1 != 0 {
			continue
		}
		if l := f.last[int(o)/f.copies]; l > far {
			best, far = r, l
		}
	}
	if best < 0 {
		return
	}
	o := f.vowner[best]
	p := &f.places[o]
	if p.slot < 0 {
		p.slot = f.newSlot()
		n := &f.nodes[int(o)/f.copies]
		f.i(x86.VMOVUPS, f.lenOf(n.typ), f.slot(p.slot), x86.Vec(best))
		f.spills++
	}
	p.reg = -1
	f.vowner[best] = -1
	f.vfree |= 1 << best
}

func (f *emitter) takeMask() x86.Mask {
	if f.kfree == 0 {
		f.spillMask()
	}
	if f.kfree == 0 {
		f.fail("too few mask registers")
		return 1
	}
	r := bits.TrailingZeros64(f.kfree)
	f.kfree &^= 1 << r
	f.kowner[r] = -1
	return x86.Mask(r)
}

// spillMask frees a mask register, unless all are pinned.
func (f *emitter) spillMask() {
	best, far := -1, int32(-1)
	for r := 1; r < 7; r++ {
		o := f.kowner[r]
		if o < 0 || f.kpinned>>r&1 != 0 {
			continue
		}
		if l := f.last[int(o)/f.copies]; l > far {
			best, far = r, l
		}
	}
	if best < 0 {
		return
	}
	p := &f.places[f.kowner[best]]
	if p.slot < 0 {
		p.slot = f.newSlot()
		f.i(x86.KMOVW, 0, f.slot(p.slot), x86.Mask(best))
		f.spills++
	}
	p.reg = -1
	f.kowner[best] = -1
	f.kfree |= 1 << best
}

// tmp returns a vector register that is taken until the end of the current
// instruction.
func (f *emitter) tmp() x86.Vec {
	r := f.takeVec()
	f.vtmp |= 1 << r
	f.vpinned |= 1 << r
	return r
}

func (f *emitter) mtmp() x86.Mask {
	r := f.takeMask()
	f.ktmp |= 1 << r
	f.kpinned |= 1 << r
	return r
}

// within emits a part of an instruction and frees the temporaries of the part.
func (f *emitter) within(part func()) {
	v, m := f.vtmp, f.ktmp
	part()
	f.vfree |= f.vtmp &^ v
	f.kfree |= f.ktmp &^ m
	f.vpinned &^= f.vtmp &^ v
	f.kpinned &^= f.ktmp &^ m
	f.vtmp, f.ktmp = v, m
}

// broadcast loads one element of type t into all lanes.
func (f *emitter) broadcast(d x86.Vec, t dtype.Type, m x86.Mem) {
	f.i(pick(t, x86.VBROADCASTSS, x86.VBROADCASTSD), f.lenOf(t), d, m)
}

// loadUni loads a uniform node into d.
func (f *emitter) loadUni(d x86.Vec, n int32) {
	if f.isa.broadcasts() {
		f.broadcast(d, f.nodes[n].typ, f.uniMem(n))
		return
	}
	f.i(x86.VMOVUPS, f.lenOf(f.nodes[n].typ), d, f.uniMem(n))
}

// src returns a register with operand n, and pins it for the current instruction.
func (f *emitter) src(n int32) x86.Vec {
	if f.uniform[n] {
		if r := f.home[n]; r >= 0 {
			return x86.Vec(r)
		}
		d := f.tmp()
		f.loadUni(d, n)
		return d
	}
	p := &f.places[f.key(n, f.copy)]
	if p.reg < 0 {
		if p.slot < 0 {
			f.fail("node %d has no value", n)
			return 0
		}
		r := f.takeVec()
		f.i(x86.VMOVUPS, f.lenOf(f.nodes[n].typ), r, f.slot(p.slot))
		p.reg = int8(r)
		f.vowner[r] = f.key(n, f.copy)
	}
	f.vpinned |= 1 << p.reg
	return x86.Vec(p.reg)
}

// srcM returns operand n in a register, or a uniform one in memory. The instruction
// must broadcast elements of its width if the target broadcasts.
func (f *emitter) srcM(n int32) x86.Operand {
	if f.uniform[n] && f.home[n] < 0 {
		if f.isa.broadcasts() {
			return f.uniMem(n).Bcast()
		}
		return f.uniMem(n)
	}
	return f.src(n)
}

// mask returns a mask register with operand n, a predicate.
func (f *emitter) mask(n int32) x86.Mask {
	if f.uniform[n] {
		d := f.mtmp()
		nd := &f.nodes[n]
		switch nd.op {
		case prim.Const:
			if nd.imm != 0 {
				f.i(f.kop(x86.KXNORB, x86.KXNORW), 0, d, d, d)
			} else {
				f.i(x86.KXORW, 0, d, d, d)
			}
		case opCell:
			t := f.tmp()
			f.i(x86.VPBROADCASTD, f.lenOf(dtype.I32), t, f.uniMem(n))
			f.i(x86.VPTESTMD, f.lenOf(dtype.I32), d, t, f.a.Const32(1).Bcast())
		default:
			f.i(x86.KMOVW, 0, d, f.uniMem(n))
		}
		return d
	}
	p := &f.places[f.key(n, f.copy)]
	if p.reg < 0 {
		if p.slot < 0 {
			f.fail("node %d has no value", n)
			return 1
		}
		r := f.takeMask()
		f.i(x86.KMOVW, 0, r, f.slot(p.slot))
		p.reg = int8(r)
		f.kowner[r] = f.key(n, f.copy)
	}
	f.kpinned |= 1 << p.reg
	return x86.Mask(p.reg)
}

func (f *emitter) kop(b, w x86.Op) x86.Op {
	if f.w == 8 {
		return b
	}
	return w
}

// dies reports whether the current instruction is the last use of operand n.
func (f *emitter) dies(n int32) bool {
	return !f.uniform[n] && f.last[n] == f.at
}

// release frees the operands whose last use this is. Then the result may take their
// registers.
func (f *emitter) release() {
	if f.released {
		return
	}
	f.released = true
	for _, a := range f.cur.args {
		if a != none && f.dies(a) {
			f.drop(a, f.copy)
		}
	}
}

// drop frees the register and the slot of a copy of a node. In a cold region the slot
// stays taken.
func (f *emitter) drop(n int32, c int) {
	p := &f.places[f.key(n, c)]
	if p.reg >= 0 {
		if f.isMask(n) {
			f.kfree |= 1 << p.reg
			f.kowner[p.reg] = -1
		} else {
			f.vfree |= 1 << p.reg
			f.vowner[p.reg] = -1
		}
	}
	if p.slot >= 0 && !f.inCold {
		f.spare = append(f.spare, p.slot)
	}
	*p = place{-1, -1}
}

// dst takes a register for the result and returns it. It may be the register of an
// operand only after release.
func (f *emitter) dst() x86.Vec {
	r := f.takeVec()
	f.vpinned |= 1 << r
	f.setReg(int8(r))
	if !f.prolog {
		f.vowner[r] = f.key(f.id, f.copy)
	} else {
		f.vtmp |= 1 << r
	}
	return r
}

func (f *emitter) mdst() x86.Mask {
	r := f.takeMask()
	f.kpinned |= 1 << r
	f.setReg(int8(r))
	if !f.prolog {
		f.kowner[r] = f.key(f.id, f.copy)
	} else {
		f.ktmp |= 1 << r
	}
	return r
}

func (f *emitter) setReg(r int8) {
	if f.prolog {
		f.result = r
		return
	}
	f.places[f.key(f.id, f.copy)] = place{r, -1}
}

// end frees the operands and temporaries of the current instruction.
func (f *emitter) end() {
	f.release()
	f.vfree |= f.vtmp
	f.kfree |= f.ktmp
	f.vtmp, f.ktmp, f.vpinned, f.kpinned = 0, 0, 0, 0
}

// emit emits copy c of a node.
func (f *emitter) emit(id int32, c int) {
	f.emitNode(id, c)
	f.end()
}

// emitNode emits copy c of a node and keeps its temporaries. The caller must call end.
func (f *emitter) emitNode(id int32, c int) {
	f.id, f.cur, f.copy, f.released = id, &f.nodes[id], c, false
	emit := f.rule(f.cur)
	if emit == nil {
		f.fail("%s of %s with %s", f.cur.op, f.cur.in, f.isa.name())
		return
	}
	emit(f, f.cur)
}

func (f *emitter) fail(format string, args ...any) {
	if f.err == nil {
		f.err = unsupported(fmt.Sprintf(format, args...))
	}
}
