package engine_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestMemoryBombs compiles statements that need more memory than any machine has.
// They must give errors and must not end the process.
func TestMemoryBombs(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("an int cannot count that many")
	}
	const huge = 1 << (strconv.IntSize - 14)
	x := engine.MustFromSlice([]float32{1}, 1, 1)
	i := engine.MustFromSlice([]int8{1}, 1, 1, 1)
	row := op.BroadcastTo(x, 1, huge)
	s := engine.Zeros[float32]()
	out := engine.Zeros[float32](1, 1)
	batch := op.MatMul(op.BroadcastTo(i, huge, 1, 1), i)
	for _, name := range engine.Backends() {
		o := engine.Options{Backend: name}
		for what, stmt := range map[string]expr.Statement{
			"partial sums":        expr.Let(s, op.Sum(row)),
			"rows":                expr.Let(out, op.Sum(op.Softmax(row, 1), op.Axis(1), op.KeepDims())),
			"a temporary":         expr.Let(s, op.Sum(op.MatMul(op.T(row), row))),
			"a stack of products": expr.Let(s, op.Sum(op.Cast[float32](batch))),
			"a flip of it":        expr.Let(s, op.Sum(op.Exp(op.Flip(op.MatMul(op.T(row), x))))),
		} {
			if _, err := engine.CompileWith(t.Context(), o, stmt); !errors.Is(err, expr.ErrOutOfMemory) && !errors.Is(err, expr.ErrShape) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	if _, err := engine.New[float32](huge); !errors.Is(err, expr.ErrOutOfMemory) {
		t.Errorf("New: %v", err)
	}
	if y, err := engine.New[float32](huge, huge); !errors.Is(err, expr.ErrShape) {
		t.Errorf("New: %v, %v", y, err)
	}
}

// TestKeptMemory runs an operator whose Go function would keep more memory than any process has.
// The function is not made, and the error names the operator.
func TestKeptMemory(t *testing.T) {
	routine := tree.Routine{
		New:   func(*tree.Node) func(*tree.Call) error { t.Error("the function is made"); return nil },
		Keeps: func(*tree.Node) int { return math.MaxInt },
	}
	n := tree.Apply(tree.NewOperator(tree.Row{Name: "kept", Class: tree.Opaque, Arity: 1, Routine: &routine}), engine.Zeros[float32](2).Node())
	_, err := engine.Eval(expr.Of[float32](n))
	if !errors.Is(err, expr.ErrOutOfMemory) || !strings.Contains(err.Error(), "op.Kept: ") {
		t.Error(err)
	}
}
