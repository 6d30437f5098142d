package amd64

import (
	"cmp"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// AVX512 is the target with AVX-512 and its extensions BW, DQ and VL.
var AVX512 isa.Target = avx512Target{}

type avx512Target struct{}

func (avx512Target) Facts() isa.Facts { // K0 is never a write mask, K7 has the tail mask
	joined := 1
	if !Permutes8 {
		joined = 2
	}
	return isa.Facts{Name: "avx512", LeastJoined: joined, MostNarrow: 16, Vectors: 32, Bytes: 64, Predicates: 6, Broadcasts: true, NarrowLanes: true, Fields: 1<<17 - 4, Joins: 1<<9 - 4 | 1<<12 | 1<<16, Planes: fields2&^(1<<6) | 1<<7, Negates: true, Halves: true, Ternary: true, Reciprocals: true, Prefixes: true, Blends: true, Extremes: true, Numbers: true, RowsAtOnce: 4, Sums: true, LoadsIndices: true, Sites: sites}
}

func (avx512Target) New(listing bool) isa.Asm { return newAsm(listing, true) }

func (avx512Target) Block(a isa.Asm, size, bytes int, lane, row func(int) isa.Mem) {
	block(a, size, bytes, lane, row)
}

func (avx512Target) Lanes(f *isa.Emitter) isa.Lanes {
	e := &avx512{emitter: newEmitter(f, avx512Rules)}
	e.own = e
	return e
}

var shortInts = slices.Concat(isa.IntsOf(true, 4), isa.IntsOf(false, 4))

var avx512Rules = isa.Table(
	on(as((*avx512).abs64), types{dtype.I64}, prim.Abs),
	on(as((*avx512).scale), isa.Floats, prim.Scale),
	on(as((*avx512).stateExtreme), isa.Floats, prim.Min, prim.Max),
	on(as((*avx512).maskNot), types{dtype.Bool}, prim.Not),
	on(as((*avx512).maskOp), types{dtype.Bool}, prim.And, prim.Or, prim.Xor, prim.Ne, prim.Eq),
	on(as((*avx512).compareFloat), isa.Floats, compared...),
	on(as((*avx512).ordered), isa.Floats, lower.OpOrdered),
	on(as((*avx512).numberExtreme), isa.Floats, lower.OpLeast, lower.OpGreatest),
	on(as((*avx512).compareInt), isa.Ints, compared...),
	on(as((*avx512).choose), isa.Nums, prim.Select),
	on(as((*avx512).chooseMask), types{dtype.Bool}, prim.Select),
	on(as((*avx512).divide32), shortInts, prim.Div, prim.Rem),
	on(as((*avx512).load), nil, ir.Load),
	on(take, nil, lower.OpTake),
	on(ternary, isa.Ints, lower.OpTernary),
	on(as((*avx512).divide), isa.Floats, prim.Sqrt, prim.Div),
	on(as((*avx512).quotient), isa.Floats, lower.OpQuotient),
	on(as((*avx512).divisor), isa.Floats, lower.OpReciprocal),
)

func (f *avx512) abs64(n *lower.Node) {
	d, x := f.unary(n)
	f.I(x86.VPABSQ, f.LenOf(n.In), d, x)
}

func (f *avx512) compareOp(t dtype.Type) x86.Op {
	if t.IsUnsigned() {
		return f.pickLane(t, x86.VPCMPUB, x86.VPCMPUW, x86.VPCMPUD, x86.VPCMPUQ)
	}
	return f.pickLane(t, x86.VPCMPB, x86.VPCMPW, x86.VPCMPD, x86.VPCMPQ)
}

// minMax emits the IEEE 754-2019 minimum or maximum. vrange orders the zeros. The sum
// of the operands is NaN if one of them is.
func (f *avx512) minMax(op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l := f.LenOf(t)
	k := f.TmpMask()
	f.I(pick(t, x86.VCMPPS, x86.VCMPPD), l, k, x, y, x86.Imm(3))
	s := d
	if d == x || d == y { // the sum still needs the operands
		s = f.Tmp()
	}
	f.ranged(op, t, s, x, y)
	f.I(pick(t, x86.VADDPS, x86.VADDPD), l, s, x, y, x86.Merge(k))
	if s != d {
		f.I(pick(t, x86.VMOVAPS, x86.VMOVAPD), l, d, s)
	}
}

// ranged emits the minimum or maximum with -0 below +0. Of a number and NaN it is the number.
func (f *avx512) ranged(op prim.Op, t dtype.Type, d, x x86.Vec, y x86.Operand, mask ...x86.Operand) {
	imm := x86.Imm(4)
	if op == prim.Max {
		imm = 5
	}
	f.I(pick(t, x86.VRANGEPS, x86.VRANGEPD), f.LenOf(t), append([]x86.Operand{d, x, y, imm}, mask...)...)
}

// numberExtreme is the rule of the extremes of numbers. Lanes where the predicate does not hold keep NaN, whose bits may be ones.
func (f *avx512) numberExtreme(n *lower.Node) {
	op, x, y := prim.Op(prim.Min), f.Src(n.Args[0]), f.Src(n.Args[1])
	if n.Op == lower.OpGreatest {
		op = prim.Max
	}
	if n.Args[2] == lower.None {
		f.Release()
		f.ranged(op, n.In, f.Dst(), x, y)
		return
	}
	d := f.Dst()
	f.broadcast(d, n.In, f.constant(n.In, math.MaxUint64))
	f.ranged(op, n.In, d, x, y, x86.Merge(f.Mask(n.Args[2])))
}

// ordered is the rule of predicates of floats that are no NaN.
func (f *avx512) ordered(n *lower.Node) { f.compareNode(n, pick(n.In, x86.VCMPPS, x86.VCMPPD), 7) }

// keepNaN makes the lanes of d NaN where x is, with the same bits for all NaNs. Where x comes from the instruction before, a comparison into a mask and a
// choice by it take four times as long.
func (f *avx512) keepNaN(t dtype.Type, d, x x86.Vec) { f.fixNaN(t, d, x, oneNaN) }

// What fixNaN makes of NaN: always the same, or zero.
const oneNaN, zero = 3, 8

// fixNaN replaces the lanes of d where x is NaN.
func (f *avx512) fixNaN(t dtype.Type, d, x x86.Vec, by uint64) {
	f.I(pick(t, x86.VFIXUPIMMPS, x86.VFIXUPIMMPD), f.LenOf(t), d, x, f.heldOperand(t, by<<4|by), x86.Imm(0)) // the other numbers keep d
}

// scale emits x * 2^n. vscalef rounds once. The conversion of n to a float rounds only
// values beyond the range of exponents, which all have the same effect.
func (f *avx512) scale(n *lower.Node) {
	x, e, t := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	l := f.LenOf(n.In)
	f.I(pick(n.In, x86.VCVTDQ2PS, x86.VCVTQQ2PD), l, t, e)
	f.Release()
	f.I(pick(n.In, x86.VSCALEFPS, x86.VSCALEFPD), l, f.Dst(), x, t)
}

// maskOps are the instructions for primitives of two predicates.
var maskOps = [prim.NumOps]maskOp{prim.And: kand, prim.Or: kor, prim.Xor: kxor, prim.Ne: kxor, prim.Eq: kxnor}

func (f *avx512) maskOp(n *lower.Node) {
	x, y := f.Mask(n.Args[0]), f.Mask(n.Args[1])
	f.Release()
	f.I(f.kop(maskOps[n.Op]), 0, f.DstMask(), x, y)
}

func (f *avx512) maskNot(n *lower.Node) {
	x := f.Mask(n.Args[0])
	f.Release()
	f.I(f.kop(knot), 0, f.DstMask(), x)
}

func (f *avx512) compareFloat(n *lower.Node) {
	f.compareNode(n, pick(n.In, x86.VCMPPS, x86.VCMPPD), comparisons[n.Op].float)
}

func (f *avx512) compareInt(n *lower.Node) {
	f.compareNode(n, f.compareOp(n.In), comparisons[n.Op].int)
}

func (f *avx512) compareNode(n *lower.Node, op x86.Op, imm x86.Imm) {
	x, y := f.Src(n.Args[0]), f.srcM(n.Args[1])
	ops := []x86.Operand{nil, x, y, imm ^ x86.Imm(n.Imm&lower.Complement)}
	if n.Args[2] != lower.None { // the lanes of the predicate only
		ops = append(ops, x86.Merge(f.Mask(n.Args[2])))
	}
	f.Release()
	ops[0] = f.DstMask()
	f.I(op, f.LenOf(n.In), ops...)
}

func (f *avx512) choose(n *lower.Node) {
	k, y, z := f.Mask(n.Args[0]), f.srcM(n.Args[1]), f.Src(n.Args[2])
	f.Release()
	f.I(f.pickLane(n.Type, x86.VPBLENDMB, x86.VPBLENDMW, x86.VBLENDMPS, x86.VBLENDMPD), f.LenOf(n.Type), f.Dst(), z, y, x86.Merge(k))
}

func (f *avx512) chooseMask(n *lower.Node) {
	k, y, z := f.Mask(n.Args[0]), f.Mask(n.Args[1]), f.Mask(n.Args[2])
	t := f.TmpMask()
	d := f.DstMask()
	f.I(f.kop(kand), 0, t, k, y)
	f.I(f.kop(kandn), 0, d, k, z)
	f.I(f.kop(kor), 0, d, d, t)
}

func (f *avx512) SetTail() {
	l := x86.W32
	if f.LaneSize > 0 {
		l = x86.W64
	}
	if f.Tail > 0 {
		f.I(x86.MOV, l, x86.RAX, x86.Imm(1<<f.Tail-1))
	} else {
		f.I(x86.MOV, l, x86.RAX, x86.Imm(-1))
		f.I(x86.BZHI, l, x86.RAX, x86.RAX, x86.RCX)
	}
	switch {
	case f.LaneSize > 0:
		f.I(x86.KMOVQ, 0, tailMask, x86.RAX)
	case f.W == 8:
		f.I(x86.KMOVB, 0, tailMask, x86.RAX)
	default:
		f.I(x86.KMOVW, 0, tailMask, x86.RAX)
	}
}

func (f *avx512) TailBits() { f.I(x86.KMOVW, 0, x86.RAX, tailMask) }

func (f *avx512) AddNeed(p int32, first bool) {
	k := f.Mask(p)
	if first {
		f.I(f.kop(kmov), 0, maskTmp, k)
	} else {
		f.I(f.kop(kor), 0, maskTmp, maskTmp, k)
	}
}

func (f *avx512) SkipCold(skip x86.Label) {
	f.I(f.kop(kortest), 0, maskTmp, maskTmp)
	f.I(x86.JE, 0, skip)
}

func (f *avx512) MergeCold(id int32, n *lower.Node) {
	p := f.Mask(n.Args[0])
	if f.IsMask(id) {
		d, y, t := f.Mask(id), f.Mask(n.Yield), f.TmpMask()
		f.I(f.kop(kandn), 0, d, p, d)
		f.I(f.kop(kand), 0, t, p, y)
		f.I(f.kop(kor), 0, d, d, t)
		return
	}
	d, y := f.Src(id), f.Src(n.Yield)
	f.I(f.pickLane(n.Type, x86.VMOVDQU8, x86.VMOVDQU16, x86.VMOVAPS, x86.VMOVAPD), f.LenOf(n.Type), d, y, x86.Merge(p))
}

func (f *avx512) UniformMask(d x86.Mask, n int32) {
	switch nd := &f.Nodes[n]; {
	case nd.Op == prim.Const && nd.Imm != 0:
		f.I(f.kop(kxnor), 0, d, d, d)
	case nd.Op == prim.Const:
		f.I(f.kop(kxor), 0, d, d, d)
	case nd.Op == lower.OpCell && f.Broadcasts:
		t := f.Tmp()
		f.I(x86.VPBROADCASTD, f.LenOf(dtype.I32), t, f.uniform(n))
		f.I(x86.VPTESTMD, f.LenOf(dtype.I32), d, t, f.Const32(1).Bcast())
	default:
		f.I(f.kop(kmov), 0, d, f.uniform(n))
	}
}

// inside returns the mask of the lanes that a guarded site reads.
func (f *avx512) inside(s *layout.Site) x86.Mask {
	k, l := f.TmpMask(), f.LenOf(dtype.I32)
	if s.Staged {
		f.I(x86.MOV, x86.W64, x86.RCX, at(s.Arg+frame.SiteInside))
		if f.Phase.Kind == lower.ScalarPhase {
			f.loadBool(k, x86.At(x86.RCX, 0), true, nil)
		} else {
			f.loadBool(k, x86.AtX(x86.RCX, x86.RSI, 1, int32((f.Base+f.Copy)*f.W)), false, f.inTail())
		}
		return k
	}
	t := f.Tmp()
	f.numbers(t, dtype.I32)
	f.I(x86.VPCMPD, l, k, t, at(s.Arg+frame.SiteLo).Bcast(), x86.Imm(5))
	f.I(x86.VPCMPD, l, k, t, at(s.Arg+frame.SiteHi).Bcast(), x86.Imm(1), x86.Merge(k))
	return k
}

// inTail returns the tail mask in the tail, or nil.
func (f *avx512) inTail() x86.Operand {
	if f.Masked {
		return tailMask
	}
	return nil
}

// loadBool loads bytes as a mask: one byte for all lanes, or f.W bytes, of which it reads
// those of a mask unless that is nil.
func (f *avx512) loadBool(k x86.Mask, m x86.Mem, one bool, lanes x86.Operand) {
	t, l := f.Tmp(), f.byteLen()
	switch {
	case one:
		f.zeroing(lanes, x86.VPBROADCASTB, l, t, m)
	case lanes != nil:
		f.zeroing(lanes, x86.VMOVDQU8, l, t, m)
	case f.W == 8:
		f.I(x86.VMOVQ, 0, t, m)
	default:
		f.I(x86.VMOVUPS, l, t, m)
	}
	f.I(x86.VPTESTMB, l, k, t, t)
}

// A loadRow has the instructions that load elements of a memory type: contiguous ones,
// or one for all lanes, by a broadcast and a conversion.
type loadRow struct {
	lanes   x86.Op // contiguous elements
	one     x86.Op // broadcast of one element
	convert x86.Op // conversion after a broadcast; 0: none
	size    x86.Len
}

var loadRows = [...]loadRow{
	dtype.F32:  {x86.VMOVUPS, x86.VBROADCASTSS, 0, 0},
	dtype.I32:  {x86.VMOVUPS, x86.VBROADCASTSS, 0, 0},
	dtype.U32:  {x86.VMOVUPS, x86.VBROADCASTSS, 0, 0},
	dtype.F64:  {x86.VMOVUPD, x86.VBROADCASTSD, 0, 0},
	dtype.I64:  {x86.VMOVUPD, x86.VBROADCASTSD, 0, 0},
	dtype.U64:  {x86.VMOVUPD, x86.VBROADCASTSD, 0, 0},
	dtype.I8:   {x86.VPMOVSXBD, x86.VPBROADCASTB, x86.VPMOVSXBD, x86.L128},
	dtype.U8:   {x86.VPMOVZXBD, x86.VPBROADCASTB, x86.VPMOVZXBD, x86.L128},
	dtype.I16:  {x86.VPMOVSXWD, x86.VPBROADCASTW, x86.VPMOVSXWD, x86.L256},
	dtype.U16:  {x86.VPMOVZXWD, x86.VPBROADCASTW, x86.VPMOVZXWD, x86.L256},
	dtype.F16:  {x86.VCVTPH2PS, x86.VPBROADCASTW, x86.VCVTPH2PS, x86.L256},
	dtype.BF16: {x86.VPMOVZXWD, x86.VPBROADCASTW, x86.VPMOVZXWD, x86.L256},
}

// narrowRow is the row of loadRows for narrow lanes.
func (f *avx512) narrowRow(t dtype.Type) loadRow {
	switch {
	case f.LaneSize == 1:
		return loadRow{lanes: x86.VMOVDQU8, one: x86.VPBROADCASTB}
	case t.Size() == 2:
		return loadRow{lanes: x86.VMOVDQU16, one: x86.VPBROADCASTW}
	case t.IsSigned():
		return loadRow{x86.VPMOVSXBW, x86.VPBROADCASTB, x86.VPMOVSXBW, f.byteLen()}
	}
	return loadRow{x86.VPMOVZXBW, x86.VPBROADCASTB, x86.VPMOVZXBW, f.byteLen()}
}

func (f *avx512) load(n *lower.Node) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	if f.bytes(n) {
		f.Release()
		f.moveBytes(f.Dst(), f.site(s, n.Aux))
		return
	}
	reg := t.Register()
	if m, ok := f.planeSlot(n.Aux); ok {
		f.LoadVec(reg, f.Dst(), m)
		return
	}
	if s.Shuffles() && !f.ByRow {
		f.loadShuffled(s, n.Aux, t)
		return
	}
	l, one := f.LenOf(reg), f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	var in x86.Mask       // lanes that do not take the fill value
	var lanes x86.Operand // lanes that the load reads, or nil
	switch {
	case n.Args[1] != lower.None:
		if in = f.Mask(n.Args[1]); f.Masked {
			both := f.TmpMask()
			f.I(x86.KANDW, 0, both, in, tailMask)
			in = both
		}
		lanes = in
	case s.Guard:
		if in = f.inside(s); !s.Staged { // scratch memory has all lanes
			lanes = in
		}
	}
	if lanes == nil && !one {
		lanes = f.inTail()
	}
	fills := s.Guard || n.Args[1] != lower.None
	if t == dtype.Bool {
		f.loadPredicate(n, fills, in, one, lanes)
		return
	}
	row := loadRows[t]
	if f.LaneSize > 0 {
		row = f.narrowRow(t)
	}
	var d x86.Vec
	if fills {
		d = f.Tmp()
	} else {
		f.Release()
		d = f.Dst()
	}
	switch {
	case one:
		f.zeroing(lanes, row.one, cmp.Or(row.size, l), d, f.site(s, n.Aux))
		if row.convert != 0 {
			f.I(row.convert, l, d, d)
		}
	case s.Kind == layout.Strided && s.Step != 0 && lanes == nil:
		f.pick(f.windows(s), reg, d)
	case s.Kind == layout.Laid && !f.ByRow:
		f.loadLaid(s, n.Aux, reg, d)
	case s.Kind == layout.Strided && lanes == nil && !f.Layout.Gathers:
		f.collectStrided(s, reg, d, f.W)
	case s.Kind == layout.Strided && s.Step != 0 && max(s.Step, -s.Step)*f.W <= 64 && lanes == tailMask:
		f.pick(f.tailWindows(s, reg, d), reg, d)
	case s.Kind == layout.Strided:
		f.gatherStrided(s, reg, d, lanes)
	case f.Paired():
		f.loadPaired(s, n.Aux, t, d)
	default:
		f.loadTail(lanes, row, t, d, f.site(s, n.Aux))
	}
	if t == dtype.BF16 {
		f.I(x86.VPSLLD, l, d, d, x86.Imm(16))
	}
	if fills {
		fill := f.Src(n.Args[0])
		f.blend(reg, f.Dst(), fill, d, in)
	}
}

