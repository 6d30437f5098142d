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
	right   bool
	call    *tree.Call
	at      series // offsets of the values
	known   bool
	buckets buckets // of a sorted vector, or none
	run     func(worker, lo, hi int)
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
	values, n := c.Out.Shape.Size(), c.Args[0].Shape[0]
	if starts, _ := as[uint32](c.Work, 0, startsOf(n, values)); starts != nil && c.Args[0].Strides[0] == 1 {
		if vector := elements[T](&c.Args[0], n-1); ordered(vector) {
			s.buckets = divide(vector, starts)
		}
	}
	c.Parallel(values, 40, s.run)
	s.call, s.buckets = nil, buckets{}
	return nil
}

// ordered reports whether numbers are sorted, and none is NaN.
func ordered[T number](x []T) bool {
	for i := range len(x) - 1 {
		if !(x[i] <= x[i+1]) {
			return false
		}
	}
	return x[0] == x[0]
}

// together is the number of values that take each step of their searches together.
const together = 64

func (s *search[T]) some(lo, hi int) {
	a, v := &s.call.Args[0], &s.call.Args[1]
	out := tree.Elements[int64](&s.call.Out)[:hi]
	if a.Strides[0] != 1 || a.Shape[0] == 0 {
		for i := lo; i < hi; i++ {
			out[i] = int64(s.place(a, load[T](v, s.at.at(i))))
		}
		return
	}
	var values [together]T
	var memory [together]int // the result may change at the same time
	for ; lo < hi; lo += together {
		x := values[:min(together, hi-lo)]
		if s.at.table == nil && s.at.step == 1 {
			x = unsafe.Slice(address[T](v, lo), len(x))
		} else {
			for i := range x {
				x[i] = load[T](v, s.at.at(lo+i))
			}
		}
		places, to := memory[:len(x)], out[lo:]
		s.places(places, x)
		for i, p := range places {
			if to[i] = int64(p); x[i] != x[i] {
				to[i] = int64(s.place(a, x[i]))
			}
		}
	}
}

// places finds the places of values, but of NaN.
func (s *search[T]) places(places []int, x []T) {
	a, b := &s.call.Args[0], s.buckets
	first, width := 0, a.Shape[0]
	switch right := scalar.FromBool[int](s.right); {
	case b.starts == nil:
	case b.width == 0:
		first, most := *(*T)(a.Ptr), uint64(len(b.starts)-3)
		for i, x := range x {
			k := 0
			if x >= first {
				k = 1 + int(min(uint64(x)-uint64(first), most))
			}
			places[i] = int(b.starts[k+right])
		}
		return
	default:
		if ordered(x) {
			first = int(b.starts[b.of(float64(x[0]))])
			width = int(b.starts[b.of(float64(x[len(x)-1]))+1]) - first
		}
		if width <= b.width { // the parts of the first and the last value bound the places
			break
		}
		for i, x := range x {
			places[i] = min(int(b.starts[b.of(float64(x))]), b.last)
		}
		halve(a.Ptr, places, x, b.width, s.right)
		return
	}
	for i := range places {
		places[i] = first
	}
	halve(a.Ptr, places, x, width, s.right)
}

// buckets divide the values from the first element of a sorted vector to the last in equal parts. A value is in part
// 1 + (value-first)*scale, rounded down, so that parts are in the order of values. Elements of lower parts are below a value, and those of higher ones
// above it.
type buckets struct {
	first, scale, count float64
	starts              []uint32 // the number of elements in lower parts; part 0 is below the first element, and the last one above all
	width, last         int      // the most elements of a part, and where so many begin; 0: each part has one value, an integer
}

// mostBuckets stay in the second-level cache.
const mostBuckets = 1 << 18

// startsOf returns how many numbers a vector of n elements has in starts for a search of values. It is 0 for few values: a division
// would take longer than it saves.
func startsOf(n, values int) int {
	if n == 0 || values < n || uint64(n) > math.MaxUint32 {
		return 0
	}
	return min(2*n+values/16, mostBuckets) + 3
}

// searchRoom returns the bytes of starts.
func searchRoom(n *tree.Node) int {
	return room(startsOf(n.Args[0].Shape().Size(), n.Args[1].Shape().Size()), 4)
}

// divide returns the parts of a sorted vector. There are none where most elements are in one part.
func divide[T number](sorted []T, starts []uint32) buckets {
	first, last, count := float64(sorted[0]), float64(sorted[len(sorted)-1]), float64(len(starts)-3)
	b := buckets{first: first, scale: (count - 1) / (last - first), count: count, starts: starts}
	const exact = 1 << 53
	whole := !dtype.Of[T]().IsFloat() && last-first < count && first > -exact && last < exact
	if whole {
		b.scale = 1
	}
	if !(b.scale > 0 && b.scale <= math.MaxFloat64) {
		return buckets{}
	}
	clear(starts)
	for i, x := range sorted {
		starts[b.of(float64(x))+1] = uint32(i + 1)
	}
	for i, n := range starts[1:] {
		n = max(n, starts[i])
		b.width = max(b.width, int(n-starts[i]))
		starts[i+1] = n
	}
	switch {
	case whole:
		b.width = 0
	case b.width > len(sorted)/8+8:
		return buckets{}
	}
	b.last = len(sorted) - b.width
	return b
}

// of returns the part of a value. NaN is in the last part.
func (b *buckets) of(x float64) int {
	p := (x - b.first) * b.scale
	switch {
	case p < 0:
		return 0
	case p < b.count:
		return int(p) + 1
	}
	return int(b.count) + 1
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

// halve adds to places the places of values, none of which counts if it is NaN, among the width elements from there on, by the steps
// of [search.place]. All values take a step before the next one, without branches, so the processor overlaps them.
func halve[T number](elements unsafe.Pointer, places []int, x []T, width int, right bool) {
	size, x := sizeOf[T](), x[:len(places)]
	for half := 0; width > 0; width -= half {
		if half = width / 2; half == 0 {
			half = 1
		}
		last := unsafe.Add(elements, (half-1)*size)
		if right {
			for i, at := range places {
				places[i] = at + half&-scalar.FromBool[int](*(*T)(unsafe.Add(last, at*size)) <= x[i])
			}
			continue
		}
		for i, at := range places {
			places[i] = at + half&-scalar.FromBool[int](*(*T)(unsafe.Add(last, at*size)) < x[i])
		}
	}
}

// below reports whether a comes before b, with NaN after everything.
func below[T number](a, b T) bool { return a < b || a == a && b != b }
