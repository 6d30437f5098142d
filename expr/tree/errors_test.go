package tree_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// line returns the line of the caller.
func line() int {
	_, _, l, _ := runtime.Caller(1)
	return l
}

func TestErrorPosition(t *testing.T) {
	a, b := leaf[float32]("a", 3, 4), leaf[float32]("b", 5)
	sum, at := op.Add[float32](a, b), line()
	above := op.Exp(op.Mul(sum, sum)) // not the line where it went wrong
	want := fmt.Sprintf("oneloop: op.Add: shapes [3 4] and [5] do not broadcast (errors_test.go:%d)", at)
	for _, err := range []error{sum.Node().Err(), above.Node().Err(), expr.Let[float32](a, above).Err()} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		var e *tree.Error
		if !errors.Is(err, expr.ErrShape) || errors.Is(err, expr.ErrType) || !errors.As(err, &e) || e.Line != at {
			t.Errorf("%#v is no shape error of line %d", err, at)
		}
	}
	if sum.Node().Shape() != nil || sum.Node().DType() != dtype.Invalid {
		t.Error("an erroneous node has a shape or a type")
	}
}

// TestErrorNames tests that an error without the name of an operator names the function that
// the caller called.
func TestErrorNames(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	_, negative := engine.New[float64](-1)
	_, item := x.Reshape(3, 1).Values(), x.Reshape(2, 2).Err()
	_, loss := grad.Of[float64](nil)
	for want, err := range map[string]error{
		"engine.New: ":     negative,
		"Tensor.Reshape: ": item,
		"Tensor.Assign: ":  x.Assign(engine.Zeros[float64](2)),
		"grad.Of: ":        loss,
		"engine.Run: ":     engine.Run(t.Context(), expr.Statement{}),
		"Statement.Err: ":  expr.Statement{}.Err(),
		"Program.Run: ":    new(engine.Program).Run(t.Context()),
		"op.Exp: ":         op.Exp[float64](nil).Node().Err(),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "oneloop: "+want) || !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("got %v, want an error of %s", err, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  tree.Error
		want string
	}{
		{tree.Error{Msg: "no"}, "oneloop: no"},
		{tree.Error{Msg: "no", Op: "Exp"}, "oneloop: op.Exp: no"},
		{tree.Error{Msg: "no", File: "f.go", Line: 7}, "oneloop: no (f.go:7)"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestFailed(t *testing.T) {
	first := tree.NewError(expr.ErrIndex, "Take", "index %d", 3)
	if n := tree.Failed(fmt.Errorf("while loading: %w", first)); !errors.Is(n.Err(), expr.ErrValue) || !strings.Contains(n.Err().Error(), "index 3") {
		t.Errorf("a foreign error became %v", n.Err())
	}
	if n := tree.Failed(first); n.Err() != error(first) {
		t.Errorf("an error of this library became %v", n.Err())
	}
}

func TestNil(t *testing.T) {
	var p *expr.Param[float32]
	x := leaf[float32]("x", 2)
	for name, n := range map[string]*tree.Node{
		"operand":      op.Exp[float32](nil).Node(),
		"second":       op.Add[float32](x, nil).Node(),
		"parameter":    op.Add[float32](x, p).Node(),
		"node":         tree.Apply(row(t, "exp"), nil),
		"of reduction": op.Sum[float32](nil).Node(),
	} {
		if err := n.Err(); !errors.Is(err, expr.ErrType) || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for want, n := range map[string]*tree.Node{
		"oneloop: op.Exp: operand 0 is nil":           op.Exp[float32](nil).Node(),
		"oneloop: op.Add: operand 1 is nil":           op.Add[float32](x, nil).Node(),
		"oneloop: op.Softmax: operand 0 is nil":       op.Softmax[float32](nil, 0).Node(),
		"oneloop: op.LayerNorm: operand 0 is nil":     op.LayerNorm[float32](nil, x, x, 1e-5).Node(),
		"oneloop: op.MatMul: operand 1 is nil":        op.MatMul[float32](leaf[float32]("m", 2, 2), nil).Node(),
		"oneloop: op.Reshape: operand 0 is nil":       op.Reshape[float32](nil, 2).Node(),
		"oneloop: op.Where: operand 2 is nil":         op.Where[float32](leaf[bool]("b", 2), x, nil).Node(),
		"oneloop: op.Concat: operand 1 is nil":        op.Concat[float32](0, x, nil).Node(),
		"oneloop: op.Sum: operand 0 is nil":           op.Sum[float32](nil).Node(),
		"oneloop: op.Einsum: operand 1 is nil":        op.Einsum[float32]("i,i", x, nil).Node(),
		"oneloop: op.Slice: operand 0 is nil":         op.Slice[float32](nil).Node(),
		"oneloop: op.Cast: operand 0 is nil":          op.Cast[float32, float64](nil).Node(),
		"oneloop: op.MaximumScalar: operand 0 is nil": op.MaximumScalar[float32](nil, 0).Node(),
		"oneloop: op.Transpose: operand 0 is nil":     op.Transpose[float32](nil).Node(),
		"oneloop: op.Take: operand 1 is nil":          op.Take[float32, int64](x, nil, 0).Node(),
	} {
		if err := n.Err(); err == nil || !strings.HasPrefix(err.Error(), want+" (errors_test.go:") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := expr.Let[float32](nil, x).Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("nil target: %v", err)
	}
	if err := (expr.Statement{}).Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("empty statement: %v", err)
	}
}
