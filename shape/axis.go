package shape

import "math"

import "slices"

// Axis returns the canonical number of an axis: -1 becomes rank-1. It returns
// an error if the axis is out of range; at rank 0 every axis is.
func Axis(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, errorf("axis %d is out of range for rank %d", axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// Axes returns a set of axes in canonical form, sorted. Nil means all
// of them. An axis given twice is an error, also as -1 and rank-1.
func Axes(axes []int, rank int) ([]int, error) {
	if rank < 0 || rank > math.MaxInt32 {
		return nil, errorf("an array has no %d axes", rank)
	}
	if axes == nil {
		axes = make([]int, rank)
		for i := range axes {
			axes[i] = i
		}
		return axes, nil
	}
	out, err := Order(axes, rank)
	slices.Sort(out)
	return out, err
}

// Order returns axes in canonical form, in the order given. An axis given twice
// is an error, also as -1 and rank-1.
func Order(axes []int, rank int) ([]int, error) {
	out := make([]int, len(axes))
	for i, a := range axes {
		c, err := Axis(a, rank)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out[:i], c) {
			return nil, errorf("axis %d is given twice in %v", c, Shape(axes))
		}
		out[i] = c
	}
	return out, nil
}

// Reduce returns the shape after a reduction over axes, which are canonical as
// from [Axes]. The reduced dimensions are dropped, or have extent 1 if
// keepDims. Here no axes mean none: the result is s.
func (s Shape) Reduce(axes []int, keepDims bool) Shape {
	out := make(Shape, 0, len(s))
	for i, d := range s {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case keepDims:
			out = append(out, 1)
		}
	}
	return out
}

// Permute returns s with its dimensions reordered: dimension i of the result is
// dimension perm[i] of s. perm names every axis once; negative axes count from
// the end.
func (s Shape) Permute(perm []int) (Shape, error) {
	if len(perm) != len(s) {
		return nil, errorf("permutation %v has %d axes for rank %d", Shape(perm), len(perm), len(s))
	}
	if _, err := Axes(perm, len(s)); err != nil {
		return nil, err
	}
	return Shape(permute(s, perm)), nil
}

// Permute returns st reordered as [Shape.Permute] reorders extents.
// [Shape.Permute] checks perm. The result is nil if perm has another axis than st.
func (st Strides) Permute(perm []int) Strides { return Strides(permute(st, perm)) }

func permute(a, perm []int) []int {
	out := make([]int, len(perm))
	for i, p := range perm {
		if p < 0 {
			p += len(a)
		}
		if p < 0 || p >= len(a) {
			return nil
		}
		out[i] = a[p]
	}
	return out
}
