package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A weaver interleaves vectors of 256 bits, and takes them apart again. AVX2 has few instructions that
// move elements between the halves of a vector, so each half makes records by itself: the lower
// halves of n vectors make the first n pieces of 16 bytes, and the upper halves the n pieces after
// them. Instructions are emitted when a result of theirs is wanted, and a register is free again
// when the last of its uses is emitted.
type weaver struct {
	*x86.Asm
	size  int            // of an element
	take  func() x86.Vec // returns a register more
	spare []x86.Vec
	masks map[string]*thread // for blends of elements of 1 and 2 bytes
}

// A thread is a vector of a weaver: the result of one instruction.
type thread struct {
	from []*thread
	emit func(d x86.Vec, from []x86.Vec)
	uses int // that are not emitted yet
	reg  x86.Vec
	done bool
	kept bool    // the register must not change
	twin *thread // of the same vectors, which are free after both
}

// kept returns threads that are in registers, which do not change.
func kept(v []x86.Vec) []*thread {
	out := make([]*thread, len(v))
	for i, x := range v {
		out[i] = &thread{reg: x, done: true, kept: true}
	}
	return out
}

// hold adds a use to threads, which ends when the caller drops them.
func hold(list []*thread) {
	for _, x := range list {
		x.uses++
	}
}

// instruction returns the result of an instruction.
func instruction(emit func(d x86.Vec, from []x86.Vec), from ...*thread) *thread {
	hold(from)
	return &thread{emit: emit, from: from}
}

// get emits what a thread needs, and returns its register.
func (w *weaver) get(t *thread) x86.Vec {
	if t.done {
		return t.reg
	}
	from := make([]x86.Vec, len(t.from))
	for i, x := range t.from {
		from[i] = w.get(x)
	}
	for _, x := range t.from {
		w.drop(x)
	}
	if k := len(w.spare); k > 0 {
		t.reg, w.spare = w.spare[k-1], w.spare[:k-1]
	} else {
		t.reg = w.take()
	}
	t.emit(t.reg, from)
	t.done = true
	if t.twin != nil && !(t.from[0].kept && t.from[1].kept) {
		w.get(t.twin)
	}
	return t.reg
}

// drop ends a use of a thread.
func (w *weaver) drop(t *thread) {
	if t.uses--; t.uses == 0 && !t.kept {
		w.spare = append(w.spare, t.reg)
	}
}

// lanes returns the elements of 16 bytes.
func (w *weaver) lanes() int { return 16 / w.size }

// two returns the result of an instruction on two vectors.
func (w *weaver) two(op x86.Op, a, b *thread, imm ...x86.Operand) *thread {
	return instruction(func(d x86.Vec, v []x86.Vec) {
		w.I(op, x86.L256, append([]x86.Operand{d, v[0], v[1]}, imm...)...)
	}, a, b)
}

// load loads a vector.
func (w *weaver) load(l x86.Len, m x86.Mem) *thread {
	return instruction(func(d x86.Vec, _ []x86.Vec) { w.I(x86.VMOVUPS, l, d, m) })
}

// pair loads 16 bytes, and the 16 bytes so far behind them, to the halves of a vector.
func (w *weaver) pair(m x86.Mem, far int) *thread {
	lower := w.load(x86.L128, m)
	m.Disp += int32(far)
	return instruction(func(d x86.Vec, v []x86.Vec) { w.I(x86.VINSERTF128, x86.L256, d, v[0], m, x86.Imm(1)) }, lower)
}

// halves returns a half of a, and behind it a half of b: the lower halves or the upper ones.
func (w *weaver) halves(a *thread, upperA bool, b *thread, upperB bool) *thread {
	switch {
	case !upperA && upperB:
		return w.two(x86.VPBLENDD, a, b, x86.Imm(0xf0))
	case upperA && upperB:
		return w.two(x86.VPERM2F128, a, b, x86.Imm(0x31))
	case upperA:
		return w.two(x86.VPERM2F128, a, b, x86.Imm(0x21))
	}
	return w.two(x86.VINSERTF128, a, b, x86.Imm(1))
}

// unpack interleaves the lower and the upper halves of the pieces of two vectors.
func (w *weaver) unpack(size int, a, b *thread) (lower, upper *thread) {
	ops := unpacks[bits.TrailingZeros(uint(size))]
	return twins(w.two(ops[0], a, b), w.two(ops[1], a, b))
}

func twins(a, b *thread) (x, y *thread) {
	a.twin, b.twin = b, a
	return a, b
}

// choose returns the elements of n vectors of which each lane of a piece of 16 bytes has one:
// element i of vector from(i).
func (w *weaver) choose(v []*thread, from func(i int) int) *thread {
	d := v[from(0)]
	for k, x := range v {
		if k == from(0) {
			continue
		}
		mask, dwords := repeat(0, 16), 0
		for i := range w.lanes() {
			for b := i * w.size; from(i) == k && b < (i+1)*w.size; b++ {
				mask[b] = 0xff
				dwords |= 1 << (b / 4)
			}
		}
		switch {
		case dwords == 0:
		case w.size >= 4:
			d = w.two(x86.VPBLENDD, d, x, x86.Imm(dwords|dwords<<4))
		default:
			d = instruction(func(to x86.Vec, v []x86.Vec) { w.I(x86.VPBLENDVB, x86.L256, to, v[0], v[1], v[2]) }, d, x, w.mask(mask))
		}
	}
	return d
}

