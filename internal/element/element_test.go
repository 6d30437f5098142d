package element

import (
	"math"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestFloat stores numbers that each type has, and reads them.
func TestFloat(t *testing.T) {
	for _, typ := range dtype.Real() {
		b := make([]byte, 4*8)
		values := []float64{0, 1, 100, 1}
		switch {
		case typ == dtype.Bool:
			values[2] = 1
		case typ.IsFloat():
			values[1], values[3] = -.5, math.Inf(-1)
		case typ.IsSigned():
			values[3] = -128
		default:
			values[3] = 255
		}
		for i, x := range values {
			PutFloat(typ, b, i, x)
		}
		for i, x := range values {
			if got := Float(typ, b, i); got != x {
				t.Errorf("element %d of %v is %v, want %v", i, typ, got, x)
			}
		}
		for i, x := range b[4*typ.Size():] {
			if x != 0 {
				t.Errorf("%v: byte %d behind the elements is %d", typ, i, x)
			}
		}
	}
}
