package jit_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/plan"
)

// These tests read code for AVX-512, as few machines run it.

// codeAVX512 returns the code for AVX-512 of each kernel of the statements. It skips the test where there is no such code.
func codeAVX512(t *testing.T, arrays, text string) (kernels []string) {
	t.Helper()
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	pl, err := plan.Compile(t.Context(), statements(t, arrays, text))
	if err != nil {
		t.Fatal(err)
	}
	for _, be := range jit.Generators() {
		if be.Name() != "avx512" {
			continue
		}
		listings, err := host.Listings(be, pl)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range listings {
			kernels = append(kernels, code(k))
		}
	}
	if kernels == nil {
		t.Skip("this processor has another set of instructions")
	}
	return kernels
}

// TestCountedMasks fails if code joins the predicates of several vectors before it counts them, in a long array.
func TestCountedMasks(t *testing.T) {
	for text, joins := range map[string]bool{"y = sum(x > 2)": false, "y = any(x > 2)": true} {
		if got := strings.Contains(codeAVX512(t, "x 1000000 uint8", text)[0], "korq"); got != joins {
			t.Errorf("%s joins masks: %v, want %v", text, got, joins)
		}
	}
}

// TestNeighbouringWindows fails if the two windows of a vector of every other element overlap, except for one vector of each group: that
// TestNotWaits fails if the complement of a vector reads what its result had before, for which it would wait.
func TestNotWaits(t *testing.T) {
	for _, k := range codeAVX512(t, "x 100000 uint8\nz 100000 uint8\n", "y = minimum(x.astype(int32) + z, 255).astype(uint8)") {
		found := regexp.MustCompile(`vpternlogd (zmm\d+), (zmm\d+), zmm\d+, 85`).FindAllStringSubmatch(k, -1)
		for _, m := range found {
			if m[1] != m[2] {
				t.Errorf("%s has another result than its operands", m[0])
			}
		}
		if found == nil {
			t.Errorf("no complement in\n%s", k)
		}
	}
}

// has the last elements, and the others read elements that the next vector has.
func TestNeighbouringWindows(t *testing.T) {
	window := regexp.MustCompile(`zmmword ptr \[rcx([+-]\d+)?\]`)
	for text, arrays := range map[string]string{"y = x[::2]": "x 2000 uint16", "y = x[::2]*2": "x 2000 float32", "y = x[::-2] + 1": "x 2000 float64"} {
		_, loop, _ := strings.Cut(codeAVX512(t, arrays, text)[0], "# main loop: 4 vectors")
		loop, _, _ = strings.Cut(loop, "\n# ")
		near, windows := 0, window.FindAllStringSubmatch(loop, -1)
		for i := 1; i < len(windows); i += 2 {
			lower, _ := strconv.Atoi(windows[i-1][1])
			upper, _ := strconv.Atoi(windows[i][1])
			near += int(frame.Bit(upper-lower == 64))
		}
		if len(windows) != 8 || near != 3 {
			t.Errorf("%s of %s: %d of %d pairs of windows are neighbours", text, arrays, near, len(windows)/2)
		}
	}
}
