package amd64

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/internal/lists"
)

// A network interleaves vectors of 256 bits, and takes them apart again. AVX2 has few instructions that
// move elements between the halves of a vector, so each half makes records by itself: the lower
// halves of n vectors make the first n pieces of 16 bytes, and the upper halves the n pieces after
// them. Instructions are emitted when a result of theirs is wanted, and a register is free again
// when the last of its uses is emitted. With AVX-512 its vectors have 256 bits too.
type network struct {
	*x86.Asm
	evex  bool           // registers may be those of AVX-512
	size  int            // of an element
	take  func() x86.Vec // returns a register more
	spare []x86.Vec
	masks map[string]*result                     // for blends of elements of 1 byte of few vectors, or nil
	keep  func(l x86.Len, m x86.Mem) x86.Operand // returns the register that keeps a constant, or m; or nil
}

// A result is a vector of a network, which one instruction makes.
type result struct {
	from  []*result
	emit  func(d x86.Vec, from []x86.Vec)
	uses  int // that are not emitted yet
	reg   x86.Vec
	done  bool
	kept  bool    // the register must not change
	other *result // of the same vectors, which are free after both
}

// kept returns results that are in registers, which do not change.
func kept(v []x86.Vec) []*result {
	out := make([]*result, len(v))
	for i, x := range v {
		out[i] = &result{reg: x, done: true, kept: true}
	}
	return out
}

// hold adds a use to results, which ends when the caller drops them.
func hold(list []*result) {
	for _, x := range list {
		x.uses++
	}
}

// instruction returns the result of an instruction.
func instruction(emit func(d x86.Vec, from []x86.Vec), from ...*result) *result {
	hold(from)
	return &result{emit: emit, from: from}
}

// get emits what a result needs, and returns its register.
func (net *network) get(t *result) x86.Vec {
	if t.done {
		return t.reg
	}
	from := make([]x86.Vec, len(t.from))
	for i, x := range t.from {
		from[i] = net.get(x)
	}
	for _, x := range t.from {
		net.drop(x)
	}
	if k := len(net.spare); k > 0 {
		t.reg, net.spare = net.spare[k-1], net.spare[:k-1]
	} else {
		t.reg = net.take()
	}
	t.emit(t.reg, from)
	t.done = true
	if t.other != nil && !(t.from[0].kept && t.from[1].kept) {
		net.get(t.other)
	}
	return t.reg
}

// drop ends a use of a result.
func (net *network) drop(t *result) {
	if t.uses--; t.uses == 0 && !t.kept {
		net.spare = append(net.spare, t.reg)
	}
}

// lanes returns the elements of 16 bytes.
func (net *network) lanes() int { return 16 / net.size }

// two returns the result of an instruction on two vectors.
func (net *network) two(op x86.Op, a, b *result, imm ...x86.Operand) *result {
	return instruction(func(d x86.Vec, v []x86.Vec) {
		net.I(op, x86.L256, append([]x86.Operand{d, v[0], v[1]}, imm...)...)
	}, a, b)
}

// load loads a vector.
func (net *network) load(l x86.Len, m x86.Mem) *result {
	return instruction(func(d x86.Vec, _ []x86.Vec) { net.I(x86.VMOVUPS, l, d, m) })
}

// pair loads 16 bytes, and the 16 bytes so far behind them, to the halves of a vector.
func (net *network) pair(m x86.Mem, far int) *result {
	lower := net.load(x86.L128, m)
	m.Disp += int32(far)
	return instruction(func(d x86.Vec, v []x86.Vec) { net.I(x86.VINSERTF128, x86.L256, d, v[0], m, x86.Imm(1)) }, lower)
}

// halves returns a half of a, and behind it a half of b: the lower halves or the upper ones.
func (net *network) halves(a *result, upperA bool, b *result, upperB bool) *result {
	switch {
	case net.evex:
		return net.two(x86.VSHUFF64X2, a, b, x86.Imm(frame.Bit(upperA)|frame.Bit(upperB)<<1))
	case !upperA && upperB:
		return net.two(x86.VPBLENDD, a, b, x86.Imm(0xf0))
	case upperA && upperB:
		return net.two(x86.VPERM2F128, a, b, x86.Imm(0x31))
	case upperA:
		return net.two(x86.VPERM2F128, a, b, x86.Imm(0x21))
	}
	return net.two(x86.VINSERTF128, a, b, x86.Imm(1))
}

