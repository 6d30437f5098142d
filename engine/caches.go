package engine

import "github.com/oneloop/oneloop/engine/internal/cpucache"

// Caches returns the sizes, in bytes, of the data caches that a core uses. The
// engine chooses the blocks of loops by them. A size is 0 if the processor does
// not report it. In a virtual machine, others may use the third level too.
func Caches() (l1, l2, l3 int) {
	s := cpucache.Of()
	return s.L1, s.L2, s.L3
}
