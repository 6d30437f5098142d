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
)

// Faults, gathers, and positions of both targets.

func fault(f *emitter, n *lower.Node) {
	k := f.pred(n.Args[0])
	if f.Masked {
		t := x86.Operand(maskTmp)
		if !f.evex {
			t = f.Tmp()
		}
		f.predOp(f.kop(kand), x86.VPAND, t, k, f.tail())
		k = t
	}
	skip := f.NewLabel()
	f.skipNone(k, skip)
	f.I(x86.OR, x86.W64, at(frame.Fault), x86.Imm(int64(1)<<n.Aux))
	f.Bind(skip)
}

// export writes lane 0 to a cell.
func export(f *emitter, n *lower.Node) {
	m := mem(f.CellAt(n.Aux))
	switch {
	case f.IsMask(n.Args[0]):
		f.I(x86.KMOVW, 0, m, f.Mask(n.Args[0]))
	case isa.Wide(n.Type):
		f.I(x86.VMOVQ, 0, m, f.Src(n.Args[0]))
	default:
		f.I(x86.VMOVD, 0, m, f.Src(n.Args[0]))
	}
}

// numbers sets each lane of d, of type t, to its number in the call.
func (f *emitter) numbers(d x86.Vec, t dtype.Type) {
	l, broadcast := f.LenOf(t), pick(t, x86.VPBROADCASTD, x86.VPBROADCASTQ)
	if f.evex {
		f.I(broadcast, l, d, x86.RSI)
	} else {
		f.I(pick(t, x86.VMOVD, x86.VMOVQ), x86.W64, d, x86.RSI)
		f.I(broadcast, l, d, d)
	}
	f.I(pick(t, x86.VPADDD, x86.VPADDQ), l, d, d, f.series(int(l)/8, uint64((f.Base+f.Copy)*f.W), 1, isa.Wide(t)))
}

// multiples sets each 64-bit lane of d to its number times a word in memory.
func (f *emitter) multiples(d x86.Vec, m x86.Mem) {
	if f.evex {
		f.numbers(d, dtype.I64)
		f.I(x86.VPMULLQ, f.LenOf(dtype.I64), d, d, m.Bcast())
		return
	}
	a, k, t := f.Tmp(), f.Tmp(), f.Tmp()
	f.numbers(a, dtype.I64)
	f.I(x86.VPBROADCASTQ, x86.L256, k, m)
	f.mulWide(d, a, k, t)
}

// addWord adds a word in memory to 64-bit lanes.
func (f *emitter) addWord(d, x x86.Vec, m x86.Mem) {
	if f.evex {
		f.I(x86.VPADDQ, f.LenOf(dtype.I64), d, x, m.Bcast())
		return
	}
	t := f.Tmp()
	f.I(x86.VPBROADCASTQ, x86.L256, t, m)
	f.I(x86.VPADDQ, x86.L256, d, x, t)
}

// iotaNode sets each lane to its number times a constant.
func iotaNode(f *emitter, n *lower.Node) {
	if d := f.Dst(); n.Imm == 1 {
		f.numbers(d, dtype.I64)
	} else {
		f.multiples(d, f.Const64(n.Imm))
	}
}

// index computes an affine index, or loads a staged one.
func index(f *emitter, n *lower.Node) {
	s := &f.Layout.Sites[n.Aux]
	switch {
	case s.Kind == layout.Scratch:
		f.own.load(n)
	case f.Phase.Kind == lower.ScalarPhase || f.Prolog || s.Line.Step() == 0:
		f.I(x86.VPBROADCASTQ, f.LenOf(dtype.I64), f.Dst(), f.pointer(s))
	default:
		d := f.Dst()
		if s.Counts() {
			f.numbers(d, dtype.I64)
		} else {
			f.multiples(d, at(s.Arg+frame.SiteStride))
		}
		f.addWord(d, d, f.pointer(s))
	}
}

// lookup reads a table after the code: by permutes if the target can, else by a gather.
func lookup(f *emitter, n *lower.Node) {
	t := &f.Program.IR.Tables[n.Aux]
	if f.own.permuteTable(n, t) {
		return
	}
	x, ix, k := f.Src(n.Args[0]), f.Tmp(), f.tmpPred()
	d := f.Dst()
	f.I(f.simple(prim.And, n.In), f.LenOf(n.In), ix, x, f.operand(signedOf(n.In), uint64(len(t.Bits)-1)))
	f.I(x86.LEA, x86.W64, x86.RAX, x86.AtLabel(f.table(t, 1), 0))
	f.everyLane(k)
	f.gatherLanes(n.Type, n.In, d, x86.AtV(x86.RAX, ix, uint8(max(4, n.Type.Size())), 0), k)
}

// gatherLanes gathers the lanes of k by indices of a type. It overwrites k.
func (f *emitter) gatherLanes(t, index dtype.Type, d x86.Vec, m x86.Mem, k x86.Operand) {
	op := pick(t, x86.VGATHERDPS, x86.VGATHERDPD)
	if isa.Wide(index) {
		op = pick(t, x86.VGATHERQPS, x86.VGATHERQPD)
	}
	if mask, ok := k.(x86.Mask); ok {
		k = x86.Merge(mask)
	}
	f.I(op, max(f.LenOf(index), f.LenOf(t)), d, m, k)
}

