package x86

import "slices"

// The kinds of operand.
const (
	kindReg = 1 + iota
	kindVec
	kindMask
	kindMem
	kindImm
	kindLabel
)

// An insn is an instruction with its operands sorted out.
type insn struct {
	op     Op
	len    Len
	kind   [4]uint8
	reg    [8]uint8 // of each operand; 0 from noOperand on
	n      int
	kinds  uint32 // a byte for each operand, with one bit set; see form.accepts
	evex   bool   // an operand needs EVEX
	mem    Mem
	hasMem bool
	imm    int64
	label  Label
	with   With
}

// The bits of insn.kinds that are no kind: an operand that there is not, and memory with
// a vector as index.
const (
	bitNone = 1 << 0
	bitVSIB = 1 << 7
)

// lastReg is the last register of each kind.
var lastReg = [...]uint8{kindReg: 15, kindMask: 7, kindLabel: 0}

// set takes the operands apart. It looks at their types only, calling no
// method, so that they do not escape.
func (in *insn) set(op Op, l Len, ops []Operand) bool {
	if op >= numOps || l&(l-1) != 0 {
		return false
	}
	in.op, in.len = op, l
	n, kinds, evex := 0, uint32(bitNone*0x01010101), false
	for _, o := range ops {
		if x, ok := o.(Vec); ok && n < noOperand && x < 32 { // most operands
			in.kind[n], in.reg[n] = kindVec, uint8(x)
			kinds ^= (bitNone ^ 1<<kindVec) << (8 * n & 31)
			evex = evex || x > 15
			n++
			continue
		}
		kind, reg, bit := uint8(0), uint8(0), uint32(0)
		switch o := o.(type) {
		case Reg:
			kind, reg = kindReg, uint8(o)
		case Mem:
			if in.hasMem || !o.valid() {
				return false
			}
			kind, in.mem, in.hasMem = kindMem, o, true
			if o.VecIndex {
				bit = bitVSIB ^ 1<<kindMem
			}
			evex = evex || o.Broadcast || o.VecIndex && o.Index > 15
		case Imm:
			kind, in.imm = kindImm, int64(o)
		case Label:
			kind, in.label = kindLabel, o
		case Mask:
			kind, reg = kindMask, uint8(o)
		case With:
			if in.with, evex = o, true; o.K == K0 || o.K > K7 {
				return false
			}
			continue
		default:
			return false
		}
		if n >= noOperand || reg > lastReg[kind] {
			return false
		}
		in.kind[n], in.reg[n] = kind, reg
		kinds ^= (bitNone ^ bit ^ 1<<kind) << (8 * n & 31)
		n++
	}
	in.n, in.kinds, in.evex = n, kinds, evex
	return true
}

func (m *Mem) valid() bool {
	switch {
	case m.rip:
		return m.Scale == 0 && !m.VecIndex
	case m.Base > R15:
		return false
	case m.Scale == 0:
		return !m.VecIndex
	case m.Scale != 1 && m.Scale != 2 && m.Scale != 4 && m.Scale != 8:
		return false
	case m.VecIndex:
		return m.Index < 32
	}
	return m.Index < 16 && m.Index != uint8(RSP)
}

// match finds the first form that can express in; evex reports whether in its
// EVEX encoding.
func (in *insn) match() (c *coding, evex bool) {
	of := codings[firstForm[in.op]:firstForm[in.op+1]]
	for i := range of {
		c := &of[i]
		if in.kinds&^c.accepts != 0 {
			continue
		}
		if c.lens&in.len != 0 && !in.evex {
			return c, false
		}
		if evex, ok := in.takenBy(c.form); ok {
			return c, evex
		}
	}
	return nil, false
}

