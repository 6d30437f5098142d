package sched

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A parker parks one goroutine until another wakes it. It is a futex: the thread of
// the waiting goroutine sleeps too, and continues within microseconds. A
// goroutine that waits for a channel must first find a thread.
type parker struct{ rung uint32 }

func newParker() *parker { return new(parker) }

// Operations of futex(2).
const (
	futexWait    = 0
	futexWake    = 1
	futexPrivate = 128
)

// wait returns after a ring. It returns at once if the ring came before it.
func (b *parker) wait() {
	for atomic.SwapUint32(&b.rung, 0) == 0 {
		// The loop condition is checked again after an error, as after a wake.
		_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWait|futexPrivate, 0, 0, 0, 0)
	}
}

// ring wakes the goroutine that waits, or lets the next wait return at once.
func (b *parker) ring() {
	atomic.StoreUint32(&b.rung, 1)
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWake|futexPrivate, 1, 0, 0, 0)
}
