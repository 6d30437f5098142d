package exec

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// ErrFull is returned when the code that is alive fills the arena.
var ErrFull = errors.New("exec: the code arena is full")

// A Code is installed machine code, until it is released.
type Code struct {
	entry uintptr
	size  int
	span  span
	seg   *segment

	released atomic.Bool
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
	a := arenas[m]
	c, err := a.install(code)
	for try := 0; err == ErrFull && len(code) <= arenaLimit && try < 5; try++ {
		collect()
		c, err = a.install(code)
	}
	return c, err
}

// collect has code that nobody can reach any more released. Cleanups do that some
// time after the collector has found it out, so collect waits for one of its own, for
// a second at most.
func collect() {
	var ran atomic.Bool
	runtime.AddCleanup(new([64]byte), func(ran *atomic.Bool) { ran.Store(true) }, &ran)
	runtime.GC()
	for try := 0; try < 1000 && (try == 0 || !ran.Load()); try++ {
		time.Sleep(time.Millisecond)
	}
}

// Release gives the memory of the code back, which nobody may call any more.
func (c *Code) Release() {
	if c.released.Swap(true) {
		panic("exec: Release of released code")
	}
	c.seg.arena.release(c)
}

// Call runs the code from its first byte with args in RDI. args may point to the stack; pointers in the block must be
// declared as such (unsafe.Pointer, not uintptr), or the collector does not
// see what the code uses.
func (c *Code) Call(args unsafe.Pointer) {
	call(c.entry, args)
	runtime.KeepAlive(c)
}