// takenBy reports whether a form, which takes the kinds of the operands, takes their values
// and the length too; evex reports whether in its EVEX encoding.
func (in *insn) takenBy(f *form) (evex, ok bool) {
	switch {
	case !in.fits(f):
		return false, false
	case in.needsEVEX(f):
		return true, f.evex != 0 && in.evexOK(f)
	case f.vex != 0 || f.gp:
		return false, in.lenOK(f, f.vex) && in.vexOK(f)
	}
	return true, in.evexOK(f)
}

// bitsOf has the bits of insn.kinds that each pattern takes.
var bitsOf = [patCount]uint32{
	patNone: bitNone,
	patR:    1 << kindVec, patV: 1 << kindVec, patU: 1 << kindVec, patIs4: 1 << kindVec,
	patM: 1<<kindVec | 1<<kindMem, patMem: 1 << kindMem, patVSIB: bitVSIB,
	patK: 1 << kindMask, patKV: 1 << kindMask, patKU: 1 << kindMask, patKM: 1<<kindMask | 1<<kindMem,
	patG: 1 << kindReg, patGV: 1 << kindReg, patGU: 1 << kindReg, patGM: 1<<kindReg | 1<<kindMem, patGO: 1 << kindReg, patCL: 1 << kindReg,
	patI: 1 << kindImm, patI1: 1 << kindImm, patIZ: 1 << kindImm, patI8: 1 << kindImm, patRel: 1 << kindLabel,
}

// The fields of an encoding, wherever in the prefixes and in ModRM its bits go.
const (
	fieldNone   = iota
	fieldReg    // ModRM.reg
	fieldVVVV   // a register in the prefix
	fieldRM     // ModRM.rm, which may be memory
	fieldOpcode // the low bits of the opcode
	fieldIs4    // a register in the immediate
	numFields
)

// noOperand is the position after the operands.
const noOperand = 4

// fieldOf has the field of the operand of each pattern.
var fieldOf = [patCount]uint8{
	patR: fieldReg, patK: fieldReg, patG: fieldReg,
	patV: fieldVVVV, patKV: fieldVVVV, patGV: fieldVVVV,
	patU: fieldRM, patKU: fieldRM, patGU: fieldRM, patM: fieldRM, patGM: fieldRM, patKM: fieldRM, patMem: fieldRM, patVSIB: fieldRM,
	patGO: fieldOpcode, patIs4: fieldIs4,
}

// immOf has the bytes of the immediate of each pattern.
var immOf = [patCount]uint8{patI: 1, patI1: 1, patIZ: immByLen, patI8: 8}

// A coding is a form, and what match and encode read of it for each instruction.
type coding struct {
	form    *form
	accepts uint32           // the bits of insn.kinds that the form takes
	lens    Len              // the lengths, as bits, at which it takes every instruction of these kinds that needs no EVEX
	operand [numFields]uint8 // of each field, or noOperand
	imm     uint8            // bytes of the immediate, or immByLen
}

// immByLen is the size of immediates of as many bytes as the instruction has, but at most 4.
const immByLen = 0xff

// codings has the coding of each form.
var codings = func() (out [len(forms)]coding) {
	for i := range forms {
		f, c := &forms[i], &out[i]
		c.form, c.operand = f, [...]uint8{noOperand, noOperand, noOperand, noOperand, noOperand, noOperand}
		for k, p := range f.ops {
			c.accepts |= bitsOf[p] << (8 * k)
			if field := fieldOf[p]; field != fieldNone {
				c.operand[field] = uint8(k)
			}
			c.imm = max(c.imm, immOf[p])
		}
		if (f.vex == 0 && !f.gp) || slices.ContainsFunc(f.ops[:], func(p pat) bool { return p == patCL || p == patVSIB || immOf[p] > 0 && p != patI8 }) {
			continue
		}
		for l := W8; l <= L512; l *= 2 {
			if in := (&insn{len: l}); in.lenOK(f, f.vex) && !in.needsEVEX(f) {
				c.lens |= l
			}
		}
	}
	return out
}()

