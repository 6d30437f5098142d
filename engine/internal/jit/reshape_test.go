package jit

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestReshaped divides a joined axis into digits, as views of another shape do: in
// loads, guarded loads, stores, indices, and before a reduction.
func TestReshaped(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 9))
	for _, body := range []string{
		`%0 = load T x[mod(i0, p0), div(i0, p0)]
    store T y[i0] %0`,
		`%0 = load T x[div(i0, p0), mod(i0, p0)]
    %1 = index div(i0, p0)*3+mod(i0, p0)
    %2 = cvt T %1
    %3 = add T %0 %2
    store T y[i0] %3`,
		`%0 = load T x[div(i0, p0)-1, mod(i0, p0)+1] else %9
    store T y[i0] %0`,
		`%0 = load T x[div(i0, p0)-1, mod(i0, p0)+1] clamp
    store T y[i0] %0`,
		`%0 = load T y[i0]
    store T x[div(i0, p0), mod(i0, p0)] %0`,
		`%0 = load T y[i0]
    %1 = load T x[mod(i0, p0), div(i0, p0)]
    %2 = add T %0 %1
    %3 = reduce sum T %2
    %4 = reduce argmax i64 %1`,
	} {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.U8, dtype.I16} {
			k := parse(t, strings.ReplaceAll(`kernel reshaped
axis i0
params 1
buf x T inout 2
buf y T inout 1
buf z T out 0
{
  %9 = const T 1
  vec i0 {
    `+body+`
  }
  store T z[] %9
}`, " T", " "+typ.Short()))
			for range 25 {
				n, m := 1+r.IntN(30), 1+r.IntN(40)
				if r.IntN(4) == 0 {
					n *= 20
				}
				differ(t, r, newSetup(t, r, k, []int{n * m}, []int{m}, [][]int{{max(n, m), max(n, m)}, {n * m}, nil}, r.IntN(2) == 0))
			}
		}
	}
}
