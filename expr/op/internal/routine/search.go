package routine

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Search returns the routine that finds the places of values in a sorted vector: the
// number of elements below each value, or if the only integer is 1, of elements not
// above it. NaN is above everything.
func Search() *expr.Routine {
	return &expr.Routine{Checked: true, New: func(n *expr.Node) func(*expr.Call) error {
		right := len(n.Ints) == 1 && n.Ints[0] == 1
		switch n.Args[0].DType().Register() {
		case dtype.I8:
			return searchOf[int8](right)
		case dtype.I32:
			return searchOf[int32](right)
		case dtype.I64:
			return searchOf[int64](right)
		case dtype.Bool, dtype.U8:
			return searchOf[uint8](right)
		case dtype.U32:
			return searchOf[uint32](right)
		case dtype.U64:
			return searchOf[uint64](right)
		case dtype.F32:
			return searchOf[float32](right)
		}
		return searchOf[float64](right)
	}}
}

// A search is a search of elements of type T.
type search[T number] struct {
	right bool
	call  *expr.Call
	at    series // offsets of the values
	known bool
	run   func(worker, lo, hi int)
}

func searchOf[T number](right bool) func(*expr.Call) error {
	s := &search[T]{right: right}
	s.run = s.some
	return s.search
}

func (s *search[T]) search(c *expr.Call) error {
	if !s.known {
		s.known = true
		s.at = seriesOf(c.Args[1].Shape, c.Args[1].Strides)
	}
	s.call = c
	c.Parallel(c.Out.Shape.Size(), 40, s.run)
	s.call = nil
	return nil
}

func (s *search[T]) some(_, lo, hi int) {
	a, v := &s.call.Args[0], &s.call.Args[1]
	n, step := a.Shape[0], a.Strides[0]
	out := expr.Elements[int64](&s.call.Out)
	for i := lo; i < hi; i++ {
		x := load[T](v, s.at.at(i))
		begin, end := 0, n
		for begin < end {
			middle := int(uint(begin+end) / 2)
			if y := load[T](a, middle*step); below(y, x) || s.right && !below(x, y) {
				begin = middle + 1
			} else {
				end = middle
			}
		}
		out[i] = int64(begin)
	}
}

// below reports whether a comes before b, with NaN after everything.
func below[T number](a, b T) bool { return a < b || a == a && b != b }
