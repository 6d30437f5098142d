package untyped

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Composition is a row of the table of compositions: a function that is a
// tree of operators. Formulas and docs/ops.md read the table.
type Composition struct {
	Name      string // as in formulas: "logsumexp"
	GoName    string // of the constructor, if it does not follow from Name
	Group     string // of the documentation: "reductions", "views" ...
	Arguments string // as NumPy's documentation writes them: "a, axis=None, *, keepdims=False"
	Doc       string // one sentence
	Operands  int    // the number of trees among the arguments; -1: any number, at least one
	Optional  int    // how many of the last operands may be nil
	Types     tree.Types
	Index     int // the operand of this number holds integers of any type; 0: none
	// Pairs means that the axes are axes of the first operand, and the integers
	// the axes of the second one that are paired with them.
	Pairs bool
	// Wide means that the accumulator of the options is the type of the whole
	// composition, for halves float32. Only the result is rounded to the type of
	// the operands.
	Wide bool
	// Rounds means that results of floats are rounded more than once, so no bound of
	// the error is stated. Nor is one for a Wide row.
	Rounds bool
	// Build returns the tree. Operands that are not optional are not nil and
	// carry no error. Only Apply calls it, because it may panic with a stop.
	Build func(o Options, x ...*tree.Node) *tree.Node
}

// Options are the arguments of reductions and compositions that are no
// operands. The zero value is NumPy's default.
type Options struct {
	Axes []int      // nil: all
	Keep bool       // reduced axes stay, with size 1
	Acc  dtype.Type // Invalid: the natural accumulator
	DDof float64    // var and std divide by n - DDof; elsewhere it is an error
	Ties bool       // equal extremes receive the whole adjoint each; see WholeTies

	Ints    []int      // the integers among the arguments, in their order: roll: shifts; one_hot: the depth; eye: rows, columns, diagonal ...
	Numbers []float64  // the numbers among the arguments: layernorm: eps; linspace: both ends ...
	Open    bool       // linspace: without the last end
	To      dtype.Type // the type of the elements of one_hot, eye and linspace; Invalid: float64
	Text    string     // einsum: the subscripts; layout: the names of the axes; convolve: the mode
	Slide   Sliding    // how the windows of convolutions and pools move
}

const (
	elementwiseGroup = "element by element" // with the types of NumPy's ufuncs

	folding   = "a, axis=None, *, keepdims=False"
	foldingTo = "a, axis=None, dtype=None, *, keepdims=False"
	moving    = "kernel_size, stride=1, padding=0, dilation=1"
	pooling   = "x, kernel_size, stride=None, padding=0, dilation=1"
	variance  = "a, axis=None, dtype=None, *, ddof=0, keepdims=False, correction=0"
)

