package jit

import (
	"math"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
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

// lane32 returns the 32-bit type of the lanes of an 8-bit type, or t.
func lane32(t dtype.Type) dtype.Type {
	switch t {
	case dtype.I8:
		return dtype.I32
	case dtype.U8:
		return dtype.U32
	}
	return t
}

// signedOf returns the signed type with lanes of t's width.
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

var (
	floats = []dtype.Type{dtype.F32, dtype.F64}
	ints   = []dtype.Type{dtype.I8, dtype.I32, dtype.I64, dtype.U8, dtype.U32, dtype.U64}
	nums   = append(append([]dtype.Type{}, floats...), ints...)
)

func narrow(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 }

// loadConst broadcasts a constant of register type t.
func (f *emitter) loadConst(d x86.Vec, t dtype.Type, x uint64) {
	f.broadcast(d, t, f.constMem(t, x))
}

func (f *emitter) constMem(t dtype.Type, x uint64) x86.Mem {
	if wide(t) {
		return f.a.Const64(x)
	}
	return f.a.Const32(uint32(x))
}

// imm returns a constant operand of type t, broadcast from memory.
func (f *emitter) imm(t dtype.Type, x uint64) x86.Mem { return f.constMem(t, x).Bcast() }

func (f *emitter) oneBits(t dtype.Type) x86.Operand {
	switch t {
	case dtype.F32:
		return f.imm(t, uint64(math.Float32bits(1)))
	case dtype.F64:
		return f.imm(t, math.Float64bits(1))
	}
	return f.imm(t, 1)
}

func signBit(t dtype.Type) uint64 { return 1 << (8*t.Size() - 1) }

func binary(f *emitter, n *node) {
	a, b := n.args[0], n.args[1]
	if n.op.Info().Commutes && f.uniform[a] && f.home[a] < 0 {
		a, b = b, a
	}
	x, y := f.src(a), f.srcM(b)
	f.release()
	d := f.dst()
	f.i(f.simple(n.op, n.in), f.lenOf(n.in), d, x, y)
	switch n.op {
	case prim.Add, prim.Sub, prim.Mul, prim.Shl: // the results of the others are canonical
		f.canon(n.typ, d)
	}
}

func unaryOp(s, d x86.Op) rule {
	return func(f *emitter, n *node) {
		x := f.src(n.args[0])
		f.release()
		f.i(pick(n.in, s, d), f.lenOf(n.in), f.dst(), x)
	}
}

func move(f *emitter, n *node) {
	x := f.src(n.args[0])
	f.release()
	if d := f.dst(); d != x {
		f.i(x86.VMOVAPS, f.lenOf(n.typ), d, x)
	}
}

func bitcast(f *emitter, n *node) {
	move(f, n)
	if narrow(n.typ) && n.typ != n.in {
		f.canon(n.typ, x86.Vec(f.lastReg()))
	}
}

// lastReg returns the register of the result of the current instruction.
func (f *emitter) lastReg() int8 {
	if f.prolog {
		return f.result
	}
	return f.places[f.key(f.id, f.copy)].reg
}

func floatMinMax(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	f.isa.minMax(f, n.op, n.in, f.dst(), x, y)
}

// fma emits a fused multiply-add. It overwrites an operand whose last use this is, if
// there is one.
func fma(f *emitter, n *node) {
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

// reuse takes the released register r for the result and returns it.
func (f *emitter) reuse(r x86.Vec) x86.Vec {
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

func mulHi8(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.srcM(n.args[1])
	f.release()
	d, l := f.dst(), f.lenOf(n.in)
	f.i(x86.VPMULLD, l, d, x, y)
	f.i(x86.VPSRLD, l, d, d, x86.Imm(8))
}

func roundF16(f *emitter, n *node) {
	x, t := f.src(n.args[0]), f.tmp()
	f.release()
	l := f.lenOf(n.in)
	f.i(x86.VCVTPS2PH, l, t, x, x86.Imm(0))
	f.i(x86.VCVTPH2PS, l, f.dst(), t)
}

func (ph *phase) tableOf(k *ir.Kernel, n *node) *ir.Table { return &k.Tables[n.aux] }

// tableLabel puts a table after the code and returns its label.
func (f *emitter) tableLabel(t *ir.Table) x86.Label {
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

// simple returns the target's instruction for a primitive of two operands.
func (f *emitter) simple(op prim.Op, t dtype.Type) x86.Op {
	if o := f.isa.simple(op, t); o != 0 {
		return o
	}
	return binaryOp(op, t)
}

// constOperand returns the memory operand of a constant for all lanes of type t.
func (f *emitter) constOperand(t dtype.Type, x uint64) x86.Mem {
	if f.isa.broadcasts() {
		return f.imm(t, x)
	}
	return f.full(t, x)
}

// canon brings a result of 32-bit arithmetic into the form of a narrow type.
func (f *emitter) canon(t dtype.Type, d x86.Vec) {
	l := f.lenOf(dtype.I32)
	switch t {
	case dtype.I8:
		f.i(x86.VPSLLD, l, d, d, x86.Imm(24))
		f.i(x86.VPSRAD, l, d, d, x86.Imm(24))
	case dtype.U8:
		f.i(f.simple(prim.And, dtype.U32), l, d, d, f.constOperand(dtype.U32, 0xff))
	}
}

func mulHi64(f *emitter, n *node) {
	x, y := f.src(n.args[0]), f.src(n.args[1])
	xh, yh, t, d, l := f.tmp(), f.tmp(), f.tmp(), f.dst(), f.lenOf(n.in)
	f.i(x86.VPSRLQ, l, xh, x, x86.Imm(32))
	f.i(x86.VPSRLQ, l, yh, y, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, d, x, y)
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPMULUDQ, l, t, x, yh)
	f.i(x86.VPADDQ, l, t, t, d) // x*yh + (x*y >> 32)
	f.i(x86.VPMULUDQ, l, d, xh, y)
	f.i(x86.VPMULUDQ, l, xh, xh, yh)
	f.i(f.simple(prim.And, dtype.U64), l, yh, t, f.constOperand(dtype.U64, 0xffffffff))
	f.i(x86.VPADDQ, l, d, d, yh)
	f.i(x86.VPSRLQ, l, t, t, x86.Imm(32))
	f.i(x86.VPSRLQ, l, d, d, x86.Imm(32))
	f.i(x86.VPADDQ, l, d, d, t)
	f.i(x86.VPADDQ, l, d, d, xh)
}