// loadTail loads some lanes of a vector: the first ones as such if the code knows their number and they are one part.
func (f *avx512) loadTail(lanes x86.Operand, row loadRow, t dtype.Type, d x86.Vec, m x86.Mem) {
	if lanes != tailMask || row.convert != 0 || f.LaneSize > 0 || !f.loadPower(d, f.Tail*t.Size(), m) {
		f.zeroing(lanes, row.lanes, f.LenOf(t.Register()), d, m)
	}
}

func (f *avx512) loadPredicate(n *lower.Node, fills bool, in x86.Mask, one bool, lanes x86.Operand) {
	var d x86.Mask
	if fills {
		d = f.TmpMask()
	} else {
		f.Release()
		d = f.DstMask()
	}
	f.loadBool(d, f.site(&f.Layout.Sites[n.Aux], n.Aux), one, lanes)
	if one && f.W == 8 {
		f.I(x86.KMOVB, 0, d, d)
	}
	if fills {
		fill, u := f.Mask(n.Args[0]), f.TmpMask()
		f.I(x86.KANDW, 0, d, d, in)
		f.I(x86.KANDNW, 0, u, in, fill)
		f.I(x86.KORW, 0, f.DstMask(), d, u)
	}
}

// StoreTo stores the operand of n as contiguous elements of type t.
func (f *avx512) StoreTo(n *lower.Node, t dtype.Type, to isa.Mem, masked bool) {
	m := mem(to)
	l := f.LenOf(t.Register())
	switch {
	case t == dtype.Bool:
		f.storePredicate(n, m, masked)
		return
	case f.Paired():
		f.storePaired(n, m)
		return
	}
	x := f.Src(n.Args[0])
	if f.bytes(&f.Nodes[n.Args[0]]) {
		f.moveBytes(m, x)
		return
	}
	op, ops, k := pick(t, x86.VMOVUPS, x86.VMOVUPD), [4]x86.Operand{m, x}, 2
	switch {
	case t == dtype.BF16 && ConvertsBF16 && !n.Rounded && f.W >= 8:
		d := f.Tmp()
		f.convertBF16(d, x)
		op, ops[1], l = x86.VMOVDQU16, d, x86.Len(16*f.W)
	case t == dtype.BF16:
		d := f.Tmp()
		f.upperHalf(n, d, x)
		op, ops[1] = x86.VPMOVDW, d
	case t == dtype.F16 && !masked && f.W >= 8: // to memory the instruction takes longer
		d := f.Tmp()
		f.I(x86.VCVTPS2PH, l, d, x, x86.Imm(0))
		op, ops[1], l = x86.VMOVUPS, d, x86.Len(16*f.W)
	case t == dtype.F16:
		op, ops[2], k = x86.VCVTPS2PH, x86.Imm(0), 3
	case isa.Narrow(t) && t.Size() == f.LaneSize:
		op = f.laneMove(t)
	case isa.Narrow(t):
		op = f.packing(n, t)
	case f.Passes(n.Aux) && !masked:
		op = pick(t, x86.VMOVNTPS, x86.VMOVNTPD)
	}
	f.storeMasked(n.Aux, t, op, l, masked, ops[:k])
}