var compositions = []Composition{
	{Name: "mean", Group: "reductions", Arguments: foldingTo, Operands: 1, Types: floats, Wide: true, Build: mean, Doc: "the arithmetic mean over axes; an empty axis is an error."},
	{Name: "var", Group: "reductions", Arguments: variance, Operands: 1, Types: floats, Wide: true, Build: variation, Doc: "the mean squared distance from the mean over axes, in two passes; the divisor is the count less ddof, at least 0."},
	{Name: "std", Group: "reductions", Arguments: variance, Operands: 1, Types: floats, Wide: true, Build: deviation, Doc: "the square root of var."},
	{Name: "logsumexp", GoName: "LogSumExp", Group: "reductions", Arguments: folding, Operands: 1, Types: floats, Wide: true, Build: logSumExp, Doc: "log(sum(exp(a))) over axes, without overflow."},
	{Name: "nansum", GoName: "NaNSum", Group: "reductions", Arguments: foldingTo, Operands: 1, Types: numbers, Rounds: true, Build: nanSum, Doc: "the sum over axes of what is not NaN."},
	{Name: "nanmean", GoName: "NaNMean", Group: "reductions", Arguments: foldingTo, Operands: 1, Types: floats, Wide: true, Build: nanMean, Doc: "the mean over axes of what is not NaN; NaN if there is nothing."},
	{Name: "nanvar", GoName: "NaNVar", Group: "reductions", Arguments: variance, Operands: 1, Types: floats, Wide: true, Build: nanVariation, Doc: "the variance over axes of what is not NaN."},
	{Name: "nanstd", GoName: "NaNStd", Group: "reductions", Arguments: variance, Operands: 1, Types: floats, Wide: true, Build: nanDeviation, Doc: "the square root of nanvar."},
	{Name: "count_nonzero", Group: "reductions", Arguments: folding, Operands: 1, Types: elems, Build: countNonzero, Doc: "the number of elements over axes that are not 0, as int64."},
	{Name: "ptp", GoName: "PeakToPeak", Group: "reductions", Arguments: folding, Operands: 1, Types: numbers, Build: peakToPeak, Doc: "the maximum less the minimum over axes."},
	{Name: "sort", Group: "statistics", Arguments: "a, axis=-1?, kind=None, *, stable=None", Operands: 1, Types: elems, Build: ordered("sort"), Doc: "the elements along an axis in order, -0 before +0, NaN last; without an axis, of all elements."},
	{Name: "argsort", GoName: "ArgSort", Group: "statistics", Arguments: "a, axis=-1?, kind=None, *, stable=None", Operands: 1, Types: elems, Build: ordered("argsort"), Doc: "the positions along an axis that sort it, as int64; equal elements keep their order."},
	{Name: "partition", Group: "statistics", Arguments: "a, kth, axis=-1?", Operands: 1, Types: elems, Build: parted("partition"), Doc: "the elements along an axis, those at the places kth as in sorted order, lesser ones before and greater ones after them; elements between two places keep their order, but an axis of at most 256 elements (512 of up to 4 bytes, 1024 of integers of 2 bytes), of bytes, or of integers of 2 bytes at several places, is sorted; without an axis, of all elements."},
	{Name: "argpartition", GoName: "ArgPartition", Group: "statistics", Arguments: "a, kth, axis=-1?", Operands: 1, Types: elems, Build: parted("argpartition"), Doc: "the positions of the elements of a partition, as int64; those between two places ascend, but an axis of at most 256 elements, or of integers of 1 and 2 bytes, is sorted."},
	{Name: "searchsorted", GoName: "SearchSorted", Group: "statistics", Arguments: "a, v, side='left'", Operands: 2, Types: elems, Build: searchSorted, Doc: "for each element of v the number of elements of the sorted vector a below it, as int64; for the side right, of elements not above it."},
	{Name: "bincount", Group: "statistics", Arguments: "x, *, minlength=0", Operands: 1, Types: ints, Build: binCount, Doc: "how often each integer below minlength occurs in a vector, as int64; an integer outside is an error."},
	{Name: "median", Group: "reductions", Arguments: folding, Operands: 1, Types: floats, Wide: true, Build: median, Doc: "the middle of the sorted elements over axes, or the mean of the two in the middle; NaN if an element is."},
	{Name: "quantile", Group: "reductions", Arguments: "a, q, axis=None, *, method='linear', keepdims=False", Operands: 1, Types: numbers, Wide: true, Build: quantile(1), Doc: "the quantile q, from 0 to 1, over axes, by one of NumPy's methods; NaN if an element is."},
	{Name: "percentile", Group: "reductions", Arguments: "a, q, axis=None, *, method='linear', keepdims=False", Operands: 1, Types: numbers, Wide: true, Build: quantile(100), Doc: "the quantile q/100 over axes."},
	{Name: "nanmedian", GoName: "NaNMedian", Group: "reductions", Arguments: folding, Operands: 1, Types: floats, Wide: true, Build: nanMedian, Doc: "the median over axes of what is not NaN; NaN if there is nothing."},
	{Name: "nanquantile", GoName: "NaNQuantile", Group: "reductions", Arguments: "a, q, axis=None, *, method='linear', keepdims=False", Operands: 1, Types: numbers, Wide: true, Build: nanQuantile(1), Doc: "the quantile q, from 0 to 1, over axes of what is not NaN, by one of NumPy's methods."},
	{Name: "nanpercentile", GoName: "NaNPercentile", Group: "reductions", Arguments: "a, q, axis=None, *, method='linear', keepdims=False", Operands: 1, Types: numbers, Wide: true, Build: nanQuantile(100), Doc: "the quantile q/100 over axes of what is not NaN."},
	{Name: "cumsum", GoName: "CumSum", Group: "scans", Arguments: "a, axis=None, dtype=None", Operands: 1, Types: numbers, Rounds: true, Build: accumulate("add", "sum"), Doc: "the sums of the elements up to each one along an axis, added in order; without an axis, of the vector of all elements."},
	{Name: "cumprod", GoName: "CumProd", Group: "scans", Arguments: "a, axis=None, dtype=None", Operands: 1, Types: numbers, Rounds: true, Build: accumulate("mul", "prod"), Doc: "the products of the elements up to each one along an axis, multiplied in order."},
	{Name: "nancumsum", GoName: "NaNCumSum", Group: "scans", Arguments: "a, axis=None, dtype=None", Operands: 1, Types: numbers, Rounds: true, Build: withoutNaN(0, accumulate("add", "sum")), Doc: "cumsum with 0 for NaN."},
	{Name: "nancumprod", GoName: "NaNCumProd", Group: "scans", Arguments: "a, axis=None, dtype=None", Operands: 1, Types: numbers, Rounds: true, Build: withoutNaN(1, accumulate("mul", "prod")), Doc: "cumprod with 1 for NaN."},
	{Name: "cummax", GoName: "CumMax", Group: "scans", Arguments: "a, axis=None", Operands: 1, Types: numbers, Build: accumulate("maximum", "max"), Doc: "the greatest of the elements up to each one along an axis; NaN from the first NaN on, -0 < +0."},
	{Name: "cummin", GoName: "CumMin", Group: "scans", Arguments: "a, axis=None", Operands: 1, Types: numbers, Build: accumulate("minimum", "min"), Doc: "the least of the elements up to each one along an axis; NaN from the first NaN on, -0 < +0."},
	{Name: "softmax", Group: "networks", Arguments: "x, axis=-1", Operands: 1, Types: floats, Wide: true, Build: softmax, Doc: "exp(x) / sum(exp(x)) over an axis, without overflow."},
	{
		Name: "layernorm", GoName: "LayerNorm", Group: "networks", Arguments: "x, gamma=None, beta=None, eps=1e-5", Operands: 3, Optional: 2, Types: floats, Wide: true, Build: layerNorm,
		Doc: "(x - mean) / sqrt(var + eps) * gamma + beta over the last axis.",
	},
	{Name: "log_softmax", GoName: "LogSoftmax", Group: "networks", Arguments: "x, axis=-1", Operands: 1, Types: floats, Wide: true, Build: logSoftmax, Doc: "log(softmax(x)) over an axis, without overflow."},
	{Name: "softplus", GoName: "Softplus", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Wide: true, Build: softplus, Doc: "log(1 + exp(x)) without overflow."},
	{Name: "silu", GoName: "SiLU", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Wide: true, Build: silu, Doc: "x * sigmoid(x)."},
	{Name: "elu", GoName: "ELU", Group: elementwiseGroup, Arguments: "x, alpha=1.0", Operands: 1, Types: floats, Wide: true, Build: elu, Doc: "x where x > 0, else alpha * (exp(x) - 1)."},
	{Name: "leaky_relu", GoName: "LeakyReLU", Group: elementwiseGroup, Arguments: "x, negative_slope=0.01", Operands: 1, Types: floats, Wide: true, Build: leakyReLU, Doc: "x where x > 0, else negative_slope * x."},
	{Name: "one_hot", Group: "networks", Arguments: "indices, depth, *, dtype=None", Operands: 1, Types: ints, Build: oneHot, Doc: "1 at each index along a new last axis of size depth, else 0; an index outside gives zeros."},
	{Name: "nan_to_num", GoName: "NaNToNum", Group: "selection and rounding", Arguments: "x, copy=True, nan=0.0, posinf=None, neginf=None", Operands: 1, Types: elems, Build: nanToNum, Doc: "x with NaN replaced, and infinities, by default by the greatest finite numbers."},
	{Name: "round", Group: "selection and rounding", Arguments: "a, decimals=0", Operands: 1, Types: numbers, Build: round, Doc: "the nearest number of that many decimals, ties to even."},
	{Name: "isclose", GoName: "IsClose", Group: "selection and rounding", Arguments: "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", Operands: 2, Types: numbers, Build: isClose, Doc: "whether |a - b| <= atol + rtol*|b|, or a == b."},
	{Name: "outer", Group: "products", Arguments: "a, b", Operands: 2, Types: elems, Build: outer, Doc: "the products of all pairs of elements."},
	{Name: "inner", Group: "products", Arguments: "a, b", Operands: 2, Types: numbers, Rounds: true, Build: inner, Doc: "the sums of products over the last axes."},
	{Name: "einsum", Group: "products", Arguments: "subscripts, *operands", Operands: -1, Types: numbers, Rounds: true, Build: einsum, Doc: "the sum of products that the subscripts state, such as 'ij,jk->ik'."},
	{Name: "tensordot", GoName: "TensorDot", Group: "products", Arguments: "a, b, axes=2", Operands: 2, Pairs: true, Types: numbers, Rounds: true, Build: tensorDot, Doc: "the sums of products over axes of both operands."},
	{Name: "vecdot", GoName: "VecDot", Group: "products", Arguments: "x1, x2, axis=-1", Operands: 2, Types: numbers, Rounds: true, Build: vecDot, Doc: "the sums of products along an axis."},
	{Name: "vdot", GoName: "VDot", Group: "products", Arguments: "a, b", Operands: 2, Types: numbers, Rounds: true, Build: vdot, Doc: "the sum of the products of all elements of b and of the conjugate of a."},
	{Name: "matvec", GoName: "MatVec", Group: "products", Arguments: "x1, x2", Operands: 2, Types: numbers, Rounds: true, Build: matVec, Doc: "the products of matrices and vectors in the last axes."},
	{Name: "vecmat", GoName: "VecMat", Group: "products", Arguments: "x1, x2", Operands: 2, Types: numbers, Rounds: true, Build: vecMat, Doc: "the products of vectors and matrices in the last axes."},
	{Name: "conv", Group: "products", Arguments: "x, weight, stride=1, padding=0, dilation=1, groups=1", Operands: 2, Types: numbers, Rounds: true, Build: convolution, Doc: "the correlation of images [n channels ...] with weights [outputs channels/groups ...], padded with zeros."},
	{Name: "max_pool", Group: "networks", Arguments: pooling, Operands: 1, Types: numbers, Build: pool("max"), Doc: "the maximum of windows over the last axes; padding is never the maximum."},
	{Name: "min_pool", Group: "networks", Arguments: pooling, Operands: 1, Types: numbers, Build: pool("min"), Doc: "the minimum of windows over the last axes; padding is never the minimum."},
	{Name: "sum_pool", Group: "networks", Arguments: pooling, Operands: 1, Types: numbers, Rounds: true, Build: pool("sum"), Doc: "the sum of windows over the last axes, padded with zeros."},
	{Name: "avg_pool", Group: "networks", Arguments: pooling, Operands: 1, Types: floats, Wide: true, Build: pool("mean"), Doc: "the mean of windows over the last axes, of which padding with zeros is a part."},
	{Name: "unpool", Group: "networks", Arguments: "data, pooled, grad, " + moving, Operands: 3, Types: numbers, Build: unpool, Doc: "each element of grad, added to the elements of its window in data that equal the one in pooled."},
	{Name: "argmax_pool", GoName: "ArgMaxPool", Group: "networks", Arguments: pooling, Operands: 1, Types: numbers, Build: argPool(true), Doc: "where each window of max_pool has its first maximum, or its first NaN, as int64: the row-major position in the pooled axes of x, never one of padding."},
	{Name: "argmin_pool", GoName: "ArgMinPool", Group: "networks", Arguments: pooling, Operands: 1, Types: numbers, Build: argPool(false), Doc: "argmax_pool of minima."},
	{Name: "unpool_at", GoName: "UnpoolAt", Group: "networks", Arguments: "grad, indices, shape, kernel_size, stride=None, padding=0, dilation=1", Operands: 2, Index: 1, Types: numbers, Build: unpoolAt, Doc: "an array of a shape, with each element of grad added at its position, which argmax_pool found in its window."},
	{Name: "im2col", GoName: "Im2Col", Group: "networks", Arguments: "x, " + moving, Operands: 1, Types: elems, Build: imageToColumns, Doc: "the windows of images [n channels ...] as the columns of a matrix."},
	{Name: "col2im", GoName: "Col2Im", Group: "networks", Arguments: "a, shape, " + moving, Operands: 1, Types: numbers, Build: columnsToImage, Doc: "images of a shape, with the columns of im2col added at the places of their windows."},
	{Name: "interpolate", Group: "networks", Arguments: "x, size, mode='nearest', axes=None", Operands: 1, Types: numbers, Rounds: true, Build: resizedTo, Doc: "axes, by default the last two, with other sizes, by repetition or by bilinear interpolation between the centres of elements."},
	{Name: "upsample", Group: "networks", Arguments: "x, scale, mode='nearest'", Operands: 1, Types: numbers, Rounds: true, Build: upsample, Doc: "the last two axes enlarged, by repetition or by bilinear interpolation between the centres of elements."},
	{Name: "crop", Group: "views", Arguments: "x, size, corner=None", Operands: 1, Types: elems, Build: crop, Doc: "a part of the last axes, by default the middle."},
	{Name: "layout", Group: "views", Arguments: "x, axes_from, axes_to", Operands: 1, Types: elems, Build: layout, Doc: "axes rearranged by their letters, such as from 'NCHW' to 'NHWC'."},
	{Name: "pick", Group: "selection and rounding", Arguments: "x, index", Operands: 2, Index: 1, Types: numbers, Build: pick, Doc: "the element of the last axis at each index; 0 for an index outside."},
	{Name: "fill_at", Group: "selection and rounding", Arguments: "x, index, v", Operands: 3, Index: 1, Types: elems, Build: fillAt, Doc: "x with the element of the last axis at each index replaced."},
	{Name: "softmax_grad", Group: "networks", Arguments: "y, label, ignore_label=None", Operands: 2, Index: 1, Types: floats, Rounds: true, Build: softmaxGrad, Doc: "the derivative of the cross-entropy of labels by the operand of the softmax y along the last axis: y less 1 at the label, if that is a class; 0 for rows of the label to ignore."},
	{Name: "smooth_softmax_grad", Group: "networks", Arguments: "y, label, alpha", Operands: 2, Index: 1, Types: floats, Rounds: true, Build: smoothSoftmaxGrad, Doc: "softmax_grad of labels that share alpha evenly with all others."},
	{Name: "diff", Group: "views", Arguments: "a, n=1, axis=-1, prepend=None, append=None", Operands: 3, Optional: 2, Types: elems, Build: diff, Doc: "the differences of neighbours along an axis, n times; with arrays or numbers before and after a."},
	{Name: "tile", Group: "views", Arguments: "A, reps", Operands: 1, Types: elems, Build: tile, Doc: "repeated along axes, counted from the last."},
	{Name: "repeat", Group: "views", Arguments: "a, repeats, axis=None", Operands: 1, Types: elems, Build: repeat, Doc: "each element repeated along an axis, or in a vector; repeats is a number, or a list of one for each element of the axis."},
	{Name: "tril", GoName: "TriL", Group: "views", Arguments: "m, k=0", Operands: 1, Types: elems, Build: tril, Doc: "matrices with zeros above the k-th diagonal; a vector is each row of one."},
	{Name: "triu", GoName: "TriU", Group: "views", Arguments: "m, k=0", Operands: 1, Types: elems, Build: triu, Doc: "matrices with zeros below the k-th diagonal; a vector is each row of one."},
	{Name: "ravel", GoName: "Flatten", Group: "views", Arguments: "a", Operands: 1, Types: elems, Build: flatten, Doc: "the elements as a vector, row-major."},
	{Name: "swapaxes", GoName: "SwapAxes", Group: "views", Arguments: "a, axis1, axis2", Operands: 1, Types: elems, Build: swapAxes, Doc: "two axes exchanged."},
	{Name: "moveaxis", GoName: "MoveAxis", Group: "views", Arguments: "a, source, destination", Operands: 1, Types: elems, Build: moveAxis, Doc: "axes moved to other places."},
	{Name: "expand_dims", GoName: "NewAxis", Group: "views", Arguments: "a, axis", Operands: 1, Types: elems, Build: newAxes, Doc: "with new axes of size 1."},
	{Name: "squeeze", Group: "views", Arguments: "a, axis=None", Operands: 1, Types: elems, Build: squeeze, Doc: "without axes of size 1."},
	{Name: "flip", Group: "views", Arguments: "m, axis=None", Operands: 1, Types: elems, Build: flip, Doc: "with axes reversed."},
	{Name: "roll", Group: "views", Arguments: "a, shift, axis=None", Operands: 1, Types: elems, Build: roll, Doc: "elements moved by shift positions along axes, or in row-major order; what leaves one end enters at the other."},
	{Name: "fftshift", GoName: "FFTShift", Group: "views", Arguments: "x, axes=None", Operands: 1, Types: elems, Build: halfTurn(false), Doc: "axes, by default all, turned so that the frequency 0 of fft is in the middle."},
	{Name: "ifftshift", GoName: "IFFTShift", Group: "views", Arguments: "x, axes=None", Operands: 1, Types: elems, Build: halfTurn(true), Doc: "the inverse of fftshift."},
	{Name: "stack", Group: "views", Arguments: "arrays, axis=0", Operands: -1, Types: elems, Build: stack, Doc: "operands of equal shapes along a new axis."},
	{Name: "eye", Group: "making arrays", Arguments: "N, M=None, k=0, *, dtype=None", Build: eye, Doc: "1 on the k-th diagonal of N rows and M columns, else 0."},
	{Name: "tri", Group: "making arrays", Arguments: "N, M=None, k=0, *, dtype=None", Build: tri, Doc: "1 on and below the k-th diagonal of N rows and M columns, else 0."},
	{Name: "linspace", Group: "making arrays", Arguments: "start, stop, num=50, endpoint=True, *, dtype=None", Build: linspace, Doc: "num numbers from start to stop."},
	{Name: "nanprod", GoName: "NaNProd", Group: "reductions", Arguments: foldingTo, Operands: 1, Types: numbers, Rounds: true, Build: nanProd, Doc: "the product over axes of what is not NaN."},
	{Name: "average", Group: "reductions", Arguments: "a, axis=None, weights=None, *, keepdims=False", Operands: 2, Optional: 1, Types: floats, Wide: true, Build: weighted, Doc: "the mean over axes with weights, of the shape of a or a vector along the axis."},
	{Name: "cov", Group: "statistics", Arguments: "m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None", Operands: 4, Optional: 3, Types: floats, Wide: true, Build: covariance, Doc: "the covariances of variables in rows, observed in columns, as often as fweights say and with the weights aweights; the divisor is the number of observations less ddof, which is 0 with bias, else 1."},
	{Name: "corrcoef", GoName: "CorrCoef", Group: "statistics", Arguments: "x, y=None, rowvar=True, *, dtype=None", Operands: 2, Optional: 1, Types: floats, Wide: true, Build: correlation, Doc: "the correlation coefficients of variables in rows, observed in columns."},
	{Name: "trapezoid", Group: "statistics", Arguments: "y, x=None, dx=1.0, axis=-1", Operands: 2, Optional: 1, Types: floats, Wide: true, Build: trapezoid, Doc: "the integral along an axis by the trapezoidal rule, at positions x or at distances dx."},
	{Name: "gradient", Group: "statistics", Arguments: "f, dx=1.0, *, axis=None, edge_order=1", Operands: 2, Optional: 1, Types: floats, Wide: true, Build: slope, Doc: "central differences along one axis, for samples at distances dx or at the coordinates dx; one-sided at both ends, there of edge_order 1 or 2."},
	{Name: "interp", Group: "statistics", Arguments: "x, xp, fp, left=None, right=None, period=None", Operands: 5, Optional: 2, Types: floats, Wide: true, Build: interpolate, Doc: "the values at x of the polygon through (xp[i], fp[i]), for increasing xp; outside of it left and right, by default the first and the last value. With a period, all positions are ones in it, and xp has any order."},
	{Name: "convolve", Group: "products", Arguments: "a, v, mode='full'", Operands: 2, Types: numbers, Rounds: true, Build: convolve, Doc: "the convolution of two vectors; the modes are 'full', 'same' and 'valid'."},
	{Name: "correlate", Group: "products", Arguments: "a, v, mode='valid'", Operands: 2, Types: numbers, Rounds: true, Build: correlate, Doc: "the correlation of two vectors; the modes are 'full', 'same' and 'valid'."},
	{Name: "allclose", GoName: "AllClose", Group: "reductions", Arguments: "a, b, rtol=1e-05, atol=1e-08, equal_nan=False", Operands: 2, Types: numbers, Build: allClose, Doc: "whether isclose holds for all elements."},
	{Name: "array_equal", Group: "reductions", Arguments: "a1, a2, equal_nan=False", Operands: 2, Types: elems, Build: arrayEqual, Doc: "whether two arrays have one shape and equal elements."},
	{Name: "array_equiv", Group: "reductions", Arguments: "a1, a2", Operands: 2, Types: elems, Build: arrayEquivalent, Doc: "whether two arrays broadcast to arrays with equal elements."},
	{Name: "trace", Group: "reductions", Arguments: "a, offset=0, axis1=0, axis2=1, dtype=None", Operands: 1, Types: numbers, Rounds: true, Build: trace, Doc: "the sum of a diagonal of two axes."},
	{Name: "deg2rad", GoName: "Deg2Rad", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Rounds: true, Build: scaled(math.Pi / 180), Doc: "x degrees in radians."},
	{Name: "rad2deg", GoName: "Rad2Deg", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Rounds: true, Build: scaled(180 / math.Pi), Doc: "x radians in degrees."},
	{Name: "logaddexp", GoName: "LogAddExp", Group: elementwiseGroup, Arguments: "x1, x2", Operands: 2, Types: floats, Rounds: true, Build: logAdd("exp", 1), Doc: "log(exp(x1) + exp(x2)) without overflow."},
	{Name: "logaddexp2", GoName: "LogAddExp2", Group: elementwiseGroup, Arguments: "x1, x2", Operands: 2, Types: floats, Rounds: true, Build: logAdd("exp2", math.Ln2), Doc: "log2(2**x1 + 2**x2) without overflow."},
	{Name: "sinc", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Wide: true, Build: sinc, Doc: "sin(pi*x) / (pi*x), and 1 at 0."},
	{Name: "heaviside", Group: elementwiseGroup, Arguments: "x1, x2", Operands: 2, Types: floats, Build: heaviside, Doc: "0 where x1 < 0, 1 where x1 > 0, and x2 at 0."},
	{Name: "spacing", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Build: spacing, Doc: "the distance from x to the next number away from 0, with the sign of x; NaN for infinity."},
	{Name: "nextafter", GoName: "NextAfter", Group: elementwiseGroup, Arguments: "x1, x2", Operands: 2, Types: floats, Build: nextAfter, Doc: "the next number from x1 towards x2, in the type of the elements."},
	{Name: "gcd", GoName: "GCD", Group: elementwiseGroup, Arguments: "x1, x2", Operands: 2, Types: ints, Build: gcd, Doc: "the greatest common divisor of |x1| and |x2|; 0 of 0 and 0."},
	{Name: "lcm", GoName: "LCM", Group: elementwiseGroup, Arguments: "x1, x2", Operands: 2, Types: ints, Build: lcm, Doc: "the least common multiple of |x1| and |x2|, which wraps."},
	{Name: "isposinf", GoName: "IsPosInf", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Build: infinite(1), Doc: "whether x is positive infinity."},
	{Name: "isneginf", GoName: "IsNegInf", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: floats, Build: infinite(-1), Doc: "whether x is negative infinity."},
	{Name: "bitwise_count", GoName: "BitCount", Group: elementwiseGroup, Arguments: "x", Operands: 1, Types: ints, Build: bitCount, Doc: "the number of bits that are set in |x|."},
	{Name: "kron", Group: "products", Arguments: "a, b", Operands: 2, Types: elems, Build: kron, Doc: "the Kronecker product: a with each element replaced by its product with b."},
	{Name: "cross", Group: "products", Arguments: "a, b, axisa=-1, axisb=-1, axisc=-1, axis=None", Operands: 2, Types: numbers, Rounds: true, Build: cross, Doc: "the cross products of vectors of three elements along the axes axisa and axisb, as vectors along axisc; axis stands for all three."},
	{Name: "rot90", Group: "views", Arguments: "m, k=1, axes=None", Operands: 1, Types: elems, Build: rotate, Doc: "turned k times by 90 degrees in the plane of two axes, by default the first two."},
	{Name: "fliplr", GoName: "FlipLR", Group: "views", Arguments: "m", Operands: 1, Types: elems, Build: reversed(1), Doc: "with the second axis reversed."},
	{Name: "flipud", GoName: "FlipUD", Group: "views", Arguments: "m", Operands: 1, Types: elems, Build: reversed(0), Doc: "with the first axis reversed."},
	{Name: "atleast_1d", GoName: "AtLeast1D", Group: "views", Arguments: "ary", Operands: 1, Types: elems, Build: atLeast(1), Doc: "with at least one axis."},
	{Name: "atleast_2d", GoName: "AtLeast2D", Group: "views", Arguments: "ary", Operands: 1, Types: elems, Build: atLeast(2), Doc: "with at least two axes; a vector is a row."},
	{Name: "atleast_3d", GoName: "AtLeast3D", Group: "views", Arguments: "ary", Operands: 1, Types: elems, Build: atLeast(3), Doc: "with at least three axes; a vector of n elements has the shape (1, n, 1)."},
	{Name: "hstack", GoName: "HStack", Group: "views", Arguments: "tup", Operands: -1, Types: elems, Build: joined(1, 1), Doc: "arrays one beside the other: along the second axis, or the first of vectors."},
	{Name: "vstack", GoName: "VStack", Group: "views", Arguments: "tup", Operands: -1, Types: elems, Build: joined(2, 0), Doc: "arrays one below the other; vectors are rows."},
	{Name: "dstack", GoName: "DStack", Group: "views", Arguments: "tup", Operands: -1, Types: elems, Build: joined(3, 2), Doc: "arrays one behind the other: along the third axis."},
	{Name: "column_stack", Group: "views", Arguments: "tup", Operands: -1, Types: elems, Build: columns, Doc: "vectors, and the columns of matrices, as columns."},
	{Name: "append", Group: "views", Arguments: "arr, values, axis=None", Operands: 2, Types: elems, Build: appended, Doc: "two arrays one after the other along an axis, or as vectors."},
	{Name: "delete", Group: "views", Arguments: "arr, obj, axis=None", Operands: 1, Types: elems, Build: without, Doc: "without a position, or several, of an axis or of the vector of all elements."},
	{Name: "insert", Group: "views", Arguments: "arr, obj, values, axis=None", Operands: 2, Types: elems, Build: inserted, Doc: "with values before a position of an axis, or before several, of which each takes one."},
	{Name: "unwrap", Group: "scans", Arguments: "p, discont=None, axis=-1, *, period=6.283185307179586", Operands: 1, Types: numbers, Rounds: true, Build: unwrap, Doc: "p with multiples of the period added, so that neighbours along an axis differ by at most half of it where they differ by discont or more."},
	{Name: "resize", Group: "views", Arguments: "a, new_shape", Operands: 1, Types: elems, Build: resized, Doc: "the elements in another shape, repeated until it is full."},
	{Name: "ediff1d", GoName: "EDiff1D", Group: "views", Arguments: "ary, to_end=None, to_begin=None", Operands: 3, Optional: 2, Types: numbers, Build: differences, Doc: "the differences of neighbours in row-major order, between arrays or numbers."},
	{Name: "diagonal", Group: "views", Arguments: "a, offset=0, axis1=0, axis2=1", Operands: 1, Types: elems, Build: diagonal, Doc: "a diagonal of two axes, as the last axis."},
	{Name: "diag", Group: "views", Arguments: "v, k=0", Operands: 1, Types: elems, Build: diag, Doc: "a diagonal of a matrix, or a matrix with a vector on a diagonal."},
}

