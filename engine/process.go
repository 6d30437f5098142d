package engine

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/reuse"
	"github.com/oneloop/oneloop/engine/internal/words"
	"github.com/oneloop/oneloop/expr/tree"
)

// process is the state that all programs of the process share. Packages below the
// engine keep only facts of the machine: its back ends (host), caches (cpucache)
// and memory (hostmem, jit/exec). The helpers are those of [sched.Shared].
var process = struct {
	assignments *reuse.Cache[Options, *host.Program] // programs of Run and of assignments that are idle
	debug       func() map[string]bool               // the words of ONELOOP_DEBUG, read once

	// rebinds counts the calls of Memory.Rebind. A run loads it once, and checks the
	// memories of its program only if it has changed.
	rebinds atomic.Uint64
}{
	assignments: assignments(),
	debug:       sync.OnceValue(func() map[string]bool { return words.Of(os.Getenv("ONELOOP_DEBUG"), os.Stderr) }),
}

// assignments returns an empty cache of assignments.
func assignments() *reuse.Cache[Options, *host.Program] {
	return reuse.NewCache[Options, *host.Program](4<<20, reuse.Memories{
		Host: func(m tree.Memory) ([]byte, bool) {
			h, ok := m.(*Memory)
			if !ok || h.dev != nil {
				return nil, false
			}
			return h.data, true
		},
		New: func(size int) (tree.Memory, *[]byte) {
			m := &Memory{size: size, head: AtHost}
			return m, &m.data
		},
	})
}
