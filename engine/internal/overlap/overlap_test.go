package overlap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// shiftOf returns the distance from extent a to extent b that overlap, and false for
// others.
func shiftOf(a, b Extent) (int, bool) {
	shift := int(b.Address - a.Address)
	return shift, shift < a.Size && -shift < b.Size
}

// TestFind checks that relations are equal exactly if all pairs of extents
// overlap, or not, at the same distances.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	equal, different := 0, 0
	for range 20000 {
		n := 1 + r.IntN(5)
		at, order := make([]Extent, n), make([]int, n)
		for i := range at {
			at[i], order[i] = Extent{uintptr(100 + r.IntN(12)), 1 + r.IntN(4)}, i
		}
		before, relations, now := slices.Clone(at), make([]Relation, n), make([]Relation, n)
		Find(relations, at, order)
		for i := range at {
			if r.IntN(3) == 0 {
				at[i].Address = uintptr(100 + r.IntN(12))
			}
		}
		want := true
		for i := range n {
			for j := range i {
				s, ok := shiftOf(before[i], before[j])
				now, still := shiftOf(at[i], at[j])
				want = want && ok == still && (!ok || s == now)
			}
		}
		if want {
			equal++
		} else {
			different++
		}
		Find(now, at, order)
		if got := slices.Equal(now, relations); got != want {
			t.Fatalf("%v after %v: equal %v, want %v", at, before, got, want)
		}
	}
	if equal < 1000 || different < 1000 {
		t.Error(equal, different)
	}
}