// A truncation says how to convert a float to an integer. Out of range the instruction
// gives the indefinite value, which is right at one end of the range at most.
type truncation struct {
	op    [2]x86.Op // from F32, from F64
	limit float64   // from limit on the result is top; 0: the instruction saturates there
	top   uint64    // greatest integer
}

var truncations = [...]truncation{
	dtype.I32: {[2]x86.Op{x86.VCVTTPS2DQ, x86.VCVTTPD2DQ}, 1 << 31, math.MaxInt32},
	dtype.I64: {[2]x86.Op{x86.VCVTTPS2QQ, x86.VCVTTPD2QQ}, 1 << 63, math.MaxInt64},
	dtype.U32: {[2]x86.Op{x86.VCVTTPS2UDQ, x86.VCVTTPD2UDQ}, 0, 0},
	dtype.U64: {[2]x86.Op{x86.VCVTTPS2UQQ, x86.VCVTTPD2UQQ}, 0, 0},
}

var toFloat = [...][2]x86.Op{
	dtype.I32: {x86.VCVTDQ2PS, x86.VCVTDQ2PD},
	dtype.U32: {x86.VCVTUDQ2PS, x86.VCVTUDQ2PD},
	dtype.I64: {x86.VCVTQQ2PS, x86.VCVTQQ2PD},
	dtype.U64: {x86.VCVTUQQ2PS, x86.VCVTUQQ2PD},
}

