package amd64

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A holder keeps constants of a loop in registers, such as the selectors of permutes. With AVX2 only loops with a network of three
// vectors, with shifts of bytes, or with stores of several rows have one.

func (f *emitter) Hold(room int) bool {
	f.holder = holder{open: true}
	for range room {
		f.free = append(f.free, f.Vecs.TakeTop())
	}
	return room > 0
}

func (f *emitter) EndHold() {
	for _, v := range f.free {
		f.Vecs.Give(int8(v))
	}
	for _, h := range f.kept {
		f.Vecs.Give(int8(h.v))
	}
	f.open = false
}

func (f *emitter) LoadHeld() {
	for _, h := range f.kept {
		f.I(x86.VMOVUPS, h.l, h.v, h.m)
	}
}

// hold returns the register that keeps a vector of memory, if there is one.
func (f *emitter) hold(l x86.Len, m x86.Mem) (x86.Vec, bool) {
	if !f.open {
		return 0, false
	}
	for _, h := range f.kept {
		if h.l == l && h.m == m {
			return h.v, true
		}
	}
	if len(f.free) == 0 {
		return 0, false
	}
	v := f.free[0]
	f.free = f.free[1:]
	f.kept = append(f.kept, heldVec{l, m, v})
	return v, true
}

// constantFor returns the register that keeps a vector in memory, or that memory.
func (f *emitter) constantFor(l x86.Len, m x86.Mem) x86.Operand {
	if v, ok := f.hold(l, m); ok {
		return v
	}
	return m
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
func (f *avx512) Hold(room int) bool {
	return f.emitter.Hold(max(min(room, bits.OnesCount64(f.Vecs.Free)-leftFree)-leftWindows, 0))
}

// networkConstants is the number of constants of a network of three vectors: a selector for each, and two masks.
const networkConstants = 5

// shiftConstants is the number of constants of shifts of bytes by counts of their own, all to the left or all to the right.
const shiftConstants = 4

// packConstants is the most constants of stores of several short rows: a selector for each load, and the greatest predicate.
const packConstants = isa.MostLoads + 1

// Hold keeps constants of such shifts and stores, as many as there is room for, or else those of networks of three vectors of elements of 1 and 2
// bytes, if there is room for all. Other networks keep none.
func (f *avx2) Hold(room int) bool {
	switch {
	case f.ShiftsBytes():
		return f.emitter.Hold(min(room, shiftConstants))
	case f.Layout.Copied:
		return f.emitter.Hold(min(room, packConstants))
	}
	if room < networkConstants || !slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool {
		return s.Size < 4 && (f.Layout.Plane(&s, f.W) && f.Layout.Laid == 3 || s.Record > 0 && s.Line.Step() == 3)
	}) {
		return f.emitter.Hold(0)
	}
	return f.emitter.Hold(networkConstants)
}
