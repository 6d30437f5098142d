package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// MatMul returns the matrix product as NumPy's @. It takes vectors, matrices,
// and stacks of matrices, whose leading dimensions broadcast.
func MatMul[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](untyped.MatMul(expr.NodeOf(a), expr.NodeOf(b)))
}

// Dot returns the inner product of vectors and the product of matrices and
// vectors: MatMul for operands of rank 1 and 2.
func Dot[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] {
	for _, n := range []*tree.Node{expr.NodeOf(a), expr.NodeOf(b)} {
		if n.Err() == nil && len(n.Shape()) > 2 {
			return expr.Of[T](tree.Errorf(tree.ErrShape, "Dot", "an operand has rank %d; stacks of matrices go to MatMul", len(n.Shape())))
		}
	}
	return expr.Of[T](MatMul(a, b).Node().As("Dot", expr.NodeOf(a), expr.NodeOf(b)))
}
