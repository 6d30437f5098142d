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
	Selected               // the elements at given places of the sorted order; the axis is not sorted
	// Parted is the elements in parts: those at the places are where a sort puts them, and those between two places
	// are in their own order. PartedOrder is their positions as int64.
	Parted
	PartedOrder
)

// Sort returns the routine of a stable sort along an axis: Axes has the axis. If the
// first integer is 1, the order is descending. NaN comes last, and -0 before +0. The other integers
// of parts are the places, in ascending order. All integers of Selected are places.
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
	// blockBytes is the size of the rows that machine code sorts at once. Of longer rows that are gathered it takes
	// as many as share lineBytes, up to mostBytes: the processor fetches neighbouring cache lines together, so
	// columns of 1000 int64 take 11 ns an element instead of 14 by single lines.
	blockBytes = 1 << 14
	mostBytes  = 1 << 18
	lineBytes  = 256
	tile       = 8 // elements of a row that a copy takes before it takes some of the next row
	tileRows   = 64
)

// blockRows returns the number of rows of a length that are gathered and sorted at once.
func blockRows(length, size int) int {
	row := max(1, length) * size
	return max(1, blockBytes/row, min(lineBytes/size, mostBytes/row))
}

// rowRoom returns the bytes of the workspace of one worker for some of the rows of a number of
// elements, or -1 if there are too many.
func rowRoom(length, all int, t dtype.Type, want Wanted) int {
	k := t.Register().Size()
	if want != Values && want != Selected && length > math.MaxInt/64 { // an element takes up to 48 bytes
		return -1
	}
	size, some := 2*room(length, k), min(blockRows(length, k)*length, all)
	switch want {
	case Order, Ranks:
		some = min(blockRows(length, 8)*length, all)
		return max(size+2*room(length, 4), room(some, k)+room(some, 8)+room(wordRoom(some/max(length, 1), length, k), 8))
	case Parted, PartedOrder:
		return 2*room(some, 8) + room(some, k) + room(length, k) + room(partRoom(length, k), 1)
	}
	return max(size, room(some, k))
}

