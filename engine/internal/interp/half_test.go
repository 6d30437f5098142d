package interp

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

func TestHalves(t *testing.T) {
	raw, d := make([]uint16, 1<<16), make([]float32, 1<<16)
	for i := range raw {
		raw[i] = uint16(i)
	}
	widenF16(d, raw)
	for i, x := range d {
		if w := dtype.F16Value(uint16(i)); math.Float32bits(w) != math.Float32bits(x) {
			t.Fatalf("%#x: %v, want %v", i, x, w)
		}
	}
	step := uint32(251)
	if !testlevel.Deep() {
		step = 65521
	}
	var a []float32
	for b := uint32(0); ; b += step {
		a = append(a, math.Float32frombits(b))
		if b > math.MaxUint32-step || len(a) == len(raw) {
			narrowF16(raw[:len(a)], a)
			for i, x := range a {
				if w := dtype.F16Bits(x); w != raw[i] {
					t.Fatalf("%v: %#x, want %#x", x, raw[i], w)
				}
			}
			a = a[:0]
		}
		if b > math.MaxUint32-step {
			return
		}
	}
}
