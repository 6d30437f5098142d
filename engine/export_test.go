package engine

import "github.com/oneloop/oneloop/engine/internal/cpucache"

// SetProcessors makes programs that are compiled from now on use n threads,
// whatever the machine has, until restore is called.
func SetProcessors(n int) (restore func()) {
	old := processors
	processors = func() int { return n }
	return func() { processors = old }
}

// SetCaches makes programs that are compiled from now on sweep as on a machine
// with caches of so many bytes, until restore is called.
func SetCaches(l1, l2 int) (restore func()) {
	old := caches
	caches = func() cpucache.Sizes { return cpucache.Sizes{L1: l1, L2: l2, L3: 8 * l2} }
	return func() { caches = old }
}
