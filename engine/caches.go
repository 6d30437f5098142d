package engine

import "github.com/oneloop/oneloop/engine/internal/cpucache"

// Caches are the sizes, in bytes, of the data caches that a core uses, by which
// loops are laid out; 0 where the processor does not tell. In a virtual machine the
// third level may be shared with others.
func Caches() (l1, l2, l3 int) {
	s := cpucache.Of()
	return s.L1, s.L2, s.L3
}
