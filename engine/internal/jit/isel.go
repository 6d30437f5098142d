package jit

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Instruction selection for AVX-512. Narrow integers are held extended to 32
// bits, predicates in mask registers.

type rule func(f *flow, n *node)

// rules is by primitive and type of the operands; narrow integers have the row
// of their 32-bit type unless they have their own.
var rules = map[prim.Op]map[dtype.Type]rule{}

// simple instructions by width: one row for each primitive and class of types.
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

// lane32 is the 32-bit type whose instructions serve t, or t.
func lane32(t dtype.Type) dtype.Type {
	switch t {
	case dtype.I8:
		return dtype.I32
	case dtype.U8:
		return dtype.U32
	}
	return t
}

// signedOf is the signed type of t's width.
func signedOf(t dtype.Type) dtype.Type {
	switch lane32(t) {
	case dtype.U32:
		return dtype.I32
	case dtype.U64:
		return dtype.I64
	}
	return lane32(t)
}

func binaryOp(op prim.Op, t dtype.Type) x86.Op {
	row := binaryOps[op]
	if o, ok := row[lane32(t)]; ok {
		return o
	}
	return row[signedOf(t)]
}

func compareOp(t dtype.Type) x86.Op {
	switch lane32(t) {
	case dtype.I32:
		return x86.VPCMPD
	case dtype.U32:
		return x86.VPCMPUD
	case dtype.I64:
		return x86.VPCMPQ
	}
	return x86.VPCMPUQ
}

func set(op prim.Op, r rule, ts ...dtype.Type) {
	if rules[op] == nil {
		rules[op] = map[dtype.Type]rule{}
	}
	for _, t := range ts {
		rules[op][t] = r
	}
}

var (
	floats = []dtype.Type{dtype.F32, dtype.F64}
	ints   = []dtype.Type{dtype.I8, dtype.I32, dtype.I64, dtype.U8, dtype.U32, dtype.U64}
	nums   = append(append([]dtype.Type{}, floats...), ints...)
)

func init() {
	for _, op := range []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Min, prim.Max, prim.And, prim.Or, prim.Xor, prim.Shl, prim.Shr} {
		set(op, binary, ints...)
	}
	for _, op := range []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Div} {
		set(op, binary, floats...)
	}
	set(prim.Min, floatMinMax, floats...)
	set(prim.Max, floatMinMax, floats...)
	set(prim.Fma, fma, floats...)
	set(prim.Neg, negFloat, floats...)
	set(prim.Neg, negInt, ints...)
	set(prim.Abs, absFloat, floats...)
	set(prim.Abs, absInt, dtype.I8, dtype.I32, dtype.I64)
	set(prim.Abs, move, dtype.U8, dtype.U32, dtype.U64)
	set(prim.Sqrt, unaryOp(x86.VSQRTPS, x86.VSQRTPD), floats...)
	set(prim.Floor, rounding(9), floats...)
	set(prim.Ceil, rounding(10), floats...)
	set(prim.Trunc, rounding(11), floats...)
	set(prim.Rint, rounding(8), floats...)
	set(prim.Scale, scale, floats...)
	set(prim.Not, notInt, ints...)
	set(prim.Not, maskNot, dtype.Bool)
	set(prim.And, maskOp(x86.KANDB, x86.KANDW), dtype.Bool)
	set(prim.Or, maskOp(x86.KORB, x86.KORW), dtype.Bool)
	set(prim.Xor, maskOp(x86.KXORB, x86.KXORW), dtype.Bool)
	set(prim.Ne, maskOp(x86.KXORB, x86.KXORW), dtype.Bool)
	set(prim.Eq, maskOp(x86.KXNORB, x86.KXNORW), dtype.Bool)
	for op, c := range map[prim.Op][2]x86.Imm{prim.Eq: {0, 0}, prim.Lt: {0x11, 1}, prim.Le: {0x12, 2}, prim.Ne: {4, 4}} {
		set(op, compareFloat(c[0]), floats...)
		set(op, compareInt(c[1]), ints...)
	}
	set(prim.Select, selectVec, nums...)
	set(prim.Select, selectMask, dtype.Bool)
	set(prim.MulHi, mulHi8, dtype.U8)
	set(prim.MulHi, mulHi32, dtype.U32)
	set(prim.MulHi, mulHi64, dtype.U64)
	set(prim.Div, divide32, dtype.I8, dtype.I32, dtype.U8, dtype.U32)
	set(prim.Rem, divide32, dtype.I8, dtype.I32, dtype.U8, dtype.U32)
	set(prim.Div, scalarDivide, dtype.I64, dtype.U64)
	set(prim.Rem, scalarDivide, dtype.I64, dtype.U64)
	set(prim.Rem, scalarRem, floats...)
	set(prim.Cvt, convert, append([]dtype.Type{dtype.Bool}, nums...)...)
	set(prim.Bitcast, bitcast, nums...)
	set(prim.RoundF16, roundF16, dtype.F32)
	set(prim.RoundBF16, roundBF16, dtype.F32)
	set(prim.Lookup, lookup, ints...)
}

