package untyped

import (
	"fmt"

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

// MatMul returns the matrix product of untyped trees.
func MatMul(a, b *tree.Node) *tree.Node { return tree.Apply(Row("matmul"), a, b) }