// gatherStrided gathers a site with a constant stride: the lanes of k, or all if k is nil.
func (f *emitter) gatherStrided(s *layout.Site, t dtype.Type, d x86.Vec, k x86.Operand) {
	m, g := f.strided(s), f.tmpPred()
	if k == nil {
		f.everyLane(g)
	} else {
		f.predOp(x86.KMOVW, x86.VMOVAPS, g, f.fit(k, t))
	}
	f.zero(t, d)
	f.gatherLanes(t, dtype.I32, d, m, g)
}

// gather loads elements of 32 or 64 bits from computed offsets. gatherNarrow loads
// narrower ones.
func gather(f *emitter, n *lower.Node) {
	s, t := &f.Layout.Sites[n.Aux], f.Phase.Sites[n.Aux].Type
	if t.Size() < 4 {
		f.gatherNarrow(n, s, t)
		return
	}
	if f.collects(n) {
		f.collect(s, f.Dst(), n.Args[0])
		return
	}
	offs, k, d := f.Src(n.Args[0]), f.tmpPred(), f.Dst()
	f.lanes(k, n.Args[1])
	if n.Args[1] != lower.None {
		f.I(x86.VMOVAPS, f.LenOf(t), d, f.Src(n.Args[2]))
	} else if !f.evex {
		f.zero(t, d)
	}
	k = f.fit(k, t)
	f.I(x86.MOV, x86.W64, x86.RCX, f.pointer(s))
	f.gatherLanes(t, dtype.I64, d, x86.AtV(x86.RCX, offs, uint8(t.Size()), 0), k)
}

// zero clears a vector.
func (f *emitter) zero(t dtype.Type, d x86.Vec) {
	f.I(f.form(dtype.I32, x86.VXORPS, x86.VPXORD, x86.VPXORD), f.LenOf(t), d, d, d)
}

// gatherNarrow loads elements of less than 32 bits.
func (f *emitter) gatherNarrow(n *lower.Node, s *layout.Site, t dtype.Type) {
	offs, k, guard := f.Src(n.Args[0]), f.tmpPred(), n.Args[1] != lower.None
	f.lanes(k, n.Args[1])
	l := f.LenOf(dtype.I32)
	var v x86.Vec
	if f.IsMask(f.ID) {
		v = f.Tmp()
	} else {
		v = f.Dst()
	}
	f.Within(func() {
		if f.collects(n) {
			f.zero(dtype.I32, v)
			f.collect(s, v, n.Args[0])
			f.I([...]x86.Op{1: x86.VPMOVZXBD, 2: x86.VPMOVZXWD}[s.Size], l, v, v)
		} else {
			f.gatherAround(s, v, offs, k)
		}
		f.finishNarrow(n, t, v, k)
	})
	if guard && t != dtype.Bool {
		f.blend(t.Register(), v, f.Src(n.Args[2]), v, k)
	}
}

// finishNarrow makes lanes of elements of less than 32 bits, of which the lanes of v have the lower bits. k are the lanes of a gather.
func (f *emitter) finishNarrow(n *lower.Node, t dtype.Type, v x86.Vec, k x86.Operand) {
	l := f.LenOf(dtype.I32)
	switch t {
	case dtype.Bool:
		f.own.gathered(n, v, k)
	case dtype.F16:
		if !f.evex { // the packing saturates
			f.I(x86.VPAND, l, v, v, f.full(dtype.U32, 0xffff))
		}
		f.own.packWords(v)
		f.I(x86.VCVTPH2PS, l, v, v)
	case dtype.BF16:
		f.I(x86.VPSLLD, l, v, v, x86.Imm(16))
	default:
		f.canon(t, v)
	}
}

// gatherAround gathers the aligned 32 bits around each element of the lanes of k, which never cross
// a page, and shifts them. What is above the element is not cleared.
func (f *emitter) gatherAround(s *layout.Site, v, offs x86.Vec, k x86.Operand) {
	l, ll, and, xor := f.LenOf(dtype.I32), f.LenOf(dtype.I64), f.simple(prim.And, dtype.I64), f.simple(prim.Xor, dtype.I64)
	at, g, shift := f.Tmp(), f.tmpPred(), f.Tmp()
	f.I(x86.VPSLLQ, ll, at, offs, x86.Imm(s.Size-1))
	f.Within(func() { f.addWord(at, at, f.pointer(s)) })
	f.I(and, ll, shift, at, f.operand(dtype.I64, 3))
	f.I(xor, ll, at, at, shift)
	f.I(x86.VPSLLQ, ll, shift, shift, x86.Imm(3))
	f.Within(func() { f.own.narrow(shift, shift) })
	f.Within(func() { f.predOp(x86.KMOVW, x86.VMOVAPS, g, f.fit(k, dtype.I32)) }) // the gather clears it
	f.I(x86.XOR, x86.W32, x86.RCX, x86.RCX)
	f.zero(dtype.I32, v)
	f.gatherLanes(dtype.I32, dtype.I64, v, x86.AtV(x86.RCX, at, 1, 0), g)
	f.I(x86.VPSRLVD, l, v, v, shift)
}

