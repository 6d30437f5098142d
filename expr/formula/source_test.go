package formula

import (
	"fmt"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	s, err := Parse("m = b1*m + (1-b1)*g; v[1:] = g*pi + e; t = m/v; w -= t*eta; u = astype(t, float32); sum(x, axis=0)")
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
	if got := fmt.Sprint(MustCompile[float64](text)); got != text {
		t.Errorf("%q, want %q", got, text)
	}
}
