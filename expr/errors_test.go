package expr_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
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
		var e *expr.Error
		if !errors.Is(err, expr.ErrShape) || errors.Is(err, expr.ErrType) || !errors.As(err, &e) || e.Line != at {
			t.Errorf("%#v is no shape error of line %d", err, at)
		}
	}
	if sum.Node().Shape() != nil || sum.Node().DType() != dtype.Invalid {
		t.Error("an erroneous node has a shape or a type")
	}
}

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  expr.Error
		want string
	}{
		{expr.Error{Msg: "no"}, "oneloop: no"},
		{expr.Error{Msg: "no", Op: "Exp"}, "oneloop: op.Exp: no"},
		{expr.Error{Msg: "no", File: "f.go", Line: 7}, "oneloop: no (f.go:7)"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestFailed(t *testing.T) {
	first := expr.NewError(expr.ErrIndex, "Take", "index %d", 3)
	if n := expr.Failed(fmt.Errorf("while loading: %w", first)); !errors.Is(n.Err(), expr.ErrValue) || !strings.Contains(n.Err().Error(), "index 3") {
		t.Errorf("a foreign error became %v", n.Err())
	}
	if n := expr.Failed(first); n.Err() != error(first) {
		t.Errorf("an error of this library became %v", n.Err())
	}
}

func TestNil(t *testing.T) {
	var p *expr.Param[float32]
	x := leaf[float32]("x", 2)
	for name, n := range map[string]*expr.Node{
		"operand":      op.Exp[float32](nil).Node(),
		"second":       op.Add[float32](x, nil).Node(),
		"parameter":    op.Add[float32](x, p).Node(),
		"node":         expr.Apply(row(t, "exp"), nil),
		"of reduction": op.Sum[float32](nil).Node(),
	} {
		if err := n.Err(); !errors.Is(err, expr.ErrType) || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := expr.Let[float32](nil, x).Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("nil target: %v", err)
	}
	if err := (expr.Statement{}).Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("empty statement: %v", err)
	}
}

func TestTyped(t *testing.T) {
	x := leaf[float32]("x", 2)
	if err := expr.Of[float64](x.Node()).Node().Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("float32 as float64: %v", err)
	}
	if err := expr.TargetOf[int8](x.Node()).Node().Err(); !errors.Is(err, expr.ErrType) {
		t.Errorf("float32 as an int8 target: %v", err)
	}
	if e := expr.Of[float32](x.Node()); e.Node() != x.Node() || fmt.Sprint(e) != "x" {
		t.Errorf("float32 as float32: %v", e)
	}
	if e := expr.TargetOf[float32](x.Node()); e.Node() != x.Node() || fmt.Sprint(e) != "x" {
		t.Errorf("float32 as a float32 target: %v", e)
	}
}
