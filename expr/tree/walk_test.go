package tree_test

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

func TestWalk(t *testing.T) {
	x := leaf[float32]("x", 3)
	square := op.Square[float32](x)
	root := op.Sub(op.Add(square, x), square).Node()
	var names []string
	tree.Walk(root, func(n *tree.Node) { names = append(names, n.Op.Name()) })
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
	tree.Walk(e.Node(), func(*tree.Node) { count++ })
	if count != 200_001 {
		t.Errorf("%d visits", count)
	}
	bare := tree.Untyped(e.Node().Op, nil, e.Node().DType())
	bare.Args = []*tree.Node{nil, nil}
	count = 0
	if tree.Walk(bare, func(*tree.Node) { count++ }); count != 1 {
		t.Errorf("%d visits of a node with nil operands", count)
	}
}
