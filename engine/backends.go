package engine

import (
	"os"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr"
)

// A Missing is a backend that cannot be used here, and why.
type Missing struct {
	Name string
	Why  error
}

// found are the backends of this machine, the preferred one first: machine code
// where it can be made, and the interpreter, which runs everywhere.
var found = sync.OnceValues(func() (have []backend.Backend, lack []Missing) {
	for _, isa := range jit.ISAs {
		b, err := jit.New(isa)
		if err != nil {
			lack = append(lack, Missing{isa, err})
			continue
		}
		have = append(have, b)
	}
	return append(have, interp.New()), lack
})

// Backends lists the names of the CPU backends that can be used here, the
// preferred one first. All give the same bits.
func Backends() []string {
	have, _ := found()
	names := make([]string, len(have))
	for i, b := range have {
		names[i] = b.Name()
	}
	return names
}

// MissingBackends lists the CPU backends that cannot be used here, and why.
func MissingBackends() []Missing {
	_, lack := found()
	return lack
}

// DefaultBackend is the name of the backend that programs without a choice of
// their own are compiled by: the one that the environment variable ONELOOP_CPU
// names, or the first of Backends. The error says why that cannot be used.
func DefaultBackend() (string, error) {
	b, err := backendNamed("")
	if err != nil {
		return "", err
	}
	return b.Name(), nil
}

// ExecutableMemory says how memory for machine code is got here, "none" if it
// cannot be, and why what was tried before does not work.
func ExecutableMemory() (method string, failed []error) {
	m, err := exec.Probe()
	if err != nil {
		return m.String(), []error{err}
	}
	return m.String(), exec.Failed()
}

// backendNamed finds a backend. Without a name it is the one that the
// environment variable ONELOOP_CPU names, or the preferred one.
func backendNamed(name string) (backend.Backend, error) {
	from := ""
	if name == "" {
		if name = os.Getenv("ONELOOP_CPU"); name != "" {
			from = "ONELOOP_CPU: "
		}
	}
	have, lack := found()
	for _, b := range have {
		if name == "" || b.Name() == name {
			return b, nil
		}
	}
	for _, m := range lack {
		if m.Name == name {
			return nil, expr.NewError(expr.ErrDevice, "", "%sbackend %s: %s", from, name, m.Why)
		}
	}
	return nil, expr.NewError(expr.ErrDevice, "", "%sthere is no backend %q here; there are %s", from, name, strings.Join(Backends(), ", "))
}
