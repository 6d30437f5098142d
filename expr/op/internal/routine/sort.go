package routine

import (
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A Wanted is what a sort returns.
type Wanted uint8

// The results of sorts.
const (
	Values   Wanted = iota // the sorted elements
	Order                  // int64: the position of the element that comes i-th
	Ranks                  // int64: how many elements come before element i
	Selected               // the sorted elements at given places
)

// Sort returns the routine of a stable sort along an axis: Axes has the axis. If the
// only integer is 1, the order is descending. NaN comes last, and -0 before +0.
func Sort(want Wanted) *expr.Routine {
	return &expr.Routine{
		New: func(n *expr.Node) func(*expr.Call) error {
			switch keySize(n.Args[0].DType()) {
			case 1:
				return newSort[uint8](n, want)
			case 4:
				return newSort[uint32](n, want)
			}
			return newSort[uint64](n, want)
		},
		Work:    func(n *expr.Node) int { return sortRoom(n, want) },
		Checked: true,
	}
}

// workers returns the number of workers that share rows, and have a part of the
// workspace each.
func workers(rows int) int { return max(1, min(rows, runtime.GOMAXPROCS(0))) }

// rowRoom returns the bytes of the workspace of one worker.
func rowRoom(length int, t dtype.Type, want Wanted) int {
	size := 2 * room(length, keySize(t))
	if want == Order || want == Ranks {
		size += 2 * room(length, 4)
	}
	return size
}

func sortRoom(n *expr.Node, want Wanted) int {
	s := n.Args[0].Shape()
	length := s[n.Axes[0]]
	each := rowRoom(length, n.Args[0].DType(), want)
	w := workers(s.Size() / max(length, 1))
	if each > math.MaxInt/w {
		return -1
	}
	return each * w
}

// A rowSort sorts the rows along an axis.
type rowSort[K key] struct {
	want          Wanted
	name          string
	typ           dtype.Type
	axis          int
	descending    bool
	places        []int // of Selected
	length        int
	before, after series // offsets of the rows: along the axes before the axis, and after it
	columns       int    // number of rows along the axes after
	rows          int
	each          int // bytes of workspace of one worker
	sorters       []*sorter[K]
	call          *expr.Call
	run           func(worker, lo, hi int)
	known         bool
}

func newSort[K key](n *expr.Node, want Wanted) func(*expr.Call) error {
	s, axis := n.Args[0].Shape(), n.Axes[0]
	r := &rowSort[K]{
		want: want, name: n.Op.Constructor(), typ: n.Args[0].DType().Register(), axis: axis, descending: slices.Equal(n.Ints, []int{1}),
		length: s[axis], columns: s[axis+1:].Size(), rows: s[:axis].Size() * s[axis+1:].Size(),
		each: rowRoom(s[axis], n.Args[0].DType(), want),
	}
	if want == Selected {
		r.places, r.descending = slices.Clone(n.Ints), false
	}
	r.sorters = make([]*sorter[K], workers(r.rows))
	r.run = r.some
	return r.sort
}

func (r *rowSort[K]) sort(c *expr.Call) error {
	if uint64(r.length) > math.MaxUint32 {
		return failure(expr.ErrUnsupported, r.name, "an axis of %d elements is too long", r.length)
	}
	if !r.known {
		r.known = true
		r.before, r.after = around(&c.Args[0], r.axis)
	}
	r.call = c
	if min(c.Threads, r.rows) > len(r.sorters) {
		r.some(0, 0, r.rows)
	} else {
		c.Parallel(r.rows, 10*float64(r.length), r.run)
	}
	r.call = nil
	return nil
}

// around returns the offsets of the rows along an axis.
func around(a *expr.Strided, axis int) (before, after series) {
	return seriesOf(a.Shape[:axis], a.Strides[:axis]), seriesOf(a.Shape[axis+1:], a.Strides[axis+1:])
}

// some sorts the rows lo..hi.
func (r *rowSort[K]) some(worker, lo, hi int) {
	s := r.sorters[worker]
	if s == nil {
		s = &sorter[K]{}
		r.sorters[worker] = s
	}
	in, out := &r.call.Args[0], &r.call.Out
	at := r.call.Work[worker*r.each:][:r.each]
	size := sizeOf[K]()
	for row := lo; row < hi; row++ {
		b, a := row/r.columns, row%r.columns
		var end int
		s.keys, end = as[K](at, 0, r.length)
		s.otherKeys, end = as[K](at, end, r.length)
		if r.want == Order || r.want == Ranks {
			s.tags, end = as[uint32](at, end, r.length)
			s.otherTags, _ = as[uint32](at, end, r.length)
			for i := range s.tags {
				s.tags[i] = uint32(i)
			}
		}
		from := unsafe.Add(in.Ptr, (r.before.at(b)+r.after.at(a))*size)
		keysOf(s.keys, r.typ, from, in.Strides[r.axis], r.descending)
		if r.want == Selected {
			r.selected(s, b*len(r.places)*r.columns+a, r.columns)
			continue
		}
		s.sort()
		first := b*r.length*r.columns + a
		switch r.want {
		case Values:
			valuesOf(s.keys, r.typ, unsafe.Add(out.Ptr, first*size), r.columns, r.descending)
		case Order:
			to := expr.Elements[int64](out)[first:]
			for i, t := range s.tags {
				to[i*r.columns] = int64(t)
			}
		case Ranks:
			to := expr.Elements[int64](out)[first:]
			for i, t := range s.tags {
				to[int(t)*r.columns] = int64(i)
			}
		}
	}
	s.keys, s.otherKeys, s.tags, s.otherTags = nil, nil, nil, nil
}
