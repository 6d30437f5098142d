package exec

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"
)

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

// collect releases unreachable code. Cleanups release it, which run some time after the
// collection. So collect waits until a cleanup of its own has run, for a second at most.
func collect() {
	var ran atomic.Bool
	runtime.AddCleanup(new([64]byte), func(ran *atomic.Bool) { ran.Store(true) }, &ran)
	runtime.GC()
	for try := 0; try < 1000 && (try == 0 || !ran.Load()); try++ {
		time.Sleep(time.Millisecond)
	}
}

// forPerf has Install use anonymous memory.
var forPerf atomic.Bool

// ForPerf has code from now on put where perf looks names up: in anonymous
// memory, which a memory file mapped twice is not. Where that cannot be had,
// nothing changes.
func ForPerf() {
	if runtime.GOOS == "linux" && callable && try(Protect) == nil {
		forPerf.Store(true)
	}
}
