package engine

import (
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/internal/reuse"
	"github.com/oneloop/oneloop/engine/internal/sched"
)

// process is the state that all programs of the process share. Packages below the
// engine keep only facts of the machine: its back ends (host), caches (cpucache)
// and memory (hostmem, jit/exec).
var process = struct {
	pool        *sched.Pool                     // the helpers; none runs before a loop needs it
	assignments *reuse.Cache[Options, *Program] // programs of Run and of assignments that are idle
	drivers     drivers                         // of the packages with devices that the program imports
	debug       func() map[string]bool          // the words of ONELOOP_DEBUG, read once

	// rebinds counts the calls of Memory.Rebind. A run loads it once, and checks the
	// memories of its program only if it has changed.
	rebinds atomic.Uint64
}{
	pool:        sched.NewPool(),
	assignments: assignments(),
	debug:       sync.OnceValue(debugWords),
}
