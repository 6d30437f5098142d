package routine

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
)

// Search returns the routine that finds the places of values in a sorted vector: the
// number of elements below each value, or if the only integer is 1, of elements not
// above it. NaN is above everything. In a vector that is not sorted the place is what the
// steps of [search.place] find.
func Search() *tree.Routine {
	return &tree.Routine{Checked: true, Total: true, Work: searchRoom, New: func(n *tree.Node) func(*tree.Call) error {
		return kinds[n.Args[0].DType().Register()].search(len(n.Ints) == 1 && n.Ints[0] == 1)
	}}
}

// A search is a search of elements of type T.
type search[T number] struct {
	right  bool
	call   *tree.Call
	at     series // offsets of the values
	known  bool
	sorted bool     // the vector is sorted; false: not known
	grid   grid     // of the vector, if it is sorted
	table  []uint32 // the place of each integer from the first element of the vector to the last; nil: there is none
	run    func(worker, lo, hi int)
}

func searchOf[T number](right bool) func(*tree.Call) error {
	s := &search[T]{right: right}
	s.run = func(_, lo, hi int) { untilStopped(s.call, lo, hi, s.some) }
	return s.search
}

func (s *search[T]) search(c *tree.Call) error {
	if !s.known {
		s.known = true
		s.at = seriesOf(c.Args[1].Shape, c.Args[1].Strides)
	}
	s.call = c
	values := c.Out.Shape.Size()
	// The look at the vector costs less than as many searches.
	s.sorted = values >= c.Args[0].Shape[0] && ordered[T](&c.Args[0])
	if s.grid = (grid{}); s.sorted {
		vector := elements[T](&c.Args[0], c.Args[0].Shape[0]-1)
		if s.tabulate(vector, c.Work); s.table == nil {
			s.grid = gridOf(vector)
		}
	}
	c.Parallel(values, 40, s.run)
	s.call, s.table = nil, nil
	return nil
}

// ordered reports whether a vector of step 1 is sorted and has no NaN.
func ordered[T number](a *tree.Strided) bool {
	n := a.Shape[0]
	if n == 0 || a.Strides[0] != 1 {
		return false
	}
	x := elements[T](a, n-1)
	for i := range n - 1 {
		if !(x[i] <= x[i+1]) {
			return false
		}
	}
	return x[n-1] == x[n-1]
}

func (s *search[T]) some(lo, hi int) {
	a, v := &s.call.Args[0], &s.call.Args[1]
	n, step := a.Shape[0], a.Strides[0]
	out := tree.Elements[int64](&s.call.Out)
	if step == 1 && n > 0 {
		vector := elements[T](a, n-1)
		if s.table != nil {
			for i := lo; i < hi; i++ {
				out[i] = int64(s.inTable(vector, load[T](v, s.at.at(i))))
			}
			return
		}
		if s.grid.scale > 0 {
			for i := lo; i < hi; i++ {
				out[i] = int64(s.onGrid(vector, load[T](v, s.at.at(i))))
			}
			return
		}
		last := 0 // place
		for ; hi-lo >= 4; lo += 4 {
			x := [4]T{load[T](v, s.at.at(lo)), load[T](v, s.at.at(lo+1)), load[T](v, s.at.at(lo+2)), load[T](v, s.at.at(lo+3))}
			to := (*[4]int64)(out[lo:])
			if s.sorted && ascending(&x) && s.fits(vector, last, x[0], x[3]) { // as the values before
				*to = [4]int64{int64(last), int64(last), int64(last), int64(last)}
				continue
			}
			four(vector, &x, s.right, to)
			last = int(to[3])
			for i, x := range x {
				if x != x {
					out[lo+i] = int64(s.place(a, x))
				}
			}
		}
	}
	for i := lo; i < hi; i++ {
		out[i] = int64(s.place(a, load[T](v, s.at.at(i))))
	}
}

// mostTable is the most integers of a table, which stays in the second-level cache.
const mostTable = 1 << 16

// searchRoom returns the bytes of a table, which has at most as many integers as there are values.
func searchRoom(n *tree.Node) int {
	if n.Args[0].DType().IsFloat() {
		return 0
	}
	return room(min(n.Args[1].Shape().Size(), mostTable), 4)
}

// tabulate sets table, if the elements of a sorted vector are integers so close together that it fits in work.
func (s *search[T]) tabulate(sorted []T, work []byte) {
	first, last := sorted[0], sorted[len(sorted)-1]
	most := min(s.call.Out.Shape.Size(), mostTable)
	if dtype.Of[T]().IsFloat() || uint64(last)-uint64(first) >= uint64(most) || uint64(len(sorted)) > math.MaxUint32 {
		return
	}
	s.table, _ = as[uint32](work, 0, int(uint64(last)-uint64(first))+1)
	at, x := 0, first
	for i := range s.table {
		for at < len(sorted) && (sorted[at] < x || s.right && sorted[at] == x) {
			at++
		}
		s.table[i] = uint32(at)
		x++
	}
}

// inTable returns the place of a value in a vector with a table.
func (s *search[T]) inTable(sorted []T, x T) int {
	switch i := uint64(x) - uint64(sorted[0]); {
	case x < sorted[0]:
		return 0
	case i < uint64(len(s.table)):
		return int(s.table[i])
	}
	return len(sorted)
}

