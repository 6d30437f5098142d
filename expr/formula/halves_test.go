package formula_test

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
)

// TestInverseRootsOfHalves raises all halves to the power -1/2.
func TestInverseRootsOfHalves(t *testing.T) {
	x, y := engine.Zeros[dtype.BFloat16](1<<16), engine.Zeros[dtype.BFloat16](1<<16)
	for i := range x.Data() {
		x.Data()[i] = dtype.BF16FromBits(uint16(i))
	}
	if err := formula.MustCompile[float32]("y[:] = x**-.5").Run(t.Context(), map[string]any{"x": x, "y": y}); err != nil {
		t.Fatal(err)
	}
	for i, v := range x.Data() {
		want := dtype.BF16From(float32(math.Pow(float64(v.Float32()), -.5))).Float32()
		if got := y.Data()[i].Float32(); got != want && !(got != got && want != want) {
			t.Fatalf("%v**-.5 is %v, not %v", v.Float32(), got, want)
		}
	}
}

// TestLdexpOfHalves multiplies by powers of two whose exponents have more digits than the halves.
func TestLdexpOfHalves(t *testing.T) {
	x, y := engine.Full(dtype.BF16From(0x1p-133), 1), engine.Zeros[dtype.BFloat16](1)
	e := engine.MustFromSlice([]int32{257})
	if err := formula.MustCompile[float32]("y[:] = ldexp(x, e)").Run(t.Context(), map[string]any{"x": x, "y": y, "e": e}); err != nil {
		t.Fatal(err)
	}
	if got := y.Data()[0].Float32(); got != 0x1p124 {
		t.Errorf("2^-133 times 2^257 is %v", got)
	}
}
