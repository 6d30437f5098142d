package jit

import (
	"math/rand/v2"
	"testing"
)

// TestFunctionOfMoves tests that instances of one kernel share a function only if one of their own would be the same: with wide vectors,
// a loop that loads and stores bound has other code outside the first level.
func TestFunctionOfMoves(t *testing.T) {
	FixWide(t)
	defer forget()
	r := rand.New(rand.NewPCG(29, 40))
	k := parse(t, "kernel moves\naxis i0\nbuf x f32 in 1\nbuf y f32 out 1\n{\nvec i0 {\n%0 = load f32 x[i0]\n%1 = add f32 %0 %0\nstore f32 y[i0] %1\n}\n}\n")
	for _, be := range isas(t) {
		code, err := compiled(be, k)
		if err != nil {
			t.Fatal(err)
		}
		fns := map[*function]bool{}
		for _, n := range []int{1000, 2000, 20000, 40000} {
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}}, true)
			in, err := code.Bind(s.b)
			if err != nil {
				t.Fatal(err)
			}
			fns[in.(*instance).phases[0].fn] = true
			s.release()
		}
		if be.Name() != "neon" && len(fns) != 2 {
			t.Errorf("%s: %d functions, want 2", be.Name(), len(fns))
		}
	}
}
