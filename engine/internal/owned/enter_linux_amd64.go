//go:build !race

package owned

import (
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// enter lets the caller in if it is the owner of l, and returns the owner, else nil. It is assembly, because Go code cannot ask for its goroutine.
//
//go:noescape
func enter(l *Lock) *Owner

// goroutine returns a number of the caller that no other goroutine has as long as it lives.
func goroutine() uintptr

// Commands of membarrier(2).
const (
	privateExpedited         = 1 << 3
	registerPrivateExpedited = 1 << 4
)

// A barriers lets all threads of the process pass a barrier of memory.
type barriers struct {
	asked sync.Once
	works atomic.Bool
}

var barrier barriers

// ready reports whether [barriers.all] works. It asks the system in a goroutine, because the first call takes some 10 ms.
func (b *barriers) ready() bool {
	b.asked.Do(func() {
		go func() {
			_, _, e := unix.Syscall(unix.SYS_MEMBARRIER, registerPrivateExpedited, 0, 0)
			b.works.Store(e == 0)
		}()
	})
	return b.works.Load()
}

// all makes all threads pass a barrier. A sandbox that the process has entered since ready may refuse the call: then all goroutines stop, none of
// them in enter, and go on. That takes longer.
func (b *barriers) all() {
	if _, _, e := unix.Syscall(unix.SYS_MEMBARRIER, privateExpedited, 0, 0); e != 0 {
		runtime.ReadMemStats(new(runtime.MemStats))
	}
}
