package op_test

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// eval computes an expression.
func eval[T expr.Elem](t *testing.T, e expr.Exp[T]) ([]T, []int) {
	t.Helper()
	n := e.Node()
	if n.Err() != nil {
		t.Fatal(n.Err())
	}
	y, err := engine.New[T](n.Shape()...)
	if err == nil {
		err = y.Assign(e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return y.Values(), n.Shape()
}

// iota returns 1, 2, 3 ... in the shape dims.
func iota[T expr.Elem](dims ...int) *engine.Tensor[T] {
	x := engine.Zeros[T](dims...)
	for i := range x.Data() {
		switch p := any(&x.Data()[i]).(type) {
		case *float64:
			*p = float64(i + 1)
		case *float32:
			*p = float32(i + 1)
		case *int32:
			*p = int32(i + 1)
		case *int8:
			*p = int8(i + 1)
		case *expr.Float16:
			*p = dtype.F16From(float32(i + 1))
		}
	}
	return x
}

// fails requires an expression to carry an error of a kind.
func fails(t *testing.T, name string, n *tree.Node, kind error) {
	t.Helper()
	if err := n.Err(); !errors.Is(err, kind) {
		t.Errorf("%s: got the error %v, want a %v", name, err, kind)
	}
}

// scalar returns a lowering as a function on values of type t.
func scalar(tb testing.TB, o *tree.Operator, t dtype.Type) func(args ...uint64) uint64 {
	tb.Helper()
	p, err := prim.NewProgram(operands(o, t), o.Lower())
	if err != nil {
		tb.Fatal(o.Name(), t, err)
	}
	return p.Call
}

// operands returns the register types of an operator's operands if its elements
// have type t.
func operands(o *tree.Operator, t dtype.Type) []dtype.Type {
	types := make([]dtype.Type, o.Arity())
	for i := range types {
		if types[i] = t.Register(); i == 0 && o.Cond() {
			types[i] = dtype.Bool
		}
	}
	return types
}
