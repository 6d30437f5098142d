package x86

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLens tests that the lengths of each coding, by which match takes an instruction without a look at its
// values, are those at which takenBy takes it. Two lengths at once are none: set refuses them.
func TestLens(t *testing.T) {
	g := generator{t: t, rng: rand.New(rand.NewPCG(2, 2))}
	taken := 0
	for i := range forms {
		f, c := &forms[i], &codings[i]
		g.vals = g.vals[:0]
		for k := range f.ops {
			g.vals = append(g.vals, g.values(f, W64, k))
		}
		byValue := slices.ContainsFunc(f.ops[:], func(p pat) bool { return p == patCL || p == patVSIB || immOf[p] > 0 && p != patI8 })
		for _, l := range []Len{0, W8, W16, W32, W64, L128, L256, L512, W8 | W16, W32 | W64, L128 | L256, L256 | L512} {
			for n := range 9 {
				ops := g.random(f, pick(n%3))
				in := insn{}
				if !in.set(f.op, l, ops) {
					continue
				}
				evex, ok := in.takenBy(f)
				if fast := c.lens&l != 0 && !in.evex; fast && (evex || !ok) || !fast && !byValue && ok && !evex && l != 0 {
					t.Fatalf("%s: the lengths of form %d are %b; takenBy says %t, EVEX %t", requestText(f.op, l, ops), i, c.lens, ok, evex)
				} else if fast {
					taken++
				}
			}
		}
	}
	if taken < 5000 {
		t.Errorf("the lengths of codings take %d instructions", taken)
	}
}