// fromPredicate broadcasts one to the lanes of the predicate.
func (f *avx512) fromPredicate(n *lower.Node) {
	k, to := f.Mask(n.Args[0]), n.Type
	l, one := f.LenOf(to), floatBits(to, 1)
	if f.LaneSize > 0 || f.holds() {
		f.I(f.laneMove(to), l, f.Dst(), f.constantFor(l, f.full(to, one)), x86.Zero(k))
	} else {
		f.I(pick(to, x86.VBROADCASTSS, x86.VBROADCASTSD), l, f.Dst(), f.constant(to, one), x86.Zero(k))
	}
}

func (f *avx512) intToFloat(n *lower.Node) {
	d, x := f.unary(n)
	op := toFloat[isa.Lane32(n.In)]
	f.I(pick(n.Type, op[0], op[1]), max(f.LenOf(n.In), f.LenOf(n.Type)), d, x)
}

func (f *avx512) floatToInt(n *lower.Node) {
	x := f.Src(n.Args[0])
	f.truncate(f.Dst(), x, n.In, n.Type)
}

func (f *avx512) narrow(d, x x86.Vec) { f.I(x86.VPMOVQD, f.LenOf(dtype.I64), d, x) }

// truncate converts floats to integers, with saturation and NaN to 0.
func (f *avx512) truncate(d, x x86.Vec, from, to dtype.Type) {
	l := max(f.LenOf(from), f.LenOf(to))
	if op := pick(from, x86.VCVTTPS2DQ, x86.VCVTTPD2DQ); inRange(f.Cur) {
		f.I(op, l, d, x)
		return
	} else if isa.Narrow(to) {
		f.clamped(d, x, from, to, func(t x86.Vec) {
			if to.IsSigned() {
				f.fixNaN(from, t, x, zero)
			}
			f.I(op, l, d, t)
		})
		return
	}
	tr, k := truncations[isa.Lane32(to)], f.TmpMask()
	cmp, op := pick(from, x86.VCMPPS, x86.VCMPPD), pick(from, tr.op[0], tr.op[1])
	if tr.limit == 0 { // unsigned: convert only positive numbers
		f.I(cmp, f.LenOf(from), k, x, f.constBcast(from, 0), x86.Imm(0x1e))
		f.I(op, l, d, x, x86.Zero(k))
	} else {
		f.I(op, l, d, x)
		f.I(cmp, f.LenOf(from), k, x, f.constBcast(from, floatBits(from, tr.limit)), x86.Imm(0x1d))
		f.I(pick(to, x86.VPBROADCASTD, x86.VPBROADCASTQ), f.LenOf(to), d, f.constant(isa.Lane32(to), tr.top), x86.Merge(k))
		f.I(cmp, f.LenOf(from), k, x, x, x86.Imm(7))
		f.I(pick(to, x86.VMOVDQA32, x86.VMOVDQA64), f.LenOf(to), d, d, x86.Zero(k))
	}
}

