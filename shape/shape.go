package shape

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
)

// MaxRank is the largest number of dimensions, as in NumPy 2.
const MaxRank = 64

// maxSize keeps the byte offsets of the widest elements (8 bytes) in an int.
const maxSize = math.MaxInt / 8

// A Shape is the list of extents of an array, outermost first. Nil and empty
// are rank 0, which has one element.
type Shape []int

// New returns a checked Shape with the extents dims; see [Shape.Check]. It
// copies dims.
func New(dims ...int) (Shape, error) {
	s := Shape(dims).Clone()
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Check returns an error for a rank above [MaxRank], a negative extent, or more
// elements than can be addressed. As in NumPy, the last test leaves out zero
// extents: [0 n m] is an error if n*m is too large.
func (s Shape) Check() error {
	if len(s) > MaxRank {
		return errorf("rank %d is above the largest, %d", len(s), MaxRank)
	}
	n, over := 1, false
	for i, d := range s {
		switch {
		case d < 0:
			return errorf("shape %v has negative extent %d in dimension %d", s, d, i)
		case d == 0 || over:
		case n > maxSize/d:
			over = true // a later extent may be negative, which is the better error
		default:
			n *= d
		}
	}
	if over {
		return errorf("shape %v has too many elements", s)
	}
	return nil
}

// Rank returns the number of dimensions.
func (s Shape) Rank() int { return len(s) }

// Size returns the number of elements; 1 at rank 0.
func (s Shape) Size() int { return s.Count(0, len(s)) }

// Count returns the product of the extents of dimensions from to to-1, and 1 if
// there are none. Positions outside the rank do not count.
func (s Shape) Count(from, to int) int {
	n := 1
	for i := max(from, 0); i < min(to, len(s)); i++ {
		n *= s[i]
	}
	return n
}

// Equal reports whether both have the same rank and extents.
func (s Shape) Equal(o Shape) bool { return slices.Equal(s, o) }

// Clone returns a copy.
func (s Shape) Clone() Shape { return slices.Clone(s) }

// String returns the extents as text: "[3 4]", and "[]" at rank 0.
func (s Shape) String() string {
	b := []byte{'['}
	for i, d := range s {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(d), 10)
	}
	return string(append(b, ']'))
}

// Offset returns the row-major position of the element at index, which has one
// entry for each dimension. It returns an error if an entry is negative or too
// large.
func (s Shape) Offset(index ...int) (int, error) {
	if len(index) != len(s) {
		return 0, errorf("index %v and shape %v differ in length", Shape(index), s)
	}
	off := 0
	for i, x := range index {
		if x < 0 || x >= s[i] {
			return 0, errorf("index %v is out of range for shape %v", Shape(index), s)
		}
		off = off*s[i] + x
	}
	return off, nil
}

// Indices returns the indices of all elements, row-major. The loop body must not
// keep an index, which the next step changes.
func (s Shape) Indices() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		index := make([]int, len(s))
		for range s.Size() {
			if !yield(index) {
				return
			}
			for i := len(s) - 1; i >= 0; i-- {
				if index[i]++; index[i] < s[i] {
					break
				}
				index[i] = 0
			}
		}
	}
}

// InferReshape returns the shape dims for size elements. One of dims may be -1;
// its extent then follows from the others, unless their product is 0.
func InferReshape(size int, dims []int) (Shape, error) {
	s, unknown := Shape(dims).Clone(), -1
	for i, d := range s {
		if d != -1 {
			continue
		}
		if unknown >= 0 {
			return nil, errorf("shape %v has more than one -1", Shape(dims))
		}
		unknown, s[i] = i, 1
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if n := s.Size(); unknown >= 0 && n > 0 && size%n == 0 {
		s[unknown] = size / n
	} else if unknown >= 0 || n != size {
		return nil, errorf("%d elements do not reshape to %v", size, Shape(dims))
	}
	return New(s...) // size itself may be too large
}

// Broadcast returns the shape to which all the given shapes broadcast by
// NumPy's rules, and rank 0 if there are none. The result is checked, because
// it can have too many elements even if the given shapes do not.
func Broadcast(shapes ...Shape) (Shape, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make(Shape, rank)
	for i := range out {
		out[i] = 1
		first := 0 // number of the shape that out[i] comes from
		for j, s := range shapes {
			k := i - (rank - len(s))
			if k < 0 || s[k] == 1 || s[k] == out[i] {
				continue
			}
			if out[i] != 1 {
				return nil, errorf("shapes %v and %v do not broadcast", shapes[first], s)
			}
			out[i], first = s[k], j
		}
	}
	if err := out.Check(); err != nil {
		return nil, err
	}
	return out, nil
}

// BroadcastTo returns the strides that read an array of shape from and strides
// st as one of shape to: 0 along the dimensions that are new or stretched.
func (st Strides) BroadcastTo(from, to Shape) (Strides, error) {
	lead := len(to) - len(from)
	if lead < 0 {
		return nil, errorf("shape %v does not broadcast to %v", from, to)
	}
	if len(st) < len(from) {
		return nil, errorf("shape %v has %d strides", from, len(st))
	}
	out := make(Strides, len(to))
	for i, d := range from {
		switch to[lead+i] {
		case d:
			out[lead+i] = st[i]
		default:
			if d != 1 {
				return nil, errorf("shape %v does not broadcast to %v", from, to)
			}
		}
	}
	return out, nil
}

// Err matches every error of this package: errors.Is(err, shape.Err).
var Err = errors.New("shape error")

// An Error describes in one line, without a prefix, a mistake in a shape.
type Error struct{ Msg string }

func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	return e.Msg
}

// Is reports whether target is [Err].
func (e *Error) Is(target error) bool { return target == Err }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }
