package engine

import (
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/sched"
)

// SetProcessors makes programs compiled later use n threads, whatever the machine
// has, until the caller calls restore.
func SetProcessors(n int) (restore func()) {
	p := sched.Shared
	old := p.Processors
	p.Processors = func() int { return n }
	return func() { p.Processors = old }
}

// SetCaches makes programs compiled later choose directions and blocks as on a
// machine with caches of l1 and l2 bytes, until the caller calls restore.
func SetCaches(l1, l2 int) (restore func()) {
	p := sched.Shared
	old := p.Caches
	p.Caches = func() cpucache.Sizes { return cpucache.Sizes{L1: l1, L2: l2, L3: 8 * l2} }
	return func() { p.Caches = old }
}

// DebugWords reads a value of ONELOOP_DEBUG.
var DebugWords = debugWords
