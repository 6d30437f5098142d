package amd64

import (
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

// Instruction selection for AVX2. Predicates are vectors of lanes, all ones or
// all zeros, as wide as the widest lanes of the phase. Constants and uniform values
// in memory have a copy for every lane.

// AVX2 is the target with AVX2, FMA and BMI2.
var AVX2 isa.Target = avx2Target{}

type avx2Target struct{}

// fields2 is the numbers of fields for which the registers suffice.
const fields2 = 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<8

func (avx2Target) Facts() isa.Facts {
	return isa.Facts{
		Name: "avx2", Vectors: 15, Bytes: 32, // the sixteenth vector has the tail mask
		NarrowLanes: true, Negates: true, Halves: true, Complements: true, Halving: true, Extremes: true,
		Fields: fields2, Joins: fields2, LeastJoined: 1, MostNarrow: 8, Planes: fields2 | 1<<7, Neighbours: neighbours,
		RowsAtOnce: 4, Tails: true, Prefixes: true, Blends: true, LoadsIndices: true, OneCount: true, Constants: true, Sums: true, Mirrors: true, Signed: true, Sites: sites, FromMemory: fromMemory, Together: testsOnce, Temporaries: temporaries,
	}
}

// fromMemory is the field of [isa.Facts]: the nodes of [binary] with vectors as wide as their elements, and comparisons and
// selections of floats. With AVX-512 operands in memory stand for all lanes.
func fromMemory(n *lower.Node) bool {
	t := n.In
	switch n.Op {
	case prim.Add, prim.Sub:
		return true
	case prim.Mul:
		return t.IsFloat() || !isa.Wide(t) && t.Size() > 1
	case prim.Div:
		return t.IsFloat()
	case prim.And, prim.Or, prim.Xor:
		return !t.IsFloat()
	case prim.Min, prim.Max:
		return !t.IsFloat() && !isa.Wide(t)
	case prim.Eq, prim.Ne, prim.Lt, prim.Le, prim.Select, lower.OpLesser, lower.OpGreater:
		return t.IsFloat()
	}
	return false
}

func (avx2Target) New(listing bool) isa.Asm { return newAsm(listing, false) }

func (avx2Target) Block(a isa.Asm, size, bytes int, lane, row func(int) isa.Mem) {
	block(a, size, bytes, lane, row)
}

func (avx2Target) Lanes(f *isa.Emitter) isa.Lanes {
	e := &avx2{newEmitter(f, avx2Rules)}
	e.own = e
	return e
}

var wideInts = types{dtype.I64, dtype.U64}

var avx2Rules = isa.Table(
	on(binary, types{dtype.Bool}, prim.And, prim.Or, prim.Xor, prim.Ne),
	on(as((*avx2).predicateEq), types{dtype.Bool}, prim.Eq),
	on(as((*avx2).mul64), wideInts, prim.Mul),
	on(as((*avx2).minMax64), wideInts, prim.Min, prim.Max),
	on(as((*avx2).shift), isa.Ints, prim.Shl, prim.Shr),
	on(as((*avx2).sar64), types{dtype.I64}, prim.Shr),
	on(as((*avx2).abs64), types{dtype.I64}, prim.Abs),
	on(as((*avx2).scale), isa.Floats, prim.Scale),
	on(as((*avx2).compareFloat), isa.Floats, compared...),
	on(as((*avx2).compareInt), isa.Ints, compared...),
	on(as((*avx2).choose), isa.All, prim.Select),
	on(as((*avx2).scalar), isa.All, lower.OpCell),
	on(as((*avx2).load), nil, ir.Load),
	on(take, nil, lower.OpTake),
)

// UniformMask does nothing: there are no mask registers.
func (f *avx2) UniformMask(x86.Mask, int32) {}

// scalar broadcasts a cell to every lane.
func (f *avx2) scalar(n *lower.Node) {
	d := f.Dst()
	m := mem(f.CellAt(n.Aux))
	if n.Type == dtype.Bool {
		f.I(x86.VPBROADCASTD, x86.L256, d, m)
		f.I(x86.VPSLLD, x86.L256, d, d, x86.Imm(31))
		f.I(x86.VPSRAD, x86.L256, d, d, x86.Imm(31))
		return
	}
	f.broadcast(d, n.Type, m)
}

func (f *avx2) predicateEq(n *lower.Node) {
	x, y := f.Src(n.Args[0]), f.srcM(n.Args[1])
	d := f.Dst()
	f.I(x86.VPXOR, x86.L256, d, x, y)
	f.I(x86.VPXOR, x86.L256, d, d, f.ones())
}

func (f *avx2) mul64(n *lower.Node) {
	x, y, t := f.Src(n.Args[0]), f.Src(n.Args[1]), f.Tmp()
	f.mulWide(f.Dst(), x, y, t)
}

// greater64 sets d to the lanes with x > y.
func (f *avx2) greater64(t dtype.Type, d, x, y x86.Vec) {
	if t.IsUnsigned() {
		a, s := f.Tmp(), f.full(dtype.I64, 1<<63)
		f.I(x86.VPXOR, x86.L256, a, x, s)
		f.I(x86.VPXOR, x86.L256, d, y, s)
		f.I(x86.VPCMPGTQ, x86.L256, d, a, d)
		return
	}
	f.I(x86.VPCMPGTQ, x86.L256, d, x, y)
}

func (f *avx2) minMax64(n *lower.Node) {
	x := f.Src(n.Args[0])
	if c := &f.Nodes[n.Args[1]]; n.In == dtype.I64 && n.Op == prim.Max && c.Op == prim.Const && c.Imm == 0 {
		f.blendv(n.In, f.Dst(), x, f.srcM(n.Args[1]), x) // zero where the sign is set
		return
	}
	k := f.Tmp()
	if n.In == dtype.I64 && n.Op == prim.Min { // a constant may stay in memory
		y := f.srcM(n.Args[1])
		f.I(x86.VPCMPGTQ, x86.L256, k, x, y)
		f.blendv(n.In, f.Dst(), x, y, k)
		return
	}
	y := f.Src(n.Args[1])
	d := f.Dst()
	f.greater64(n.In, k, x, y)
	if n.Op == prim.Min {
		x, y = y, x
	}
	f.blendv(n.In, d, y, x, k) // x where greater
}

// countShifts are the shifts by one count for all lanes, of 32 and of 64 bits: to the left, and to the right
// of unsigned and of signed numbers.
var countShifts = [2][3]x86.Op{{x86.VPSLLD, x86.VPSRLD, x86.VPSRAD}, {x86.VPSLLQ, x86.VPSRLQ, 0}}

// shift shifts each lane by its own count, or all by a constant, which takes no load.
func (f *avx2) shift(n *lower.Node) {
	count, ok := f.shiftCount(n)
	if !ok {
		binary(&f.emitter, n)
		return
	}
	x := f.Src(n.Args[0])
	f.Release()
	d, kind := f.Dst(), frame.Bit(n.Op == prim.Shr)
	if n.Op == prim.Shr && n.In.IsSigned() {
		kind = 2
	}
	f.I(countShifts[frame.Bit(isa.Wide(n.In))][kind], f.LenOf(n.In), d, x, count)
	if n.Op == prim.Shl {
		f.canon(n.Type, d)
	}
}

// shiftCount returns the count of a shift, if it is a constant.
func (f *avx2) shiftCount(n *lower.Node) (count x86.Imm, ok bool) {
	c := &f.Nodes[n.Args[1]]
	return x86.Imm(c.Imm), c.Op == prim.Const && c.Imm < uint64(8*isa.Lane32(n.In).Size())
}

func (f *avx2) sar64(n *lower.Node) {
	x, s := f.Src(n.Args[0]), f.Tmp()
	var y x86.Operand
	op := x86.VPSRLVQ
	if count, ok := f.shiftCount(n); ok {
		op, y = x86.VPSRLQ, count
	} else {
		y = f.Src(n.Args[1])
	}
	d := f.Dst()
	// Shift the complement of a negative number, and complement the result.
	f.I(x86.VPXOR, x86.L256, s, s, s)
	f.I(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.I(x86.VPXOR, x86.L256, d, x, s)
	f.I(op, x86.L256, d, d, y)
	f.I(x86.VPXOR, x86.L256, d, d, s)
}

func (f *avx2) abs64(n *lower.Node) {
	x, s := f.Src(n.Args[0]), f.Tmp()
	d := f.Dst()
	f.I(x86.VPXOR, x86.L256, s, s, s)
	f.I(x86.VPCMPGTQ, x86.L256, s, s, x)
	f.I(x86.VPXOR, x86.L256, d, x, s)
	f.I(x86.VPSUBQ, x86.L256, d, d, s)
}

// minMax emits the minimum or maximum in both orders of the operands, and joins the
// bits of the two: so the sign of a zero is right. A maximum needs one more
// instruction for NaN.
func (f *avx2) minMax(op prim.Op, t dtype.Type, d, x, y x86.Vec) {
	l, a, b, o := f.LenOf(t), f.Tmp(), f.Tmp(), extremeOp(op, t)
	f.I(o, l, a, x, y)
	f.I(o, l, b, y, x)
	if op == prim.Min {
		f.I(x86.VORPS, l, d, a, b)
		return
	}
	f.I(x86.VANDPS, l, a, a, b)
	f.I(pick(t, x86.VCMPPS, x86.VCMPPD), l, b, x, y, x86.Imm(3))
	f.I(x86.VORPS, l, d, a, b)
}

func (f *avx2) compareFloat(n *lower.Node) {
	a, b, c := n.Args[0], n.Args[1], comparisons[n.Op]
	order := c.float
	if f.Folded(a) || f.inMemory(a) && !f.Folded(b) {
		a, b, order = b, a, c.swapped
	}
	x, y := f.Src(a), f.srcM(b)
	f.Release()
	d := f.Dst()
	f.I(pick(n.In, x86.VCMPPS, x86.VCMPPD), f.LenOf(n.In), d, x, y, order^x86.Imm(n.Imm&lower.Complement))
	f.predicate(d, n.In)
}

func (f *avx2) compareInt(n *lower.Node) {
	a, b, op := n.Args[0], n.Args[1], x86.Op(0)
	switch {
	case n.Op == prim.Eq:
		if op = f.pickLane(n.In, x86.VPCMPEQB, x86.VPCMPEQW, x86.VPCMPEQD, x86.VPCMPEQQ); f.inMemory(a) {
			a, b = b, a
		}
	case n.Op == prim.Lt && !f.unsigned(n.In): // x < y is y > x
		op, a, b = f.pickLane(n.In, x86.VPCMPGTB, x86.VPCMPGTW, x86.VPCMPGTD, x86.VPCMPGTQ), b, a
	}
	if op != 0 {
		x, y := f.Src(a), f.srcM(b)
		f.Release()
		d := f.Dst()
		f.I(op, f.LenOf(n.In), d, x, y)
		f.predicate(d, n.In)
		return
	}
	x, y := f.Src(a), f.Src(b)
	d := f.Dst()
	f.compareInts(n.Op, n.In, d, x, y)
	f.predicate(d, n.In)
}

// unsigned reports whether lanes have numbers without sign whose first bit may be set.
func (f *avx2) unsigned(t dtype.Type) bool { return t.IsUnsigned() && f.lane(t).Size() == t.Size() }

// compareInts sets d to the result of a comparison, in lanes of type t.
func (f *avx2) compareInts(op prim.Op, t dtype.Type, to x86.Operand, x, y x86.Vec) {
	d := to.(x86.Vec)
	l, not := f.LenOf(t), op == prim.Ne || op == prim.Le
	equal := f.pickLane(t, x86.VPCMPEQB, x86.VPCMPEQW, x86.VPCMPEQD, x86.VPCMPEQQ)
	if op == prim.Lt { // x < y is y > x; x <= y is not x > y
		x, y = y, x
	}
	switch unsigned := f.unsigned(t); {
	case op == prim.Eq || op == prim.Ne:
		f.I(equal, l, d, x, y)
	case unsigned && isa.Wide(t):
		f.greater64(t, d, x, y)
	case unsigned: // x <= y if x is the minimum
		f.I(f.simple(prim.Min, t), l, d, x, y)
		f.I(equal, l, d, d, x)
		not = !not
	default:
		f.I(f.pickLane(t, x86.VPCMPGTB, x86.VPCMPGTW, x86.VPCMPGTD, x86.VPCMPGTQ), l, d, x, y)
	}
	if not {
		f.I(x86.VPXOR, l, d, d, f.ones())
	}
}

func (f *avx2) choose(n *lower.Node) {
	p := f.maskFor(f.Src(n.Args[0]), n.Type)
	if f.fills(n.Args[1]) && f.isZero(n.Args[2]) { // the predicate has the bits
		f.Release()
		if d := f.Dst(); d != p {
			f.I(x86.VMOVAPS, f.LenOf(n.Type), d, p)
		}
		return
	}
	switch {
	case f.isZero(n.Args[2]):
		y := f.srcM(n.Args[1])
		f.Release()
		f.I(x86.VPAND, f.LenOf(n.Type), f.Dst(), p, y)
	case f.isZero(n.Args[1]):
		z := f.srcM(n.Args[2])
		f.Release()
		f.I(x86.VPANDN, f.LenOf(n.Type), f.Dst(), p, z)
	default:
		y, z := f.srcM(n.Args[1]), f.Src(n.Args[2])
		f.Release()
		f.blendv(n.Type, f.Dst(), z, y, p)
	}
}

// fills reports whether a node is an integer constant with lanes of ones.
func (f *avx2) fills(id int32) bool {
	n := &f.Nodes[id]
	t := n.Type
	return n.Op == prim.Const && t.IsInt() && n.Imm&t.Mask() == t.Mask() && (t.IsSigned() || f.lane(t).Size() == t.Size())
}

// isZero reports whether a node is a constant without a bit that is set.
func (f *avx2) isZero(id int32) bool {
	n := &f.Nodes[id]
	return n.Op == prim.Const && n.Type != dtype.Bool && n.Imm == 0
}

func (f *avx2) SetTail() {
	if f.Tail > 0 {
		mask := make([]byte, 32)
		for i := range f.Tail * 32 / f.W {
			mask[i] = 0xff
		}
		f.I(x86.VMOVUPS, x86.L256, tailVec, f.Const(mask))
		if f.LaneSize > 0 { // copyTail reads it
			f.I(x86.MOV, x86.W64, at(frame.Counter), x86.Imm(f.Tail))
		}
		return
	}
	if f.LaneSize > 0 {
		f.setNarrowTail()
		return
	}
	f.I(x86.VMOVD, 0, tailVec, x86.RCX)
	if f.W == 8 {
		f.I(x86.VPBROADCASTD, x86.L256, tailVec, tailVec)
		f.Asm.I(x86.VPCMPGTD, x86.L256, tailVec, tailVec, f.iota32(0))
	} else {
		f.I(x86.VPBROADCASTQ, x86.L256, tailVec, tailVec)
		f.Asm.I(x86.VPCMPGTQ, x86.L256, tailVec, tailVec, f.iota64(0))
	}
}

func (f *avx2) TailBits() { f.laneBits(tailVec) }

func (f *avx2) AddNeed(p int32, first bool) {
	k, bits := f.Src(p), x86.VMOVMSKPS
	if f.LaneSize > 0 {
		bits = x86.VPMOVMSKB
	}
	if first {
		f.I(bits, x86.L256, x86.RAX, k)
		return
	}
	f.I(bits, x86.L256, x86.RCX, k)
	f.I(x86.OR, x86.W32, x86.RAX, x86.RCX)
}

// AnyLane is for [isa.Folder].
func (f *avx2) AnyLane(x x86.Vec, _ x86.Mask, _ bool) {
	f.I(x86.VPMOVMSKB, f.LenOf(dtype.I32), x86.RAX, x)
}

// BranchSet is for [isa.Folder].
func (f *avx2) BranchSet(x x86.Vec, _ x86.Mask, _ bool, l x86.Label) {
	f.I(x86.VPTEST, x86.L256, x, x)
	f.I(x86.JNE, 0, l)
}

func (f *avx2) SkipCold(skip x86.Label) {
	f.I(x86.TEST, x86.W32, x86.RAX, x86.RAX)
	f.I(x86.JE, 0, skip)
}

func (f *avx2) MergeCold(id int32, n *lower.Node) {
	p := f.maskFor(f.Src(n.Args[0]), n.Type)
	d, y := f.Src(id), f.Src(n.Yield)
	f.blendv(n.Type, d, d, y, p)
}

// Loads and stores with AVX2. A masked body uses vmaskmov; there, elements narrower
// than 32 bits go one by one through scratch memory.

func (f *avx2) load(n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	if f.bytes(n) {
		f.moveBytes(f.Dst(), f.site(s, n.Aux))
		return
	}
	reg := f.Phase.Sites[n.Aux].Type.Register()
	one := f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	if !s.Guard && n.Args[1] == lower.None {
		f.loadInto(f.Dst(), n.Aux, tailVec, f.Masked && !one)
		return
	}
	var k x86.Vec
	if s.Guard {
		k = f.inside(s)
	} else if k = f.Src(n.Args[1]); f.Masked {
		both := f.Tmp()
		f.I(x86.VANDPS, x86.L256, both, k, tailVec)
		k = both
	}
	d := f.Tmp()
	masked := f.Masked && !one
	if !s.Staged {
		masked = true
	}
	f.Within(func() { f.loadInto(d, n.Aux, k, masked) })
	fill := f.Src(n.Args[0])
	f.blendv(reg, f.Dst(), fill, d, f.maskFor(k, reg))
}

// loadInto loads a site into d: all lanes, or only the lanes of predicate k if masked
// is set.
func (f *avx2) loadInto(d x86.Vec, i int32, k x86.Vec, masked bool) {
	s, t := &f.Layout.Sites[i], f.Phase.Sites[i].Type
	reg, one := t.Register(), f.Phase.Kind == lower.ScalarPhase || s.Kind == layout.Uniform
	l := f.LenOf(reg)
	plain := t.Size() >= 4
	plane, interleaved := f.planeSlot(i)
	switch {
	case interleaved:
		f.LoadVec(reg, d, plane)
	case s.Kind == layout.Strided && s.Shuffles() && !masked && f.widenApart(s, t, d):
	case s.Shuffles() && !f.ByRow:
		x := f.shuffled(s, i, func() x86.Vec { return d })
		if f.LaneSize > 0 {
			f.fromNarrow(d, x, t)
		} else {
			f.widen(d, t, x)
		}
	case f.Paired() && !one:
		f.loadPaired(s, i, t, d)
	case f.LaneSize > 0:
		f.loadNarrow(d, i, one, masked)
	case one && masked: // all lanes or none
		skip := f.NewLabel()
		f.I(x86.VXORPS, x86.L256, d, d, d)
		f.skipNone(k, skip)
		f.one(d, i, s, t)
		f.Bind(skip)
	case one:
		f.one(d, i, s, t)
	case s.Kind == layout.Strided && s.Step%(f.W-1) != 0 && !masked: // so windows have elements at different places
		f.pick(f.spread(s), reg, d)
	case s.Kind == layout.Laid && !f.ByRow:
		f.loadLaid(s, i, reg, d)
	case s.Kind == layout.Strided && masked && f.Tail > 0 && k == tailVec:
		f.collectStrided(s, reg, d, f.Tail)
	case s.Kind == layout.Strided && masked && s.Step%(f.W-1) != 0 && k == tailVec:
		f.pickMasked(f.spread(s), reg, d, f.maskFor(k, reg))
	case s.Kind == layout.Strided && masked:
		f.gatherStrided(s, reg, d, k)
	case s.Kind == layout.Strided:
		f.collectStrided(s, reg, d, f.W)
	case plain && masked:
		f.loadMasked(d, reg, f.site(s, i), k)
	case plain:
		f.I(x86.VMOVUPS, l, d, f.site(s, i))
	default:
		m := f.site(s, i)
		if masked && k == tailVec && f.Tail > 0 {
			f.loadFew(d, f.Tail*t.Size(), m)
			f.widen(d, t, d)
			return
		}
		if masked { // by way of scratch memory
			f.I(x86.LEA, x86.W64, x86.RCX, m)
			m = at(frame.Tmp)
			f.copyLanes(k, t.Size(), m, x86.At(x86.RCX, 0))
		}
		f.widen(d, t, m)
	}
}

// loadMasked loads the lanes of predicate k.
func (f *avx2) loadMasked(d x86.Vec, t dtype.Type, m x86.Mem, k x86.Vec) {
	l := f.LenOf(t)
	if n := f.Tail * t.Size(); k == tailVec {
		if f.loadPower(d, n, m) {
			return
		}
		if n == 12 {
			l = x86.L128
		}
	}
	f.I(maskMove(t), l, d, f.maskFor(k, t), m)
}

// widen converts narrow elements x to the lanes of d.
func (f *avx2) widen(d x86.Vec, t dtype.Type, x x86.Operand) {
	if t == dtype.Bool {
		lane := f.predicateLane()
		f.I(pick(lane, x86.VPMOVZXBD, x86.VPMOVZXBQ), x86.L256, d, x)
		f.notZero(d, lane)
		return
	}
	l := f.LenOf(t.Register())
	f.I(loadRows2[t], l, d, x)
	if t == dtype.BF16 {
		f.I(x86.VPSLLD, l, d, d, x86.Imm(16))
	}
}

// copyLanes copies the elements of the lanes of k, one by one. from and to do not use RAX
// or RDX.
func (f *avx2) copyLanes(k x86.Vec, size int, to, from x86.Mem) {
	f.laneBits(k)
	for lane := range f.W {
		skip := f.NewLabel()
		f.asm.Unset(isa.T0, lane, skip)
		f.asm.load(size, x86.RDX, from)
		f.I(x86.MOV, x86.Len(8*size), to, x86.RDX)
		f.Bind(skip)
		from.Disp += int32(size)
		to.Disp += int32(size)
	}
}

// laneBits puts one bit for each lane of k into RAX.
func (f *avx2) laneBits(k x86.Vec) {
	if f.W == 8 {
		f.I(x86.VMOVMSKPS, x86.L256, x86.RAX, k)
	} else {
		f.I(x86.VMOVMSKPD, x86.L256, x86.RAX, k)
	}
}

// one puts one element into all lanes.
func (f *avx2) one(d x86.Vec, i int32, s *layout.Site, t dtype.Type) {
	switch m := f.site(s, i); {
	case t.Size() == 1:
		f.I(x86.VPBROADCASTB, x86.L128, d, m)
		f.widen(d, t, d)
	case t == dtype.BF16: // both halves of each lane have it
		f.I(x86.VPBROADCASTW, x86.L256, d, m)
		f.I(x86.VPSLLD, x86.L256, d, d, x86.Imm(16))
	case t.Size() == 2:
		f.I(x86.VPBROADCASTW, x86.L128, d, m)
		f.widen(d, t, d)
	default:
		f.broadcast(d, t.Register(), m)
	}
}

// inside returns the predicate of the lanes that a guarded site reads.
func (f *avx2) inside(s *layout.Site) x86.Vec {
	k := f.Tmp()
	if s.Staged {
		f.I(x86.MOV, x86.W64, x86.RCX, at(s.Arg+frame.SiteInside))
		m := x86.AtX(x86.RCX, x86.RSI, 1, int32((f.Base+f.Copy)*f.W))
		f.widen(k, dtype.Bool, m) // scratch memory has room for a vector after its end
		if f.Phase.Kind == lower.ScalarPhase {
			f.I(x86.VPBROADCASTQ, x86.L256, k, k)
			if f.W == 8 {
				f.I(x86.VPBROADCASTD, x86.L256, k, k)
			}
		}
		return k
	}
	l := f.LenOf(dtype.I32)
	t, u := f.Tmp(), f.Tmp()
	f.numbers(t, dtype.I32)
	f.I(x86.VPBROADCASTD, l, u, at(s.Arg+frame.SiteLo))
	f.I(x86.VPCMPGTD, l, u, u, t) // before the first
	f.I(x86.VPBROADCASTD, l, k, at(s.Arg+frame.SiteHi))
	f.I(x86.VPCMPGTD, l, k, k, t)
	f.I(x86.VPANDN, l, k, u, k)
	f.predicate(k, dtype.I32)
	return k
}

// StepValue combines x with an accumulator.
func (f *avx2) StepValue(k *reduce.Kern, d, x x86.Vec) {
	l, t := f.LenOf(k.Lane), k.Lane
	op := k.Op
	switch {
	case k.Sums():
		f.sumNarrow(k.Type, d, x)
	case k.Counts(): // the lanes of a predicate are -1
		f.I(x86.VPSUBD, l, d, d, x)
	case k.Type == dtype.Bool:
		f.I(x86.VPOR, l, d, d, x)
	case f.LaneSize == 1 && op == prim.Mul:
		f.stepMul(d, x)
	case op == prim.Mul && isa.Wide(t) && !t.IsFloat():
		p, u := f.Tmp(), f.Tmp()
		f.mulWide(p, d, x, u)
		f.I(x86.VMOVAPS, l, d, p)
	case k.Quiet:
		m, n := f.Tmp(), f.Tmp()
		cmp := pick(t, x86.VCMPPS, x86.VCMPPD)
		f.minMax(op, t, m, d, x)
		f.I(cmp, l, n, x, x, x86.Imm(3))
		f.blendv(t, m, m, d, n) // x is NaN
		f.I(cmp, l, n, d, d, x86.Imm(3))
		f.blendv(t, d, m, x, n)
	case k.EitherZero && t.IsFloat(): // NaN of x is lost, and NaN of d is not
		nan := f.Tmp()
		f.I(pick(t, x86.VCMPPS, x86.VCMPPD), l, nan, x, x, x86.Imm(3))
		f.I(extremeOp(op, t), l, d, x, d)
		f.I(x86.VORPS, l, d, d, nan)
	case (op == prim.Min || op == prim.Max) && t.IsFloat():
		f.minMax(op, t, d, d, x)
	case (op == prim.Min || op == prim.Max) && isa.Wide(t):
		g := f.Tmp()
		if op == prim.Max {
			f.greater64(t, g, x, d)
		} else {
			f.greater64(t, g, d, x)
		}
		f.blendv(t, d, d, x, g)
	default:
		f.I(f.simple(op, t), l, d, d, x)
	}
}

func (f *avx2) PredicateLanes(p int32, complement bool, _ int) x86.Vec {
	x := f.maskFor(f.Src(p), dtype.I32)
	if complement {
		d := f.Tmp()
		f.I(x86.VPXOR, x86.L256, d, x, f.ones())
		x = d
	}
	return x
}

func (f *avx2) gathered(n *lower.Node, v x86.Vec, k x86.Operand) {
	l := f.LenOf(dtype.I32)
	f.I(x86.VPAND, l, v, v, f.full(dtype.U32, 0xff))
	f.notZero(v, dtype.I32)
	f.predicate(v, dtype.I32)
	if n.Args[1] != lower.None {
		f.blend(dtype.Bool, v, f.Src(n.Args[2]), v, k)
	}
}

func (f *avx2) takePosition(t dtype.Type, di, xi x86.Vec, m x86.Operand) {
	f.I(x86.VBLENDVPS, f.LenOf(dtype.I32), di, di, xi, f.narrowTo32(m.(x86.Vec), t))
}

func (f *avx2) before(t dtype.Type, m x86.Operand, xi, di x86.Vec) {
	o := f.Tmp()
	f.I(x86.VPCMPGTD, f.LenOf(dtype.I32), o, di, xi)
	if isa.Wide(t) {
		f.I(x86.VPMOVSXDQ, x86.L256, o, o)
	}
	f.I(x86.VANDPS, f.LenOf(t), m, m, o)
}
