package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Instruction selection that all targets share. Registers hold narrow integers
// extended to 32 bits.

// binaryOps are the instructions for primitives of two operands.
var binaryOps = map[prim.Op]map[dtype.Type]x86.Op{
	prim.Add: {dtype.F32: x86.VADDPS, dtype.F64: x86.VADDPD, dtype.I32: x86.VPADDD, dtype.I64: x86.VPADDQ},
	prim.Sub: {dtype.F32: x86.VSUBPS, dtype.F64: x86.VSUBPD, dtype.I32: x86.VPSUBD, dtype.I64: x86.VPSUBQ},
	prim.Mul: {dtype.F32: x86.VMULPS, dtype.F64: x86.VMULPD, dtype.I32: x86.VPMULLD, dtype.I64: x86.VPMULLQ},
	prim.Div: {dtype.F32: x86.VDIVPS, dtype.F64: x86.VDIVPD},
	prim.And: {dtype.I32: x86.VPANDD, dtype.I64: x86.VPANDQ},
	prim.Or:  {dtype.I32: x86.VPORD, dtype.I64: x86.VPORQ},
	prim.Xor: {dtype.I32: x86.VPXORD, dtype.I64: x86.VPXORQ},
	prim.Min: {dtype.I32: x86.VPMINSD, dtype.I64: x86.VPMINSQ, dtype.U32: x86.VPMINUD, dtype.U64: x86.VPMINUQ},
	prim.Max: {dtype.I32: x86.VPMAXSD, dtype.I64: x86.VPMAXSQ, dtype.U32: x86.VPMAXUD, dtype.U64: x86.VPMAXUQ},
	prim.Shl: {dtype.I32: x86.VPSLLVD, dtype.I64: x86.VPSLLVQ},
	prim.Shr: {dtype.I32: x86.VPSRAVD, dtype.I64: x86.VPSRAVQ, dtype.U32: x86.VPSRLVD, dtype.U64: x86.VPSRLVQ},
}

// Lane32 returns the 32-bit type of the lanes of an 8-bit type, or t.
func Lane32(t dtype.Type) dtype.Type {
	switch t {
	case dtype.I8:
		return dtype.I32
	case dtype.U8:
		return dtype.U32
	}
	return t
}

// SignedOf returns the signed type with lanes of t's width.
func SignedOf(t dtype.Type) dtype.Type {
	switch Lane32(t) {
	case dtype.U32:
		return dtype.I32
	case dtype.U64:
		return dtype.I64
	}
	return Lane32(t)
}

// BinaryOp returns the instruction for a primitive of two operands that all targets have.
func BinaryOp(op prim.Op, t dtype.Type) x86.Op {
	row := binaryOps[op]
	if o, ok := row[Lane32(t)]; ok {
		return o
	}
	return row[SignedOf(t)]
}

var (
	Floats = []dtype.Type{dtype.F32, dtype.F64}
	Ints   = []dtype.Type{dtype.I8, dtype.I32, dtype.I64, dtype.U8, dtype.U32, dtype.U64}
	Nums   = append(append([]dtype.Type{}, Floats...), Ints...)
)

func narrow(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 }

// SignBit returns the sign bit of a type.
func SignBit(t dtype.Type) uint64 { return 1 << (8*t.Size() - 1) }

// Binary is the rule of primitives of two operands with an instruction.
func Binary(f *Emitter, n *lower.Node) {
	a, b := n.Args[0], n.Args[1]
	if n.Op.Info().Commutes && f.Uniform[a] && f.Home[a] < 0 {
		a, b = b, a
	}
	x, y := f.Src(a), f.SrcM(b)
	f.Release()
	d := f.Dst()
	f.I(f.simple(n.Op, n.In), f.LenOf(n.In), d, x, y)
	switch n.Op {
	case prim.Add, prim.Sub, prim.Mul, prim.Shl: // the results of the others are canonical
		f.Canon(n.Type, d)
	}
}

// UnaryOp is the rule of instructions with one operand.
func UnaryOp(s, d x86.Op) Rule {
	return func(f *Emitter, n *lower.Node) {
		x := f.Src(n.Args[0])
		f.Release()
		f.I(Pick(n.In, s, d), f.LenOf(n.In), f.Dst(), x)
	}
}

// Move is the rule of nodes that have the bits of their operand.
func Move(f *Emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	f.Release()
	if d := f.Dst(); d != x {
		f.I(x86.VMOVAPS, f.LenOf(n.Type), d, x)
	}
}

func bitcast(f *Emitter, n *lower.Node) {
	Move(f, n)
	if narrow(n.Type) && n.Type != n.In {
		f.Canon(n.Type, x86.Vec(f.lastReg()))
	}
}

func floatMinMax(f *Emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	f.Target.MinMax(f, n.Op, n.In, f.Dst(), x, y)
}

