package amd64

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Windows of AVX-512: contiguous elements that have some lanes of a vector.

// pick loads lanes from windows: each window gives its lanes by a permute.
func (f *avx512) pick(windows []window, t dtype.Type, d x86.Vec) {
	l, pair := f.LenOf(t), f.pair(t)
	f.move(t, d, windows[0].from)
	for i := range windows {
		w := &windows[i]
		f.Within(func() {
			switch {
			case i == 0 && len(windows) > 1 || i == 0 && inOrder(w.lanes):
			case i == 0:
				f.I(pair, l, d, f.index(t, w.lanes, 0, false), d)
			case i == 1:
				f.I(pair, l, d, f.index(t, f.joined(windows[0].lanes, w.lanes), 0, false), w.from)
			default:
				f.I(pair, l, d, f.index(t, w.lanes, f.W, true), w.from)
			}
		})
	}
}

// pair returns the permute of two vectors.
func (f *avx512) pair(t dtype.Type) x86.Op {
	return f.pickLane(t, x86.VPERMT2B, x86.VPERMT2W, x86.VPERMT2PS, x86.VPERMT2PD)
}

// move loads or copies a vector.
func (f *avx512) move(t dtype.Type, d x86.Vec, from x86.Operand) {
	if v, ok := from.(x86.Vec); !ok || v != d {
		f.I(pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t), d, from)
	}
}

// joined returns lanes of two vectors as lanes of the pair.
func (f *avx512) joined(a, b []picked) []picked {
	both := slices.Clone(a)
	for _, p := range b {
		both = append(both, picked{Lane: p.Lane, At: f.W + p.At})
	}
	return both
}

// inOrder reports whether each lane has the element of its number.
func inOrder(lanes []picked) bool {
	return !slices.ContainsFunc(lanes, func(p picked) bool { return p.Lane != p.At })
}

// index returns a selector in a register, which the caller must not change.
func (f *avx512) index(t dtype.Type, lanes []picked, base int, own bool) x86.Vec {
	l, m := f.LenOf(t), f.selector(lanes, t.Size(), base, own)
	if v, ok := f.hold(l, m); ok {
		return v
	}
	ix := f.Tmp()
	f.I(pick(t, x86.VMOVUPS, x86.VMOVUPD), l, ix, m)
	return ix
}

func (f *avx512) loadPart(t dtype.Type, d x86.Vec, m x86.Mem, first, n int) {
	op, l := pick(t, x86.VMOVUPS, x86.VMOVUPD), f.LenOf(t)
	if n == f.W && !f.Masked {
		f.I(op, l, d, m)
		return
	}
	k := f.TmpMask()
	f.I(x86.MOV, x86.W32, x86.RDX, x86.Imm((1<<n-1)<<first))
	f.I(x86.KMOVW, 0, k, x86.RDX)
	if f.Masked {
		f.I(x86.KANDW, 0, k, k, tailMask)
	}
	with := x86.Merge(k)
	if first == 0 {
		with = x86.Zero(k)
	}
	f.I(op, l, d, m, with)
}

// StoreStepped stores to a site with a small step.
func (f *avx512) StoreStepped(n *lower.Node, t dtype.Type) bool {
	if t.Size() == 1 {
		f.storeStepped8(n, t)
		return true
	}
	if t.Size() < 4 {
		return false
	}
	x := f.Src(n.Args[0])
	f.place(f.windows(&f.Layout.Sites[n.Aux]), t, x)
	return true
}

// place stores the lanes that windows have: a permute puts those of each window in place, and a
// mask keeps the elements between them.
func (f *avx512) place(windows []window, t dtype.Type, x x86.Vec) {
	l := f.LenOf(t)
	move, pair := pick(t, x86.VMOVUPS, x86.VMOVUPD), pick(t, x86.VPERMT2PS, x86.VPERMT2PD)
	d, ix, k := f.Tmp(), f.Tmp(), f.TmpMask()
	for _, w := range windows {
		bits := int64(0)
		from := make([]picked, len(w.lanes))
		for i, p := range w.lanes {
			bits |= 1 << p.At
			from[i] = picked{Lane: p.At, At: p.Lane}
		}
		f.I(x86.MOV, x86.W32, x86.RAX, x86.Imm(bits))
		f.I(x86.KMOVW, 0, k, x86.RAX)
		f.I(move, l, ix, f.selector(from, t.Size(), 0, false))
		f.I(x86.VMOVAPS, l, d, x)
		f.I(pair, l, d, ix, d)
		f.I(move, l, w.from, d, x86.Merge(k))
	}
}

// StoreLaid stores the lanes of the tail one by one.
func (f *avx512) StoreLaid(n *lower.Node, t dtype.Type) {
	if f.Masked {
		f.copyLaidTo(n, t)
		return
	}
	x, s := f.Src(n.Args[0]), &f.Layout.Sites[n.Aux]
	f.place(f.laidWindows(s, f.laidMem(s, n.Aux), 0, f.W), t, x)
}
