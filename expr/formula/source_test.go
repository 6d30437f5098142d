package formula_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/formula"
)

func TestNames(t *testing.T) {
	s, err := formula.Parse("m = b1*m + (1-b1)*g; v[1:] = g*pi + e; t = m/v; w -= t*eta; u = astype(t, float32); sum(x, axis=0)")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Inputs(), []string{"b1", "m", "g", "v", "w", "eta", "x"}; !slices.Equal(got, want) {
		t.Errorf("inputs %v, want %v", got, want)
	}
	if got, want := s.Assigned(), []string{"m", "v", "t", "w", "u", "_"}; !slices.Equal(got, want) {
		t.Errorf("assigned %v, want %v", got, want)
	}
}

// TestFormulaText checks that a formula prints as it was given.
func TestFormulaText(t *testing.T) {
	const text = "y = a + q  # text"
	if got := fmt.Sprint(formula.MustCompile[float64](text)); got != text {
		t.Errorf("%q, want %q", got, text)
	}
}

// TestFormulaJSON checks that formulas are their texts as JSON.
func TestFormulaJSON(t *testing.T) {
	const text = "y = a + q  # text"
	f := formula.MustCompile[float64](text)
	var s formula.Source
	for _, v := range []any{f, f.Source()} {
		b, err := json.Marshal(v)
		if err := errors.Join(err, json.Unmarshal(b, &s)); err != nil || s.Text() != text || !slices.Equal(s.Inputs(), []string{"a", "q"}) {
			t.Errorf("%s: %q, %v", b, s.Text(), err)
		}
	}
	if err := json.Unmarshal([]byte(`"1 +"`), &s); err == nil || s.Text() != text {
		t.Errorf("a mistake: %v, %q", err, s.Text())
	}
	if (*formula.Source)(nil).UnmarshalText([]byte("1")) == nil {
		t.Error("a nil source is read")
	}
}
