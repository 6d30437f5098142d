package formula_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
)

// array is an array of zeros as a leaf.
func array(t testing.TB, typ dtype.Type, dims ...int) *tree.Node {
	t.Helper()
	a, err := engine.NewArray(typ, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return a.Node()
}

// pyScalars are the Python scalars of the goldens, as text in the formula.
var pyScalars = map[string]string{"pybool": "True", "pyint": "3", "pyfloat": "2.5"}

// weakScalars are the same as run-time scalars.
var weakScalars = map[string]dtype.Type{"pybool": dtype.Bool, "pyint": dtype.I64, "pyfloat": dtype.F64}

// TestPromotion compares element types with what NumPy gave.
func TestPromotion(t *testing.T) {
	f, err := os.Open("../../testdata/promotion.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		c := strings.Split(lines.Text(), "\t")
		text, a, b := c[0], c[1], c[2]
		want := c[3]
		at, _ := dtype.Parse(a)
		env := map[string]*tree.Node{"a": array(t, at, 3)}
		shown := text
		if s, ok := pyScalars[b]; ok {
			shown = strings.NewReplacer("(a, b)", "(a, "+s+")", " b", " "+s).Replace(text)
		} else if b != "-" {
			bt, _ := dtype.Parse(b)
			env["b"] = array(t, bt, 3)
		}
		n++
		if got := resultType(t, shown, env); got != want {
			t.Errorf("%s of %s, %s is %s, want %s", shown, a, b, got, want)
		}
		if w, ok := weakScalars[b]; ok && want != "error" {
			env["b"] = tree.NewParamNode(w, &tree.Scalar{Name: "b"})
			if got := resultType(t, text, env); got != want {
				t.Errorf("%s of %s and a %s known at run time is %s, want %s", text, a, b, got, want)
			}
		}
	}
	if err := lines.Err(); err != nil || n < 2000 {
		t.Errorf("%d cases, %v", n, err)
	}
}

func resultType(t *testing.T, text string, env map[string]*tree.Node) string {
	s, err := formula.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	u, err := s.Build(env)
	if err != nil && os.Getenv("SHOW") != "" {
		t.Log(text, err)
	}
	if err != nil {
		return "error"
	}
	return u.Values["_"].DType().String()
}