// divide32 divides integers of at most 32 bits in float64: the truncated quotient is
// exact. Division by zero gives 0.
func (f *avx512) divide32(n *lower.Node) {
	t := isa.Lane32(n.In)
	x, y := f.Src(n.Args[0]), f.Src(n.Args[1])
	q, u, v, d := f.Tmp(), f.Tmp(), f.Tmp(), f.Dst()
	in, out := toFloat[t][1], truncations[t].op[1]
	l, l32 := min(x86.Len(f.W*64), x86.L512), f.LenOf(dtype.I32)
	half := func(q, x, y x86.Vec) { // the quotients of the lower lanes
		f.I(in, l, u, x)
		f.I(in, l, v, y)
		f.I(x86.VDIVPD, l, u, u, v)
		f.I(out, l, q, u)
	}
	half(q, x, y)
	if f.W*64 > 512 {
		f.I(x86.VEXTRACTF64X4, x86.L512, u, x, x86.Imm(1))
		f.I(x86.VEXTRACTF64X4, x86.L512, v, y, x86.Imm(1))
		half(u, u, v)
		f.I(x86.VINSERTF64X4, x86.L512, q, q, u, x86.Imm(1))
	}
	k := f.TmpMask()
	f.I(x86.VPTESTMD, l32, k, y, y)
	if n.Op == prim.Rem {
		f.I(x86.VPMULLD, l32, q, q, y)
		f.I(x86.VPSUBD, l32, q, x, q)
	}
	f.I(x86.VMOVDQA32, l32, d, q, x86.Zero(k))
	f.canon(n.In, d)
}