// mask returns a constant of 16 bytes, in both halves.
func (w *weaver) mask(b []byte) *thread {
	if t, ok := w.masks[string(b)]; ok {
		return t
	}
	if w.masks == nil {
		w.masks = map[string]*thread{}
	}
	t := instruction(func(d x86.Vec, _ []x86.Vec) { w.I(x86.VMOVUPS, x86.L256, d, w.Const(append(b, b...))) })
	w.masks[string(b)] = t
	return t
}

// permute puts element from(i) of each piece of 16 bytes into its lane i.
func (w *weaver) permute(x *thread, from func(i int) int) *thread {
	sel, order, same := repeat(0, 16), 0, true
	for i := range w.lanes() {
		same = same && from(i) == i
		for b := range w.size {
			sel[i*w.size+b] = byte(from(i)*w.size + b)
		}
	}
	for i := range 4 {
		order |= int(sel[4*i]/4) << (2 * i)
	}
	switch {
	case same:
		return x
	case w.size >= 4:
		return instruction(func(d x86.Vec, v []x86.Vec) { w.I(x86.VPERMILPS, x86.L256, d, v[0], x86.Imm(order)) }, x)
	}
	return instruction(func(d x86.Vec, v []x86.Vec) {
		w.I(x86.VPSHUFB, x86.L256, d, v[0], w.Const(append(sel, sel...)))
	}, x)
}

// records interleaves n vectors to n vectors of whole records of n elements.
func (w *weaver) records(v []*thread) []*thread {
	n, m := len(v), w.lanes()
	out := make([]*thread, n)
	if parts := n / m; n%(2*m) == 0 { // a piece of a record has one element of each of m vectors
		for q := 0; q < parts; q += 2 {
			for upper := range 2 {
				pair := make([]*thread, m)
				for i := range pair {
					pair[i] = w.halves(v[q*m+i], upper == 1, v[(q+1)*m+i], upper == 1)
				}
				for r, x := range w.interleave(pair) {
					out[((upper*m+r)*parts+q)/2] = x
				}
			}
		}
		return out
	}
	pieces := w.interleave(v)
	for i := range out {
		a, b := 2*i, 2*i+1
		out[i] = w.halves(pieces[a%n], a >= n, pieces[b%n], b >= n)
	}
	return out
}

// interleave interleaves n vectors in each half: it returns the n pieces of the records of a half.
func (w *weaver) interleave(v []*thread) []*thread {
	n, m := len(v), w.lanes()
	switch {
	case n == 1:
		return v
	case n%m == 0 && n > m:
		out := make([]*thread, n)
		for p := range n / m {
			for r, x := range w.interleave(v[p*m : (p+1)*m]) {
				out[r*(n/m)+p] = x
			}
		}
		return out
	case n%2 == 0:
		lower, upper := make([]*thread, n/2), make([]*thread, n/2)
		for j := range lower {
			lower[j], upper[j] = w.unpack(w.size, v[j], v[j+n/2])
		}
		return append(w.interleave(lower), w.interleave(upper)...)
	}
	placed := make([]*thread, n) // each element in its lane of the records
	for k, x := range v {
		from := make([]int, m)
		for e := range m {
			from[(n*e+k)%m] = e
		}
		placed[k] = w.permute(x, func(i int) int { return from[i] })
	}
	out := make([]*thread, n)
	for c := range out {
		out[c] = w.choose(placed, func(i int) int { return (c*m + i) % n })
	}
	return out
}

// separate takes the n pieces of records of a half apart: it returns the n fields.
func (w *weaver) separate(pieces []*thread) []*thread {
	n, m := len(pieces), w.lanes()
	switch {
	case n == 1:
		return pieces
	case n%m == 0 && n > m:
		var out []*thread
		for p := range n / m {
			part := make([]*thread, m)
			for r := range part {
				part[r] = pieces[r*(n/m)+p]
			}
			out = append(out, w.separate(part)...)
		}
		return out
	case n%2 == 0:
		out := make([]*thread, n)
		lower, upper := w.separate(pieces[:n/2]), w.separate(pieces[n/2:])
		for j := range lower {
			out[j], out[j+n/2] = w.every2(lower[j], upper[j])
		}
		return out
	}
	out := make([]*thread, n)
	for k := range out {
		from, back := make([]int, m), make([]int, m)
		for e := range m {
			at := n*e + k
			from[at%m], back[e] = at/m, at%m
		}
		out[k] = w.permute(w.choose(pieces, func(i int) int { return from[i] }), func(i int) int { return back[i] })
	}
	return out
}

// every2 returns the even elements of the pieces of two vectors, and the odd ones.
func (w *weaver) every2(a, b *thread) (even, odd *thread) {
	if w.size == 4 {
		return twins(w.two(x86.VSHUFPS, a, b, x86.Imm(0x88)), w.two(x86.VSHUFPS, a, b, x86.Imm(0xdd)))
	}
	half := w.lanes() / 2
	order := func(i int) int { return i%half*2 + i/half } // the even elements, and behind them the odd ones
	return w.unpack(8, w.permute(a, order), w.permute(b, order))
}
