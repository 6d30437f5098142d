package jit_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/plan"
)

// TestIndicesLoadedAgain fails if code for AVX-512 uses an index that a general register has loaded before it compares the register:
// another goroutine may have changed the index since a vector compared it. It reads the code, as few machines run it.
func TestIndicesLoadedAgain(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	loaded := regexp.MustCompile(`^\s+(mov|movzx) [er][ad]x, .*\[r\d+\+rsi`)
	for arrays, compares := range map[string]bool{
		"x 1000 float32\ni 5000 int32": true, "x 1000 uint8\ni 5000 int64": true, "x 200 float64\ni 5000 uint8": true, "x 256 float32\ni 5000 uint8": false,
	} {
		pl, err := plan.Compile(t.Context(), statements(t, arrays, "y = take(x, i)"))
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
			lines, loads := strings.Split(code(kernels[len(kernels)-1]), "\n"), 0
			for i, l := range lines {
				if !loaded.MatchString(l) {
					continue
				}
				loads++
				if got := strings.Contains(lines[i+1], "cmp "); got != compares {
					t.Errorf("%q: %s, then %s", arrays, l, lines[i+1])
				}
			}
			if loads == 0 {
				t.Errorf("%q: no general register loads an index", arrays)
			}
		}
	}
}
