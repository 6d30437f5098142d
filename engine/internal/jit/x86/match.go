package x86

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
	op    Op
	len   Len
	kind  [4]uint8
	reg   [4]uint8
	n     int
	mem   Mem
	imm   int64
	label Label
	with  With
}

// set takes the operands apart. It looks at their types only, calling no
// method, so that they do not escape.
func (in *insn) set(op Op, l Len, ops []Operand) bool {
	if op >= numOps {
		return false
	}
	in.op, in.len = op, l
	mems := 0
	for _, o := range ops {
		kind, reg := uint8(0), uint8(0)
		switch o := o.(type) {
		case Reg:
			kind, reg = kindReg, uint8(o)
		case Vec:
			kind, reg = kindVec, uint8(o)
		case Mask:
			kind, reg = kindMask, uint8(o)
		case Mem:
			kind, in.mem = kindMem, o
			mems++
		case Imm:
			kind, in.imm = kindImm, int64(o)
		case Label:
			kind, in.label = kindLabel, o
		case With:
			if in.with = o; o.K == K0 || o.K > K7 {
				return false
			}
			continue
		default:
			return false
		}
		if in.n == len(in.kind) || kind == kindReg && reg > 15 || kind == kindVec && reg > 31 || kind == kindMask && reg > 7 {
			return false
		}
		in.kind[in.n], in.reg[in.n] = kind, reg
		in.n++
	}
	return mems == 0 || mems == 1 && in.mem.valid()
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
func (in *insn) match() (f *form, evex bool) {
	for i := firstForm[in.op]; i < firstForm[in.op+1]; i++ {
		f := &forms[i]
		if !in.fits(f) {
			continue
		}
		if in.needsEVEX(f) {
			if f.evex != 0 && in.evexOK(f) {
				return f, true
			}
			continue
		}
		if f.vex != 0 || f.gp {
			if in.lenOK(f, f.vex) && in.vexOK(f) {
				return f, false
			}
			continue
		}
		if in.evexOK(f) {
			return f, true
		}
	}
	return nil, false
}

// kindOf is the kind of operand that each pattern takes; where it takes memory
// too, of the other.
var kindOf = [patCount]uint8{
	patR: kindVec, patV: kindVec, patU: kindVec, patIs4: kindVec, patM: kindVec, patMem: kindMem, patVSIB: kindMem,
	patK: kindMask, patKV: kindMask, patKU: kindMask, patKM: kindMask,
	patG: kindReg, patGV: kindReg, patGU: kindReg, patGM: kindReg, patGO: kindReg, patCL: kindReg,
	patI: kindImm, patI1: kindImm, patIZ: kindImm, patI8: kindImm, patRel: kindLabel,
}

// fits reports whether the operands have the kinds of the form.
func (in *insn) fits(f *form) bool {
	for i, p := range f.ops {
		k := in.kind[i]
		ok := k == kindOf[p]
		switch p {
		case patM, patGM, patKM:
			ok = ok || k == kindMem && !in.mem.VecIndex
		case patMem:
			ok = ok && !in.mem.VecIndex
		case patVSIB:
			ok = ok && in.mem.VecIndex
		case patCL:
			ok = ok && in.reg[i] == uint8(RCX)
		case patI:
			ok = ok && in.imm >= -128 && in.imm < 256
		case patI1:
			ok = ok && in.imm == int64(int8(in.imm))
		case patIZ:
			ok = ok && fitsImm(in.imm, in.len)
		}
		if !ok {
			return false
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
	if in.with.K != 0 || in.len == L512 && f.vex&(lenScalar|lenK|lenKPair) == 0 && !f.gp {
		return true
	}
	for i, k := range in.kind {
		if k == kindVec && in.reg[i] > 15 || k == kindMem && (in.mem.Broadcast || in.mem.VecIndex && in.mem.Index > 15) {
			return true
		}
	}
	return false
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
