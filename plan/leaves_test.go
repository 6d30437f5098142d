package plan_test

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// TestMapLeaves exchanges the leaves of statements that share nodes.
func TestMapLeaves(t *testing.T) {
	x, y, z := leaf("x", 3), leaf("y", 3), leaf("z", 3)
	shared := op.Exp(x)
	stmts := []expr.Statement{expr.Let(y, op.Add(shared, shared)), expr.LetAdd(y, op.Neg(shared))}
	calls := 0
	out := plan.MapLeaves(stmts, func(n *tree.Node) *tree.Node {
		calls++
		if n.Leaf.Name == "x" {
			return z.Node()
		}
		return n
	})
	if calls != 2 {
		t.Errorf("%d leaves are mapped, not 2", calls)
	}
	if got, want := out[0].String()+"; "+out[1].String(), "y = (exp(z) + exp(z)); y += neg(exp(z))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if out[0].Value.Args[0] != out[1].Value.Args[0] || out[0].Value.Args[0] != out[0].Value.Args[1] {
		t.Error("shared nodes are copied")
	}
	if got := stmts[0].String(); got != "y = (exp(x) + exp(x))" {
		t.Errorf("the statement became %s", got)
	}
	if out[0].Value.Shape().Size() != 3 || out[0].Value.Err() != nil {
		t.Error("the tree lost its shape")
	}
}
