package engine

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A bell wakes a goroutine that waits for it, at most one. It is a futex: the
// thread of the waiting goroutine sleeps with it and goes on within
// microseconds, where a goroutine that waits for a channel must first find a
// thread.
type bell struct{ rung uint32 }

func newBell() *bell { return new(bell) }

// Operations of futex(2).
const (
	futexWait    = 0
	futexWake    = 1
	futexPrivate = 128
)

// wait returns after a ring, which may have been before.
func (b *bell) wait() {
	for atomic.SwapUint32(&b.rung, 0) == 0 {
		// An error is a reason to look again, as a ring is.
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWait|futexPrivate, 0, 0, 0, 0)
	}
}

// ring wakes who waits or who will.
func (b *bell) ring() {
	atomic.StoreUint32(&b.rung, 1)
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWake|futexPrivate, 1, 0, 0, 0)
}
