package amd64

import "github.com/oneloop/oneloop/engine/internal/jit/x86"

// AVX-512 has registers for the selectors of a loop. A holder keeps them.

func (f *avx512) Hold(room int) bool {
	f.holder = holder{open: true}
	for range room {
		f.free = append(f.free, f.Vecs.TakeTop())
	}
	return room > 0
}

func (f *avx512) EndHold() {
	for _, v := range f.free {
		f.Vecs.Give(int8(v))
	}
	for _, h := range f.kept {
		f.Vecs.Give(int8(h.v))
	}
	f.open = false
}

func (f *avx512) LoadHeld() {
	for _, h := range f.kept {
		f.I(x86.VMOVUPS, h.l, h.v, h.m)
	}
}

// hold returns the register that keeps a vector of memory, if there is one.
func (f *avx512) hold(l x86.Len, m x86.Mem) (x86.Vec, bool) {
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

func (f *avx512) constantFor(l x86.Len, m x86.Mem) x86.Operand {
	if v, ok := f.hold(l, m); ok {
		return v
	}
	return m
}

func (f *avx512) held(l x86.Len, m x86.Mem, d x86.Vec) bool {
	v, ok := f.hold(l, m)
	if ok {
		f.I(x86.VMOVAPS, l, d, v)
	}
	return ok
}
