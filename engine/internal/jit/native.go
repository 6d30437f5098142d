package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/emit"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/listing"
)

// Listing returns the machine code of the functions, in the order in which they run.
func (in *instance) Listing() ([]*listing.Function, error) {
	var out []*listing.Function
	err := in.eachFunction(in.items, 1, func(fn *function, phases []*layout.Phase, times int) error {
		obj, err := emit.Generate(in.code.gen.isa, in.code.p, phases, fn.variant, true)
		if err != nil {
			return err
		}
		for i, bp := range phases {
			obj.Text.Phases[i].Elements = times * bp.N * bp.SeqN
		}
		out = append(out, obj.Text)
		return nil
	})
	return out, err
}

// eachFunction calls f with every function, its phases, and how many times a run
// executes it. It stops at the first error.
func (in *instance) eachFunction(items []boundItem, times int, f func(fn *function, phases []*layout.Phase, times int) error) (err error) {
	one := func(bp *boundPhase) {
		phases := []*layout.Phase{bp.Phase}
		if err == nil {
			err = f(bp.fn, phases, times)
		}
		for _, fn := range []*function{bp.streamed, bp.runs, bp.transposed} {
			if err == nil && fn != nil {
				err = f(fn, phases, times)
			}
		}
	}
	for i := range items {
		switch it := &items[i]; {
		case err != nil:
		case it.scalar != nil:
			one(it.scalar)
		case it.vec != nil:
			for _, bp := range it.vec.phases {
				one(bp)
			}
		case it.rows != nil:
			err = f(it.rows.fn, it.rows.phases, times*it.n)
		default:
			err = in.eachFunction(it.par, times*it.n, f)
		}
	}
	return err
}

// Profile writes the name of every function to the map for perf. It ignores errors: a
// program must not fail because perf cannot profile it.
func (in *instance) Profile(name string) {
	_ = in.eachFunction(in.items, 1, func(fn *function, phases []*layout.Phase, _ int) error {
		return fn.code.Record(emit.Symbol(fn.variant, name, phases))
	})
}
