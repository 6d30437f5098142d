package exec

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// ErrFull is returned when the code that is alive fills the arena.
var ErrFull = errors.New("exec: the code arena is full")

// A Code is installed machine code. It is reference counted: Install gives the
// first reference, and when the last is released the memory is used again, so
// whoever calls holds one.
type Code struct {
	entry uintptr
	size  int
	refs  atomic.Int32
	span  span
	seg   *segment

	recorded atomic.Bool // in the map for perf
}

// Install copies code, which is position-independent and has its constants in
// it, to executable memory, at a multiple of 64.
func Install(code []byte) (*Code, error) {
	m, err := Probe()
	if err != nil {
		return nil, err
	}
	if len(code) == 0 {
		return nil, errors.New("exec: no code")
	}
	if forPerf.Load() {
		m = Protect
	}
	return arenas[m].install(code)
}

// Retain adds a reference to those the caller knows to exist.
func (c *Code) Retain() *Code {
	if !c.TryRetain() {
		panic("exec: Retain of released code")
	}
	return c
}

// TryRetain adds a reference, unless the last one is gone: for caches whose
// entries may be evicted while they are looked up.
func (c *Code) TryRetain() bool {
	for {
		n := c.refs.Load()
		if n <= 0 {
			return false
		}
		if c.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release drops a reference. After the last, the code is gone.
func (c *Code) Release() {
	switch n := c.refs.Add(-1); {
	case n == 0:
		c.seg.arena.release(c)
	case n < 0:
		panic("exec: Release of released code")
	}
}

// Call runs the code from its first byte with args in RDI. The caller holds a
// reference. args may point to the stack; pointers in the block must be
// declared as such (unsafe.Pointer, not uintptr), or the collector does not
// see what the code uses.
func (c *Code) Call(args unsafe.Pointer) {
	call(c.entry, args)
	runtime.KeepAlive(c)
}

// CallAt is Call from another entry, offset bytes into the code.
func (c *Code) CallAt(offset int, args unsafe.Pointer) {
	if uint(offset) >= uint(c.size) {
		panic(fmt.Sprintf("exec: entry %d in code of %d bytes", offset, c.size))
	}
	call(c.entry+uintptr(offset), args)
	runtime.KeepAlive(c)
}

// Addr is the address of the first byte, for symbol maps.
func (c *Code) Addr() uintptr { return c.entry }

// Size is the length of the code in bytes.
func (c *Code) Size() int { return c.size }