// Compositions returns the table, sorted by name.
func Compositions() []*Composition {
	all := lists.Make(len(compositions), func(i int) *Composition { return &compositions[i] })
	slices.SortFunc(all, func(a, b *Composition) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Constructor returns the name of the composition's constructor in this
// package.
func (c *Composition) Constructor() string {
	c = zero.IfNil(c)
	return tree.NewOperator(tree.Row{Name: c.Name, GoName: c.GoName}).Constructor()
}

// takes says how many operands the composition has.
func (c *Composition) takes() string {
	switch n := c.Operands; {
	case n < 0:
		return "at least one operand"
	case n == 1:
		return "one operand"
	case c.Optional > 0:
		return fmt.Sprintf("%d to %d operands", n-c.Optional, n)
	default:
		return fmt.Sprintf("%d operands", n)
	}
}

// Compose returns the composition of a name. An error in a part of the tree
// names the composition.
func Compose(name string, o Options, x ...*tree.Node) *tree.Node {
	i := slices.IndexFunc(compositions, func(c Composition) bool { return c.Name == name })
	if i < 0 {
		return tree.Errorf(tree.ErrValue, "", "there is no composition %q", name)
	}
	return compositions[i].Apply(o, x...)
}

// Apply returns the composition of the operands x. An error in a part of the
// tree names the composition.
func (c *Composition) Apply(o Options, x ...*tree.Node) *tree.Node {
	if c == nil || c.Build == nil {
		return tree.Errorf(tree.ErrType, "", "the composition is nil or not one of Compositions")
	}
	if n := len(x); n != c.Operands && (c.Operands >= 0 || n == 0) {
		return tree.Errorf(tree.ErrType, c.Constructor(), "takes %s, not %d", c.takes(), n)
	}
	for i, a := range x {
		switch {
		case a == nil && i >= len(x)-c.Optional:
		case a == nil || a.Absent():
			return tree.Errorf(tree.ErrType, c.Constructor(), "operand %d is nil", i)
		case a.Err() != nil:
			return a
		case i > 0 && i == c.Index:
			if !a.DType().IsInt() {
				return tree.Errorf(tree.ErrType, c.Constructor(), "indices are integers, not %v", a.DType())
			}
		case !c.Types.Has(a.DType()):
			return tree.Errorf(tree.ErrType, c.Constructor(), "elements of type %v are not supported", a.DType())
		case a.DType() != x[0].DType():
			return tree.Errorf(tree.ErrType, c.Constructor(), "operands of types %v and %v differ", x[0].DType(), a.DType())
		}
	}
	n := c.tree(o, x)
	if n == nil {
		n = tree.Errorf(tree.ErrType, c.Constructor(), "the composition returns nil")
	}
	return n.As(c.Constructor(), x...)
}

// A stop is the panic by which a part of a composition ends the whole with an error.
type stop struct{ *tree.Node }

// stopIf ends the composition with an error of a kind, misshapen or wrong, if bad holds.
func stopIf(bad bool, kind func(format string, args ...any) *tree.Node, format string, args ...any) {
	if bad {
		panic(stop{kind(format, args...)})
	}
}

// sound returns n, which has no error and so a shape. With an error the composition ends.
func sound(n *tree.Node) *tree.Node {
	if n.Err() != nil {
		panic(stop{n})
	}
	return n
}

// valid returns v, axes or a shape. With an error the composition ends.
func valid[T any](v T, err error) T {
	if err != nil {
		panic(stop{misshapen("%s", err)})
	}
	return v
}

func (c *Composition) tree(o Options, x []*tree.Node) (n *tree.Node) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop:
			n = e.Node
		default:
			panic(e)
		}
	}()
	if !c.Wide {
		return c.Build(o, x...)
	}
	narrow := x[0].DType()
	wide := cmp.Or(o.Acc, narrow.Register())
	o.Acc = dtype.Invalid
	if wide == narrow {
		return c.Build(o, x...)
	}
	x = slices.Clone(x)
	for i, a := range x {
		if a != nil && (i == 0 || i != c.Index) {
			x[i] = sound(Cast(a, wide))
		}
	}
	return Cast(c.Build(o, x...), narrow)
}
