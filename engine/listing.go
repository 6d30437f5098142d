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
// machine code. The code depends on the back end and on the layout of the arrays.
// Listings runs nothing, and the arrays need no memory. Stages that are not loops
// have no listing.
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

// addresses are the memories that have an assumed address. The code depends on
// which arrays overlap, and the arrays may have no memory. Different memories get
// distant addresses, and views of one memory keep their distances.
type addresses []expr.Memory

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