func (f *avx512) StepValue(k *reduce.Kern, d, x x86.Vec) {
	l, t := f.LenOf(k.Lane), k.Lane
	switch {
	case k.Sums():
		f.sumNarrow(k.Type, d, x)
	case k.Counts(): // the lanes of a predicate are -1
		f.I(x86.VPSUBD, l, d, d, x)
	case k.Type == dtype.Bool:
		f.I(x86.VPORD, l, d, d, x)
	case f.LaneSize == 1 && k.Op == prim.Mul:
		f.stepMul(d, x)
	case k.Quiet:
		q := f.Tmp()
		f.I(binaryOp(prim.Mul, t), l, q, x, f.operand(t, floatBits(t, 1)))
		f.ranged(k.Op, t, d, d, q)
	case k.EitherZero && t.IsFloat(): // NaN of x is lost, and NaN of d is not
		f.I(extremeOp(k.Op, t), l, d, x, d)
		f.keepNaN(t, d, x)
	case (k.Op == prim.Min || k.Op == prim.Max) && t.IsFloat():
		f.minMax(k.Op, t, d, d, x)
	default:
		f.I(f.simple(k.Op, t), l, d, d, x)
	}
}

func (f *avx512) compareInts(op prim.Op, t dtype.Type, d x86.Operand, x, y x86.Vec) {
	f.I(f.compareOp(t), f.LenOf(t), d, x, y, comparisons[op].int)
}