// unpack interleaves the lower and the upper halves of the pieces of two vectors.
func (net *network) unpack(size int, a, b *result) (lower, upper *result) {
	ops := unpacks[bits.TrailingZeros(uint(size))]
	return together(net.two(ops[0], a, b), net.two(ops[1], a, b))
}

// together says that two results come from the same vectors.
func together(a, b *result) (x, y *result) {
	a.other, b.other = b, a
	return a, b
}

// choose returns the elements of n vectors of which each lane of a piece of 16 bytes has one:
// element i of vector from(i).
func (net *network) choose(v []*result, from func(i int) int) *result {
	d := v[from(0)]
	for k, x := range v {
		if k == from(0) {
			continue
		}
		mask, dwords, words := repeat(0, 16), 0, 0
		for i := range net.lanes() {
			for b := i * net.size; from(i) == k && b < (i+1)*net.size; b++ {
				mask[b] = 0xff
				dwords |= 1 << (b / 4)
				words |= 1 << (b / 2)
			}
		}
		switch {
		case dwords == 0:
		case net.size >= 4:
			d = net.two(x86.VPBLENDD, d, x, x86.Imm(dwords|dwords<<4))
		case net.size == 2:
			d = net.two(x86.VPBLENDW, d, x, x86.Imm(words))
		default:
			d = instruction(func(to x86.Vec, v []x86.Vec) { net.I(x86.VPBLENDVB, x86.L256, to, v[0], v[1], v[2]) }, d, x, net.mask(mask, len(v) <= mostMasks))
		}
	}
	return d
}

// constant returns 16 bytes for both halves: the register that keeps them, or memory. With AVX-512 it is memory.
func (net *network) constant(b []byte) x86.Operand {
	m := net.Const(append(b, b...))
	if net.keep == nil || net.evex {
		return m
	}
	return net.keep(x86.L256, m)
}

// mostMasks is the most vectors that leave registers to their masks, which are as many. Values that are joined, and do not change, leave
// fewer: mostHeld of them.
const mostMasks, mostHeld = 5, 4

// mask returns a constant of 16 bytes, in both halves. Uses may share the register to which it is loaded.
func (net *network) mask(b []byte, share bool) *result {
	if t, ok := net.masks[string(b)]; ok {
		return t
	}
	c := net.constant(b)
	t := instruction(func(d x86.Vec, _ []x86.Vec) { net.I(x86.VMOVUPS, x86.L256, d, c) })
	if v, ok := c.(x86.Vec); ok {
		t = kept([]x86.Vec{v})[0]
	}
	if share && net.masks != nil {
		net.masks[string(b)] = t
	}
	return t
}

// permute puts element from(i) of each piece of 16 bytes into its lane i.
func (net *network) permute(x *result, from func(i int) int) *result {
	sel, order, same := repeat(0, 16), 0, true
	for i := range net.lanes() {
		same = same && from(i) == i
		for b := range net.size {
			sel[i*net.size+b] = byte(from(i)*net.size + b)
		}
	}
	for i := range 4 {
		order |= int(sel[4*i]/4) << (2 * i)
	}
	switch {
	case same:
		return x
	case net.size >= 4:
		return instruction(func(d x86.Vec, v []x86.Vec) { net.I(x86.VPERMILPS, x86.L256, d, v[0], x86.Imm(order)) }, x)
	}
	return instruction(func(d x86.Vec, v []x86.Vec) { net.I(x86.VPSHUFB, x86.L256, d, v[0], net.constant(sel)) }, x)
}

