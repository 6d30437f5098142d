package op

import (
	"fmt"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

var contractions = family(tree.Row{Class: tree.Contraction, Arity: 2, Types: numbers}, []tree.Row{
	{
		Name: "matmul", Symbol: "@", GoName: "MatMul", Shape: matmulShape, Grad: gradMatMul,
		Doc: "the matrix product, of vectors, matrices and stacks of matrices as NumPy's @.",
	},
})

func matmulShape(n *tree.Node) (shape.Shape, error) {
	a, b := n.Args[0].Shape(), n.Args[1].Shape()
	if len(a) == 0 || len(b) == 0 {
		return nil, fmt.Errorf("operands of rank 0 have no matrix product")
	}
	ra, rb := len(a), len(b)
	k, kb := a[ra-1], b[max(rb-2, 0)]
	if k != kb {
		return nil, fmt.Errorf("inner dimensions of %v and %v differ", a, b)
	}
	batch, err := shape.Broadcast(a[:max(ra-2, 0)], b[:max(rb-2, 0)])
	if err != nil {
		return nil, err
	}
	out := batch.Clone()
	if ra > 1 {
		out = append(out, a[ra-2])
	}
	if rb > 1 {
		out = append(out, b[rb-1])
	}
	return out, nil
}

// MatMulNode returns the matrix product of untyped trees.
func MatMulNode(a, b *tree.Node) *tree.Node {
	return tree.Apply(row("matmul"), a, b)
}

// MatMul returns the matrix product as NumPy's @. It takes vectors, matrices,
// and stacks of matrices, whose leading dimensions broadcast.
func MatMul[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](MatMulNode(expr.NodeOf(a), expr.NodeOf(b)))
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
