package untyped

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
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
	if k, kb := a[ra-1], b[max(rb-2, 0)]; k != kb {
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

// gradMatMul returns out @ b.T for a and a.T @ out for b, summed over broadcast
// leading axes. Vectors are matrices of one row or column.
func gradMatMul(g *tree.Adjoint, arg int) *tree.Node {
	a, b := g.Arg(0).Shape(), g.Arg(1).Shape()
	out := g.Node.Shape()
	if len(b) == 1 {
		b = shape.Shape{b[0], 1}
		out = append(slices.Clone(out), 1)
	}
	if len(a) == 1 {
		a = shape.Shape{1, a[0]}
		out = slices.Insert(slices.Clone(out), len(out)-1, 1)
	}
	x, y, z := g.Reshape(g.Arg(0), a), g.Reshape(g.Arg(1), b), g.Reshape(g.Full(), out)
	var r *tree.Node
	of := b
	if arg == 0 {
		of = a
		if s, t, ok := stacked(g, a, transposed(g, z), transposed(g, y), false); ok {
			r = product(g, transposed(g, s), t)
		} else {
			r = product(g, z, transposed(g, y))
		}
	} else {
		x, z, _ = stacked(g, b, x, z, true)
		r = product(g, transposed(g, x), z)
	}
	return g.Reshape(g.SumTo(r, r.Shape(), of), g.Arg(arg).Shape())
}

// stacked joins the leading axes of x and z along which the operand, of shape of, has
// one matrix only: it puts their rows one below another. Then one product sums over
// these axes. It returns x and z themselves, and false, where the sum of a stack of
// products takes less memory. direct says that the rows of x and z are rows of arrays.
func stacked(g *tree.Adjoint, of shape.Shape, x, z *tree.Node, direct bool) (_, _ *tree.Node, ok bool) {
	s, t := x.Shape(), z.Shape()
	last := len(t) - 1
	if len(s) != len(t) {
		return x, z, false
	}
	var kept, joined []int
	for i := range last - 1 {
		if k := i - len(t) + len(of); (k < 0 || of[k] == 1) && s[i] == t[i] {
			joined = append(joined, i)
		} else {
			kept = append(kept, i)
		}
	}
	direct = direct && len(kept) == 0
	if len(joined) == 0 || !direct && s[last]*t[last] <= s[last-1]*(s[last]+t[last]) {
		return x, z, false
	}
	stack := func(a *tree.Node) *tree.Node {
		a = g.With("transpose", slices.Concat(kept, joined, []int{last - 1, last}), nil, a)
		s := a.Shape()
		return g.Reshape(a, slices.Concat(s[:len(kept)], shape.Shape{s.Count(len(kept), last), s[last]}))
	}
	return stack(x), stack(z), true
}

// transposed returns a with its last two axes exchanged.
func transposed(g *tree.Adjoint, a *tree.Node) *tree.Node {
	axes := lists.UpTo(len(a.Shape()))
	n := len(axes)
	axes[n-1], axes[n-2] = n-2, n-1
	return g.With("transpose", axes, nil, a)
}

// product returns a @ b. It writes an outer product, which has no sum, as an
// element-wise product, which fuses.
func product(g *tree.Adjoint, a, b *tree.Node) *tree.Node {
	if s := a.Shape(); s[len(s)-1] == 1 {
		return g.Mul(a, b)
	}
	return g.Op("matmul", a, b)
}
