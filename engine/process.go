package engine

import (
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/internal/reuse"
	"github.com/oneloop/oneloop/engine/internal/sched"
)

// process is the state that all programs of the process share.
var process = struct {
	pool        *sched.Pool // the helpers
	assignments *reuse.Cache[Options, *Program]

	// rebinds counts the calls of Memory.Rebind. A run loads it once, and checks the
	// memories of its program only if it has changed.
	rebinds atomic.Uint64
}{
	pool:        sched.NewPool(),
	assignments: assignments(),
}
