package tree_test

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

func TestString(t *testing.T) {
	x, y := leaf[float32]("x", 4, 4), leaf[float32]("", 4, 4)
	g := op.GoFunc("f", func(v float32) float32 { return v })
	for want, n := range map[string]*tree.Node{
		"x":                               x.Node(),
		"array":                           y.Node(),
		"((x + array) * 2)":               op.Mul(op.Add[float32](x, y), op.Full[float32](2)).Node(),
		"exp(x)":                          op.Exp[float32](x).Node(),
		"where((x < 0), x, array)":        op.Where(op.Less[float32](x, op.Full[float32](0)), x, y).Node(),
		"sum(x, axis=[1], keepdims=True)": op.Sum[float32](x, op.Axis(1), op.KeepDims()).Node(),
		"transpose(x, [1 0])":             op.T[float32](x).Node(),
		"slice(x, [1 1 3 0 1 4])":         op.Slice[float32](x, op.From(1)).Node(),
		"cast(x, int8)":                   op.Cast[int8](x).Node(),
		"f(x)":                            g(x).Node(),
		"((iota([4]) * 1) + 0)":           op.Arange[int64](0, 4, 1).Node(),
		"transpose(sum(x, axis=[0 1], keepdims=True), [])": op.Sum[float32](x).Node(),
		"nil": (*tree.Node)(nil),
		"error(shapes [4 4] and [3] do not broadcast)": op.Add[float32](x, leaf[float32]("", 3)).Node(),
	} {
		if got := n.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestStringBounded checks that shared nodes, which print at each use, and deep
// trees need little time and stack.
func TestStringBounded(t *testing.T) {
	x := leaf[float32]("x", 4)
	wide, deep := expr.Exp[float32](x), expr.Exp[float32](x)
	for range 100 {
		wide = op.Add(wide, wide)
	}
	for range 100_000 {
		deep = op.Neg(deep)
	}
	for name, n := range map[string]*tree.Node{"wide": wide.Node(), "deep": deep.Node()} {
		if s := n.String(); len(s) > 5000 || !strings.Contains(s, "...") {
			t.Errorf("%s: %d bytes", name, len(s))
		}
	}
	if s := deep.Node().Tree(); len(s) > 1<<20 || !strings.Contains(s, "...") {
		t.Errorf("the deep tree takes %d bytes", len(s))
	}
	if s := wide.Node().Tree(); strings.Count(s, "\n") > 250 {
		t.Errorf("the wide tree takes %d lines", strings.Count(s, "\n"))
	}
}

func TestTree(t *testing.T) {
	x := leaf[float32]("x", 2, 3)
	d := op.Sub[float32](x, op.Full[float32](1))
	got := op.Add(op.Square(d), op.Sum(d, op.Axis(1), op.KeepDims())).Node().Tree()
	want := `#1 add  Complex float32[2 3]
  #2 square  Map float32[2 3]
    #3 sub  Map float32[2 3]
      #4 x  RValue float32[2 3]
      #5 1  Map float32[]
  #6 sum axis=[1], keepdims=True  Complex float32[2 1]
    #3 sub (shared, see above)
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
