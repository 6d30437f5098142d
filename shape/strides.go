package shape

import (
	"math"
	"math/bits"
	"slices"
)

// Strides are the distances, in elements, between neighbours along each
// dimension. They may be 0 (broadcast) or negative (flipped).
type Strides []int

// Strides returns the strides of a contiguous row-major array, in elements.
// Extents of 0 count as 1, as in NumPy, so that no stride is 0.
func (s Shape) Strides() Strides {
	st, n := make(Strides, len(s)), 1
	for i := len(s) - 1; i >= 0; i-- {
		st[i] = n
		n *= max(s[i], 1)
	}
	return st
}

// FortranStrides returns the strides of a contiguous column-major array, in
// elements: the first dimension is the innermost in memory.
func (s Shape) FortranStrides() Strides {
	st, n := make(Strides, len(s)), 1
	for i, d := range s {
		st[i] = n
		n *= max(d, 1)
	}
	return st
}

// IsContiguous reports whether the elements are adjacent in memory in row-major
// order. It is true for empty arrays.
func IsContiguous(s Shape, st Strides) bool {
	n, contiguous := 1, len(st) >= len(s)
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case 0:
			return true
		case 1:
		default:
			contiguous = contiguous && st[i] == n
			n *= s[i]
		}
	}
	return contiguous
}

// Collapse returns the fewest loops, as extents and strides, that visit several
// arrays of one shape, with strides sts, in row-major order. It drops
// dimensions of extent 1, and merges neighbouring dimensions if every array
// goes through them with one step. The order of dimensions stays. Empty arrays
// collapse to [0], one-element arrays to rank 0. Strides that are missing are 0.
func Collapse(s Shape, sts ...Strides) (Shape, []Strides) {
	out, outs := make(Shape, 0, len(s)), make([]Strides, len(sts))
	for j, st := range sts {
		outs[j] = make(Strides, 0, len(s))
		if len(st) < len(s) {
			sts = slices.Clone(sts)
			sts[j] = append(slices.Clone(st), make(Strides, len(s)-len(st))...)
		}
	}
	if s.Size() == 0 {
		for j := range outs {
			outs[j] = append(outs[j], 1)
		}
		return append(out, 0), outs
	}
	for i, d := range s {
		if d == 1 {
			continue
		}
		last := len(out) - 1
		merge := last >= 0
		for j, st := range sts {
			merge = merge && outs[j][last] == d*st[i]
		}
		if merge {
			out[last] *= d
		} else {
			out = append(out, d)
			last++
		}
		for j, st := range sts {
			outs[j] = append(outs[j][:last], st[i])
		}
	}
	return out, outs
}

// Reshape returns the strides with which an array of shape s and strides st is
// an array of shape to, with its elements in the same row-major order. It
// returns false if that needs a copy or the sizes differ. The rules are those
// of NumPy's attempt_nocopy_reshape. For empty arrays it always succeeds.
func Reshape(s Shape, st Strides, to Shape) (Strides, bool) {
	size := s.Size()
	if size != to.Size() {
		return nil, false
	}
	if size == 0 {
		return to.Strides(), true
	}
	// Collapsed dimensions are maximal runs. Each new dimension must come from a
	// single run, starting at the innermost.
	runs, sts := Collapse(s, st)
	out, k, left, step := make(Strides, len(to)), len(runs), 1, 1
	for i := len(to) - 1; i >= 0; i-- {
		if to[i] == 1 {
			out[i] = step // unused; keeps a contiguous result exact
			continue
		}
		if left == 1 {
			k--
			left, step = runs[k], sts[0][k]
		}
		if left%to[i] != 0 {
			return nil, false
		}
		out[i] = step
		left /= to[i]
		step *= to[i]
	}
	return out, true
}

// Bounds returns the lowest and the highest position, in elements, of an array
// that starts at offset. For an empty array lo > hi. If a position does not fit
// an int, or st has too few strides, lo is the least int and hi the greatest; no memory holds that range.
func Bounds(s Shape, st Strides, offset int) (lo, hi int) {
	lo, hi = offset, offset
	if slices.Contains(s, 0) {
		return 0, -1
	}
	if len(st) < len(s) {
		return math.MinInt, math.MaxInt
	}
	// The product of two numbers below small fits an int. To divide takes as long as
	// the rest of the loop.
	const small = 1 << (bits.UintSize/2 - 1)
	for i, d := range s {
		span := (d - 1) * st[i]
		if (d > small || st[i] > small || st[i] < -small) && d > 1 && span/(d-1) != st[i] || span < 0 && lo < math.MinInt-span || span > 0 && hi > math.MaxInt-span {
			return math.MinInt, math.MaxInt
		}
		lo, hi = lo+min(span, 0), hi+max(span, 0)
	}
	return lo, hi
}

// Each calls f with the offset of every element, row-major. Strides and offsets
// count elements. It does nothing if f is nil or st has too few strides.
func Each(s Shape, st Strides, offset int, f func(offset int)) {
	if f == nil || len(st) < len(s) {
		return
	}
	if len(s) == 0 {
		f(offset)
		return
	}
	for i := range s[0] {
		Each(s[1:], st[1:], offset+i*st[0], f)
	}
}

// Elements are the places of the elements of an array in memory. Strides and
// Offset count elements, Size is the number of bytes of one.
type Elements struct {
	Shape   Shape
	Strides Strides
	Offset  int
	Size    int
}

// Interleaved reports whether the elements of b lie between the elements of a, by their
// steps, as the odd positions of a vector lie between the even ones. shift is the position of
// the memory of b in the memory of a, in bytes. Interleaved arrays share no byte.
func Interleaved(a, b Elements, shift int) bool {
	step := 0
	for _, x := range []Elements{a, b} {
		for i, d := range x.Shape {
			if d > 1 {
				step = divisor(step, x.Strides[i]*x.Size)
			}
		}
	}
	if step == 0 {
		return false
	}
	at := (b.Offset*b.Size + shift - a.Offset*a.Size) % step
	if at < 0 {
		at += step
	}
	return a.Size <= at && at+b.Size <= step
}

// divisor returns the greatest common divisor of the magnitudes.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}