// partRoom returns the bytes of a division of a row of elements of a size, by machine code (see [tree.Rows.Parted]) or by Go.
func partRoom(length, size int) int {
	if size == 2 {
		size = 6
	}
	return length * 2 * size
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
	dense         bool // the elements of all rows are adjacent
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
		a := &c.Args[0]
		r.before, r.after = seriesOf(a.Shape[:r.axis], a.Strides[:r.axis]), seriesOf(a.Shape[r.axis+1:], a.Strides[r.axis+1:])
		if (r.want == Values || r.want == Selected || r.parts() || r.packable()) && c.NewSort != nil {
			r.machine = c.NewSort()
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
	if r.machine != nil && r.packable() && r.rows == 1 && r.order(nil, r.machine, c, c.Work, 0, 1) {
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

// some sorts the rows lo..hi.
func (r *rowSort[K]) some(worker, lo, hi int) {
	s := r.sorters[worker]
	if s == nil {
		s = &sorter[K]{alone: tree.Call{Threads: 1}}
		if r.machine != nil {
			s.machine = r.call.NewSort()
		}
		if r.call.NewTranspose != nil {
			s.transpose, s.transpose8 = r.call.NewTranspose(sizeOf[K]()), r.call.NewTranspose(8)
		}
		r.sorters[worker] = s
	}
	s.alone.Context = r.call.Context
	at := r.call.Work[worker*r.each:][:r.each]
	size, packable := sizeOf[K](), r.packable()
	if packable {
		size = 8 // of words
	}
	for (s.machine != nil || r.parts()) && r.length > 0 && lo < hi && !s.alone.Stopped() {
		n := hi - lo
		switch {
		case !r.dense:
			n = min(n, blockRows(r.length, size))
		case !r.parts(): // a division stores the rows itself
			n = min(n, max(1, blockBytes/(r.length*size)))
		}
		sorted := true
		switch {
		case r.parts():
			r.partRows(s, at, lo, n)
		case packable:
			sorted = r.order(s, s.machine, &s.alone, at, lo, n)
		default:
			sorted = r.byMachine(s, at, lo, n)
		}
		if !sorted {
			s.machine = nil // it has no kernels, or some for shorter rows
			break
		}
		lo += n
	}
	for row := lo; row < hi && !s.alone.Stopped(); row++ {
		r.one(s, at, row)
	}
	s.keys, s.otherKeys, s.tags, s.otherTags, s.alone.Context = nil, nil, nil, nil, nil
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
		enumerate(s.tags)
	}
	keysOf(s.keys, r.typ, r.from(row), r.call.Args[0].Strides[r.axis], r.descending)
	if s.tags != nil && byDigits[K](r.length) {
		r.positions(s, row)
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
	case Order:
		spread[int64](r, s, s.tags, row, 1)
	case Ranks:
		storeRanks(r, s.tags, row)
	}
}

// froms sets rows to the first elements of neighbouring rows, from number row on.
func (r *rowSort[K]) froms(rows []unsafe.Pointer, row int) {
	in, size, before, after := r.call.Args[0].Ptr, sizeOf[K](), row/r.columns, row%r.columns
	for i := range rows {
		rows[i] = unsafe.Add(in, (r.before.at(before)+r.after.at(after))*size)
		if after++; after == r.columns {
			before, after = before+1, 0
		}
	}
}

// gather copies n rows from number row on to keys, without gaps.
func (r *rowSort[K]) gather(s *sorter[K], keys []K, row, n int) {
	step, size := r.call.Args[0].Strides[r.axis], sizeOf[K]()
	if along := r.alongside(); along > 0 && s != nil && s.transpose != nil {
		for some := 0; n > 0; row, n, keys = row+some, n-some, keys[some*r.length:] {
			some = min(n, along-row%along)
			s.transpose(unsafe.Pointer(&keys[0]), r.from(row), r.length, some, r.length*size, step*size)
		}
		return
	}
	for ; n > 0; row, n, keys = row+tileRows, n-tileRows, keys[min(tileRows, n)*r.length:] {
		var from [tileRows]unsafe.Pointer
		rows := from[:min(n, len(from))]
		r.froms(rows, row)
		k := 0
		for ; k+tile <= r.length; k += tile {
			for i, p := range rows {
				copyTile((*[tile]K)(keys[i*r.length+k:]), unsafe.Add(p, k*step*size), step*size)
			}
		}
		for ; k < r.length; k++ {
			for i, p := range rows {
				keys[i*r.length+k] = *(*K)(unsafe.Add(p, k*step*size))
			}
		}
	}
}

func copyTile[K key](to *[tile]K, p unsafe.Pointer, jump int) {
	q := unsafe.Add(p, 4*jump)
	to[0], to[1], to[2], to[3] = *(*K)(p), *(*K)(unsafe.Add(p, jump)), *(*K)(unsafe.Add(p, 2*jump)), *(*K)(unsafe.Add(p, 3*jump))
	to[4], to[5], to[6], to[7] = *(*K)(q), *(*K)(unsafe.Add(q, jump)), *(*K)(unsafe.Add(q, 2*jump)), *(*K)(unsafe.Add(q, 3*jump))
}

// alongside returns how many rows are alongside each other in memory: elements with the same place in neighbouring rows are adjacent. Or 0.
func (r *rowSort[K]) alongside() int {
	switch {
	case r.columns > 1 && r.after.table == nil && r.after.step == 1:
		return r.columns
	case r.columns == 1 && r.before.table == nil && r.before.step == 1:
		return r.rows
	}
	return 0
}

// spread stores n rows, which are adjacent, to the rows from number row on.
func spread[T, W dtype.Int, K key](r *rowSort[K], s *sorter[K], from []W, row, n int) {
	length, size := r.length, sizeOf[T]()
	jump := r.columns * size
	transpose := s.transpose
	if size == 8 {
		transpose = s.transpose8
	}
	if r.columns > 1 && size == sizeOf[W]() && transpose != nil {
		for some := 0; n > 0; row, n, from = row+some, n-some, from[some*length:] {
			some = min(n, r.columns-row%r.columns)
			transpose(r.to(row, size), unsafe.Pointer(&from[0]), some, length, jump, length*size)
		}
		return
	}
	for i := range n {
		p := r.to(row+i, size)
		for k, x := range from[i*length:][:length] {
			*(*T)(unsafe.Add(p, k*jump)) = T(x)
		}
	}
}

// byMachine sorts n rows from number row on by machine code, if there is some, and stores them or
// their elements at the places.
func (r *rowSort[K]) byMachine(s *sorter[K], work []byte, row, n int) bool {
	keys, _ := as[K](work, 0, n*r.length)
	p := unsafe.Pointer(&keys[0])
	from, to := p, p
	if r.dense {
		from = r.from(row)
	} else {
		r.gather(s, keys, row, n)
	}
	stays := r.want == Values && r.columns == 1
	if stays {
		to = r.to(row, sizeOf[K]())
	}
	switch {
	case !s.machine(&s.alone, tree.Rows{Type: r.typ, Descending: r.descending, Count: n, Length: r.length, To: to, From: from, Places: r.ascending}):
		return false
	case stays:
		return true
	case r.want == Values:
		spread[K](r, s, keys, row, n)
		return true
	}
	for i := range n {
		b, a := (row+i)/r.columns, (row+i)%r.columns
		for j, place := range r.places {
			*(*K)(unsafe.Add(r.call.Out.Ptr, ((b*len(r.places)+j)*r.columns+a)*sizeOf[K]())) = keys[i*r.length+place]
		}
	}
	return true
}