func (f *flow) selectRule(n *node) rule {
	if !f.avx512 {
		return rules2[n.op][n.in]
	}
	return rules[n.op][n.in]
}

// canon brings a result of 32-bit arithmetic into the form of a narrow type.
func (f *flow) canon(t dtype.Type, d x86.Vec) {
	l := f.lenOf(dtype.I32)
	switch t {
	case dtype.I8:
		f.i(x86.VPSLLD, l, d, d, x86.Imm(24))
		f.i(x86.VPSRAD, l, d, d, x86.Imm(24))
	case dtype.U8:
		f.i(x86.VPANDD, l, d, d, f.a.Const32(0xff).Bcast())
	}
}

func narrow(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 }

// loadConst broadcasts a constant of register type t.
func (f *flow) loadConst(d x86.Vec, t dtype.Type, x uint64) {
	f.broadcast(d, t, f.constMem(t, x))
}

func (f *flow) constMem(t dtype.Type, x uint64) x86.Mem {
	if wide(t) {
		return f.a.Const64(x)
	}
	return f.a.Const32(uint32(x))
}

// imm is a constant operand of type t.
func (f *flow) imm(t dtype.Type, x uint64) x86.Mem { return f.constMem(t, x).Bcast() }

func (f *flow) oneBits(t dtype.Type) x86.Operand {
	switch t {
	case dtype.F32:
		return f.imm(t, uint64(math.Float32bits(1)))
	case dtype.F64:
		return f.imm(t, math.Float64bits(1))
	}
	return f.imm(t, 1)
}

func signBit(t dtype.Type) uint64 { return 1 << (8*t.Size() - 1) }

func binary(f *flow, n *node) {
	a, b := n.args[0], n.args[1]
	if n.op.Info().Commutes && f.uniform[a] && f.home[a] < 0 {
		a, b = b, a
	}
	x, y := f.src(a), f.srcM(b)
	f.release()
	d := f.dst()
	f.i(binaryOp(n.op, n.in), f.lenOf(n.in), d, x, y)
	if f.avx512 {
		f.canon(n.typ, d)
	} else {
		f.canon2(n.typ, d)
	}
}

func unaryOp(s, d x86.Op) rule {
	return func(f *flow, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(pick(n.in, s, d), f.lenOf(n.in), f.dst(), x)
	}
}

func rounding(imm x86.Imm) rule {
	return func(f *flow, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(pick(n.in, x86.VRNDSCALEPS, x86.VRNDSCALEPD), f.lenOf(n.in), f.dst(), x, imm)
	}
}

func move(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	if d := f.dst(); d != x {
		f.i(x86.VMOVAPS, f.lenOf(n.typ), d, x)
	}
}

func bitcast(f *flow, n *node) {
	move(f, n)
	if narrow(n.typ) && n.typ != n.in {
		d := x86.Vec(f.lastReg())
		if f.avx512 {
			f.canon(n.typ, d)
		} else {
			f.canon2(n.typ, d)
		}
	}
}

