package routine

import (
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Wanted is what a sort returns.
type Wanted uint8

// The results of sorts.
const (
	Values   Wanted = iota // the sorted elements
	Order                  // int64: the position of the element that comes i-th
	Ranks                  // int64: how many elements come before element i
	Selected               // the sorted elements at given places
	// Parted is the elements in parts: those at the places are where a sort puts them, and those between two places
	// are in their own order. PartedOrder is their positions as int64.
	Parted
	PartedOrder
)

// Sort returns the routine of a stable sort along an axis: Axes has the axis. If the
// first integer is 1, the order is descending. NaN comes last, and -0 before +0. The other integers
// of parts are the places, in ascending order.
func Sort(want Wanted) *tree.Routine {
	return &tree.Routine{
		New: func(n *tree.Node) func(*tree.Call) error {
			return kinds[n.Args[0].DType().Register()].sort(n, want)
		},
		Work:    func(n *tree.Node) int { return sortRoom(n, want) },
		Checked: true,
		Total:   true,
	}
}

// workers returns the number of workers that share rows, and have a part of the
// workspace each.
func workers(rows int) int { return max(1, min(rows, runtime.GOMAXPROCS(0))) }

const (
	// blockBytes is the size of the rows that machine code sorts at once after they were gathered.
	blockBytes = 1 << 14
)

// rowRoom returns the bytes of the workspace of one worker for some of the rows of a number of
// elements.
func rowRoom(length, all int, t dtype.Type, want Wanted) int {
	size := 2 * room(length, keySize(t))
	if want == Values || want == Selected {
		size = max(size, room(min(blockBytes/keySize(t), all), keySize(t)))
	}
	if want == Order || want == Ranks {
		words := max(length, min(blockBytes/8, all))
		size = max(size+2*room(length, 4), room(words, keySize(t))+room(words, packingOf(length, keySize(t)).size()))
	}
	if want == Parted || want == PartedOrder {
		size += room(length, 8)
	}
	return size
}

func sortRoom(n *tree.Node, want Wanted) int {
	s := n.Args[0].Shape()
	length := s[n.Axes[0]]
	each := rowRoom(length, s.Size(), n.Args[0].DType(), want)
	w := workers(s.Size() / max(length, 1))
	if each > math.MaxInt/w {
		return -1
	}
	return each * w
}

// A rowSort sorts the rows along an axis.
type rowSort[K key] struct {
	want          Wanted
	typ           dtype.Type
	axis          int
	descending    bool
	places        []int // of Selected, Parted and PartedOrder
	ascending     []int // the places, each once
	length        int
	before, after series // offsets of the rows: along the axes before the axis, and after it
	columns       int    // number of rows along the axes after
	rows          int
	each          int // bytes of workspace of one worker
	sorters       []*sorter[K]
	machine       func(*tree.Call, tree.Rows) bool // sorts values on all workers; or nil
	call          *tree.Call
	run           func(worker, lo, hi int)
	known         bool
	dense         bool // the rows are one behind the other
	packed        int  // bytes of a packed key, if machine code sorts these; else 0
}

func newSort[K key](n *tree.Node, want Wanted) func(*tree.Call) error {
	s, axis := n.Args[0].Shape(), n.Axes[0]
	r := &rowSort[K]{
		want: want, typ: n.Args[0].DType().Register(), axis: axis, descending: len(n.Ints) > 0 && n.Ints[0] == 1,
		length: s[axis], columns: s[axis+1:].Size(), rows: s[:axis].Size() * s[axis+1:].Size(),
		each: rowRoom(s[axis], s.Size(), n.Args[0].DType(), want),
	}
	switch want {
	case Selected:
		r.places, r.descending = slices.Clone(n.Ints), false
	case Parted, PartedOrder:
		r.places = slices.Clone(n.Ints[1:])
	}
	r.ascending = slices.Compact(slices.Sorted(slices.Values(r.places)))
	r.sorters = make([]*sorter[K], workers(r.rows))
	r.run = r.some
	return r.sort
}

func (r *rowSort[K]) sort(c *tree.Call) error {
	if !r.known {
		r.known = true
		r.before, r.after = around(&c.Args[0], r.axis)
		if (r.want == Values || r.want == Selected || r.parts() && len(r.places) == 1 || r.packable()) && c.NewSort != nil {
			r.machine = c.NewSort()
			if r.packable() {
				r.packed = packingOf(r.length, sizeOf[K]()).size()
			}
		}
	}
	in := &c.Args[0]
	r.dense = r.columns == 1 && (in.Strides[r.axis] == 1 || r.length == 1) && r.before.table == nil && (r.before.step == r.length || r.rows == 1)
	if r.machine != nil && r.want == Values && r.dense && r.length > 0 && r.machine(c, tree.Rows{
		Type: r.typ, Descending: r.descending, Count: r.rows, Length: r.length, To: c.Out.Ptr, From: in.Ptr,
	}) {
		return nil
	}
	r.call = c
	if r.packed > 0 && r.rows == 1 && r.order(r.machine, c, c.Work, 0, 1) {
		r.call = nil // all workers sorted the only row
		return nil
	}
	if min(c.Threads, r.rows) > len(r.sorters) {
		r.some(0, 0, r.rows)
	} else {
		c.Parallel(r.rows, 10*float64(r.length), r.run)
	}
	r.call = nil
	return nil
}

// around returns the offsets of the rows along an axis.
func around(a *tree.Strided, axis int) (before, after series) {
	return seriesOf(a.Shape[:axis], a.Strides[:axis]), seriesOf(a.Shape[axis+1:], a.Strides[axis+1:])
}

// some sorts the rows lo..hi.
func (r *rowSort[K]) some(worker, lo, hi int) {
	s := r.sorters[worker]
	if s == nil {
		s = &sorter[K]{alone: tree.Call{Threads: 1}}
		if r.machine != nil {
			s.machine = r.call.NewSort()
		}
		r.sorters[worker] = s
	}
	at := r.call.Work[worker*r.each:][:r.each]
	size := sizeOf[K]()
	for s.machine != nil && r.length > 0 && lo < hi {
		n := min(hi-lo, max(1, blockBytes/(r.length*max(size, r.packed))))
		if r.parts() {
			if n = r.partsByMachine(s, at, lo, hi-lo); n == 0 {
				s.machine = nil // it has no kernels
				break
			}
		} else if r.packed > 0 && !r.order(s.machine, &s.alone, at, lo, n) || r.packed == 0 && !r.byMachine(s, at, lo, n) {
			s.machine = nil // it has no kernels
			break
		}
		lo += n
	}
	for row := lo; row < hi; row++ {
		r.one(s, at, row)
	}
	s.keys, s.otherKeys, s.tags, s.otherTags = nil, nil, nil, nil
}

// from returns the first element of a row.
func (r *rowSort[K]) from(row int) unsafe.Pointer {
	return unsafe.Add(r.call.Args[0].Ptr, (r.before.at(row/r.columns)+r.after.at(row%r.columns))*sizeOf[K]())
}

// to returns where the first element of size bytes of a row goes.
func (r *rowSort[K]) to(row, size int) unsafe.Pointer {
	return unsafe.Add(r.call.Out.Ptr, (row/r.columns*r.length*r.columns+row%r.columns)*size)
}

// one sorts a row by Go.
func (r *rowSort[K]) one(s *sorter[K], work []byte, row int) {
	var end int
	s.keys, end = as[K](work, 0, r.length)
	s.otherKeys, end = as[K](work, end, r.length)
	if r.want == Order || r.want == Ranks {
		s.tags, end = as[uint32](work, end, r.length)
		s.otherTags, _ = as[uint32](work, end, r.length)
		for i := range s.tags {
			s.tags[i] = uint32(i)
		}
	}
	keysOf(s.keys, r.typ, r.from(row), r.call.Args[0].Strides[r.axis], r.descending)
	if r.parts() {
		r.parted(s, row)
		return
	}
	if r.want == Selected {
		r.selected(s, row/r.columns*len(r.places)*r.columns+row%r.columns, r.columns)
		return
	}
	s.sort()
	switch r.want {
	case Values:
		valuesOf(s.keys, r.typ, r.to(row, sizeOf[K]()), r.columns, r.descending)
	case Order, Ranks:
		storeOrder(r, s.tags, 1<<32-1, row)
	}
}

// spread stores elements a number of elements apart.
func spread[T any](to unsafe.Pointer, from []T, step int) {
	for i, x := range from {
		*(*T)(unsafe.Add(to, i*step*sizeOf[T]())) = x
	}
}

// byMachine sorts n rows from number row on by machine code, if there is some, and stores them or
// their elements at the places.
func (r *rowSort[K]) byMachine(s *sorter[K], work []byte, row, n int) bool {
	in, out, size := &r.call.Args[0], r.call.Out.Ptr, sizeOf[K]()
	keys, _ := as[K](work, 0, n*r.length)
	p := unsafe.Pointer(&keys[0])
	from := p
	if r.dense {
		from = r.from(row)
	} else {
		for i := range n {
			bitsOf(keys[i*r.length:][:r.length], r.from(row+i), in.Strides[r.axis])
		}
	}
	if !s.machine(&s.alone, tree.Rows{Type: r.typ, Descending: r.descending, Count: n, Length: r.length, To: p, From: from, Places: r.ascending}) {
		return false
	}
	for i := range n {
		b, a := (row+i)/r.columns, (row+i)%r.columns
		sorted := keys[i*r.length:][:r.length]
		if r.want == Selected {
			for j, place := range r.places {
				*(*K)(unsafe.Add(out, ((b*len(r.places)+j)*r.columns+a)*size)) = sorted[place]
			}
			continue
		}
		spread(r.to(row+i, size), sorted, r.columns)
	}
	return true
}
