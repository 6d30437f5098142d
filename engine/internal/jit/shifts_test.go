package jit

import (
	"math/rand/v2"
	"testing"
)

// TestShiftsDown compares loops that carry values of 16 bits down columns, and shift by counts of each column, with the
// interpreter: a shift takes more registers than most nodes.
func TestShiftsDown(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(5, 10))
	k := parse(t, `kernel shifts
axis i0 i1
buf x1 i16 in 1
buf x2 i16 in 1
buf y3 i16 out 2
scalar s0 u16
scalar s1 i16
{
  %0 = scalar u16 s0
  %1 = scalar i16 s1
  vec i0 {
    seq i1 {
      %3 = carry u16 %0
      %4 = carry i16 %1
      %6 = load i16 x1[i1]
      %7 = load i16 x2[i0]
      %8 = shr u16 %0 %3
      %9 = sub u16 %3 %8
      %10 = shr i16 %1 %7
      store i16 y3[i1, i0] %10
      %14 = next u16 %3 %0
      %15 = next i16 %4 %6
    }
  }
}
`)
	for c := 1; c < 300; c++ {
		differ(t, r, newSetup(t, r, k, []int{c, 3}, nil, [][]int{{3}, {c}, {3, c}}, true))
	}
}