// A grid is a sorted vector of steps that are nearly equal: the position (x[i]-first)*scale of element i is less than 1
// away from i. Positions are in the order of values, so that the place of a value is one of three, which two elements
// tell apart.
type grid struct{ first, scale float64 }

// leastGrid is the fewest elements of a grid. A search of fewer takes less time than the look at the steps.
const leastGrid = 8

// gridOf returns the grid of a sorted vector. The scale is 0 if the vector is none.
func gridOf[T number](sorted []T) grid {
	n := len(sorted)
	if n < leastGrid {
		return grid{}
	}
	first := float64(sorted[0])
	g := grid{first, float64(n-1) / (float64(sorted[n-1]) - first)}
	for i, x := range sorted {
		if d := g.position(float64(x)) - float64(i); !(d > -1 && d < 1) {
			return grid{}
		}
	}
	return g
}

func (g *grid) position(x float64) float64 { return float64((x - g.first) * g.scale) } // never fused with what follows

// onGrid returns the place of a value in a vector with a grid.
func (s *search[T]) onGrid(sorted []T, x T) int {
	n := len(sorted)
	p := s.grid.position(float64(x))
	switch {
	case p >= 0 && p < float64(n-1):
	case p < 0:
		return 0
	case p < float64(n-1)+1: // it may be the last element, or one of more equal ones
		p = float64(n - 2)
	default: // above all, or NaN
		return n
	}
	i := int(p)
	low, high := sorted[i], sorted[i+1]
	if s.right {
		return i + scalar.FromBool[int](low <= x) + scalar.FromBool[int](high <= x)
	}
	return i + scalar.FromBool[int](low < x) + scalar.FromBool[int](high < x)
}

// place returns the place of a value. It halves the part of the vector that the place is
// in, and keeps the upper half, which is the longer one, if the last element of the lower
// half comes before the value.
func (s *search[T]) place(a *tree.Strided, x T) int {
	n := a.Shape[0]
	if n == 0 {
		return 0
	}
	before := func(i int) bool {
		y := load[T](a, i*a.Strides[0])
		return below(y, x) || s.right && !below(x, y)
	}
	begin := 0
	for ; n > 1; n -= n / 2 {
		if before(begin + n/2 - 1) {
			begin += n / 2
		}
	}
	return begin + scalar.FromBool[int](before(begin))
}

// four finds the places of four values, none of which is NaN, in a vector that is not empty,
// by the steps of [search.place]. They have no branches, so the processor overlaps the searches.
func four[T number](sorted []T, x *[4]T, right bool, out *[4]int64) {
	p := unsafe.Pointer(unsafe.SliceData(sorted))
	size, n := sizeOf[T](), len(sorted)
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	at := func(offset int) T { return *(*T)(unsafe.Add(p, offset)) }
	var b0, b1, b2, b3 int // offsets below which all elements come before the places
	if right {
		for ; n > 1; n -= n / 2 {
			half := n / 2 * size
			last := half - size
			b0 += half & -scalar.FromBool[int](at(b0+last) <= x0)
			b1 += half & -scalar.FromBool[int](at(b1+last) <= x1)
			b2 += half & -scalar.FromBool[int](at(b2+last) <= x2)
			b3 += half & -scalar.FromBool[int](at(b3+last) <= x3)
		}
		out[0] = int64(b0/size + scalar.FromBool[int](at(b0) <= x0))
		out[1] = int64(b1/size + scalar.FromBool[int](at(b1) <= x1))
		out[2] = int64(b2/size + scalar.FromBool[int](at(b2) <= x2))
		out[3] = int64(b3/size + scalar.FromBool[int](at(b3) <= x3))
	} else {
		for ; n > 1; n -= n / 2 {
			half := n / 2 * size
			last := half - size
			b0 += half & -scalar.FromBool[int](at(b0+last) < x0)
			b1 += half & -scalar.FromBool[int](at(b1+last) < x1)
			b2 += half & -scalar.FromBool[int](at(b2+last) < x2)
			b3 += half & -scalar.FromBool[int](at(b3+last) < x3)
		}
		out[0] = int64(b0/size + scalar.FromBool[int](at(b0) < x0))
		out[1] = int64(b1/size + scalar.FromBool[int](at(b1) < x1))
		out[2] = int64(b2/size + scalar.FromBool[int](at(b2) < x2))
		out[3] = int64(b3/size + scalar.FromBool[int](at(b3) < x3))
	}
}

// ascending reports whether four values are in order, without branches.
func ascending[T number](x *[4]T) bool {
	return scalar.FromBool[int](x[0] <= x[1])&scalar.FromBool[int](x[1] <= x[2])&scalar.FromBool[int](x[2] <= x[3]) != 0
}

// fits reports whether all values from lo to hi have this place. None of them is NaN.
func (s *search[T]) fits(sorted []T, place int, lo, hi T) bool {
	before := func(y, x T) bool { return y < x || s.right && y == x }
	return (place == 0 || before(sorted[place-1], lo)) && (place == len(sorted) || !before(sorted[place], hi))
}

// below reports whether a comes before b, with NaN after everything.
func below[T number](a, b T) bool { return a < b || a == a && b != b }
