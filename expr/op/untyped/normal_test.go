package untyped

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// TestNormalQuantile compares the probability beyond a quantile with that of its operand, from 0 to the
// ends. An error of one part in n of a quantile z changes the probability by z^2+1 parts in n.
func TestNormalQuantile(t *testing.T) {
	for _, c := range []struct {
		t    dtype.Type
		bits int
		near float64 // the error up to 2.9, relative to the quantile
		most float64 // and beyond
		end  float64 // the quantile next to 1, as docs/numerics.md has it, rounded up
	}{{dtype.F32, 24, 0x1p-21, 0x1p-21, 5.5}, {dtype.F64, 52, 0x1p-42, 0x1p-33, 8.3}} {
		p, err := prim.NewProgram([]dtype.Type{c.t}, onFloats(func(b builder, x ...V) V { return normalQuantile(b, x[0]) }))
		if err != nil {
			t.Fatal(err)
		}
		unit, near, worst := math.Ldexp(1, -c.bits), 0.0, 0.0
		check := func(a float64) { // the distance of x from 1
			x := 1 - a
			z := value(c.t, p.Call(prim.FromFloat(c.t, x/2)))
			if minus := value(c.t, p.Call(prim.FromFloat(c.t, -x/2))); minus != -z {
				t.Fatalf("%v: the quantiles of %v and %v are %v and %v", c.t, x, -x, z, minus)
			}
			if a > .5 { // the quantile is small
				near = max(near, math.Abs(math.Erf(z/math.Sqrt2)/x-1))
				return
			}
			err := math.Abs(math.Erfc(z/math.Sqrt2)/a-1) / (z*z + 1)
			if worst = max(worst, err); z < 2.9 {
				near = max(near, err)
			}
		}
		for k := 1.; k < 4000; k += 2 {
			check(k * unit)
			check(math.Floor(k/8000/unit)*2*unit + unit)
		}
		for a := unit; a < 1; a *= 1.01 {
			check(math.Floor(a/unit/2)*2*unit + unit)
		}
		check(1 - unit)
		if z := value(c.t, p.Call(prim.FromFloat(c.t, (1-unit)/2))); z >= c.end || z < c.end-.1 {
			t.Errorf("%v: the greatest quantile is %v", c.t, z)
		}
		if near > c.near || worst > c.most {
			t.Errorf("%v: the errors are 2^%.1f and 2^%.1f", c.t, math.Log2(near), math.Log2(worst))
		}
	}
}
