// Package host finds the CPU back ends of the machine and compiles the loops of
// plans with them.
package host

import (
	"os"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Missing is a back end that this machine cannot use, with the reason.
type Missing struct {
	Name string
	Why  error
}

// Backends returns the CPU back ends of this machine, the preferred one first, and
// the missing ones. The interpreter is last and always there.
var Backends = sync.OnceValues(func() (have []backend.Backend, lack []Missing) {
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

// Names returns the names of the CPU back ends that this machine can use, the
// preferred one first.
func Names() []string {
	have, _ := Backends()
	return lists.Map(have, backend.Backend.Name)
}

// chosen returns the value of the environment variable ONELOOP_CPU at the first
// call. To read the variable takes as long as a short run.
var chosen = sync.OnceValue(func() string { return os.Getenv("ONELOOP_CPU") })

// Named returns the back end of the given name. For an empty name it returns the
// one that the environment variable ONELOOP_CPU names, or else the preferred one.
func Named(name string) (backend.Backend, error) {
	from := ""
	if name == "" {
		if name = chosen(); name != "" {
			from = "ONELOOP_CPU: "
		}
	}
	have, lack := Backends()
	for _, b := range have {
		if name == "" || b.Name() == name {
			return b, nil
		}
	}
	for _, m := range lack {
		if m.Name == name {
			return nil, tree.NewError(tree.ErrDevice, "", "%sbackend %s: %s", from, name, m.Why)
		}
	}
	return nil, tree.NewError(tree.ErrDevice, "", "%sthere is no backend %q here; there are %s", from, name, strings.Join(Names(), ", "))
}
