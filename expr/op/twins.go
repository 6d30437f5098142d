package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

// MeanNode returns [Compose] of mean.
func MeanNode(a *expr.Node, r Reduction) *expr.Node { return Compose("mean", r, a) }

// VarNode returns [Compose] of var.
func VarNode(a *expr.Node, r Reduction) *expr.Node { return Compose("var", r, a) }

// StdNode returns [Compose] of std.
func StdNode(a *expr.Node, r Reduction) *expr.Node { return Compose("std", r, a) }

// LogSumExpNode returns [Compose] of logsumexp.
func LogSumExpNode(a *expr.Node, r Reduction) *expr.Node { return Compose("logsumexp", r, a) }

// SoftmaxNode returns [Compose] of softmax.
func SoftmaxNode(a *expr.Node, axis int) *expr.Node {
	return Compose("softmax", Options{Axes: []int{axis}}, a)
}

// LayerNormNode returns [Compose] of layernorm.
func LayerNormNode(a, gamma, beta *expr.Node, eps float64) *expr.Node {
	return Compose("layernorm", Options{Numbers: []float64{eps}}, a, gamma, beta)
}

// SwapAxesNode returns [Compose] of swapaxes.
func SwapAxesNode(a *expr.Node, i, j int) *expr.Node {
	return Compose("swapaxes", Options{Axes: []int{i, j}}, a)
}

// NewAxisNode returns [Compose] of expand_dims.
func NewAxisNode(a *expr.Node, axis int) *expr.Node {
	return Compose("expand_dims", Options{Axes: []int{axis}}, a)
}

// SqueezeNode returns [Compose] of squeeze.
func SqueezeNode(a *expr.Node, axes []int) *expr.Node {
	return Compose("squeeze", Options{Axes: axes}, a)
}

// FlipNode returns [Compose] of flip.
func FlipNode(a *expr.Node, axes []int) *expr.Node { return Compose("flip", Options{Axes: axes}, a) }

// OneHotNode returns [Compose] of one_hot, as bool.
func OneHotNode(index *expr.Node, depth int) *expr.Node {
	return Compose("one_hot", Options{Ints: []int{depth}, To: dtype.Bool}, index)
}