// fma emits a fused multiply-add. It overwrites an operand whose last use this is, if
// there is one.
func fma(f *Emitter, n *lower.Node) {
	x, y, z := n.Args[0], n.Args[1], n.Args[2]
	op := func(s, d x86.Op) x86.Op { return Pick(n.In, s, d) }
	l := f.LenOf(n.In)
	inReg := func(a int32) bool { return !f.Uniform[a] || f.Home[a] >= 0 }
	if !inReg(x) && inReg(y) {
		x, y = y, x
	}
	switch {
	case f.Dies(z) && z != x && z != y:
		rx := f.Src(x)
		my := f.SrcM(y)
		rz := f.Src(z)
		f.Release()
		d := f.reuse(rz)
		f.I(op(x86.VFMADD231PS, x86.VFMADD231PD), l, d, rx, my)
	case f.Dies(x) && x != y && x != z:
		rx := f.Src(x)
		if !inReg(y) && inReg(z) { // x = x*mem + z
			my, rz := f.SrcM(y), f.Src(z)
			f.Release()
			f.I(op(x86.VFMADD132PS, x86.VFMADD132PD), l, f.reuse(rx), rz, my)
			return
		}
		ry, mz := f.Src(y), f.SrcM(z)
		f.Release()
		f.I(op(x86.VFMADD213PS, x86.VFMADD213PD), l, f.reuse(rx), ry, mz)
	case f.Dies(y) && y != x && y != z:
		ry, rx, mz := f.Src(y), f.Src(x), f.SrcM(z)
		f.Release()
		f.I(op(x86.VFMADD213PS, x86.VFMADD213PD), l, f.reuse(ry), rx, mz)
	case !inReg(z): // the addend comes from memory into the result
		rx, my := f.Src(x), f.SrcM(y)
		d := f.Dst()
		f.LoadUniform(d, z)
		f.I(op(x86.VFMADD231PS, x86.VFMADD231PD), l, d, rx, my)
	default:
		rx, my, rz := f.Src(x), f.SrcM(y), f.Src(z)
		d := f.Dst()
		f.I(x86.VMOVAPS, l, d, rz)
		f.I(op(x86.VFMADD231PS, x86.VFMADD231PD), l, d, rx, my)
	}
}

func mulHi8(f *Emitter, n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.SrcM(n.Args[1])
	f.Release()
	d, l := f.Dst(), f.LenOf(n.In)
	f.I(x86.VPMULLD, l, d, x, y)
	f.I(x86.VPSRLD, l, d, d, x86.Imm(8))
}

func roundF16(f *Emitter, n *lower.Node) {
	x, t := f.Src(n.Args[0]), f.Tmp()
	f.Release()
	l := f.LenOf(n.In)
	f.I(x86.VCVTPS2PH, l, t, x, x86.Imm(0))
	f.I(x86.VCVTPH2PS, l, f.Dst(), t)
}

// simple returns the target's instruction for a primitive of two operands.
func (f *Emitter) simple(op prim.Op, t dtype.Type) x86.Op {
	if o := f.Target.Simple(op, t); o != 0 {
		return o
	}
	return BinaryOp(op, t)
}

// Canon brings a result of 32-bit arithmetic into the form of a narrow type.
func (f *Emitter) Canon(t dtype.Type, d x86.Vec) {
	l := f.LenOf(dtype.I32)
	switch t {
	case dtype.I8:
		f.I(x86.VPSLLD, l, d, d, x86.Imm(24))
		f.I(x86.VPSRAD, l, d, d, x86.Imm(24))
	case dtype.U8:
		f.I(f.simple(prim.And, dtype.U32), l, d, d, f.constOperand(dtype.U32, 0xff))
	}
}

func mulHi64(f *Emitter, n *lower.Node) {
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
	f.I(f.simple(prim.And, dtype.U64), l, yh, t, f.constOperand(dtype.U64, 0xffffffff))
	f.I(x86.VPADDQ, l, d, d, yh)
	f.I(x86.VPSRLQ, l, t, t, x86.Imm(32))
	f.I(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.I(x86.VPADDQ, l, d, d, t)
	f.I(x86.VPADDQ, l, d, d, xh)
}

// lastReg returns the register of the result of the current instruction.
func (f *Emitter) lastReg() int8 {
	if f.Prolog {
		return f.Result
	}
	return f.Places[f.Key(f.ID, f.Copy)].Reg
}

// operandNode gives an operand of a program its register.
func (f *Emitter) operandNode(n *lower.Node) {
	f.give(&f.Vecs, int8(f.Operands[n.Aux]))
}

// Roundings are the immediates of the instructions that round to integers.
var Roundings = map[prim.Op]x86.Imm{prim.Floor: 9, prim.Ceil: 10, prim.Trunc: 11, prim.Rint: 8}

// UnaryImm is the rule of instructions with one operand and an immediate.
func UnaryImm(s, d x86.Op, imm x86.Imm) Rule {
	return func(f *Emitter, n *lower.Node) {
		x := f.Src(n.Args[0])
		f.Release()
		f.I(Pick(n.In, s, d), f.LenOf(n.In), f.Dst(), x, imm)
	}
}

// Signs is the rule of instructions that combine a float with its sign bit minus less.
func Signs(s, d x86.Op, less uint64) Rule {
	return func(f *Emitter, n *lower.Node) {
		x := f.Src(n.Args[0])
		f.Release()
		f.I(Pick(n.In, s, d), f.LenOf(n.In), f.Dst(), x, f.constOperand(n.In, SignBit(n.In)-less))
	}
}

func negInt(f *Emitter, n *lower.Node) {
	x, z := f.Src(n.Args[0]), f.Tmp()
	f.Release()
	d := f.Dst()
	f.I(f.simple(prim.Xor, dtype.U32), f.LenOf(n.In), z, z, z)
	f.I(BinaryOp(prim.Sub, n.In), f.LenOf(n.In), d, z, x)
	f.Canon(n.In, d)
}

func absInt(f *Emitter, n *lower.Node) {
	x := f.Src(n.Args[0])
	f.Release()
	d := f.Dst()
	f.I(x86.VPABSD, f.LenOf(n.In), d, x)
	f.Canon(n.In, d)
}