// lastReg is the register of the result of the current instruction.
func (f *flow) lastReg() int8 {
	if f.prolog {
		return f.result
	}
	return f.places[f.key(f.id, f.copy)].reg
}

// minMax is the IEEE 754-2019 minimum or maximum: vrange knows the zeros, and
// the sum of the operands is NaN where one is.
func (f *flow) minMax(op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l := f.lenOf(t)
	k := f.mtmp()
	imm := x86.Imm(4)
	if op == prim.Max {
		imm = 5
	}
	f.i(pick(t, x86.VCMPPS, x86.VCMPPD), l, k, x, y, x86.Imm(3))
	if d == x || d == y { // the operands are needed after
		s := f.tmp()
		f.i(pick(t, x86.VRANGEPS, x86.VRANGEPD), l, s, x, y, imm)
		f.i(pick(t, x86.VADDPS, x86.VADDPD), l, s, x, y, x86.Merge(k))
		f.i(pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, s)
		return
	}
	f.i(pick(t, x86.VRANGEPS, x86.VRANGEPD), l, d, x, y, imm)
	f.i(pick(t, x86.VADDPS, x86.VADDPD), l, d, x, y, x86.Merge(k))
}

func floatMinMax(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	if !f.avx512 {
		f.minMax2(n.op, n.in, f.dst(), x, y)
		return
	}
	f.minMax(n.op, n.in, f.dst(), x, y)
}

// fma overwrites an operand that ends here.
func fma(f *flow, n *node) {
	x, y, z := n.args[0], n.args[1], n.args[2]
	op := func(s, d x86.Op) x86.Op { return pick(n.in, s, d) }
	l := f.lenOf(n.in)
	inReg := func(a int32) bool { return !f.uniform[a] || f.home[a] >= 0 }
	if !inReg(x) && inReg(y) {
		x, y = y, x
	}
	switch {
	case f.dies(z) && z != x && z != y:
		rx := f.src(x)
		my := f.srcM(y)
		rz := f.src(z)
		f.release()
		d := f.reuse(rz)
		f.i(op(x86.VFMADD231PS, x86.VFMADD231PD), l, d, rx, my)
	case f.dies(x) && x != y && x != z:
		rx := f.src(x)
		if !inReg(y) && inReg(z) { // x = x*mem + z
			my, rz := f.srcM(y), f.src(z)
			f.release()
			f.i(op(x86.VFMADD132PS, x86.VFMADD132PD), l, f.reuse(rx), rz, my)
			return
		}
		ry, mz := f.src(y), f.srcM(z)
		f.release()
		f.i(op(x86.VFMADD213PS, x86.VFMADD213PD), l, f.reuse(rx), ry, mz)
	case f.dies(y) && y != x && y != z:
		ry, rx, mz := f.src(y), f.src(x), f.srcM(z)
		f.release()
		f.i(op(x86.VFMADD213PS, x86.VFMADD213PD), l, f.reuse(ry), rx, mz)
	case !inReg(z): // the addend comes from memory into the result
		rx, my := f.src(x), f.srcM(y)
		d := f.dst()
		f.loadUni(d, z)
		f.i(op(x86.VFMADD231PS, x86.VFMADD231PD), l, d, rx, my)
	default:
		rx, my, rz := f.src(x), f.srcM(y), f.src(z)
		d := f.dst()
		f.i(x86.VMOVAPS, l, d, rz)
		f.i(op(x86.VFMADD231PS, x86.VFMADD231PD), l, d, rx, my)
	}
}

// reuse makes the released register r that of the result.
func (f *flow) reuse(r x86.Vec) x86.Vec {
	f.vfree &^= 1 << r
	f.vpinned |= 1 << r
	f.setReg(int8(r))
	if f.prolog {
		f.vtmp |= 1 << r
	} else {
		f.vowner[r] = f.key(f.id, f.copy)
	}
	return r
}

