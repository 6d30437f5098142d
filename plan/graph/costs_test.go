package graph

import (
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

type flat struct{}

func (*flat) Device() string { return "cpu" }
func (*flat) Size() int      { return 4 }

// TestCostsOfUsers defines operators in a loop. The process must not keep their
// costs.
func TestCostsOfUsers(t *testing.T) {
	x := tree.NewLeaf(dtype.F32, nil, &tree.Leaf{Mem: &flat{}})
	for range 3 {
		o := op.Define("twice", 1, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], x[0]) })
		if _, err := New().Add(t.Context(), untyped.Apply(o, untyped.Apply(untyped.Row("neg"), x))); err != nil {
			t.Fatal(err)
		}
	}
	for k := range costs.of {
		if !builtIn(k.op) {
			t.Errorf("the cost of a user's operator %s is kept", k.op.Name())
		}
	}
}
