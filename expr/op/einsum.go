package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// Einsum returns the sum of products that subscripts state in Einstein's notation,
// as NumPy's einsum does: "ij,jk->ik" is the product of matrices, "ii" the trace
// and "...ij->...ji" a transposition. Without an arrow the result has the letters
// that occur once, in the order of the alphabet. Of more than two operands it
// multiplies two at a time, first those whose product has the fewest elements.
// Subscripts that do not fit the operands are [expr.ErrValue]. Axes of one letter with
// different sizes are [expr.ErrShape], unless one is 1.
func Einsum[T expr.AnyNumber](subscripts string, a expr.Exp[T], more ...expr.Exp[T]) expr.Exp[T] {
	x := append([]*tree.Node{expr.NodeOf(a)}, nodes(more)...)
	return composed[T]("einsum", untyped.Options{Text: subscripts}, x...)
}

// TensorDot returns the sum of the products of a and b over the axes from of a and
// the axes to of b. The result has the other axes of a, then those of b. from and to
// have one length, and axes that are summed over together have one size.
func TensorDot[T expr.AnyNumber](a, b expr.Exp[T], from, to []int) expr.Exp[T] {
	from = append([]int{}, from...) // not nil, which means a number of axes
	return composed[T]("tensordot", untyped.Options{Axes: from, Ints: to}, expr.NodeOf(a), expr.NodeOf(b))
}

// Inner returns the sums of the products of a and b over their last axes, of one
// size. The result has the other axes of a, then those of b. A scalar multiplies.
func Inner[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("inner", a, b) }

// VecDot returns the sums of the products of a and b along an axis of each, which has
// one size in both. The other axes broadcast.
func VecDot[T expr.AnyNumber](a, b expr.Exp[T], axis int) expr.Exp[T] {
	return composed[T]("vecdot", untyped.Options{Axes: []int{axis}}, expr.NodeOf(a), expr.NodeOf(b))
}

// VDot returns the sum of the products of the elements of a, conjugate, and b in
// row-major order. Both have one number of elements.
func VDot[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("vdot", a, b) }

// MatVec returns the products of the matrices in the last two axes of a and the
// vectors in the last axis of b. The other axes broadcast.
func MatVec[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("matvec", a, b) }

// VecMat returns the products of the vectors in the last axis of a and the matrices
// in the last two axes of b. The other axes broadcast.
func VecMat[T expr.AnyNumber](a, b expr.Exp[T]) expr.Exp[T] { return plain[T]("vecmat", a, b) }

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