func negFloat(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	f.i(pick(n.in, x86.VPXORD, x86.VPXORQ), f.lenOf(n.in), f.dst(), x, f.imm(n.in, signBit(n.in)))
}

func absFloat(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	f.i(pick(n.in, x86.VPANDD, x86.VPANDQ), f.lenOf(n.in), f.dst(), x, f.imm(n.in, signBit(n.in)-1))
}

func negInt(f *flow, n *node) {
	x, z := f.src(n.args[0]), f.tmp()
	f.release()
	d := f.dst()
	f.i(x86.VPXORD, f.lenOf(n.in), z, z, z)
	f.i(binaryOp(prim.Sub, n.in), f.lenOf(n.in), d, z, x)
	f.canon(n.in, d)
}

func absInt(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(pick(n.in, x86.VPABSD, x86.VPABSQ), f.lenOf(n.in), d, x)
	f.canon(n.in, d)
}

func notInt(f *flow, n *node) {
	x := f.src(n.args[0])
	f.release()
	d := f.dst()
	f.i(pick(n.in, x86.VPTERNLOGD, x86.VPTERNLOGQ), f.lenOf(n.in), d, x, x, x86.Imm(0x55))
	f.canon(n.in, d)
}

// scale is x * 2^n: vscalef rounds once, and any n beyond the range of
// exponents does the same whatever it is rounded to.
func scale(f *flow, n *node) {
	x, e, t := f.src(n.args[0]), f.src(n.args[1]), f.tmp()
	l := f.lenOf(n.in)
	f.i(pick(n.in, x86.VCVTDQ2PS, x86.VCVTQQ2PD), l, t, e)
	f.release()
	f.i(pick(n.in, x86.VSCALEFPS, x86.VSCALEFPD), l, f.dst(), x, t)
}

func maskOp(b, w x86.Op) rule {
	return func(f *flow, n *node) {
		x, y := f.mask(n.args[0]), f.mask(n.args[1])
		f.release()
		f.i(f.kop(b, w), 0, f.mdst(), x, y)
	}
}

func maskNot(f *flow, n *node) {
	x := f.mask(n.args[0])
	f.release()
	f.i(f.kop(x86.KNOTB, x86.KNOTW), 0, f.mdst(), x)
}

func compareFloat(imm x86.Imm) rule {
	return func(f *flow, n *node) {
		x, y := f.src(n.args[0]), f.srcM(n.args[1])
		f.release()
		f.i(pick(n.in, x86.VCMPPS, x86.VCMPPD), f.lenOf(n.in), f.mdst(), x, y, imm)
	}
}

func compareInt(imm x86.Imm) rule {
	return func(f *flow, n *node) {
		x, y := f.src(n.args[0]), f.srcM(n.args[1])
		f.release()
		f.i(compareOp(n.in), f.lenOf(n.in), f.mdst(), x, y, imm)
	}
}

func selectVec(f *flow, n *node) {
	k, y, z := f.mask(n.args[0]), f.srcM(n.args[1]), f.src(n.args[2])
	f.release()
	f.i(pick(n.typ, x86.VBLENDMPS, x86.VBLENDMPD), f.lenOf(n.typ), f.dst(), z, y, x86.Merge(k))
}

func selectMask(f *flow, n *node) {
	k, y, z := f.mask(n.args[0]), f.mask(n.args[1]), f.mask(n.args[2])
	t := f.mtmp()
	d := f.mdst()
	f.i(x86.KANDW, 0, t, k, y)
	f.i(x86.KANDNW, 0, d, k, z)
	f.i(x86.KORW, 0, d, d, t)
}

func mulHi8(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.srcM(n.args[1])
	f.release()
	d, l := f.dst(), f.lenOf(n.in)
	f.i(x86.VPMULLD, l, d, x, y)
	f.i(x86.VPSRLD, l, d, d, x86.Imm(8))
}

