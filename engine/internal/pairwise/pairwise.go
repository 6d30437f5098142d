// Package pairwise combines the results of the blocks of a reduction in a fixed
// tree: adjacent pairs, level by level. An odd result at the end of a level moves
// up unchanged. So the bits do not depend on which worker computes which block.
package pairwise

import "math/bits"

// Reduce returns the combination of the results of all blocks, or empty if there
// are none. It overwrites p.
func Reduce[P any](p []P, empty P, combine func(x, y P) P) P {
	if len(p) == 0 {
		return empty
	}
	for n := len(p); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			p[i] = combine(p[2*i], p[2*i+1])
		}
		if n%2 == 1 {
			p[n/2] = p[n-1]
		}
	}
	return p[0]
}

// A Tree combines results that come one after the other, in the order of Reduce.
// The zero value has no results.
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

// Pop returns the combination of all results pushed, or empty if there are none,
// and removes them from the tree.
func (t *Tree[P]) Pop(empty P, combine func(x, y P) P) P {
	if t.count == 0 {
		return empty
	}
	i := bits.TrailingZeros(uint(t.count))
	p := t.slots[i]
	for i++; t.count>>i != 0; i++ {
		if t.count>>i&1 != 0 {
			p = combine(t.slots[i], p)
		}
	}
	t.count = 0
	return p
}
