package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// AVX-512 has registers for the selectors of a loop, and for windows that several vectors share.

// A holder keeps vectors of memory that does not change in registers, which no other code of the
// loop uses.
type holder struct {
	open bool
	free []x86.Vec
	kept []heldVec
}

type heldVec struct {
	l x86.Len
	m x86.Mem
	v x86.Vec
}

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

func (f *avx512) held(l x86.Len, m x86.Mem, d x86.Vec) bool {
	v, ok := f.hold(l, m)
	if ok {
		f.I(x86.VMOVAPS, l, d, v)
	}
	return ok
}

// spareWindows is the number of vectors that are left beside shared windows.
const spareWindows = 4

// A share is the windows of a laid site that the copies of a node share.
type share struct {
	windows []window // of all lanes of the group
	regs    []x86.Vec
}

// pickLaid loads the current vector of a laid site. The copies of a node share their windows, if
// that takes fewer loads.
func (f *avx512) pickLaid(s *layout.Site, i int32, t dtype.Type, d x86.Vec) {
	if f.Copies == 1 || f.Masked {
		f.pick(f.laidWindows(s, f.laidMem(s, i), 0, f.W), t, d)
		return
	}
	if f.Copy == 0 {
		f.shareWindows(s, i, t)
	}
	if f.shared.regs == nil {
		f.pick(f.laidWindows(s, f.laidMem(s, i), 0, f.W), t, d)
		return
	}
	f.pick(f.lanesOf(f.Copy), t, d)
	if f.Copy == f.Copies-1 {
		for _, v := range f.shared.regs {
			f.Vecs.Give(int8(v))
		}
		f.shared = share{}
	}
}

// lanesOf returns the shared windows with the lanes of one copy.
func (f *avx512) lanesOf(c int) (out []window) {
	for _, w := range f.shared.windows {
		var lanes []picked
		for _, p := range w.lanes {
			if p.Lane/f.W == c {
				lanes = append(lanes, picked{Lane: p.Lane % f.W, At: p.At})
			}
		}
		if len(lanes) > 0 {
			out = append(out, window{from: w.from, lanes: lanes})
		}
	}
	return out
}

// shareWindows loads the windows of all copies of a site. Windows whose elements fit one vector
// are joined, as each copy has one permute less then.
func (f *avx512) shareWindows(s *layout.Site, i int32, t dtype.Type) {
	f.shared = share{}
	first, alone := f.Base*f.W, 0
	for c := range f.Copies {
		alone += len(f.Layout.LaidWindows(s, first+c*f.W, f.W, f.W))
	}
	windows := windowsOf(s, mem(f.LaidAddress(s, i)), f.Layout.LaidWindows(s, first, f.Copies*f.W, f.W))
	if len(windows) >= alone {
		return
	}
	var joined [][]window
	used := f.W + 1
	for _, w := range windows {
		if n := elements(w); used+n <= f.W {
			joined[len(joined)-1], used = append(joined[len(joined)-1], w), used+n
		} else {
			joined, used = append(joined, []window{w}), n
		}
	}
	if len(joined)+f.Copies+spareWindows > bits.OnesCount64(f.Vecs.Free) {
		return
	}
	for _, list := range joined {
		v := f.Vecs.TakeTop()
		f.shared.regs = append(f.shared.regs, v)
		f.shared.windows = append(f.shared.windows, f.join(list, t, v))
	}
}

// elements returns the number of elements of a window that lanes have.
func elements(w window) int {
	seen := map[int]bool{}
	for _, p := range w.lanes {
		seen[p.At] = true
	}
	return len(seen)
}

// join loads windows to one vector. Those after the first go behind the elements before them.
func (f *avx512) join(list []window, t dtype.Type, v x86.Vec) window {
	f.move(t, v, list[0].from)
	out := window{from: v, lanes: list[0].lanes}
	for _, w := range list[1:] {
		a, put := f.dense(out.lanes, 0)
		b, more := f.dense(w.lanes, len(a))
		f.Within(func() {
			f.I(f.pair(t), f.LenOf(t), v, f.index(t, f.joined(a, b), 0, false), w.from)
		})
		out.lanes = append(put, more...)
	}
	return out
}

// dense puts the elements that lanes have side by side, from lane first on. It returns where they
// are taken from, and where the lanes have them then.
func (f *avx512) dense(lanes []picked, first int) (taken, put []picked) {
	place := map[int]int{}
	for _, p := range lanes {
		to, ok := place[p.At]
		if !ok {
			to = first + len(place)
			place[p.At] = to
			taken = append(taken, picked{Lane: to, At: p.At})
		}
		put = append(put, picked{Lane: p.Lane, At: to})
	}
	return taken, put
}
