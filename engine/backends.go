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

// A Missing is a back end that this machine cannot use, with the reason.
type Missing struct {
	Name string
	Why  error
}

// found returns the CPU back ends of this machine, the preferred one first, and
// the missing ones. The interpreter is last and always there.
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

// Backends returns the names of the CPU back ends that this machine can use, the
// preferred one first. All give the same bits.
func Backends() []string {
	have, _ := found()
	names := make([]string, len(have))
	for i, b := range have {
		names[i] = b.Name()
	}
	return names
}

// MissingBackends returns the CPU back ends that this machine cannot use, with
// the reasons.
func MissingBackends() []Missing {
	_, lack := found()
	return lack
}

// DefaultBackend returns the name of the back end for programs whose options name
// none. It is the value of the environment variable ONELOOP_CPU, or else the
// first of Backends. The error says why this back end cannot be used.
func DefaultBackend() (string, error) {
	b, err := backendNamed("")
	if err != nil {
		return "", err
	}
	return b.Name(), nil
}

// ExecutableMemory returns the method by which the process gets memory for
// machine code, or "none". The errors say why the methods tried before it failed.
func ExecutableMemory() (method string, failed []error) {
	m, err := exec.Probe()
	if err != nil {
		return m.String(), []error{err}
	}
	return m.String(), exec.Failed()
}

// backendNamed returns the back end of the given name. For an empty name it
// returns the one that the environment variable ONELOOP_CPU names, or else the
// preferred one.
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
