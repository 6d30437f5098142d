package amd64

import (
	"cmp"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// Rules of both targets for arithmetic and conversions. Registers hold narrow integers extended
// to 32 bits.

// binaryOps are the instructions for primitives of two operands, by the type of the lanes.
var binaryOps = byLanes(map[prim.Op]map[dtype.Type]x86.Op{
	prim.Add: {dtype.F32: x86.VADDPS, dtype.F64: x86.VADDPD, dtype.I8: x86.VPADDB, dtype.I16: x86.VPADDW, dtype.I32: x86.VPADDD, dtype.I64: x86.VPADDQ},
	prim.Sub: {dtype.F32: x86.VSUBPS, dtype.F64: x86.VSUBPD, dtype.I8: x86.VPSUBB, dtype.I16: x86.VPSUBW, dtype.I32: x86.VPSUBD, dtype.I64: x86.VPSUBQ},
	prim.Mul: {dtype.F32: x86.VMULPS, dtype.F64: x86.VMULPD, dtype.I16: x86.VPMULLW, dtype.I32: x86.VPMULLD, dtype.I64: x86.VPMULLQ},
	prim.Div: {dtype.F32: x86.VDIVPS, dtype.F64: x86.VDIVPD},
	prim.And: {dtype.I32: x86.VPANDD, dtype.I64: x86.VPANDQ},
	prim.Or:  {dtype.I32: x86.VPORD, dtype.I64: x86.VPORQ},
	prim.Xor: {dtype.I32: x86.VPXORD, dtype.I64: x86.VPXORQ},
	prim.Min: {dtype.I8: x86.VPMINSB, dtype.I16: x86.VPMINSW, dtype.I32: x86.VPMINSD, dtype.I64: x86.VPMINSQ, dtype.U8: x86.VPMINUB, dtype.U16: x86.VPMINUW, dtype.U32: x86.VPMINUD, dtype.U64: x86.VPMINUQ},
	prim.Max: {dtype.I8: x86.VPMAXSB, dtype.I16: x86.VPMAXSW, dtype.I32: x86.VPMAXSD, dtype.I64: x86.VPMAXSQ, dtype.U8: x86.VPMAXUB, dtype.U16: x86.VPMAXUW, dtype.U32: x86.VPMAXUD, dtype.U64: x86.VPMAXUQ},
	prim.Shl: {dtype.I16: x86.VPSLLVW, dtype.I32: x86.VPSLLVD, dtype.I64: x86.VPSLLVQ},
	prim.Shr: {dtype.I16: x86.VPSRAVW, dtype.I32: x86.VPSRAVD, dtype.I64: x86.VPSRAVQ, dtype.U16: x86.VPSRLVW, dtype.U32: x86.VPSRLVD, dtype.U64: x86.VPSRLVQ},
})

// byLanes returns instructions by operation and type of the lanes. An unsigned type without one
// takes the signed type's, and narrow lanes without one those of 32 bits.
func byLanes(rows map[prim.Op]map[dtype.Type]x86.Op) (ops [prim.NumOps][dtype.F64 + 1]x86.Op) {
	signed := map[dtype.Type]dtype.Type{dtype.U8: dtype.I8, dtype.U16: dtype.I16, dtype.U32: dtype.I32, dtype.U64: dtype.I64}
	for op, row := range rows {
		for _, t := range isa.All {
			ops[op][t] = cmp.Or(row[t], row[signed[t]], row[isa.Lane32(t)], row[signed[isa.Lane32(t)]])
		}
	}
	return ops
}

// vexOps are the instructions of AVX2 that do not name the width of a lane.
var vexOps = [prim.NumOps]x86.Op{prim.And: x86.VPAND, prim.Or: x86.VPOR, prim.Xor: x86.VPXOR, prim.Ne: x86.VPXOR} // Ne of predicates

// signedOf returns the signed type with lanes of t's width.
func signedOf(t dtype.Type) dtype.Type {
	switch isa.Lane32(t) {
	case dtype.U32:
		return dtype.I32
	case dtype.U64:
		return dtype.I64
	}
	return isa.Lane32(t)
}

// binaryOp returns the instruction for a primitive of two operands that all targets have.
// t is the type of the lanes.
func binaryOp(op prim.Op, t dtype.Type) x86.Op { return binaryOps[op][t] }

// simple returns the target's instruction for a primitive of two operands.
func (f *emitter) simple(op prim.Op, t dtype.Type) x86.Op {
	if o := vexOps[op]; o != 0 && !f.evex {
		return o
	}
	return binaryOp(op, f.lane(t))
}

// signBit returns the sign bit of a type.
func signBit(t dtype.Type) uint64 { return 1 << (8*t.Size() - 1) }

// binary is the rule of primitives of two operands with an instruction.
func binary(f *emitter, n *lower.Node) {
	a, b := n.Args[0], n.Args[1]
	if (f.Folded(a) || f.inMemory(a) && !f.Folded(b)) && n.Op.Info().Commutes {
		a, b = b, a
	}
	x, y := f.Src(a), f.srcM(b)
	f.Release()
	d := f.Dst()
	f.I(f.simple(n.Op, n.In), f.LenOf(n.In), d, x, y)
	switch n.Op {
	case prim.Add, prim.Sub, prim.Mul, prim.Shl: // the results of the others are canonical
		f.canon(n.Type, d)
	}
}

// move is the rule of nodes that have the bits of their operand.
func move(f *emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	f.Release()
	if d := f.Dst(); d != x {
		f.I(x86.VMOVAPS, f.LenOf(n.Type), d, x)
	}
}

func bitcast(f *emitter, n *lower.Node) {
	move(f, n)
	if isa.Narrow(n.Type) && n.Type != n.In {
		f.canon(n.Type, x86.Vec(f.lastReg()))
	}
}

// extremeOp returns the instruction for Min or Max of floats. Where an operand is NaN, or both are zeros, it gives the second one.
func extremeOp(op prim.Op, t dtype.Type) x86.Op {
	if op == prim.Min {
		return pick(t, x86.VMINPS, x86.VMINPD)
	}
	return pick(t, x86.VMAXPS, x86.VMAXPD)
}

// extreme is the rule of the lesser and the greater: the second operand is the result for NaN and for equal zeros.
func extreme(f *emitter, n *lower.Node) {
	op := prim.Min
	if n.Op == lower.OpGreater {
		op = prim.Max
	}
	x, y := f.Src(n.Args[0]), f.srcM(n.Args[1])
	f.Release()
	f.I(extremeOp(op, n.In), f.LenOf(n.In), f.Dst(), x, y)
}

func floatMinMax(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	f.own.minMax(n.Op, n.In, f.Dst(), x, y)
}

// The forms of fused multiply-adds, by the operand that they overwrite.
const (
	fma132 = iota
	fma213
	fma231
)

// fmaOps are the instructions of fused multiply-adds by the signs of product and addend, and by
// form.
var fmaOps = [4][3][2]x86.Op{
	0:                                  {{x86.VFMADD132PS, x86.VFMADD132PD}, {x86.VFMADD213PS, x86.VFMADD213PD}, {x86.VFMADD231PS, x86.VFMADD231PD}},
	lower.NegProduct:                   {{x86.VFNMADD132PS, x86.VFNMADD132PD}, {x86.VFNMADD213PS, x86.VFNMADD213PD}, {x86.VFNMADD231PS, x86.VFNMADD231PD}},
	lower.NegAddend:                    {{x86.VFMSUB132PS, x86.VFMSUB132PD}, {x86.VFMSUB213PS, x86.VFMSUB213PD}, {x86.VFMSUB231PS, x86.VFMSUB231PD}},
	lower.NegProduct | lower.NegAddend: {{x86.VFNMSUB132PS, x86.VFNMSUB132PD}, {x86.VFNMSUB213PS, x86.VFNMSUB213PD}, {x86.VFNMSUB231PS, x86.VFNMSUB231PD}},
}

// fma emits a fused multiply-add. It overwrites an operand whose last use this is, if
// there is one.
func fma(f *emitter, n *lower.Node) {
	x, y, z := n.Args[0], n.Args[1], n.Args[2]
	ops := &fmaOps[n.Imm]
	op := func(k int) x86.Op { return pick(n.In, ops[k][0], ops[k][1]) }
	l := f.LenOf(n.In)
	inReg := func(a int32) bool { return !f.inMemory(a) }
	if !inReg(x) && inReg(y) {
		x, y = y, x
	}
	switch {
	case f.Dies(z) && z != x && z != y:
		rx := f.Src(x)
		my := f.srcM(y)
		rz := f.Src(z)
		f.Release()
		d := f.Reuse(rz)
		f.I(op(fma231), l, d, rx, my)
	case f.Dies(x) && x != y && x != z:
		rx := f.Src(x)
		if !inReg(y) && inReg(z) { // x = x*mem + z
			my, rz := f.srcM(y), f.Src(z)
			f.Release()
			f.I(op(fma132), l, f.Reuse(rx), rz, my)
			return
		}
		ry, mz := f.Src(y), f.srcM(z)
		f.Release()
		f.I(op(fma213), l, f.Reuse(rx), ry, mz)
	case f.Dies(y) && y != x && y != z:
		ry, rx, mz := f.Src(y), f.Src(x), f.srcM(z)
		f.Release()
		f.I(op(fma213), l, f.Reuse(ry), rx, mz)
	case !inReg(z): // the addend comes from memory into the result
		rx, my := f.Src(x), f.srcM(y)
		d := f.Dst()
		f.LoadUniform(d, z)
		f.I(op(fma231), l, d, rx, my)
	default:
		rx, my, rz := f.Src(x), f.srcM(y), f.Src(z)
		d := f.Dst()
		f.I(x86.VMOVAPS, l, d, rz)
		f.I(op(fma231), l, d, rx, my)
	}
}

func mulHiNarrow(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.srcM(n.Args[1])
	f.Release()
	d, l := f.Dst(), f.LenOf(n.In)
	f.I(f.simple(prim.Mul, n.In), l, d, x, y)
	f.I(f.pickLane(n.In, 0, x86.VPSRLW, x86.VPSRLD, 0), l, d, d, x86.Imm(8*n.In.Size()))
}

func roundF16(f *emitter, n *lower.Node) {
	x, t := f.Src(n.Args[0]), f.Tmp()
	f.Release()
	l := f.LenOf(n.In)
	f.I(x86.VCVTPS2PH, l, t, x, x86.Imm(0))
	f.I(x86.VCVTPH2PS, l, f.Dst(), t)
}

// canon brings a result of arithmetic in wider lanes into the form of a narrow type. What is
// only stored needs no form.
func (f *emitter) canon(t dtype.Type, d x86.Vec) {
	if !isa.Narrow(t) || f.Cur.Bytes {
		return
	}
	l, shift := f.LenOf(t), 8*(f.lane(t).Size()-t.Size())
	switch {
	case shift == 0:
	case t.IsSigned():
		f.I(f.pickLane(t, 0, x86.VPSLLW, x86.VPSLLD, 0), l, d, d, x86.Imm(shift))
		f.I(f.pickLane(t, 0, x86.VPSRAW, x86.VPSRAD, 0), l, d, d, x86.Imm(shift))
	default:
		f.I(f.simple(prim.And, dtype.U32), l, d, d, f.operand(dtype.U32, t.Mask()))
	}
}

// mulLow multiplies the lower halves of lanes of 64 bits.
func mulLow(f *emitter, n *lower.Node) {
	a, b := n.Args[0], n.Args[1]
	if f.inMemory(a) {
		a, b = b, a
	}
	x, y := f.Src(a), f.srcM(b)
	f.Release()
	f.I(x86.VPMULUDQ, f.LenOf(n.In), f.Dst(), x, y)
}

func mulHi64(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	xh, yh, t, d, l := f.Tmp(), f.Tmp(), f.Tmp(), f.Dst(), f.LenOf(n.In)
	f.I(x86.VPSRLQ, l, xh, x, x86.Imm(32))
	f.I(x86.VPSRLQ, l, yh, y, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, d, x, y)
	f.I(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, x, yh)
	f.I(x86.VPADDQ, l, t, t, d) // x*yh + (x*y >> 32)
	f.I(x86.VPMULUDQ, l, d, xh, y)
	f.I(x86.VPMULUDQ, l, xh, xh, yh)
	f.I(f.simple(prim.And, dtype.U64), l, yh, t, f.operand(dtype.U64, 0xffffffff))
	f.I(x86.VPADDQ, l, d, d, yh)
	f.I(x86.VPSRLQ, l, t, t, x86.Imm(32))
	f.I(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPADDQ, l, d, d, t)
	f.I(x86.VPADDQ, l, d, d, xh)
}

// lastReg returns the register of the result of the current instruction.
func (f *emitter) lastReg() int8 {
	if f.Prolog {
		return f.Result
	}
	return f.Places[f.Key(f.ID, f.Copy)].Reg
}

// roundings are the immediates of the instructions that round to integers.
var roundings = [prim.NumOps]x86.Imm{prim.Floor: 9, prim.Ceil: 10, prim.Trunc: 11, prim.Rint: 8}

// round rounds floats to integers.
func round(f *emitter, n *lower.Node) {
	d, x := f.unary(n)
	op := pick(n.In, x86.VROUNDPS, x86.VROUNDPD)
	if f.evex {
		op = pick(n.In, x86.VRNDSCALEPS, x86.VRNDSCALEPD)
	}
	f.I(op, f.LenOf(n.In), d, x, roundings[n.Op])
}

func sqrt(f *emitter, n *lower.Node) {
	d, x := f.unary(n)
	f.I(pick(n.In, x86.VSQRTPS, x86.VSQRTPD), f.LenOf(n.In), d, x)
}

// form returns the instruction of AVX2, or that of AVX-512 for lanes of type t.
func (f *emitter) form(t dtype.Type, vex, d, q x86.Op) x86.Op {
	if f.evex {
		return pick(t, d, q)
	}
	return vex
}

// sign negates a float, or clears its sign.
func sign(f *emitter, n *lower.Node) {
	op, bits := f.form(n.In, x86.VXORPS, x86.VPXORD, x86.VPXORQ), signBit(n.In)
	if n.Op == prim.Abs {
		op, bits = f.form(n.In, x86.VANDPS, x86.VPANDD, x86.VPANDQ), bits-1
	}
	d, x := f.unary(n)
	f.I(op, f.LenOf(n.In), d, x, f.operand(n.In, bits))
}

// A comparison has the immediates of a comparison of floats, in both orders of the operands, and of integers.
type comparison struct{ float, swapped, int x86.Imm }

var comparisons = [prim.NumOps]comparison{prim.Eq: {0, 0, 0}, prim.Lt: {0x11, 0x1e, 1}, prim.Le: {0x12, 0x1d, 2}, prim.Ne: {4, 4, 4}}

var compared = []prim.Op{prim.Eq, prim.Lt, prim.Le, prim.Ne}

func negInt(f *emitter, n *lower.Node) {
	x, z := f.Src(n.Args[0]), f.Tmp()
	f.Release()
	d := f.Dst()
	f.I(f.simple(prim.Xor, dtype.U32), f.LenOf(n.In), z, z, z)
	f.I(f.simple(prim.Sub, n.In), f.LenOf(n.In), d, z, x)
	f.canon(n.In, d)
}

func absInt(f *emitter, n *lower.Node) {
	d, x := f.unary(n)
	f.I(f.pickLane(n.In, x86.VPABSB, x86.VPABSW, x86.VPABSD, x86.VPABSQ), f.LenOf(n.In), d, x)
	f.canon(n.In, d)
}

// scalarDivide divides integers lane by lane, in 64 bits, and truncates the results to
// the narrower type. Division by zero gives 0. Division by -1 is a negation: IDIV
// would trap on the least integer.
func scalarDivide(f *emitter, n *lower.Node) {
	x, y, d := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Dst()
	l := f.LenOf(n.In)
	f.I(x86.VMOVUPS, l, at(frame.Tmp), x)
	f.I(x86.VMOVUPS, l, at(frame.Tmp+64), y)
	size, width, load := 8, x86.W64, x86.MOV
	switch {
	case isa.Wide(n.In):
	case n.In.IsSigned():
		size, load = 4, x86.MOVSXD
	default:
		size, width = 4, x86.W32
	}
	for lane := range f.W {
		done, zero, plain := f.NewLabel(), f.NewLabel(), f.NewLabel()
		f.I(load, width, x86.RCX, at(frame.Tmp+64+size*lane))
		f.I(load, width, x86.RAX, at(frame.Tmp+size*lane))
		f.I(x86.TEST, x86.W64, x86.RCX, x86.RCX)
		f.I(x86.JE, 0, zero)
		if n.In.IsSigned() {
			f.I(x86.CMP, x86.W64, x86.RCX, x86.Imm(-1))
			f.I(x86.JNE, 0, plain)
			f.I(x86.NEG, x86.W64, x86.RAX)
			f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
			f.I(x86.JMP, 0, done)
			f.Bind(plain)
			f.I(x86.CQO, 0)
			f.I(x86.IDIV, x86.W64, x86.RCX)
		} else {
			f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
			f.I(x86.DIV, x86.W64, x86.RCX)
		}
		f.I(x86.JMP, 0, done)
		f.Bind(zero)
		f.I(x86.XOR, x86.W32, x86.RAX, x86.RAX)
		f.I(x86.XOR, x86.W32, x86.RDX, x86.RDX)
		f.Bind(done)
		r := x86.RAX
		if n.Op == prim.Rem {
			r = x86.RDX
		}
		f.I(x86.MOV, x86.Len(8*size), at(frame.Tmp+size*lane), r)
	}
	f.I(x86.VMOVUPS, l, d, at(frame.Tmp))
	f.canon(n.In, d)
}

// scalarRem emits the remainder of floats lane by lane with fprem. The instruction is
// exact, and repeats until it clears flag C2.
func scalarRem(f *emitter, n *lower.Node) {
	x, y, d := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Dst()
	l := f.LenOf(n.In)
	f.I(x86.VMOVUPS, l, at(frame.Tmp), x)
	f.I(x86.VMOVUPS, l, at(frame.Tmp+64), y)
	load, store, op := byte(0xd9), byte(0xd9), n.In.Size()
	if isa.Wide(n.In) {
		load, store = 0xdd, 0xdd
	}
	loop, more := f.NewLabel(), f.NewLabel()
	f.I(x86.LEA, x86.W64, x86.RCX, at(frame.Tmp))
	f.I(x86.MOV, x86.W32, x86.RDX, x86.Imm(f.W))
	f.Bind(loop)
	f.Bytes(load, 0x41, 64) // fld [rcx+64]: y
	f.Bytes(load, 0x01)     // fld [rcx]: x
	f.Bind(more)
	f.Bytes(0xd9, 0xf8) // fprem
	f.Bytes(0xdf, 0xe0) // fnstsw ax
	f.I(x86.TEST, x86.W32, x86.RAX, x86.Imm(0x400))
	f.I(x86.JNE, 0, more)
	f.Bytes(store, 0x19) // fstp [rcx]
	f.Bytes(0xdd, 0xd8)  // fstp st(0)
	f.I(x86.ADD, x86.W64, x86.RCX, x86.Imm(op))
	f.I(x86.SUB, x86.W32, x86.RDX, x86.Imm(1))
	f.I(x86.JNE, 0, loop)
	f.I(x86.VMOVUPS, l, d, at(frame.Tmp))
}

// convert converts between types. The target has the conversions of predicates and those
// between floats and integers.
func convert(f *emitter, n *lower.Node) {
	from, to := n.In, n.Type
	l := max(f.LenOf(from), f.LenOf(to))
	switch {
	case from == to && f.IsMask(n.Args[0]):
		x := f.Mask(n.Args[0])
		f.Release()
		f.I(f.kop(kmov), 0, f.DstMask(), x)
	case from == to:
		move(f, n)
	case from == dtype.Bool:
		f.own.fromPredicate(n)
	case from.IsFloat() && to.IsFloat():
		d, x := f.unary(n)
		f.I(pick(to, x86.VCVTPD2PS, x86.VCVTPS2PD), l, d, x)
	case to.IsFloat():
		f.own.intToFloat(n)
	case from.IsFloat():
		f.own.floatToInt(n)
	default:
		d, x := f.unary(n)
		switch {
		case isa.Wide(to) && !isa.Wide(from) && from.IsSigned():
			f.I(x86.VPMOVSXDQ, l, d, x)
		case isa.Wide(to) && !isa.Wide(from):
			f.I(x86.VPMOVZXDQ, l, d, x)
		case isa.Wide(from) && !isa.Wide(to):
			f.own.narrow(d, x)
		case d != x:
			f.I(x86.VMOVAPS, l, d, x)
		}
		f.canon(to, d)
	}
}

// clamped converts floats to 32 bits that hold an integer of a narrow type, with saturation. One end of the range
// is found in floats, and the other one in integers: what conversions make of numbers below all integers, and above
// those without sign, is the least signed one and the greatest half without. If an operand is NaN, a maximum returns the second one, so
// that unsigned types get 0. convert converts, and clears the lanes of NaN for signed types.
func (f *emitter) clamped(d, x x86.Vec, from, to dtype.Type, convert func(x x86.Vec)) {
	lo, above := scalar.Limits(to)
	t, l, li := f.Tmp(), f.LenOf(from), f.LenOf(dtype.I32)
	if to.IsSigned() {
		least := pick(from, x86.VMINPS, x86.VMINPD)
		if f.evex && from == dtype.F32 { // as integers, positive floats have the same order; other ports compare them
			least = x86.VPMINSD
		}
		f.I(least, l, t, x, f.heldOperand(from, floatBits(from, above-1)))
		convert(t)
		if saturates(f.Cur) {
			return
		}
		f.I(x86.VPMAXSD, li, d, d, f.heldOperand(dtype.I32, uint64(uint32(int32(lo)))))
		return
	}
	f.I(pick(from, x86.VMAXPS, x86.VMAXPD), l, t, x, f.heldOperand(from, 0))
	convert(t)
	if f.evex && saturates(f.Cur) {
		return
	}
	f.I(x86.VPMINUD, li, d, d, f.heldOperand(dtype.U32, uint64(above-1)))
}

// saturates reports whether a node that is only stored is a conversion of floats to 1 or 2 bytes. The instruction that packs the results
// applies their bounds: with AVX2 both, and with AVX-512 the lower one if they have a sign, and the upper one if not.
func saturates(n *lower.Node) bool {
	return n.Bytes && n.Op == prim.Cvt && n.In.IsFloat()
}

// inRange reports whether such a conversion has an operand that is NaN or in range. The lower bytes of what the instruction makes of NaN
// are zeros.
func inRange(n *lower.Node) bool { return saturates(n) && n.Imm == lower.InRange }

func not(f *emitter, n *lower.Node) {
	d, x := f.unary(n)
	if f.evex {
		if d != x { // else the operation waits for what d had
			f.CopyVec(n.In, d, x)
		}
		f.I(pick(n.In, x86.VPTERNLOGD, x86.VPTERNLOGQ), f.LenOf(n.In), d, d, d, x86.Imm(0x55))
	} else {
		f.I(x86.VPXOR, x86.L256, d, x, f.ones())
	}
	f.canon(n.In, d)
}

func mulHi32(f *emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	t, u, d, l := f.Tmp(), f.Tmp(), f.Dst(), f.LenOf(n.In)
	f.I(x86.VPSRLQ, l, t, x, x86.Imm(32))
	if f.Uniform[n.Args[1]] { // all lanes have it
		u = y
	} else {
		f.I(x86.VPSRLQ, l, u, y, x86.Imm(32))
	}
	f.I(x86.VPMULUDQ, l, t, t, u)
	f.I(x86.VPMULUDQ, l, d, x, y)
	f.I(x86.VPSRLQ, l, d, d, x86.Imm(32))
	if f.evex {
		f.I(x86.VPTERNLOGQ, l, d, t, f.constBcast(dtype.U64, 0xffffffff<<32), x86.Imm(0xf8)) // d, or t and the mask
	} else {
		f.I(x86.VPBLENDD, l, d, d, t, x86.Imm(0xaa))
	}
}

// bf16 rounds x to the upper half of each lane of d. It does not clear the lower half. It overwrites predicate k.
func (f *emitter) bf16(d, x x86.Vec, k x86.Operand) {
	l := f.LenOf(dtype.F32)
	f.I(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.I(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.I(f.simple(prim.And, dtype.U32), l, d, d, f.operand(dtype.U32, 1))
	f.I(x86.VPADDD, l, d, d, f.operand(dtype.U32, 0x7fff))
	f.I(x86.VPADDD, l, d, d, x)
	if f.evex {
		f.I(x86.VPBROADCASTD, l, d, f.Const32(0x7fc00000), x86.Merge(k.(x86.Mask)))
	} else {
		f.I(x86.VBLENDVPS, l, d, d, f.full(dtype.U32, 0x7fc00000), k)
	}
}

// upperHalf sets each lane of d to the bits of the bfloat16 that store n makes of x.
func (f *emitter) upperHalf(n *lower.Node, d, x x86.Vec) {
	if !n.Rounded {
		f.bf16(d, x, f.tmpPred())
		x = d
	}
	f.I(x86.VPSRLD, f.LenOf(dtype.F32), d, x, x86.Imm(16))
}

func roundBF16(f *emitter, n *lower.Node) {
	x, d := f.Src(n.Args[0]), f.Dst()
	f.bf16(d, x, f.tmpPred())
	f.I(f.simple(prim.And, dtype.U32), f.LenOf(n.In), d, d, f.operand(dtype.U32, 0xffff0000))
}

// mulWide sets d to the low 64 bits of x * y. d must not be x, y or t.
func (f *emitter) mulWide(d, x, y, t x86.Vec) {
	l := x86.Len(f.W * 64)
	f.I(x86.VPSRLQ, l, d, x, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, d, d, y)
	f.I(x86.VPSRLQ, l, t, y, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, t, x)
	f.I(x86.VPADDQ, l, d, d, t)
	f.I(x86.VPSLLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPMULUDQ, l, t, x, y)
	f.I(x86.VPADDQ, l, d, d, t)
}