// compare sets predicate d to the comparison imm of floats.
func (f *emitter) compare(t dtype.Type, d x86.Operand, x, y x86.Vec, imm x86.Imm) {
	f.I(pick(t, x86.VCMPPS, x86.VCMPPD), f.LenOf(t), d, x, y, imm)
}

// compareAlso clears the lanes of predicate d where the comparison does not hold.
func (f *emitter) compareAlso(t dtype.Type, d x86.Operand, x, y x86.Vec, imm x86.Imm) {
	if k, ok := d.(x86.Mask); ok {
		f.I(pick(t, x86.VCMPPS, x86.VCMPPD), f.LenOf(t), d, x, y, imm, x86.Merge(k))
		return
	}
	o := f.Tmp()
	f.compare(t, o, x, y, imm)
	f.I(x86.VANDPS, f.LenOf(t), d, d, o)
}

// better returns the lanes where x beats the minimum or maximum d: x is less or
// greater, or NaN, and d is not NaN.
func (f *emitter) better(k *reduce.Kern, x, d x86.Vec) x86.Operand {
	m := f.tmpPred()
	f.notWorse(k, m, x, d)
	if k.Lane.IsFloat() {
		f.compareAlso(k.Lane, m, d, d, 7)
	}
	return m
}

// notWorse sets predicate m where x is less or greater than d, or one of them is NaN.
func (f *emitter) notWorse(k *reduce.Kern, m x86.Operand, x, d x86.Vec) {
	switch {
	case k.Lane.IsFloat() && k.Op == prim.Max:
		f.compare(k.Lane, m, x, d, 0x16) // not x <= d
	case k.Lane.IsFloat():
		f.compare(k.Lane, m, x, d, 0x19)
	case k.Op == prim.Min:
		f.own.compareInts(prim.Lt, k.Type, m, x, d)
	default:
		f.own.compareInts(prim.Lt, k.Type, m, d, x)
	}
}

// SkipWorse jumps where no value beats its accumulator. An accumulator that is NaN never lets it jump.
func (f *emitter) SkipWorse(k *reduce.Kern, d, x []isa.Vec, skip isa.Label) {
	any := f.tmpPred()
	for i := range x {
		f.Within(func() {
			m := any
			if i > 0 {
				m = f.tmpPred()
			}
			if f.notWorse(k, m, x[i], d[i]); i > 0 {
				f.predOp(x86.KORW, x86.VORPS, any, any, m)
			}
		})
	}
	f.skipNone(any, skip)
}

// StepArg finds the extreme of columns by a step for its value: the comparison that finds the position is no part of the chain from
// row to row. Nothing reads the lanes of columns outside the mask.
func (f *emitter) StepArg(k *reduce.Kern, d, idx, x isa.Vec) {
	p, columns := f.Tmp(), f.Phase.Kind == lower.SeqPhase
	if columns && f.evex && k.Lane.IsFloat() { // it stays as it is unless x is better
		was, m := f.Tmp(), f.tmpPred()
		f.I(x86.VMOVAPS, f.LenOf(k.Lane), was, d)
		f.I(x86.VPBROADCASTD, f.LenOf(dtype.I32), p, at(frame.Counter))
		f.Within(func() { f.own.StepValue(k.Value(), d, x) })
		f.own.compareInts(prim.Ne, dtype.Integer(k.Lane.Size(), false), m, d, was)
		f.own.takePosition(k.Lane, idx, p, m)
		return
	}
	m := f.better(k, x, d)
	if f.Masked && !columns {
		f.predOp(x86.KANDW, x86.VANDPS, m, m, f.fit(f.tail(), k.Lane))
	}
	if columns {
		f.I(x86.VPBROADCASTD, f.LenOf(dtype.I32), p, at(frame.Counter))
	} else {
		f.numbers(p, dtype.I32)
	}
	if columns && (f.evex || k.Lane.IsFloat() || !isa.Wide(k.Lane)) { // AVX2 has no minimum of 64 bits
		f.Within(func() { f.own.StepValue(k.Value(), d, x) })
	} else {
		f.blendv(k.Lane, d, d, x, m)
	}
	f.own.takePosition(k.Lane, idx, p, m)
}

func (f *emitter) PairArg(k *reduce.Kern, d, di, x, xi isa.Vec) {
	better, same := f.better(k, x, d), f.tmpPred()
	if t := k.Lane; t.IsFloat() {
		unordered := f.tmpPred()
		f.compare(t, same, x, d, 0)
		f.compare(t, unordered, x, x, 3)
		f.compareAlso(t, unordered, d, d, 3)
		f.predOp(x86.KORW, x86.VORPS, same, same, unordered)
	} else {
		f.own.compareInts(prim.Eq, t, same, x, d)
	}
	f.own.before(k.Lane, same, xi, di)
	f.predOp(x86.KORW, x86.VORPS, better, better, same)
	f.blendv(k.Lane, d, d, x, better)
	f.own.takePosition(k.Lane, di, xi, better)
}