func (f *avx512) packWords(v x86.Vec) { f.I(x86.VPMOVDW, f.LenOf(dtype.I32), v, v) }

func (f *avx512) gathered(n *lower.Node, v x86.Vec, in x86.Operand) {
	g, ops := f.TmpMask(), make([]x86.Operand, 3, 4)
	k, some := in.(x86.Mask)
	if ops[0], ops[1], ops[2] = g, v, f.constBcast(dtype.I32, 0xff); some {
		ops = append(ops, x86.Merge(k))
	}
	f.I(x86.VPTESTMD, f.LenOf(dtype.I32), ops...)
	if n.Args[1] != lower.None {
		f.I(x86.KANDNW, 0, k, k, f.Mask(n.Args[2]))
		f.I(x86.KORW, 0, g, g, k)
	}
	f.I(x86.KMOVW, 0, f.DstMask(), g)
}

func (f *avx512) takePosition(_ dtype.Type, di, xi x86.Vec, m x86.Operand) {
	f.I(x86.VMOVDQA32, f.LenOf(dtype.I32), di, xi, x86.Merge(m.(x86.Mask)))
}

func (f *avx512) before(_ dtype.Type, m x86.Operand, xi, di x86.Vec) {
	f.I(x86.VPCMPD, f.LenOf(dtype.I32), m, xi, di, x86.Imm(1), x86.Merge(m.(x86.Mask)))
}

