// Package pairwise combines the results of the blocks of a reduction in a fixed
// tree: adjacent pairs, level by level, the odd one carried up. So the bits do
// not depend on who has computed which block.
package pairwise

import "math/bits"

// Reduce combines the results of all blocks, which it overwrites; it reports
// whether there are any.
func Reduce[P any](p []P, combine func(x, y P) P) (r P, ok bool) {
	if len(p) == 0 {
		return r, false
	}
	for n := len(p); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			p[i] = combine(p[2*i], p[2*i+1])
		}
		if n%2 == 1 {
			p[n/2] = p[n-1]
		}
	}
	return p[0], true
}

// A Tree is Reduce for results that come one after the other. The zero value
// has none.
type Tree[P any] struct {
	slots [48]P // slot i holds 2^i blocks if bit i of count is set
	count int
}

// Push adds the result of the next block.
func (t *Tree[P]) Push(p P, combine func(x, y P) P) {
	i := 0
	for ; t.count>>i&1 != 0; i++ {
		p = combine(t.slots[i], p)
	}
	t.slots[i] = p
	t.count++
}

// Pop combines what has been pushed, the last blocks first, and empties the
// tree; it reports whether there was anything.
func (t *Tree[P]) Pop(combine func(x, y P) P) (p P, ok bool) {
	if t.count == 0 {
		return p, false
	}
	i := bits.TrailingZeros(uint(t.count))
	p = t.slots[i]
	for i++; t.count>>i != 0; i++ {
		if t.count>>i&1 != 0 {
			p = combine(t.slots[i], p)
		}
	}
	t.count = 0
	return p, true
}
