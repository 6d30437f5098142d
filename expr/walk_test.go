package expr_test

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func TestWalk(t *testing.T) {
	x := leaf[float32]("x", 3)
	square := op.Square[float32](x)
	root := op.Sub(op.Add(square, x), square).Node()
	var names []string
	expr.Walk(root, func(n *expr.Node) { names = append(names, n.Op.Name()) })
	if want := []string{"storage", "square", "add", "sub"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// Walk does not recurse, and visits each node once.
func TestWalkLarge(t *testing.T) {
	e := expr.Exp[float32](leaf[float32]("x", 3))
	for range 200_000 {
		e = op.Add(e, e)
	}
	count := 0
	expr.Walk(e.Node(), func(*expr.Node) { count++ })
	if count != 200_001 {
		t.Errorf("%d visits", count)
	}
	bare := expr.Untyped(e.Node().Op, nil, e.Node().DType())
	bare.Args = []*expr.Node{nil, nil}
	count = 0
	if expr.Walk(bare, func(*expr.Node) { count++ }); count != 1 {
		t.Errorf("%d visits of a node with nil operands", count)
	}
}
