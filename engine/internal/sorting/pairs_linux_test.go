package sorting

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestPairsGuarded divides random rows of integers of two bytes between pages without access, by both ways of doing it: rows that need a call
// of a kernel and several, and values of few bits, which need many passes.
func TestPairsGuarded(t *testing.T) {
	defer func(does bool) { compressesPairs = does }(compressesPairs)
	ways := slices.Compact([]bool{compressesPairs, false})
	r := rand.New(rand.NewPCG(11, 4))
	for i := range testlevel.Every(5000, 150) {
		n := 1 + r.IntN(1<<(1+r.IntN(14)))
		if i%20 == 0 {
			n += callKeys * r.IntN(3)
		}
		x, room, got := guarded(t, n), guarded(t, 6*n), guarded(t, n)
		kind, shift, down, place := kinds[r.IntN(len(kinds))], r.IntN(16), r.IntN(2) > 0, r.IntN(n)
		for i := range x {
			x[i] = int16(kind.bits(r, i, n)) >> shift
		}
		want := parted(x, place, down)
		for _, isa := range isas() {
			for _, compressesPairs = range ways {
				what := fmt.Sprintf("%s: %d of bits %d, %s, place %d, descending %t, compressed %t", isa, n, 16-shift, kind.name, place, down, compressesPairs)
				if !New(isa).Sort(callOf(1), tree.Rows{
					Type: dtype.I16, Descending: down, Count: 1, Length: n, Places: []int{place},
					From: unsafe.Pointer(&x[0]), To: unsafe.Pointer(&room[0]), Parted: unsafe.Pointer(&got[0]),
				}) {
					t.Fatal(what, "has no kernels")
				}
				if !slices.Equal(got, want) {
					t.Fatal(what, "is another one")
				}
			}
		}
	}
}

// guarded returns memory right before a page without access.
func guarded(t *testing.T, n int) []int16 {
	return unsafe.Slice((*int16)(testlevel.Guarded(t, 2*n, true)), n)
}

// parted returns a row in parts.
func parted(x []int16, place int, down bool) []int16 {
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, func(a, b int16) int { return order0(a, b, down) })
	value := sorted[place]
	var lower, upper []int16
	equal := place - slices.Index(sorted, value) // of the lower part
	for _, v := range x {
		switch c := order0(v, value, down); {
		case c < 0, c == 0 && equal > 0:
			lower = append(lower, v)
		case c > 0, equal < 0:
			upper = append(upper, v)
		}
		equal -= is(v == value)
	}
	return append(append(lower, value), upper...)
}

// TestPairsChange tests that a row that changes while it is divided is stored within its memory.
func TestPairsChange(t *testing.T) {
	const n = 1 << 13
	x, room, got := guarded(t, n), guarded(t, 6*n), guarded(t, n)
	meanwhile(t, func(turn int) {
		for i := range x {
			x[i] = int16(i*turn) >> (turn & 15)
		}
	})
	for _, isa := range isas() {
		s := New(isa)
		for i := range 2000 {
			s.Sort(callOf(1), tree.Rows{
				Type: dtype.I16, Count: 1, Length: n, Places: []int{i * n / 2000},
				From: unsafe.Pointer(&x[0]), To: unsafe.Pointer(&room[0]), Parted: unsafe.Pointer(&got[0]),
			})
		}
	}
}
