package op

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// Upsample returns x with its last two axes scale times as long. The mode "nearest"
// repeats elements. "bilinear" interpolates between the centres of elements.
func Upsample[T expr.Number](x expr.Exp[T], scale int, mode string) expr.Exp[T] {
	return composed[T]("upsample", untyped.Options{Ints: []int{scale}, Text: mode}, expr.NodeOf(x))
}

// Interpolate returns x with other sizes of axes, by default of the last two. The mode "nearest"
// repeats or leaves out elements. "bilinear" interpolates between the centres of elements, as
// PyTorch does with align_corners=False. An image [height width channels] has the axes 0 and 1.
func Interpolate[T expr.Number](x expr.Exp[T], size []int, mode string, axes ...int) expr.Exp[T] {
	return composed[T]("interpolate", untyped.Options{Ints: size, Axes: axes, Text: mode}, expr.NodeOf(x))
}

// Crop returns size elements of the last axes of x, from start. Without a start
// these are the ones in the middle.
func Crop[T expr.Elem](x expr.Exp[T], size []int, start ...int) expr.Exp[T] {
	return composed[T]("crop", untyped.Options{Ints: size, Axes: start}, expr.NodeOf(x))
}

// Layout returns x with its axes rearranged by their letters, such as from "NCHW"
// to "NHWC".
func Layout[T expr.Elem](x expr.Exp[T], from, to string) expr.Exp[T] {
	return composed[T]("layout", untyped.Options{Text: from + " " + to}, expr.NodeOf(x))
}

// Pick returns the element of each row of x, along the last axis, that index
// states. For an index outside of the row it is 0.
func Pick[T expr.Number, I expr.Integer](x expr.Exp[T], index expr.Exp[I]) expr.Exp[T] {
	return composed[T]("pick", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(index))
}

// FillAt returns x with the element of each row, along the last axis, that index
// states replaced by the element of v. An index outside replaces nothing.
func FillAt[T expr.Elem, I expr.Integer](x expr.Exp[T], index expr.Exp[I], v expr.Exp[T]) expr.Exp[T] {
	return composed[T]("fill_at", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(index), expr.NodeOf(v))
}

// SoftmaxGrad returns the derivative of the cross-entropy by the operand of the
// softmax y along the last axis: y less 1 at the label, if that is a class. Rows whose
// label is one of ignore, of which there may be one, are 0.
func SoftmaxGrad[T expr.Float, I expr.Integer](y expr.Exp[T], label expr.Exp[I], ignore ...int) expr.Exp[T] {
	return composed[T]("softmax_grad", untyped.Options{Ints: slices.Clone(ignore)}, expr.NodeOf(y), expr.NodeOf(label))
}

// SmoothSoftmaxGrad returns SoftmaxGrad for labels that give alpha of their weight
// to all others, in equal parts.
func SmoothSoftmaxGrad[T expr.Float, I expr.Integer](y expr.Exp[T], label expr.Exp[I], alpha float64) expr.Exp[T] {
	return composed[T]("smooth_softmax_grad", untyped.Options{Numbers: []float64{alpha}}, expr.NodeOf(y), expr.NodeOf(label))
}

// Softplus returns log(1 + exp(x)) without overflow.
func Softplus[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("softplus", x) }

// SiLU returns x * sigmoid(x), also called swish. It is -0 at negative infinity.
func SiLU[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("silu", x) }

// ELU returns x where x > 0, else alpha * (exp(x) - 1) (Clevert, Unterthiner, Hochreiter 2016).
func ELU[T expr.Float](x expr.Exp[T], alpha float64) expr.Exp[T] {
	return composed[T]("elu", untyped.Options{Numbers: []float64{alpha}}, expr.NodeOf(x))
}

// LeakyReLU returns x where x > 0, else slope * x.
func LeakyReLU[T expr.Float](x expr.Exp[T], slope float64) expr.Exp[T] {
	return composed[T]("leaky_relu", untyped.Options{Numbers: []float64{slope}}, expr.NodeOf(x))
}

// LogSoftmax returns log(softmax(a)) over an axis, without overflow. Where the maximum is +Inf, it
// is NaN there and -Inf elsewhere, as SciPy has it.
func LogSoftmax[T expr.Float](a expr.Exp[T], axis int) expr.Exp[T] {
	return along("log_softmax", a, axis)
}
