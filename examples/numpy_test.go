package examples

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNumPy runs the NumPy program beside each example, and compares its numbers with
// those that the test of the example expects. ONELOOP_PYTHON names a Python that has
// NumPy; without it the test does nothing.
func TestNumPy(t *testing.T) {
	python := os.Getenv("ONELOOP_PYTHON")
	if python == "" {
		t.Skip("ONELOOP_PYTHON names no Python")
	}
	scripts, err := filepath.Glob("*/numpy_*.py")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no NumPy programs: ", err)
	}
	for _, script := range scripts {
		t.Run(filepath.Dir(script), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			for _, module := range []string{"numpy", "PIL"} {
				if !regexp.MustCompile(`(?m)^(import|from) ` + module).Match(text) {
					continue
				}
				if exec.Command(python, "-c", "import "+module).Run() != nil {
					t.Skip(python, " has no ", module)
				}
			}
			run := exec.Command(python, filepath.Join("examples", script))
			run.Dir = ".."
			out, err := run.Output()
			if err != nil {
				t.Fatal(err)
			}
			have, want := numbers(string(out)), numbers(expected(t, filepath.Dir(script)))
			if len(have) != len(want) || len(have) == 0 {
				t.Fatalf("%d numbers, the example has %d:\n%s", len(have), len(want), out)
			}
			for i := range want {
				if math.Abs(have[i]-want[i]) > 1e-5*max(1, math.Abs(want[i])) {
					t.Errorf("number %d is %v, in the example %v", i, have[i], want[i])
				}
			}
		})
	}
}

// expected returns the output that the test of an example states.
func expected(t *testing.T, example string) string {
	text, err := os.ReadFile(filepath.Join(example, "main_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, output, _ := strings.Cut(string(text), "// Output:\n")
	return output
}

func numbers(text string) (list []float64) {
	for _, s := range regexp.MustCompile(`-?\b\d+\.?\d*(e[-+]\d+)?`).FindAllString(text, -1) {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			list = append(list, v)
		}
	}
	return list
}