// join is interleave for halves, or else records. It returns the order in which the results should be made, too: neighbours have pieces in
// common, so few pieces are in registers at once.
func (net *network) join(v []*result, halves bool) (out []*result, order []int) {
	n := len(v)
	order = lists.UpTo(n)
	if halves {
		return net.interleave(v), order
	}
	for k := range order {
		if n%2 == 1 {
			order[k] = k * (n + 1) / 2 % n
		} else if n%(2*net.lanes()) != 0 {
			order[k] = k/2 + k%2*n/2
		}
	}
	return net.records(v), order
}

// records interleaves n vectors to n vectors of whole records of n elements.
func (net *network) records(v []*result) []*result {
	n, m := len(v), net.lanes()
	out := make([]*result, n)
	if parts := n / m; n%(2*m) == 0 { // a piece of a record has one element of each of m vectors
		for q := 0; q < parts; q += 2 {
			for upper := range 2 {
				pair := make([]*result, m)
				for i := range pair {
					pair[i] = net.halves(v[q*m+i], upper == 1, v[(q+1)*m+i], upper == 1)
				}
				for r, x := range net.interleave(pair) {
					out[((upper*m+r)*parts+q)/2] = x
				}
			}
		}
		return out
	}
	pieces := net.interleave(v)
	for i := range out {
		a, b := 2*i, 2*i+1
		out[i] = net.halves(pieces[a%n], a >= n, pieces[b%n], b >= n)
	}
	return out
}

// interleave interleaves n vectors in each half: it returns the n pieces of the records of a half.
func (net *network) interleave(v []*result) []*result {
	n, m := len(v), net.lanes()
	switch {
	case n == 1:
		return v
	case n%m == 0 && n > m:
		out := make([]*result, n)
		for p := range n / m {
			for r, x := range net.interleave(v[p*m : (p+1)*m]) {
				out[r*(n/m)+p] = x
			}
		}
		return out
	case n%2 == 0:
		lower, upper := make([]*result, n/2), make([]*result, n/2)
		for j := range lower {
			lower[j], upper[j] = net.unpack(net.size, v[j], v[j+n/2])
		}
		return append(net.interleave(lower), net.interleave(upper)...)
	}
	placed := make([]*result, n) // each element in its lane of the records
	for k, x := range v {
		from := make([]int, m)
		for e := range m {
			from[(n*e+k)%m] = e
		}
		placed[k] = net.permute(x, func(i int) int { return from[i] })
	}
	out := make([]*result, n)
	for c := range out {
		out[c] = net.choose(placed, func(i int) int { return (c*m + i) % n })
	}
	return out
}

// separate takes the n pieces of records of a half apart: it returns the n fields.
func (net *network) separate(pieces []*result) []*result {
	n, m := len(pieces), net.lanes()
	switch {
	case n == 1:
		return pieces
	case n%m == 0 && n > m:
		var out []*result
		for p := range n / m {
			part := make([]*result, m)
			for r := range part {
				part[r] = pieces[r*(n/m)+p]
			}
			out = append(out, net.separate(part)...)
		}
		return out
	case n%2 == 0:
		out := make([]*result, n)
		lower, upper := net.separate(pieces[:n/2]), net.separate(pieces[n/2:])
		for j := range lower {
			out[j], out[j+n/2] = net.every2(lower[j], upper[j])
		}
		return out
	}
	out := make([]*result, n)
	for k := range out {
		from, back := make([]int, m), make([]int, m)
		for e := range m {
			at := n*e + k
			from[at%m], back[e] = at/m, at%m
		}
		out[k] = net.permute(net.choose(pieces, func(i int) int { return from[i] }), func(i int) int { return back[i] })
	}
	return out
}

// every2 returns the even elements of the pieces of two vectors, and the odd ones.
func (net *network) every2(a, b *result) (even, odd *result) {
	if net.size == 4 {
		return together(net.two(x86.VSHUFPS, a, b, x86.Imm(0x88)), net.two(x86.VSHUFPS, a, b, x86.Imm(0xdd)))
	}
	half := net.lanes() / 2
	order := func(i int) int { return i%half*2 + i/half } // the even elements, and behind them the odd ones
	return net.unpack(8, net.permute(a, order), net.permute(b, order))
}
