package jit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// TestLanesOfCalls compares maps over neighbouring elements with the interpreter: a call of a cheap one has most lanes, and
// no call takes longer than the estimate allows.
func TestLanesOfCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	const n = 2*layout.MostLanes + 77
	for _, c := range []struct {
		typ string
		ops int
	}{{"i8", 1}, {"f32", 4}, {"f64", 60}} {
		text := fmt.Sprintf("kernel k\naxis i0\nbuf x %[1]s in 1\nbuf y %[1]s out 1\n{\n  vec i0 {\n    %%0 = load %[1]s x[i0]\n", c.typ)
		for i := range c.ops {
			text += fmt.Sprintf("    %%%d = mul %s %%%d %%%d\n", i+1, c.typ, i, i)
		}
		k := parse(t, text+fmt.Sprintf("    store %s y[i0] %%%d\n  }\n}", c.typ, c.ops))
		s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}}, true)
		for _, be := range isas(t) {
			bv := s.instance(t, be).(*instance).vecs[0]
			time := be.(*generator).laneCost(bv.phases[0].Phase) * float64(bv.step)
			if time > maxCall || time < maxCall/2 && bv.step < layout.MostLanes {
				t.Errorf("%s: %+v: a call has %d lanes, which take %.0f ns", be.Name(), c, bv.step, time)
			}
		}
		differ(t, r, s)
	}
}
