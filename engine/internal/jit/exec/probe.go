package exec

import (
	"errors"
	"fmt"
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
	errs := errors.Join(failed...)
	if errs == nil {
		errs = errors.ErrUnsupported
	}
	return None, fmt.Errorf("exec: no executable memory on %s/%s: %w", runtime.GOOS, runtime.GOARCH, errs)
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
	DualMap: {mem: dualMemory{}, granule: codeAlign},
	Protect: {mem: protectMemory{}, granule: pageSize},
}

// try runs a function that answers 42, installed by m.
func try(m Method) error {
	c, err := arenas[m].install(probeCode)
	if err != nil {
		return err
	}
	defer c.Release()
	block := struct{ question, answer uint64 }{question: 41}
	c.Call(unsafe.Pointer(&block))
	if block.answer != 42 {
		return fmt.Errorf("the probe answered %d", block.answer)
	}
	return nil
}
