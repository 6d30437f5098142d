package exec

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// A Method is a way to get executable memory.
type Method uint8

// The methods.
const (
	None    Method = iota
	DualMap        // a memory file mapped twice: writable here, executable there
	Protect        // one mapping, writable and later executable
	numMethods
)

func (m Method) String() string {
	return [...]string{"none", "memory file mapped twice", protectName}[m%numMethods]
}

// Probe finds the method that works here. It tries each by running a function
// made with it, once in the life of the process; the error says why there is
// none.
func Probe() (Method, error) {
	m, failed := probe()
	if m != None {
		return m, nil
	}
	if !callable {
		return None, fmt.Errorf("exec: no machine code on %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)
	}
	return None, fmt.Errorf("exec: no executable memory on %s/%s: %w", runtime.GOOS, runtime.GOARCH, cmp.Or(errors.Join(failed...), errors.ErrUnsupported))
}

// Failed says why the methods that come before the one in use do not work, if
// the system has them.
func Failed() []error {
	_, failed := probe()
	return failed
}

var probe = sync.OnceValues(func() (found Method, failed []error) {
	if !callable {
		return None, nil
	}
	for _, m := range []Method{DualMap, Protect} {
		err := try(m)
		if err == nil {
			return m, failed
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			failed = append(failed, fmt.Errorf("%s: %w", m, err))
		}
	}
	return None, failed
})

// arenas has the arena of each method; only that of the probed one gets code.
var arenas = [numMethods]*arena{
	DualMap: {mem: dualMemory{}, granule: codeAlign, limit: arenaLimit},
	Protect: {mem: protectMemory{}, granule: pageSize, limit: arenaLimit},
}

// forced is the environment variable ONELOOP_EXEC: memfd, mprotect or none. It
// leaves one method, or none, of those that [Probe] tries, for tests and for
// systems on which a method works but is not wanted.
var forced = sync.OnceValue(func() string { return os.Getenv("ONELOOP_EXEC") })

// permitted is an error if ONELOOP_EXEC rules a method out.
func permitted(m Method) error {
	names := [numMethods]string{DualMap: "memfd", Protect: "mprotect"}
	if f := forced(); f != "" && f != names[m] {
		return fmt.Errorf("ruled out by ONELOOP_EXEC=%s", f)
	}
	return nil
}

// try runs functions that answer 42, 43 and so on, installed by m one after the other at one place.
// A second one finds emulators that do not see new instructions there.
func try(m Method) error {
	if err := permitted(m); err != nil {
		return err
	}
	for i, code := range probeCodes {
		c, err := arenas[m].install(code)
		if err != nil {
			return err
		}
		block := struct{ question, answer uint64 }{question: 41}
		if c.Call(unsafe.Pointer(&block)); i < len(probeCodes)-1 {
			c.giveUnclean()
		} else {
			c.Release()
		}
		if block.answer != uint64(42+i) {
			return fmt.Errorf("probe %d answered %d", i, block.answer)
		}
	}
	return nil
}

// giveUnclean frees the memory of code that no other thread has run.
func (c *Code) giveUnclean() {
	c.seg.arena.mu.Lock()
	defer c.seg.arena.mu.Unlock()
	c.seg.give(c.span)
}
