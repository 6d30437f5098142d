package jit

import (
	"math/rand/v2"
	"testing"
)

// TestBlocksOfColumns compares sums over the sums, and the last states, of columns with the interpreter: a call of such a loop
// has whole blocks, however many columns fit the caches.
func TestBlocksOfColumns(t *testing.T) {
	for _, text := range []string{`kernel sums
axis i0 i1
buf x f32 in 2
buf y f32 out 0
{
  vec i0 {
    seq i1 {
      %0 = load f32 x[i1, i0]
      %1 = reduce sum f32 %0
    }
    %2 = reduce sum f32 %1
  }
  store f32 y[] %2
}`, `kernel states
axis i0 i1
buf x f32 in 2
buf z f32 out 2
buf y f32 out 0
scalar s0 f32
{
  %0 = scalar f32 s0
  vec i0 {
    %5 = load f32 x[0, i0]
    seq i1 {
      %1 = carry f32 %0
      %2 = load f32 x[i1, i0]
      %3 = add f32 %1 %2
      store f32 z[i1, i0] %3
      %4 = next f32 %1 %3
    }
    %6 = reduce max f32 %5
  }
  store f32 y[] %6
}`} {
		k := parse(t, text)
		for _, n := range []int{6, 384, 5000, 9000} {
			r := rand.New(rand.NewPCG(uint64(n), 3))
			x := []int{40, n}
			shapes := [][]int{x, {}}
			if len(k.Bufs) == 3 {
				shapes = [][]int{x, x, {}}
			}
			differ(t, r, newSetup(t, r, k, []int{n, 40}, nil, shapes, true))
		}
	}
}