// fits reports whether the operands, whose kinds the form takes, have values that it
// takes.
func (in *insn) fits(f *form) bool {
	for i, p := range f.ops[:in.n] {
		switch p {
		case patCL:
			if in.reg[i] != uint8(RCX) {
				return false
			}
		case patI:
			if in.imm < -128 || in.imm >= 256 {
				return false
			}
		case patI1:
			if in.imm != int64(int8(in.imm)) {
				return false
			}
		case patIZ:
			if !fitsImm(in.imm, in.len) {
				return false
			}
		}
	}
	return true
}

// fitsImm reports whether x can be an immediate at length l: signed or
// unsigned, except that 64-bit instructions extend the sign of 32 bits.
func fitsImm(x int64, l Len) bool {
	switch l {
	case W8:
		return x >= -1<<7 && x < 1<<8
	case W16:
		return x >= -1<<15 && x < 1<<16
	case W32:
		return x >= -1<<31 && x < 1<<32
	}
	return x == int64(int32(x))
}

// lenOK reports whether the length is in a set of them.
func (in *insn) lenOK(f *form, set uint8) bool {
	if f.gp {
		return set&(set-1) == 0 || in.len <= 64 && in.len%8 == 0 && set&uint8(in.len/8) != 0 && (in.len/8)&(in.len/8-1) == 0
	}
	switch in.len {
	case L128:
		return set&(len128|lenScalar|lenK|lenKPair) != 0
	case L256:
		return set&(len256|lenScalar|lenK|lenKPair) != 0
	case L512:
		return set&(len512|lenScalar|lenK|lenKPair) != 0
	case W32, W64:
		return set&(lenScalar|lenK|lenKPair|lenGPR) != 0
	}
	return set&(lenScalar|lenK|lenKPair) != 0
}

// needsEVEX reports whether the operands rule VEX out.
func (in *insn) needsEVEX(f *form) bool {
	return in.evex || in.len == L512 && f.vex&(lenScalar|lenK|lenKPair) == 0 && !f.gp
}

// vexOK checks what VEX gathers demand: data, indices and mask in three
// registers (SDM vol. 2C, VGATHERDPS: #UD).
func (in *insn) vexOK(f *form) bool {
	if f.ops[1] != patVSIB {
		return true
	}
	x := in.mem.Index
	return in.reg[0] != x && in.reg[0] != in.reg[2] && in.reg[2] != x
}

// evexOK checks the decorations.
func (in *insn) evexOK(f *form) bool {
	if !in.lenOK(f, f.evex) {
		return false
	}
	for i, k := range in.kind {
		if k != kindMem {
			continue
		}
		if in.mem.Broadcast && (f.tup > tupHalf || i == 0) {
			return false
		}
		if i == 0 && in.with.Zero { // memory keeps what is not stored
			return false
		}
	}
	if f.flags&flagVSIB != 0 {
		gathers := f.ops[0] != patVSIB
		return in.with.K != 0 && !in.with.Zero && !(gathers && in.reg[0] == in.mem.Index)
	}
	return in.with.K == 0 || f.flags&flagMask != 0 && (!in.with.Zero || f.flags&flagZero != 0)
}

// gpSize is the operand size of a legacy form: the length, or the only one.
func (in *insn) gpSize(f *form) Len {
	if f.vex&(f.vex-1) == 0 {
		return Len(f.vex) * 8
	}
	return in.len
}

// unit is the unit of 8-bit displacements, which is the size of the memory
// operand (SDM vol. 2A, 2.7.5).
func (f *form) unit(in *insn) int32 {
	n := int32(in.len) / 8
	if f.evex&lenScalar != 0 {
		n = 16
	}
	switch {
	case in.mem.Broadcast:
		return int32(f.elem)
	case f.tup == tupHalf:
		return n / 2
	case f.tup == tupPart:
		return n / int32(f.elem)
	case f.tup == tupFixed:
		return int32(f.elem)
	case f.tup == tupDup && n == 16:
		return int32(f.elem)
	}
	return n
}