func mulHi32(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	t, u, d, l := f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	f.i(x86.VPSRLQ, l, t, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, u, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, t, u)
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPANDQ, l, t, t, f.a.Const64(0xffffffff<<32).Bcast())
	f.i(x86.VPORQ, l, d, d, t)
}

func mulHi64(f *flow, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	xh, yh, t, d, l := f.tmp(), f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	low := f.a.Const64(0xffffffff).Bcast()
	f.i(x86.VPSRLQ, l, xh, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, yh, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, x, yh)
	f.i(x86.VPADDQ, l, t, t, d) // x*yh + (x*y >> 32)
	f.i(x86.VPMULUDQ, l, d, xh, y)
	f.i(x86.VPMULUDQ, l, xh, xh, yh)
	f.i(x86.VPANDQ, l, yh, t, low)
	f.i(x86.VPADDQ, l, d, d, yh)
	f.i(x86.VPSRLQ, l, t, t, x86.Imm(32))
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPADDQ, l, d, d, t)
	f.i(x86.VPADDQ, l, d, d, xh)
}

func roundF16(f *flow, n *node) {
	x, t := f.src(n.args[0]), f.tmp()
	f.release()
	l := f.lenOf(n.in)
	f.i(x86.VCVTPS2PH, l, t, x, x86.Imm(0))
	f.i(x86.VCVTPH2PS, l, f.dst(), t)
}

// bf16 rounds x to the upper half of each lane of d, the lower half not cleared.
func (f *flow) bf16(d, x x86.Vec) {
	l, k := f.lenOf(dtype.F32), f.mtmp()
	f.i(x86.VCMPPS, l, k, x, x, x86.Imm(3))
	f.i(x86.VPSRLD, l, d, x, x86.Imm(16))
	f.i(x86.VPANDD, l, d, d, f.a.Const32(1).Bcast())
	f.i(x86.VPADDD, l, d, d, f.a.Const32(0x7fff).Bcast())
	f.i(x86.VPADDD, l, d, d, x)
	f.i(x86.VPBROADCASTD, l, d, f.a.Const32(0x7fc00000), x86.Merge(k))
}

func roundBF16(f *flow, n *node) {
	x, d := f.src(n.args[0]), f.dst()
	f.bf16(d, x)
	f.i(x86.VPANDD, f.lenOf(n.in), d, d, f.a.Const32(0xffff0000).Bcast())
}

// lookup gathers from a table behind the code.
func lookup(f *flow, n *node) {
	t := f.ph.tableOf(f.c.p.k, n)
	label := f.tableLabel(t)
	x, ix, k := f.src(n.args[0]), f.tmp(), f.mtmp()
	d := f.dst()
	f.i(pick(n.in, x86.VPANDD, x86.VPANDQ), f.lenOf(n.in), ix, x, f.imm(n.in, uint64(len(t.Bits)-1)))
	f.i(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(label, 0))
	f.i(f.kop(x86.KXNORB, x86.KXNORW), 0, k, k, k)
	op := [2][2]x86.Op{{x86.VGATHERDPS, x86.VGATHERQPS}, {x86.VGATHERDPD, x86.VGATHERQPD}}
	from, to := 0, 0
	if wide(n.in) {
		from = 1
	}
	scale := uint8(4)
	if wide(n.typ) {
		to, scale = 1, 8
	}
	l := max(f.lenOf(n.in), f.lenOf(n.typ))
	f.i(op[to][from], l, d, x86.AtV(x86.RAX, ix, scale, 0), x86.Merge(k))
}

func (ph *phase) tableOf(k *ir.Kernel, n *node) *ir.Table { return &k.Tables[n.aux] }

// tableLabel is the place of a table behind the code.
func (f *flow) tableLabel(t *ir.Table) x86.Label {
	var data []byte
	for _, x := range t.Bits {
		x = canonical(t.Type, x)
		for b := range max(4, t.Type.Size()) {
			data = append(data, byte(x>>(8*b)))
		}
	}
	label := f.a.NewLabel()
	f.tables = append(f.tables, tableData{label, data})
	return label
}
