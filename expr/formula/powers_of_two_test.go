package formula_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestPowersOfTwo divides by powers of two that the formula states, and by the same numbers as arrays.
func TestPowersOfTwo(t *testing.T) {
	for _, typ := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32, dtype.I64, dtype.U64} {
		bits := 8 * typ.Size()
		x, err := engine.NewArray(typ, 301)
		if err != nil {
			t.Fatal(err)
		}
		b := x.Memory().Bytes()
		for i := range b {
			b[i] = byte(i*i*i>>3 ^ i)
		}
		copy(b, slices.Repeat([]byte{255}, typ.Size())) // -1, or the greatest number
		b[2*typ.Size()-1] = 128                         // about the least number
		for k := range bits {
			if k == bits-1 && typ.IsSigned() {
				continue
			}
			for _, sign := range []string{"//", "%"} {
				d := uint64(1) << k
				stated, err := evaluated(fmt.Sprintf("x %s %d", sign, d), map[string]any{"x": x})
				if err != nil {
					t.Fatal(err)
				}
				given, err := evaluated(fmt.Sprintf("x %s (x*0 + 1 << %d)", sign, k), map[string]any{"x": x})
				if err != nil {
					t.Fatal(err)
				}
				if stated.DType() != typ || !bytes.Equal(stated.Memory().Bytes(), given.Memory().Bytes()) {
					t.Errorf("%v: x %s %d is not x %s an array of %d", typ, sign, d, sign, d)
				}
			}
		}
	}
}

// TestStatedPowersOfTwo finds the operators by which formulas divide.
func TestStatedPowersOfTwo(t *testing.T) {
	x, err := engine.NewArray(dtype.I32, 3)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]*tree.Node{"x": x.Named("x").Node(), "y": x.Node()}
	for text, want := range map[string]string{
		"x // 16": "right_shift", "x % 16": "bitwise_and", "x % 1": "bitwise_and", "x // 12": "floor_divide", "x % -16": "mod", "16 // x": "floor_divide",
	} {
		src, err := formula.Parse("y = " + text)
		if err != nil {
			t.Fatal(err)
		}
		unit, err := src.BuildFor(env, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := unit.Statements[0].Value.Op.Name(); got != want {
			t.Errorf("%s is %s, not %s", text, got, want)
		}
	}
}
