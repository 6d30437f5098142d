package op

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/shape"
)

// gradMatMul returns out @ b.T for a and a.T @ out for b, summed over broadcast
// leading axes. Vectors are matrices of one row or column.
func gradMatMul(g *expr.Adjoint, arg int) *expr.Node {
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
	var r *expr.Node
	switch {
	case arg == 0:
		r = product(g, z, turned(g, y))
		r = g.SumTo(r, r.Shape(), a)
	case len(b) == 2 && len(a) > 2: // one matrix for the whole stack, so its adjoint is one matrix
		x, z = rowsOf(g, x), rowsOf(g, z)
		r = product(g, turned(g, x), z)
	default:
		r = product(g, turned(g, x), z)
		r = g.SumTo(r, r.Shape(), b)
	}
	return g.Reshape(r, g.Arg(arg).Shape())
}

// turned returns a with its last two axes exchanged (transposed).
func turned(g *expr.Adjoint, a *expr.Node) *expr.Node {
	axes := make([]int, len(a.Shape()))
	for i := range axes {
		axes[i] = i
	}
	n := len(axes)
	axes[n-1], axes[n-2] = n-2, n-1
	return g.With("transpose", axes, nil, a)
}

// rowsOf returns a stack of matrices as one matrix with all their rows.
func rowsOf(g *expr.Adjoint, a *expr.Node) *expr.Node {
	s := a.Shape()
	cols := s[len(s)-1]
	return g.Reshape(a, shape.Shape{shape.Shape(s[:len(s)-1]).Size(), cols})
}

// product returns a @ b. It writes an outer product, which has no sum, as an
// element-wise product, which fuses.
func product(g *expr.Adjoint, a, b *expr.Node) *expr.Node {
	if s := a.Shape(); s[len(s)-1] == 1 {
		return g.Mul(a, b)
	}
	return g.Op("matmul", a, b)
}