// mostMasked is the most bytes from lane to lane of a store under masks. Each mask stores a vector, which crosses a line: on a Zen 4
// that takes as long as the stores of three lanes.
const mostMasked = 16

// StoreStepped stores to a site with a small step.
func (f *avx512) StoreStepped(n *lower.Node, t dtype.Type) {
	switch s := &f.Layout.Sites[n.Aux]; {
	case t.Size() == 1:
		f.storeStepped8(n, t)
	case s.Size >= 4 && max(s.Step, -s.Step)*s.Size > mostMasked || s.Size < 4 && f.LaneSize != s.Size:
		f.storeApart(n, t)
	default:
		x := f.Src(n.Args[0])
		f.place(f.windows(s), t, x)
	}
}

// loadShuffled loads elements of 1 or 2 bytes with a small step, or of rows that are laid across
// vectors.
func (f *avx512) loadShuffled(s *layout.Site, i int32, t dtype.Type) {
	switch {
	case f.widenPermuted(s, t):
		return
	case t.Size() == f.LaneSize && t != dtype.Bool:
		d := f.Dst()
		f.move(t, d, f.shuffled(s, i, func() x86.Vec { return d }))
		return
	}
	x, l := f.shuffled(s, i, f.Tmp), max(x86.L128, x86.Len(8*f.W))
	switch {
	case t == dtype.Bool:
		v, k := f.Tmp(), f.DstMask()
		f.I(x86.VMOVUPS, l, v, x)
		f.I(x86.VPTESTMB, l, k, v, v)
		if f.W == 8 {
			f.I(x86.KMOVB, 0, k, k)
		}
	case f.LaneSize > 0:
		f.I(f.narrowRow(t).lanes, f.LenOf(t), f.Dst(), x)
	default:
		d, reg := f.Dst(), f.LenOf(t.Register())
		f.I(loadRows[t].lanes, reg, d, x)
		if t == dtype.BF16 {
			f.I(x86.VPSLLD, reg, d, d, x86.Imm(16))
		}
	}
}
