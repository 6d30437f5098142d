package jit_test

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/plan"
)

// TestCountedMasks fails if code for AVX-512 joins the predicates of several vectors before it counts them, in a long array. It
// reads the code, as few machines run it.
func TestCountedMasks(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		text  string
		joins bool
	}{{"y = sum(x > 2)", false}, {"y = any(x > 2)", true}} {
		pl, err := plan.Compile(t.Context(), statements(t, "x 1000000 uint8", c.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, be := range jit.Generators() {
			if be.Name() != "avx512" {
				continue
			}
			kernels, err := host.Listings(be, pl)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(code(kernels[0]), "korq"); got != c.joins {
				t.Errorf("%s joins masks: %v, want %v", c.text, got, c.joins)
			}
		}
	}
}
