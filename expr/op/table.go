package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

func map1[T, R expr.Elem](o *tree.Operator, a expr.Exp[T]) expr.Exp[R] {
	return expr.Of[R](tree.Apply(o, expr.NodeOf(a)))
}

func map2[T, R expr.Elem](o *tree.Operator, a, b expr.Exp[T]) expr.Exp[R] {
	return expr.Of[R](tree.Apply(o, expr.NodeOf(a), expr.NodeOf(b)))
}

func map3[T, R expr.Elem](o *tree.Operator, a, b, c expr.Exp[T]) expr.Exp[R] {
	return expr.Of[R](tree.Apply(o, expr.NodeOf(a), expr.NodeOf(b), expr.NodeOf(c)))
}

// B builds the scalar program of an operator; see package prim.
type B = prim.B

// V is a value of such a program.
type V = prim.V

// Sliding says how the windows of convolutions and pools move over the last axes: Kernel, their size, which
// convolutions take from the weights; Stride, Padding and Dilation, with one number for each axis or one for
// all; and Groups of channels, of convolutions alone. Zero fields are strides of 1 (of pools the kernel), no padding and one group.
type Sliding = untyped.Sliding

// A Reducer is a reduction with several states; see ReduceStates.
type Reducer = untyped.Reducer

// ScanOptions are the options of a scan.
type ScanOptions = untyped.ScanOptions
