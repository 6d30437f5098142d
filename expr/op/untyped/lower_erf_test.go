package untyped

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestErfIsOne checks float32 from 3.9193 to 4, and larger values in steps.
// From there the correctly rounded result is 1. In float64 it is 1 from 5.9216.
func TestErfIsOne(t *testing.T) {
	p := program(t, "erf", dtype.F32)
	one := math.Float32bits(1)
	for x, step := math.Float32bits(3.9193), uint32(1); x <= math.Float32bits(float32(math.Inf(1))); x += step {
		if x >= math.Float32bits(4) {
			step = 1 << 23
		}
		if got := uint32(p.Call(uint64(x))); got != one {
			t.Fatalf("erf(%v) = %x in float32, not 1", math.Float32frombits(x), math.Float32frombits(got))
		}
		if got := uint32(p.Call(uint64(x | 1<<31))); got != one|1<<31 {
			t.Fatalf("erf(-%v) = %x in float32, not -1", math.Float32frombits(x), math.Float32frombits(got))
		}
	}
	p = program(t, "erf", dtype.F64)
	for _, x := range []float64{5.9217, 5.93, 5.949, 5.95, math.Nextafter(5.95, 6), 6, 100, math.MaxFloat64, math.Inf(1)} {
		if got := math.Float64frombits(p.Call(math.Float64bits(x))); got != 1 {
			t.Errorf("erf(%v) = %x in float64, not 1", x, got)
		}
		if got := math.Float64frombits(p.Call(math.Float64bits(-x))); got != -1 {
			t.Errorf("erf(-%v) = %x in float64, not -1", x, got)
		}
	}
}
