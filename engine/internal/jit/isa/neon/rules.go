package neon

import (
	"strings"

	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// The rules. Registers hold narrow integers extended to 32 bits.

type types = []dtype.Type

var wideInts = types{dtype.I64, dtype.U64}

// ints32 are the integers in lanes of 32 bits.
var ints32 = append(isa.IntsOf(true, 4), isa.IntsOf(false, 4)...)

// on returns a row of rules: for some operations, on operands of some types.
func on(emit rule, ts types, ops ...prim.Op) isa.Row[rule] {
	return isa.Row[rule]{Emit: emit, Types: ts, Ops: ops}
}

// ops are the instructions of primitives: of floats, of signed and of unsigned integers.
var ops = map[prim.Op][3]arm64.Op{
	prim.Add: {arm64.VFADD, arm64.VADD, arm64.VADD}, prim.Sub: {arm64.VFSUB, arm64.VSUB, arm64.VSUB},
	prim.Mul: {arm64.VFMUL, arm64.VMUL, arm64.VMUL}, prim.Div: {arm64.VFDIV},
	prim.Min: {arm64.VFMIN, arm64.VSMIN, arm64.VUMIN}, prim.Max: {arm64.VFMAX, arm64.VSMAX, arm64.VUMAX},
	prim.Neg: {arm64.VFNEG, arm64.VNEG, arm64.VNEG}, prim.Abs: {arm64.VFABS, arm64.VABS},
	prim.Sqrt: {arm64.VFSQRT}, prim.Floor: {arm64.VFRINTM}, prim.Ceil: {arm64.VFRINTP}, prim.Trunc: {arm64.VFRINTZ}, prim.Rint: {arm64.VFRINTN},
	prim.Shl: {nil, arm64.VUSHL, arm64.VUSHL}, prim.Shr: {nil, arm64.VSSHL, arm64.VUSHL},
}

// op returns the instruction of a primitive on operands of type t.
func op(op prim.Op, t dtype.Type) arm64.Op {
	switch row := ops[op]; {
	case t.IsFloat():
		return row[0]
	case t.IsSigned():
		return row[1]
	default:
		return row[2]
	}
}

// canon brings a result of arithmetic in lanes of 32 bits into the form of a narrow type. What is
// only stored needs no form.
func (f *neon) canon(t dtype.Type, d isa.Vec) {
	if !isa.Narrow(t) || f.Cur.Bytes {
		return
	}
	r, up, down := f.arr(t), arm64.Imm(32-8*t.Size()), arm64.VUSHR
	if t.IsSigned() {
		down = arm64.VSSHR
	}
	f.I(arm64.VSHL, r, d, d, up)
	f.I(down, r, d, d, up)
}

// operands2 returns the operands of a node, and the register of its result, which may be one of
// theirs.
func (f *neon) operands2(n *lower.Node) (d, x, y isa.Vec) {
	x, y = f.Src(n.Args[0]), f.Src(n.Args[1])
	f.Release()
	return f.Dst(), x, y
}

// operand is operands2 for one operand.
func (f *neon) operand(n *lower.Node) (d, x isa.Vec) {
	x = f.Src(n.Args[0])
	f.Release()
	return f.Dst(), x
}

func (f *neon) binary(n *lower.Node) {
	d, x, y := f.operands2(n)
	f.I(op(n.Op, n.In), f.arr(n.In), d, x, y)
	if n.Op != prim.Min && n.Op != prim.Max {
		f.canon(n.Type, d)
	}
}

func (f *neon) unary(n *lower.Node) {
	d, x := f.operand(n)
	f.I(op(n.Op, n.In), f.arr(n.In), d, x)
	f.canon(n.Type, d)
}

func (f *neon) logic(n *lower.Node) {
	d, x, y := f.operands2(n)
	o := map[prim.Op]arm64.Op{prim.And: arm64.VAND, prim.Or: arm64.VORR, prim.Xor: arm64.VEOR, prim.Ne: arm64.VEOR}[n.Op]
	f.I(o, f.whole(n.In), d, x, y)
}

func (f *neon) not(n *lower.Node) {
	d, x := f.operand(n)
	f.I(arm64.VNOT, f.whole(n.In), d, x)
	f.canon(n.In, d)
}

// move is the rule of nodes that have the bits of their operand.
func (f *neon) move(n *lower.Node) {
	d, x := f.operand(n)
	f.CopyVec(n.Type, d, x)
}

func (f *neon) bitcast(n *lower.Node) {
	d, x := f.operand(n)
	f.CopyVec(n.Type, d, x)
	if n.Type != n.In {
		f.canon(n.Type, d)
	}
}

// each calls do for all lanes, with their general registers of a width: x16 has x's lane, x17 y's,
// and the result of do is that of d.
func (f *neon) each(t dtype.Type, d, x, y isa.Vec, do func(w arm64.Arr) arm64.Reg) {
	r, w := elements(isa.Lane32(t)), arm64.W
	if isa.Wide(t) {
		w = arm64.X
	}
	for i := range f.W {
		f.I(arm64.VUMOV, r, x16, arm64.Lane{V: x, I: i})
		if y != x {
			f.I(arm64.VUMOV, r, x17, arm64.Lane{V: y, I: i})
		}
		f.I(arm64.VINS, r, arm64.Lane{V: d, I: i}, do(w))
	}
}

// by emits a general instruction on the lanes of x and y. There is none on vectors.
func (f *neon) by(o arm64.Op, t dtype.Type, d, x, y isa.Vec) {
	f.each(t, d, x, y, func(w arm64.Arr) arm64.Reg {
		second := x17
		if x == y {
			second = x16
		}
		f.I(o, w, x16, x16, second)
		return x16
	})
}

func (f *neon) mul64(n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	f.by(arm64.MUL, n.In, f.Dst(), x, y)
}

func (f *neon) mulHi64(n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	f.by(arm64.UMULH, n.In, f.Dst(), x, y)
}

func (f *neon) mulHi32(n *lower.Node) {
	x, y, lo := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	d := f.Dst()
	f.I(arm64.VUMULL, arm64.S2, lo, x, y)
	if f.W == 2 {
		f.I(arm64.VSHRN, arm64.S2, d, lo, arm64.Imm(32))
		return
	}
	f.I(arm64.VUMULL, arm64.S4, d, x, y)
	f.I(arm64.VUZP2, arm64.S4, d, lo, d)
}

func (f *neon) mulHiNarrow(n *lower.Node) {
	d, x, y := f.operands2(n)
	f.I(arm64.VMUL, f.arr(n.In), d, x, y)
	f.I(arm64.VUSHR, f.arr(n.In), d, d, arm64.Imm(8*n.In.Size()))
}

// divide divides integers lane by lane. The instruction gives 0 for a division by zero, and wraps;
// the remainder needs a choice.
func (f *neon) divide(n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	o, d := arm64.UDIV, f.Dst()
	if n.In.IsSigned() {
		o = arm64.SDIV
	}
	f.each(n.In, d, x, y, func(w arm64.Arr) arm64.Reg {
		by := x17
		if x == y {
			by = x16
		}
		if f.I(o, w, x15, x16, by); n.Op == prim.Div {
			return x15
		}
		f.I(arm64.MSUB, w, x15, x15, by, x16)
		f.I(arm64.CMPI, w, by, arm64.Imm(0))
		f.I(arm64.CSEL, w, x15, arm64.ZR, x15, arm64.EQ)
		return x15
	})
	f.canon(n.In, d)
}

// less sets d to the lanes of integers with x < y.
func (f *neon) less(t dtype.Type, d, x, y isa.Vec) {
	o := arm64.VCMGT
	if t.IsUnsigned() {
		o = arm64.VCMHI
	}
	f.I(o, f.arr(t), d, y, x)
}

// extreme64 sets d, which is no operand, to the minimum or maximum of integers of 64 bits.
func (f *neon) extreme64(o prim.Op, t dtype.Type, d, x, y isa.Vec) {
	if f.less(t, d, x, y); o == prim.Max {
		x, y = y, x
	}
	f.I(arm64.VBSL, arm64.B16, d, x, y)
}

func (f *neon) minMax64(n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	f.extreme64(n.Op, n.In, f.Dst(), x, y)
}

// compare sets d to the result of a comparison, in lanes of type t.
func (f *neon) compare(o prim.Op, t dtype.Type, d, x, y isa.Vec) {
	r, float := f.arr(t), t.IsFloat()
	complement := o == prim.Ne
	switch {
	case float && (o == prim.Eq || o == prim.Ne):
		f.I(arm64.VFCMEQ, r, d, x, y)
	case o == prim.Eq || o == prim.Ne:
		f.I(arm64.VCMEQ, r, d, x, y)
	case float && o == prim.Lt:
		f.I(arm64.VFCMGT, r, d, y, x)
	case float:
		f.I(arm64.VFCMGE, r, d, y, x)
	case o == prim.Lt:
		f.less(t, d, x, y)
	default:
		f.less(t, d, y, x)
		complement = true
	}
	if complement {
		f.I(arm64.VNOT, f.whole(t), d, d)
	}
}

func (f *neon) compareNode(n *lower.Node) {
	d, x, y := f.operands2(n)
	f.compare(n.Op, n.In, d, x, y)
	f.predicate(d, n.In)
}

func (f *neon) predicateEq(n *lower.Node) {
	d, x, y := f.operands2(n)
	f.I(arm64.VEOR, arm64.B16, d, x, y)
	f.I(arm64.VNOT, arm64.B16, d, d)
}

func (f *neon) choose(n *lower.Node) {
	p := f.fit(f.Src(n.Args[0]), n.Type)
	y, z := f.Src(n.Args[1]), f.Src(n.Args[2])
	f.Release()
	d := f.Dst()
	if d == p {
		f.I(arm64.VBSL, f.whole(n.Type), d, y, z)
	} else {
		f.blend(n.Type, d, z, y, p)
	}
}

// shift shifts by constants, or by the least of a number and the width. A negative number shifts to
// the right.
func (f *neon) shift(n *lower.Node) {
	r, t := f.arr(n.In), n.In
	width := 8 * isa.Lane32(t).Size()
	if c := &f.Nodes[n.Args[1]]; c.Op == prim.Const && c.Imm < uint64(8*t.Size()) {
		f.shiftBy(n, int(c.Imm))
		return
	}
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	most, by := f.full(signed(t), uint64(width)), f.Tmp()
	if d := f.Dst(); isa.Wide(t) {
		f.extreme64(prim.Min, dtype.U64, by, y, most)
		f.shiftVec(n, r, d, x, by)
	} else {
		f.I(arm64.VUMIN, r, by, y, most)
		f.shiftVec(n, r, d, x, by)
	}
}

func (f *neon) shiftVec(n *lower.Node, r arm64.Arr, d, x, by isa.Vec) {
	if n.Op == prim.Shr {
		f.I(arm64.VNEG, r, by, by)
	}
	if f.I(op(n.Op, n.In), r, d, x, by); n.Op == prim.Shl {
		f.canon(n.Type, d)
	}
}

// shiftBy shifts by a number that is less than the width.
func (f *neon) shiftBy(n *lower.Node, by int) {
	d, x := f.operand(n)
	switch o := arm64.VUSHR; {
	case by == 0:
		f.CopyVec(n.Type, d, x)
	case n.Op == prim.Shl:
		f.I(arm64.VSHL, f.arr(n.In), d, x, arm64.Imm(by))
		f.canon(n.Type, d)
	default:
		if n.In.IsSigned() {
			o = arm64.VSSHR
		}
		f.I(o, f.arr(n.In), d, x, arm64.Imm(by))
	}
}

// signed returns the signed type with lanes of t's width.
func signed(t dtype.Type) dtype.Type {
	if isa.Wide(t) {
		return dtype.I64
	}
	return dtype.I32
}

// fma adds to the addend: to its own register if this is the last use.
func (f *neon) fma(n *lower.Node) {
	x, y, z := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Src(n.Args[2])
	o, r, d := arm64.VFMLA, f.arr(n.In), isa.Vec(0)
	if n.Imm&lower.NegProduct != 0 {
		o = arm64.VFMLS
	}
	if f.Dies(n.Args[2]) && z != x && z != y {
		f.Release()
		d = f.Reuse(z)
	} else {
		d = f.Dst()
	}
	if n.Imm&lower.NegAddend != 0 {
		f.I(arm64.VFNEG, r, d, z)
	} else {
		f.CopyVec(n.Type, d, z)
	}
	f.I(o, r, d, x, y)
}

// scale32 multiplies in float64, where the product is exact.
func (f *neon) scale32(n *lower.Node) {
	x, e := f.Src(n.Args[0]), f.Src(n.Args[1])
	r, i := f.arr(n.In), dtype.I32
	low := int32(-300)
	q, p, u, bias := f.full(i, uint64(uint32(low))), f.full(i, 300), f.Tmp(), f.full(i, 1023)
	d := f.Dst()
	f.I(arm64.VSMAX, r, q, q, e)
	f.I(arm64.VSMIN, r, q, q, p)
	f.I(arm64.VADD, r, q, q, bias)
	for half := range arm64.Arr(f.W / 2) {
		r := arm64.S2 + half
		f.I(arm64.VUSHLL, r, p, q, arm64.Imm(0))
		f.I(arm64.VSHL, arm64.D2, p, p, arm64.Imm(52))
		f.I(arm64.VFCVTL, r, u, x)
		f.I(arm64.VFMUL, arm64.D2, u, u, p)
		f.I(arm64.VFCVTN, r, d, u)
	}
}

// scale64 multiplies by three powers of two. For a great negative exponent the last factor is
// 2^-1022: if the result is not zero, the products before it are exact.
func (f *neon) scale64(n *lower.Node) {
	x, e := f.Src(n.Args[0]), f.Src(n.Args[1])
	left, last, mid, k, c := f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp(), f.Tmp()
	d := f.Dst()
	number := func(x int64) isa.Vec {
		f.Constant(c, dtype.I64, uint64(x))
		return c
	}
	clamp := func(to, x isa.Vec, least, most int64) { // to is not x
		f.extreme64(prim.Min, dtype.I64, k, x, number(most))
		f.extreme64(prim.Max, dtype.I64, to, k, number(least))
	}
	clamp(left, e, -2200, 2200)
	for _, part := range []isa.Vec{last, mid} {
		clamp(part, left, -1022, 1023)
		f.I(arm64.VSUB, arm64.D2, left, left, part)
	}
	number(1023)
	for _, part := range []isa.Vec{left, mid, last} {
		f.I(arm64.VADD, arm64.D2, k, part, c)
		f.I(arm64.VSHL, arm64.D2, k, k, arm64.Imm(52))
		f.I(arm64.VFMUL, arm64.D2, d, x, k)
		x = d
	}
}

// lookup reads a table after the code, lane by lane.
func (f *neon) lookup(n *lower.Node) {
	t := &f.Program.IR.Tables[n.Aux]
	x, d := f.Src(n.Args[0]), f.Dst()
	size := max(4, t.Type.Size())
	from, to := elements(isa.Lane32(n.In)), elements(isa.Lane32(t.Type))
	f.I(arm64.ADR, 0, x15, f.table(t, size))
	f.asm.number(x17, len(t.Bits)-1)
	for i := range f.W {
		f.I(arm64.VUMOV, from, x16, arm64.Lane{V: x, I: i})
		f.I(arm64.AND, arm64.X, x16, x16, x17)
		f.I(loads[log(size)], 0, x16, arm64.Mem{Base: x15, Index: x16, Indexed: true, Shift: uint8(log(size))})
		f.I(arm64.VINS, to, arm64.Lane{V: d, I: i}, x16)
	}
}

// table puts a table after the code and returns its label. Equal tables of a function are one.
func (f *neon) table(t *ir.Table, size int) arm64.Label {
	var b strings.Builder
	for _, x := range t.Bits {
		x = frame.Canonical(t.Type, x)
		for i := range size {
			b.WriteByte(byte(x >> (8 * i)))
		}
	}
	data := b.String()
	for _, old := range f.asm.tables {
		if old.bits == data {
			return old.label
		}
	}
	label := f.NewLabel()
	f.asm.tables = append(f.asm.tables, table{label, data})
	return label
}

// shiftUp moves lanes up: see [lower.OpShiftUp].
func (f *neon) shiftUp(n *lower.Node) {
	x, fill := f.Src(n.Args[0]), f.Src(n.Args[1])
	d := f.Dst()
	r, bytes := f.whole(n.Type), f.VecBytes(n.Type)
	f.I(arm64.VEXT, r, d, fill, x, arm64.Imm(bytes-int(n.Aux)*isa.Lane32(n.Type).Size()))
}

// cell puts a cell into every lane.
func (f *neon) cell(n *lower.Node) {
	d, r, w := f.Dst(), f.arr(n.Type), arm64.W
	if isa.Wide(n.Type) {
		w = arm64.X
	}
	f.asm.loadWord(w, x16, int(f.CellAt(n.Aux).Disp))
	if n.Type != dtype.Bool {
		f.I(arm64.VDUPR, r, d, x16)
		return
	}
	f.I(arm64.VDUPR, arm64.S4, d, x16)
	f.I(arm64.VSHL, arm64.S4, d, d, arm64.Imm(31))
	f.I(arm64.VSSHR, arm64.S4, d, d, arm64.Imm(31))
}

// export writes lane 0 to a cell.
func (f *neon) export(n *lower.Node) {
	f.StoreFirst(max(4, n.Type.Size()), f.CellAt(n.Aux), f.Src(n.Args[0]))
}

func (f *neon) fault(n *lower.Node) {
	k, skip := f.Src(n.Args[0]), f.NewLabel()
	if f.Masked {
		t := f.tail()
		f.I(arm64.VAND, arm64.B16, t, t, k)
		k = t
	}
	f.any(x15, k)
	f.I(arm64.CBZ, arm64.W, x15, skip)
	f.asm.loadWord(arm64.X, x16, frame.Fault)
	f.asm.number(x17, 1<<n.Aux)
	f.I(arm64.ORR, arm64.X, x16, x16, x17)
	f.I(arm64.STRX, 0, x16, f.asm.word(frame.Fault))
	f.Bind(skip)
}
