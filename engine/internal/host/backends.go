// Package host finds the CPU back ends of the machine and compiles the loops of
// plans with them.
package host

import (
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
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

// Listings compiles the loops of a plan, as a program on back end be would, and
// returns their machine code. It runs nothing, and the arrays need no memory.
func Listings(be backend.Backend, pl *plan.Plan) ([]*listing.Kernel, error) {
	var out []*listing.Kernel
	var room addresses
	for i, s := range pl.All() {
		if s.Kernel == nil {
			continue
		}
		b := Binding(s)
		for k, o := range s.Bufs {
			if o.Array != nil {
				b.Bufs[k].Assumed = room.of(pl, o.Array)
			}
		}
		code, inst, err := Compile(be, s, &b)
		if err != nil {
			return nil, err
		}
		k, err := list(be, i, s, code, inst)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// addresses are the memories that have an assumed address. The code depends on
// which arrays overlap, and the arrays may have no memory. Different memories get
// distant addresses, and views of one memory keep their distances.
type addresses []tree.Memory

// of returns the assumed address of the first element of an array. The address is
// not one of real memory.
func (r *addresses) of(pl *plan.Plan, a *plan.Array) uintptr {
	i := slices.Index(*r, a.Mem)
	if i < 0 {
		i = len(*r)
		*r = append(*r, a.Mem)
	}
	offset := a.Offset * a.Type.Size()
	if a.Mem == nil {
		offset += pl.Temps[a.Temp].Offset
	}
	const apart = 1 << (bits.UintSize/2 + 4)
	return uintptr((i+1)*apart + offset)
}

// list returns the machine code of a stage that has been compiled.
func list(be backend.Backend, stage int, s *plan.Stage, code backend.Code, inst backend.Instance) (*listing.Kernel, error) {
	k := &listing.Kernel{Stage: stage, Name: s.Kernel.Name, Backend: be.Name()}
	native, ok := inst.(backend.Native)
	if !ok {
		if f, ok := code.(backend.Fallback); ok {
			k.Fallback = f.Fallback()
		}
		return k, nil
	}
	var err error
	k.Functions, err = native.Listing()
	return k, err
}
