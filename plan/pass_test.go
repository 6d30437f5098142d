package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/numpy"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// TestPasses compares the result of each pass with testdata/pass/*.txtar. A
// file has a line for each array, the statements, and a section for each pass.
// Run the test with -update to accept the current results. It also checks the
// invariants of each result.
func TestPasses(t *testing.T) {
	files, err := filepath.Glob("../testdata/pass/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "there are no files")
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			arrays, rest, _ := strings.Cut(string(data), "-- statements --\n")
			text, _, _ := strings.Cut(rest, "-- check --\n")
			made, err := plan.Trace(t.Context(), statements(t, arrays, text))
			if err != nil {
				t.Error(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s-- statements --\n%s", arrays, text)
			for _, pass := range plan.Passes() {
				fmt.Fprintf(&b, "-- %s --\n%s", pass, made[pass])
			}
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got := b.String(); got != string(data) {
				t.Errorf("the passes differ from %s; they now make\n%s", path, got)
			}
		})
	}
}

// statements returns the statements of a formula. A name that is assigned and
// is no array becomes one.
func statements(t *testing.T, arrays, text string) []expr.Statement {
	t.Helper()
	env := map[string]*tree.Node{}
	array := func(name string, s shape.Shape, typ dtype.Type) *tree.Node {
		return tree.NewLeaf(typ, s, &tree.Leaf{Mem: &memory{s.Size() * typ.Size()}, Strides: s.Strides(), Name: name})
	}
	for line := range strings.Lines(arrays) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		dims, typ, _ := strings.Cut(rest, " ")
		var s shape.Shape
		for d := range strings.SplitSeq(dims, "x") {
			var n int
			if _, err := fmt.Sscan(d, &n); err != nil {
				t.Fatal(line, err)
			}
			s = append(s, n)
		}
		i := slices.IndexFunc(dtype.Real(), func(x dtype.Type) bool { return x.String() == typ })
		if i < 0 {
			t.Fatalf("%s: no type", line)
		}
		env[name] = array(name, s, dtype.Real()[i])
	}
	parsed, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	formula, err := syntax.Expand(parsed)
	if err != nil {
		t.Fatal(err)
	}
	assigned := lists.Map(formula, (*syntax.Statement).Name)
	unit, err := numpy.Build(formula, numpy.Options{Env: env, Want: assigned})
	if err != nil {
		t.Fatal(err)
	}
	stmts := unit.Statements
	for _, name := range assigned {
		if n := unit.Values[name]; n != nil && n.Leaf == nil {
			stmts = append(stmts, expr.Statement{Target: array(name, n.Shape(), n.DType()), Value: n})
			delete(unit.Values, name)
		}
	}
	return stmts
}

// TestNoPass names a pass that does not exist.
func TestNoPass(t *testing.T) {
	if _, err := plan.After(t.Context(), "nosuch", nil); err == nil {
		t.Error("there is a pass nosuch")
	}
}
