package amd64

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A holder keeps constants of a loop in registers, such as the selectors of permutes.

func (f *emitter) Hold(room int) {
	if room <= 0 {
		return
	}
	f.holder = holder{open: true, before: f.Mark()}
	for range room {
		f.free = append(f.free, f.Vecs.TakeTop())
	}
}

func (f *emitter) EndHold() {
	if !f.open {
		return
	}
	f.open = false
	for _, v := range f.free {
		f.Vecs.Give(int8(v))
	}
	f.Insert(f.before, func() {
		for _, h := range f.kept {
			f.Vecs.Give(int8(h.v))
			f.I(x86.VMOVUPS, h.l, h.v, h.m)
		}
	})
}

// sharesTest reports whether conversions of vectors share a test.
func (f *avx2) sharesTest() bool {
	for i := range f.Nodes {
		if f.Together(&f.Nodes[i]) {
			return true
		}
	}
	return false
}

// vectorFor returns a register that has a vector of memory. The caller must not change it.
func (f *emitter) vectorFor(l x86.Len, m x86.Mem) x86.Vec {
	v, ok := f.hold(l, m)
	if !ok {
		v = f.Tmp()
		f.I(x86.VMOVUPS, l, v, m)
	}
	return v
}

// holds reports whether registers keep constants.
func (f *emitter) holds() bool { return f.open && len(f.free)+len(f.kept) > 0 }

// heldOperand is [emitter.operand], or a register that keeps the constant.
func (f *emitter) heldOperand(t dtype.Type, x uint64) x86.Operand {
	if f.holds() {
		return f.constantFor(f.LenOf(t), f.full(t, x))
	}
	return f.operand(t, x)
}

// held copies a vector in memory that does not change from a register, and reports whether it has one: see [isa.Lanes.Hold].
func (f *emitter) held(l x86.Len, m x86.Mem, d x86.Vec) bool {
	v, ok := f.hold(l, m)
	if ok {
		f.I(x86.VMOVAPS, l, d, v)
	}
	return ok
}

// leftFree and leftWindows are the registers that Hold of AVX-512 leaves: those of a phase with networks, which has 16, and those
// for windows that several vectors share.
const leftFree, leftWindows = 10, 6

// Hold keeps as many constants as there is room for.
func (f *avx512) Hold(room int) {
	f.emitter.Hold(max(min(room, bits.OnesCount64(f.Vecs.Free)-leftFree)-leftWindows, 0))
}

// networkConstants is the number of constants of a network of three vectors: a selector for each, and two masks.
const networkConstants = 5

// shiftConstants is the number of constants of shifts of bytes by counts of their own, all to the left or all to the right.
const shiftConstants = 4

// packConstants is the most constants of stores of several short rows: a selector for each load, and the greatest predicate.
const packConstants = isa.MostLoads + 1

// Hold keeps constants in the registers that are left. Where short rows are laid across vectors, it keeps those of such shifts and stores, or else
// those of networks of three vectors of elements of 1 and 2 bytes, if there is room for all. Other networks, and conversions of vectors that share
// a test, keep none: they need registers.
func (f *avx2) Hold(room int) {
	network := func(s layout.Site) bool {
		return s.Size < 4 && (f.Layout.Plane(&s, f.W) && f.Layout.Laid == 3 || s.Record > 0 && s.Line.Step() == 3)
	}
	switch sites := f.Layout.Sites; {
	case f.ShiftsBytes():
		room = min(room, shiftConstants)
	case f.Layout.Copied:
		room = min(room, packConstants)
	case room >= networkConstants && slices.ContainsFunc(sites, network):
		room = networkConstants
	case f.Layout.Laid > 0 || slices.ContainsFunc(sites, func(s layout.Site) bool { return s.Record > 0 }) || f.sharesTest():
		room = 0
	}
	f.emitter.Hold(room)
}
