package engine

import (
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

func (a *Array) restrided(s shape.Shape, st shape.Strides, offset int) *Array {
	leaf := *a.node.Leaf
	leaf.Strides, leaf.Offset = st, offset
	return &Array{node: tree.NewLeaf(a.DType(), s, &leaf), mem: a.mem}
}

// Span returns the view of the given spans of the leading axes. The error is
// [expr.ErrShape] if there are more spans than axes or a span is not valid.
func (a *Array) Span(spans ...shape.Slice) (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	if len(spans) > len(a.Shape()) {
		return nil, tree.NewError(tree.ErrShape, "", "the number of spans is %d, the rank %d", len(spans), len(a.Shape()))
	}
	s, st := a.Shape().Clone(), append(shape.Strides(nil), a.Strides()...)
	off := a.Offset()
	for i, sp := range spans {
		start, count, step, err := sp.Resolve(s[i])
		if err != nil {
			return nil, tree.NewError(tree.ErrShape, "", "%s", err)
		}
		if count > 0 {
			off += start * st[i]
		}
		s[i] = count
		st[i] *= step
	}
	return a.restrided(s, st, off), nil
}

// Transpose returns the view with the axes in the given order, or in reverse
// order if none are given. The error is [expr.ErrShape] if axes is not a
// permutation.
func (a *Array) Transpose(axes ...int) (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		axes = lists.UpTo(len(a.Shape()))
		slices.Reverse(axes)
	}
	s, err := a.Shape().Permute(axes)
	if err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	return a.restrided(s, a.Strides().Permute(axes), a.Offset()), nil
}

// Reshape returns the view with another shape, of which one extent may be -1. The
// error is [expr.ErrShape] if the number of elements differs or the shape needs a
// copy.
func (a *Array) Reshape(dims ...int) (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	s, err := shape.InferReshape(a.Shape().Size(), dims)
	if err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	st, ok := shape.Reshape(a.Shape(), a.Strides(), s)
	if !ok {
		return nil, tree.NewError(tree.ErrShape, "", "no strides give an array of shape %v the shape %v", a.Shape(), s)
	}
	return a.restrided(s, st, a.Offset()), nil
}

// Index returns the view at the given positions of the leading axes, which it
// drops. Negative positions count from the end. The error is [expr.ErrIndex] if a
// position is out of range, and [expr.ErrShape] if there are too many.
func (a *Array) Index(at ...int) (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	s, st, off := a.Shape(), a.Strides(), a.Offset()
	if len(at) > len(s) {
		return nil, tree.NewError(tree.ErrShape, "", "%d positions given for rank %d", len(at), len(s))
	}
	for i, x := range at {
		if x < -s[i] || x >= s[i] {
			return nil, tree.NewError(tree.ErrIndex, "", "index %d is out of range for axis %d of size %d", x, i, s[i])
		}
		if x < 0 {
			x += s[i]
		}
		off += x * st[i]
	}
	return a.restrided(s[len(at):].Clone(), slices.Clone(st[len(at):]), off), nil
}
