package engine

import "github.com/oneloop/oneloop/engine/internal/cpucache"

// SetProcessors makes programs compiled later use n threads, whatever the machine
// has, until the caller calls restore.
func SetProcessors(n int) (restore func()) {
	old := processors
	processors = func() int { return n }
	return func() { processors = old }
}

// SetCaches makes programs compiled later choose directions and blocks as on a
// machine with caches of l1 and l2 bytes, until the caller calls restore.
func SetCaches(l1, l2 int) (restore func()) {
	old := caches
	caches = func() cpucache.Sizes { return cpucache.Sizes{L1: l1, L2: l2, L3: 8 * l2} }
	return func() { caches = old }
}
