// Package pairwise combines the results of the blocks of a reduction in a fixed
// tree: adjacent pairs, level by level, the odd one carried up. So the bits do
// not depend on who has computed which block.
package pairwise

import "math/bits"

// Reduce combines the results of all blocks, which it overwrites; of none it is
// empty.
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

// Pop combines what has been pushed, the last blocks first, and leaves the tree
// without any; of none it is empty.
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
