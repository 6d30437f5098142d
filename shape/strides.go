package shape

import "math"

// Strides are the distances, in elements, between neighbours along each
// dimension. They may be 0 (broadcast) or negative (flipped).
type Strides []int

// Strides returns those of a contiguous row-major array. Extents of 0 count as
// 1, as in NumPy, so that no stride is 0.
func (s Shape) Strides() Strides {
	st, n := make(Strides, len(s)), 1
	for i := len(s) - 1; i >= 0; i-- {
		st[i] = n
		n *= max(s[i], 1)
	}
	return st
}

// FortranStrides returns those of a contiguous column-major array: the first
// dimension is the innermost in memory.
func (s Shape) FortranStrides() Strides {
	st, n := make(Strides, len(s)), 1
	for i, d := range s {
		st[i] = n
		n *= max(d, 1)
	}
	return st
}

// IsContiguous reports whether the elements lie one after the other in
// row-major order. Empty arrays do.
func IsContiguous(s Shape, st Strides) bool {
	n, contiguous := 1, true
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

// Collapse finds the fewest loops that visit several arrays of one shape, with
// strides sts, in row-major order: it drops dimensions of extent 1 and merges
// neighbours that every array steps through as if they were one. The order of
// dimensions stays. Empty arrays collapse to [0], one-element arrays to rank 0.
func Collapse(s Shape, sts ...Strides) (Shape, []Strides) {
	out, outs := make(Shape, 0, len(s)), make([]Strides, len(sts))
	for j := range outs {
		outs[j] = make(Strides, 0, len(s))
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

// Reshape finds the strides that show an array of shape s and strides st as
// one of shape to, with the elements in the same row-major order. It reports
// false if that needs a copy or the sizes differ. The rules are those of
// NumPy's attempt_nocopy_reshape, and empty arrays always succeed.
func Reshape(s Shape, st Strides, to Shape) (Strides, bool) {
	size := s.Size()
	if size != to.Size() {
		return nil, false
	}
	if size == 0 {
		return to.Strides(), true
	}
	// Collapsed dimensions are maximal runs; each new dimension must be cut
	// from a single one, starting at the innermost.
	runs, sts := Collapse(s, st)
	out, k, left, step := make(Strides, len(to)), len(runs), 1, 1
	for i := len(to) - 1; i >= 0; i-- {
		if to[i] == 1 {
			out[i] = step // never followed; keeps a contiguous result exact
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

// Range returns the lowest and the highest position, in elements, that an array
// starting at offset touches. For an empty array lo > hi. Where a position does
// not fit an int, lo is the least int and hi the greatest: no memory holds that.
func Range(s Shape, st Strides, offset int) (lo, hi int) {
	lo, hi = offset, offset
	for _, d := range s {
		if d == 0 {
			return 0, -1
		}
	}
	for i, d := range s {
		span := (d - 1) * st[i]
		if d > 1 && span/(d-1) != st[i] || span < 0 && lo < math.MinInt-span || span > 0 && hi > math.MaxInt-span {
			return math.MinInt, math.MaxInt
		}
		lo, hi = lo+min(span, 0), hi+max(span, 0)
	}
	return lo, hi
}
