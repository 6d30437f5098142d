package formula_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestBombs builds long formulas. Each walk of a formula and of its trees is
// linear, so each takes milliseconds; walks of all paths, or of all trees for
// each statement, would take minutes of
// processor time.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time, which depends on no processor but by a factor")
	}
	each := func(n int, format string) string {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = strings.NewReplacer("#", fmt.Sprint(i+1), "@", fmt.Sprint(i)).Replace(format)
		}
		return strings.Join(lines, "\n")
	}
	const n = 3000
	for name, text := range map[string]string{
		"doubled":     "t0 = a\n" + each(n, "t# = t@ + t@"),
		"rolled":      "t0 = a\n" + each(300, "t# = roll(t@, 1)"),
		"transposed":  "t0 = a.reshape(2, 2)\n" + each(300, "t# = t@.T.reshape(4).reshape(2, 2)"),
		"joined":      "t0 = a\n" + each(300, "t# = concatenate((t@, t@))[2:6]"),
		"overwritten": "t0 = a*1.0\n" + each(n, "t# = t@ + 1") + "\n" + each(n, "x += 1") + "\nt3000",
		"preserved":   each(n, "t# = x + a") + "\n" + each(n, "x += t#"),
		"names":       each(n, "y# = n# + m#"),
		"exchanged":   each(500, "x, a = a + 1, x"),
		"powers":      "t0 = a\n" + each(300, "t# = t@ + 7.5 ** 0.3"),
	} {
		begin := testlevel.CPUTime()
		s, err := formula.Parse(text)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := formula.Compile[float64](text); err != nil {
			t.Fatal(name, err)
		}
		env := map[string]*tree.Node{"a": array(t, dtype.F64, 4), "x": array(t, dtype.F64, 4)}
		for _, in := range s.Inputs() {
			if env[in] == nil {
				env[in] = env["a"]
			}
		}
		if _, err := s.Build(env); err != nil {
			t.Error(name, err)
		}
		if d := testlevel.CPUTime() - begin; d > 20*time.Second {
			t.Errorf("%s: %v", name, d)
		} else {
			t.Logf("%s: %v", name, d)
		}
	}
}
