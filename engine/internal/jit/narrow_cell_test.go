package jit

import (
	"math/rand/v2"
	"testing"
)

// cells have a predicate that is computed once and selects among bytes: from a number,
// and from an element, beside which the vector that computes it has other lanes.
var cells = []string{
	`kernel number
axis i0
params 1
buf b0 i8 in 1
buf b1 i8 out 1
{
  %0 = index p0
  %1 = const i64 0x0000000000000003
  %2 = lt bool %0 %1
  %3 = const bool 0x01
  %4 = and bool %2 %3
  vec i0 {
    %5 = load i8 b0[i0]
    %6 = not i8 %5
    %7 = select i8 %4 %5 %6
    store i8 b1[i0] %7
  }
}
`, `kernel element
axis i0
params 1
buf b0 i8 in 1
buf b1 i8 out 1
buf b2 i32 in 1
{
  %0 = load i32 b2[0]
  %1 = const i32 0x00000000
  %2 = eq bool %0 %1
  vec i0 {
    %5 = load i8 b0[i0]
    %6 = not i8 %5
    %7 = select i8 %2 %5 %6
    store i8 b1[i0] %7
  }
}
`,
}

func TestOctetCells(t *testing.T) {
	for _, text := range cells {
		k := parse(t, text)
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 61))
			n := 1 + r.IntN(200)
			shapes := [][]int{{n}, {n}, {1}}[:len(k.Bufs)]
			differ(t, r, newSetup(t, r, k, []int{n}, []int{r.IntN(6)}, shapes, seed%2 == 0))
		}
	}
}
