package engine

import (
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/listing"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
)

// Listings compiles the loops of a plan as a program would, and returns their
// machine code, which depends on the backend and on how the arrays are laid
// out. Nothing is run, and the arrays need no memory. Stages that are no loops
// have no code.
func Listings(o Options, pl *plan.Plan) ([]*listing.Kernel, error) {
	if pl == nil {
		return nil, expr.NewError(expr.ErrValue, "", "the plan is nil")
	}
	be, err := backendNamed(o.Backend)
	if err != nil {
		return nil, err
	}
	var out []*listing.Kernel
	var room addresses
	for i, s := range pl.Stages {
		if s.Kernel == nil {
			continue
		}
		b := newBinding(s)
		for k, o := range s.Bufs {
			if o.Array != nil {
				b.Bufs[k].Assumed = room.of(pl, o.Array)
			}
		}
		code, inst, err := bindStage(be, s, &b)
		if err != nil {
			return nil, err
		}
		k, err := listKernel(be.Name(), i, s, code, inst)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// addresses stand for those of arrays that have no memory, by which code is chosen:
// memories lie apart, and views of one of them as they do there.
type addresses []expr.Memory

// of is the address of the first element of an array. Nothing is there.
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

func listKernel(name string, stage int, s *plan.Stage, code backend.Code, inst backend.Instance) (*listing.Kernel, error) {
	k := &listing.Kernel{Stage: stage, Name: s.Kernel.Name, Backend: name}
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

// debugCode prints the machine code of the loops of a program.
func debugCode(w io.Writer, p *Program) error {
	for i, st := range p.steps {
		l, ok := st.(*loopStep)
		if !ok {
			continue
		}
		k, err := listKernel(p.backend.Name(), i, l.s, l.code, l.inst)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "oneloop: stage %d: %s", i, k)
	}
	return nil
}
