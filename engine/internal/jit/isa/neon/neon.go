package neon

import (
	le "encoding/binary"
	"fmt"

	"github.com/oneloop/oneloop/engine/internal/jit/arm64"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// NEON is the target. It needs no feature of Arm beyond version 8.0.
var NEON isa.Target = target{}

type target struct{}

func (target) Facts() isa.Facts {
	return isa.Facts{Name: "neon", Vectors: 32, Bytes: 16, Negates: true, Sites: sites}
}

func (target) New(listing bool) isa.Asm { return newAsm(listing) }

func (target) Lanes(f *isa.Emitter) isa.Lanes {
	a := f.Asm.(*asm)
	return &neon{Emitter: f, Asm: a.Asm, asm: a}
}

// Block interleaves the lanes of n vectors, which transposes n x n elements in log2 n steps. If
// there are fewer lanes, the upper elements of the rows have no meaning.
func (target) Block(to isa.Asm, size, bytes int, lane, row func(int) isa.Mem) {
	a, n := to.(*asm), 16/size
	arr := arm64.Arr(2*log(size) + 1)
	v := make([]isa.Vec, n)
	for c := range v {
		if v[c] = isa.Vec(c); c < bytes/size {
			a.loadVec(16, v[c], lane(c))
		}
	}
	free := isa.Vec(n)
	for range log(n) {
		w := make([]isa.Vec, n)
		for j := n/2 - 1; j >= 0; j-- {
			x, y := v[j], v[j+n/2]
			a.I(arm64.VZIP1, arr, free, x, y)
			a.I(arm64.VZIP2, arr, x, x, y)
			w[2*j], w[2*j+1], free = free, x, y
		}
		v = w
	}
	for k, x := range v {
		a.storeVec(bytes, row(k), x)
	}
}

// A neon emits the instructions of a phase. Lanes have 4 or 8 bytes, W to a vector of the widest.
// If these have 8, the others fill half of a vector. Predicates are lanes that are all ones or all
// zeros, as wide as the widest.
type neon struct {
	*isa.Emitter
	*arm64.Asm
	asm *asm
}

// A rule emits one copy of a node.
type rule func(f *neon, n *lower.Node)

// arr returns the arrangement of lanes with values of register type t.
func (f *neon) arr(t dtype.Type) arm64.Arr {
	switch {
	case f.W == 4:
		return arm64.S4
	case isa.Wide(t) || t == dtype.Bool:
		return arm64.D2
	}
	return arm64.S2
}

// whole returns the arrangement of bytes of a vector of type t.
func (f *neon) whole(t dtype.Type) arm64.Arr {
	if f.arr(t) == arm64.S2 {
		return arm64.B8
	}
	return arm64.B16
}

// elements returns the arrangement of elements of type t in memory, as single lanes of a vector.
func elements(t dtype.Type) arm64.Arr { return arm64.Arr(2*log(t.Size()) + 1) }

func (f *neon) LoadVec(t dtype.Type, d isa.Vec, m isa.Mem) { f.asm.loadVec(f.VecBytes(t), d, m) }

func (f *neon) StoreVec(t dtype.Type, m isa.Mem, x isa.Vec) { f.asm.storeVec(f.VecBytes(t), m, x) }

func (f *neon) CopyVec(_ dtype.Type, d, x isa.Vec) {
	if d != x {
		f.I(arm64.VORR, arm64.B16, d, x, x)
	}
}

// There are no mask registers.
func (f *neon) LoadMask(isa.Mask, isa.Mem)          {}
func (f *neon) StoreMask(isa.Mem, isa.Mask)         {}
func (f *neon) CopyMask(_, _ isa.Mask)              {}
func (f *neon) UniformMask(isa.Mask, int32)         {}
func (f *neon) Quotients() []int32                  { return nil }
func (f *neon) VecName(r int8, _ dtype.Type) string { return fmt.Sprintf("v%d", r) }

// LoadRows, StoreHalves and TransposeVectors are for targets with Blends only.
func (f *neon) LoadRows(dtype.Type, []isa.Vec, func(int) isa.Mem)    {}
func (f *neon) StoreHalves(isa.Mem, isa.Mem, isa.Vec)                {}
func (f *neon) TransposeVectors(int, []isa.Vec, isa.Vec) (v isa.Vec) { return v }

// SplitFields and JoinFields are for targets with Fields only.
func (f *neon) SplitFields(*layout.Site, []dtype.Type, []isa.Vec) []isa.Vec { return nil }
func (f *neon) JoinFields(*layout.Site, dtype.Type, []isa.Vec)              {}

// Interleave is for targets with Planes only.
func (f *neon) Interleave(int32, func(int, isa.Vec), bool) {}

func (f *neon) Constant(d isa.Vec, t dtype.Type, x uint64) {
	switch {
	case t == dtype.Bool && x&1 != 0:
		f.I(arm64.VONES, 0, d)
		return
	case t == dtype.Bool:
		x = 0
	default:
		x = frame.Canonical(t, x)
	}
	if isa.Wide(t) {
		f.series(d, [2]uint64{x, x})
	} else {
		f.series(d, [2]uint64{x<<32 | x&0xffffffff, x<<32 | x&0xffffffff})
	}
}

// series sets d to 16 bytes.
func (f *neon) series(d isa.Vec, x [2]uint64) {
	if x == [2]uint64{} {
		f.I(arm64.VZERO, 0, d)
		return
	}
	var b [16]byte
	le.LittleEndian.PutUint64(b[:], x[0])
	le.LittleEndian.PutUint64(b[8:], x[1])
	f.I(arm64.LDRL, 0, d, f.Const(b))
}

// words sets the lanes of 32 bits of d.
func (f *neon) words(d isa.Vec, x [4]uint32) {
	f.series(d, [2]uint64{uint64(x[1])<<32 | uint64(x[0]), uint64(x[3])<<32 | uint64(x[2])})
}

// full returns a temporary with a constant in every lane of type t.
func (f *neon) full(t dtype.Type, x uint64) isa.Vec {
	d := f.Tmp()
	f.Constant(d, t, x)
	return d
}

func (f *neon) LoadUniform(d isa.Vec, n int32) {
	if nd := &f.Nodes[n]; nd.Op == prim.Const {
		f.Constant(d, nd.Type, nd.Imm)
	} else {
		f.LoadVec(nd.Type, d, f.Slot(f.UniformSlot[n]))
	}
}

func (f *neon) UniformInt(d isa.Reg, n int32) {
	if nd := &f.Nodes[n]; nd.Op == prim.Const {
		f.asm.number(regs[d.N()], int(frame.Canonical(nd.Type, nd.Imm)))
	} else {
		f.Load(8, d, f.Slot(f.UniformSlot[n]))
	}
}

func (f *neon) OffsetLane(d isa.Reg, x isa.Vec, lane int) {
	f.I(arm64.VUMOV, arm64.D2, regs[d.N()], arm64.Lane{V: x, I: lane})
}

func (f *neon) StoreFirst(size int, m isa.Mem, x isa.Vec) { f.asm.storeVec(size, m, x) }

func (f *neon) UpperHalf(d, x isa.Vec, bytes int) {
	f.I(arm64.VEXT, arm64.B16, d, x, x, arm64.Imm(bytes/2))
}

func (f *neon) SpreadFirst(t dtype.Type, d, x isa.Vec) {
	f.I(arm64.VDUP, f.arr(t), d, arm64.Lane{V: x})
}

func (f *neon) LastLane(t dtype.Type, d, x isa.Vec) {
	f.I(arm64.VDUP, f.arr(t), d, arm64.Lane{V: x, I: f.W - 1})
}

// The tail.

func (f *neon) SetTail() {
	f.asm.number(x16, f.W)
	f.I(arm64.CMP, arm64.X, regs[isa.T1.N()], x16)
	f.I(arm64.CSEL, arm64.X, tailCount, regs[isa.T1.N()], x16, arm64.LT)
}

// tail returns the tail mask, a predicate.
func (f *neon) tail() isa.Vec {
	d, iota := f.Tmp(), f.Tmp()
	r := f.arr(dtype.Bool)
	f.I(arm64.VDUPR, r, d, tailCount)
	f.numberSeries(iota, r, 0)
	f.I(arm64.VCMHI, r, d, d, iota)
	return d
}

// numberSeries sets the lanes of d to first, first+1 and so on.
func (f *neon) numberSeries(d isa.Vec, r arm64.Arr, first int) {
	if r == arm64.D2 {
		f.series(d, [2]uint64{uint64(first), uint64(first + 1)})
		return
	}
	x := uint32(first)
	f.words(d, [4]uint32{x, x + 1, x + 2, x + 3})
}

func (f *neon) CopyLanes(t dtype.Type, d, x isa.Vec) {
	f.I(arm64.VBIT, f.whole(t), d, x, f.fit(f.tail(), t))
}

func (f *neon) TailBits() {
	f.asm.number(x16, 1)
	f.I(arm64.LSLV, arm64.X, regs[isa.T0.N()], x16, tailCount)
	f.asm.plus(regs[isa.T0.N()], regs[isa.T0.N()], -1)
}

// fit returns predicate p in lanes of the width of type t.
func (f *neon) fit(p isa.Vec, t dtype.Type) isa.Vec {
	if f.arr(t) != arm64.S2 {
		return p
	}
	d := f.Tmp()
	f.I(arm64.VXTN, arm64.S2, d, p)
	return d
}

// predicate widens the result d of a comparison of type t to the lanes of a predicate.
func (f *neon) predicate(d isa.Vec, t dtype.Type) {
	if f.arr(t) == arm64.S2 {
		f.I(arm64.VSSHLL, arm64.S2, d, d, arm64.Imm(0))
	}
}

// blend sets d to y in the lanes of p, which are as wide as those of t, and to z in the others.
func (f *neon) blend(t dtype.Type, d, z, y, p isa.Vec) {
	r := f.whole(t)
	switch d {
	case y:
		f.I(arm64.VBIF, r, d, z, p)
	case z:
		f.I(arm64.VBIT, r, d, y, p)
	default:
		f.CopyVec(t, d, p)
		f.I(arm64.VBSL, r, d, y, z)
	}
}

// any sets d to a number that is not 0 if predicate p has a lane.
func (f *neon) any(d arm64.Reg, p isa.Vec) {
	t := f.Tmp()
	f.I(arm64.VUMAXV, arm64.S4, t, p)
	f.I(arm64.FMOVW, 0, d, t)
}

// laneBits sets d to one bit for each lane of predicate p.
func (f *neon) laneBits(d arm64.Reg, p isa.Vec) {
	t := f.Tmp()
	if f.W == 4 {
		f.words(t, [4]uint32{1, 2, 4, 8})
	} else {
		f.words(t, [4]uint32{1, 0, 2, 0})
	}
	f.I(arm64.VAND, arm64.B16, t, t, p)
	f.I(arm64.VADDV, arm64.S4, t, t)
	f.I(arm64.FMOVW, 0, d, t)
}

// Cold regions.

func (f *neon) AddNeed(p int32, first bool) {
	k := f.Src(p)
	if first {
		f.any(regs[isa.T0.N()], k)
		return
	}
	f.any(regs[isa.T1.N()], k)
	f.I(arm64.ORR, arm64.X, regs[isa.T0.N()], regs[isa.T0.N()], regs[isa.T1.N()])
}

func (f *neon) SkipCold(skip isa.Label) { f.I(arm64.CBZ, arm64.W, regs[isa.T0.N()], skip) }

func (f *neon) MergeCold(id int32, n *lower.Node) {
	p := f.fit(f.Src(n.Args[0]), n.Type)
	d, y := f.Src(id), f.Src(n.Yield)
	f.I(arm64.VBIT, f.whole(n.Type), d, y, p)
}

func (f *neon) Hold(int) {}

func (f *neon) EndHold() {}
