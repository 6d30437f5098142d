package numpy

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// TestPromoteLattice checks what the table of NumPy cannot tell: bfloat16, and
// that promotion does not depend on the order.
func TestPromoteLattice(t *testing.T) {
	for _, c := range []struct{ a, b, want dtype.Type }{
		{dtype.F16, dtype.BF16, dtype.F32},
		{dtype.BF16, dtype.F32, dtype.F32},
		{dtype.BF16, dtype.I8, dtype.BF16},
		{dtype.BF16, dtype.U8, dtype.BF16},
		{dtype.BF16, dtype.I32, dtype.F64},
		{dtype.BF16, dtype.Bool, dtype.BF16},
		{dtype.BF16, dtype.I16, dtype.F32},
		{dtype.I8, dtype.U8, dtype.I16},
		{dtype.I16, dtype.U16, dtype.I32},
		{dtype.U64, dtype.I8, dtype.F64},
	} {
		if got := promote(c.a, c.b); got != c.want {
			t.Errorf("%v with %v is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	for _, a := range dtype.All() {
		for _, b := range dtype.All() {
			if promote(a, b) != promote(b, a) {
				t.Errorf("%v with %v depends on the order", a, b)
			}
		}
		if promote(a, a) != a || promote(a, dtype.Bool) != a {
			t.Errorf("%v with itself or bool is another type", a)
		}
	}
}

// TestDepartures finds a name in the table of departures that no composition has.
func TestDepartures(t *testing.T) {
	for name := range departures {
		if !slices.ContainsFunc(untyped.Compositions(), func(c *untyped.Composition) bool { return c.Name == name }) {
			t.Errorf("there is no composition %s", name)
		}
	}
}
