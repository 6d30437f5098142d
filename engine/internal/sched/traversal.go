package sched

import (
	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// A traversal says in which direction and in which blocks a loop goes over its units.
// If the arrays are half as large again as the first-level cache, or larger, the direction alternates:
// each loop begins with the elements that the loop before it left in the caches.
// See docs/adr/0009. The first direction is down, because the code that filled
// the arrays wrote their ends last. Down means that the blocks are in descending
// order; the units of a block are in ascending order.
type traversal struct {
	large bool // a worker's share of the arrays is larger than one and a half first-level caches
	step  int  // blocks begin at multiples of step
	// A block has near units if it is less than edge units from an end of its
	// part, and far units elsewhere. Near the ends, elements stay in the
	// first-level cache from one loop to the next.
	near, edge int
	far        int // 0: always up, because the arrays are not large or there is only one block
}

// newTraversal returns the traversal of a loop of n units over arrays of the given
// number of bytes, which the workers divide. Chunks begin at multiples of grain.
func newTraversal(n, grain, bytes, workers int, c cpucache.Sizes) traversal {
	share := bytes / max(workers, 1)
	s := traversal{large: c.L1 > 0 && share > c.L1+c.L1/2, step: grain}
	if !s.large || n <= s.step {
		return s
	}
	units := func(b int) int {
		u := int(float64(n) * float64(b) / float64(bytes))
		return max((u+s.step-1)/s.step, 1) * s.step
	}
	s.near, s.edge = units(c.L1/3), units(c.L1)
	s.far = units(share)
	if share > c.L2/2 { // not all of the share stays in the second-level cache
		s.far = units(max(c.L2/2, share/64))
	}
	return s
}

// alternate reports whether the loop goes down this time. down is the direction of the
// program's last loop over large arrays; alternate updates it.
func (s *traversal) alternate(down *bool) bool {
	if s.large {
		*down = s.far > 0 && !*down
	}
	return s.far > 0 && *down
}

// blocks runs units lo..hi of the part begin..end: in one call if the direction
// is up, and block by block if it is down.
func (s *traversal) blocks(w backend.Worker, lo, hi, begin, end int, down bool) {
	if !down {
		w.Run(lo, hi)
		return
	}
	for lo < hi {
		at := max(s.below(hi, begin, end), lo)
		w.Run(at, hi)
		hi = at
	}
}

// below returns the begin of the block that ends before unit hi.
func (s *traversal) below(hi, begin, end int) int {
	at := hi - s.near
	if begin+s.edge < hi && hi <= end-s.edge {
		at = max(hi-s.far, begin+s.edge)
	}
	return at - at%s.step
}
