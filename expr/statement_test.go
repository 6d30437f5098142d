package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

func TestStatements(t *testing.T) {
	x, y := engine.Zeros[float32](3, 4).Named("x"), engine.Zeros[float32](4).Named("y")
	for want, s := range map[string]expr.Statement{
		"x = y":  expr.Let(x, y),
		"x += y": expr.LetAdd(x, y),
		"x -= y": expr.LetSub(x, y),
		"x *= y": expr.LetMul(x, y),
		"x /= y": expr.LetDiv(x, y),
	} {
		if got := s.String(); got != want || s.Err() != nil {
			t.Errorf("got %s, %v, want %s", got, s.Err(), want)
		}
	}
}

func TestStatementErrors(t *testing.T) {
	x, y := engine.Zeros[float32](3, 4).Named("x"), engine.Zeros[float32](4).Named("y")
	b, i := engine.Zeros[bool](4).Named("b"), engine.Zeros[int32](4).Named("i")
	for want, s := range map[string]expr.Statement{
		"a value of shape [3 4] cannot be assigned to a target of shape [4]":   expr.Let(y, x),
		"a value of shape [3] cannot be assigned to a target of shape [3 4]":   expr.Let(x, engine.Zeros[float32](3).Named("z")),
		"a value of type int32 cannot be assigned to a target of type float32": {Target: y.Node(), Value: i.Node()},
		"+= is not defined for bool":                                           {Saver: expr.Plus, Target: b.Node(), Value: b.Node()},
		"shapes [3] and [4] do not broadcast":                                  expr.Let(y, op.Add[float32](engine.Zeros[float32](3).Named("z"), y)),
		"the statement has no target or no value":                              {Target: y.Node()},
		"the tree has elements of type float32, not float64":                   expr.Let(expr.TargetOf[float64](y.Node()), op.Full[float64](1)),
	} {
		err := s.Err()
		var e *tree.Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if e != nil && e.File != "statement_test.go" {
			t.Errorf("%v was found in %s", err, e.File)
		}
	}
}
