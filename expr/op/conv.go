package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// Conv returns the correlation of images x of shape [n channels ...] with weights
// of shape [outputs channels/groups ...], which other libraries call convolution.
// The images are padded with zeros. The result has the shape [n outputs ...], and
// (size + 2*padding - dilation*(kernel-1) - 1)/stride + 1 positions along each of the
// last axes. The last axes of the weights give the size of the windows; a Kernel, if given, must equal it.
func Conv[T expr.Number](x, weight expr.Exp[T], s Sliding) expr.Exp[T] {
	return composed[T]("conv", untyped.Options{Slide: s}, expr.NodeOf(x), expr.NodeOf(weight))
}

// Pool returns the reduction of windows over the last len(s.Kernel) axes of x. The
// reducer is "max", "min", "sum" or "avg". These axes have a position for each window
// that ends inside the padding.
func Pool[T expr.Number](reducer string, x expr.Exp[T], s Sliding, opts ...ReduceOption) expr.Exp[T] {
	switch reducer {
	case "max", "min", "sum", "avg":
		o := options(opts)
		o.Slide = s
		return composed[T](reducer+"_pool", o, expr.NodeOf(x))
	}
	return expr.Of[T](tree.Errorf(tree.ErrValue, "Pool", "there is no reducer %q; there are max, min, sum and avg", reducer))
}

// MaxPool returns the maximum of windows over the last axes of x. Padding is never
// the maximum.
func MaxPool[T expr.Number](x expr.Exp[T], s Sliding, opts ...ReduceOption) expr.Exp[T] {
	return Pool("max", x, s, opts...)
}

// MinPool returns the minimum of windows over the last axes of x. Padding is never
// the minimum.
func MinPool[T expr.Number](x expr.Exp[T], s Sliding, opts ...ReduceOption) expr.Exp[T] {
	return Pool("min", x, s, opts...)
}

// SumPool returns the sum of windows over the last axes of x, padded with zeros.
func SumPool[T expr.Number](x expr.Exp[T], s Sliding) expr.Exp[T] { return Pool("sum", x, s) }

// AvgPool returns the mean of windows over the last axes of x, of which padding
// with zeros is a part.
func AvgPool[T expr.Float](x expr.Exp[T], s Sliding) expr.Exp[T] { return Pool("avg", x, s) }

// ArgMaxPool returns where each window of MaxPool has its first maximum, or its first NaN: the row-major position in the
// pooled axes of x, as PyTorch does with return_indices. It is never a position of padding.
// A program that has MaxPool too finds both in the same pass.
func ArgMaxPool[T expr.Number](x expr.Exp[T], s Sliding) expr.Exp[int64] {
	return composed[int64]("argmax_pool", untyped.Options{Slide: s}, expr.NodeOf(x))
}

// ArgMinPool returns the position of the first minimum of each window of MinPool, like ArgMaxPool.
func ArgMinPool[T expr.Number](x expr.Exp[T], s Sliding) expr.Exp[int64] {
	return composed[int64]("argmin_pool", untyped.Options{Slide: s}, expr.NodeOf(x))
}

// UnpoolAt returns an array of shape dims in which each element of grad is added at its position,
// which ArgMaxPool found with the same windows. It is the derivative of the pool without what was pooled. A position
// that is not in its window counts for nothing. Positions converted to int32 take less time.
func UnpoolAt[T expr.Number, I expr.Integer](grad expr.Exp[T], positions expr.Exp[I], dims []int, s Sliding) expr.Exp[T] {
	return composed[T]("unpool_at", untyped.Options{Ints: dims, Slide: s}, expr.NodeOf(grad), expr.NodeOf(positions))
}

// Unpool returns each element of grad, added to the elements of its window in data
// that equal the one in pooled. All elements that are equal receive it. The result has
// the shape of data. pooled and grad have the shape of a pool of data.
func Unpool[T expr.Number](data, pooled, grad expr.Exp[T], s Sliding) expr.Exp[T] {
	return composed[T]("unpool", untyped.Options{Slide: s}, expr.NodeOf(data), expr.NodeOf(pooled), expr.NodeOf(grad))
}

// Im2Col returns the windows of images [n channels ...] as the columns of a matrix.
// A row is an element of the window of a channel, row-major. A column is a window
// of an image.
func Im2Col[T expr.Elem](x expr.Exp[T], s Sliding) expr.Exp[T] {
	return composed[T]("im2col", untyped.Options{Slide: s}, expr.NodeOf(x))
}

// Col2Im returns the adjoint of Im2Col: images of shape dims, with the columns of a
// added at the places of their windows.
func Col2Im[T expr.Number](a expr.Exp[T], dims []int, s Sliding) expr.Exp[T] {
	return composed[T]("col2im", untyped.Options{Ints: dims, Slide: s}, expr.NodeOf(a))
}
