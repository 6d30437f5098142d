package lower

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestRoundOnce counts the roundings of loops over bfloat16 and float16: those that stay operations, and
// those of stores to bfloat16.
func TestRoundOnce(t *testing.T) {
	for name, c := range map[string]struct {
		code           string
		rounds, stores int
	}{
		"no digits added":    {"%1 = neg f32 %0\n%2 = roundH f32 %1\nstore f32 y[i0] %2", 0, 0},
		"constants":          {"%3 = const f32 2\n%1 = max f32 %0 %3\n%2 = roundH f32 %1\nstore f32 y[i0] %2", 0, 0},
		"constant of digits": {"%3 = const f32 2.1\n%1 = max f32 %0 %3\n%2 = roundH f32 %1\nstore f32 y[i0] %2", 0, 1},
		"once":               {"%1 = mul f32 %0 %0\n%2 = roundH f32 %1\nstore f32 y[i0] %2", 0, 1},
		"again":              {"%1 = mul f32 %0 %0\n%2 = roundH f32 %1\n%3 = roundH f32 %2\nstore f32 y[i0] %3", 0, 1},
		"no rounding":        {"%1 = mul f32 %0 %0\nstore f32 y[i0] %1", 0, 1},
		"used twice":         {"%1 = mul f32 %0 %0\n%2 = roundH f32 %1\n%3 = mul f32 %2 %2\n%4 = roundH f32 %3\n%5 = max f32 %4 %2\nstore f32 y[i0] %5", 2, 0},
		"of a sign":          {"%1 = mul f32 %0 %0\n%2 = roundH f32 %1\n%3 = abs f32 %2\n%4 = roundH f32 %3\n%5 = add f32 %4 %0\n%6 = roundH f32 %5\nstore f32 y[i0] %6", 1, 1},
		"a sign and a magnitude": {`%1 = bitcast i32 %0
			%2 = const i32 0x80000000
			%3 = const i32 0x7fffffff
			%4 = and i32 %1 %3
			%5 = const i32 0
			%6 = lt bool %1 %3
			%7 = select i32 %6 %2 %5
			%8 = or i32 %7 %4
			%9 = bitcast f32 %8
			%10 = roundH f32 %9
			store f32 y[i0] %10`, 0, 0},
		"other bits": {`%1 = bitcast i32 %0
			%2 = const i32 0x7fff
			%3 = or i32 %1 %2
			%4 = bitcast f32 %3
			%5 = roundH f32 %4
			store f32 y[i0] %5`, 0, 1},
	} {
		for _, typ := range []dtype.Type{dtype.F16, dtype.BF16} {
			text := "kernel halves\naxis i0\nbuf x H in 1\nbuf y H out 1\n{\nvec i0 {\n%0 = load f32 x[i0]\n" + c.code + "\n}\n}"
			text = strings.NewReplacer("roundH", "round"+typ.Short(), "H", typ.Short()).Replace(text)
			k, err := ir.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Kernel(k)
			if err != nil {
				t.Fatal(err)
			}
			rounds, stores := 0, 0
			for _, id := range p.Phases[0].Top {
				switch n := &p.Phases[0].Nodes[id]; {
				case halfOf(n.Op) == typ:
					rounds++
				case n.Op == ir.Store && !n.Rounded:
					stores++
				}
			}
			if rounds != c.rounds || stores != c.stores {
				t.Errorf("%v, %s: %d operations round, and %d stores; want %d and %d", typ, name, rounds, stores, c.rounds, c.stores)
			}
		}
	}
}
