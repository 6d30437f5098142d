package sorting

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Sorter sorts rows on the workers of a call. It keeps its memory between calls, which
// follow each other.
type Sorter struct {
	kernels         *kernels
	call            *tree.Call
	rows            tree.Rows
	order           order
	f               *family
	widen           bool   // the values have fewer bytes than those of f
	runs            []*run // of the workers
	words           *words // of rows whose positions are wanted
	parts, next     []part // of one row that several workers sort
	rowsOf, splitOf func(worker, lo, hi int)
	sortOf          func(worker, lo, hi int)
}

// Has reports whether there are kernels for an instruction set.
func Has(isa string) bool { return families[isa] != nil }

// New returns a sorter for an instruction set that has kernels.
func New(isa string) *Sorter {
	s := &Sorter{kernels: families[isa]}
	s.rowsOf, s.splitOf, s.sortOf = s.someRows, s.splitParts, s.sortParts
	return s
}

// Sort sorts rows. It returns false, and does nothing, if it has no kernels for their
// type.
func (s *Sorter) Sort(c *tree.Call, r tree.Rows) bool {
	if r.Order != nil {
		return s.positions(c, r)
	}
	size, parts := r.Type.Size(), r.Parted != nil
	s.f, s.order = s.kernels.of(size), orderOf(r.Type, r.Descending)
	if s.widen = size < 4 && (s.f == nil || !parts && !s.f.sortsWhole(r.Length) || parts && !s.f.compresses()); s.widen {
		s.f = s.kernels.of(4)
	}
	if s.f != nil && s.f.avx512 && s.f.size == 8 && r.Length > s.f.lanes() && 2*r.Length <= 3*s.f.lanes() && machine.Current().Halves {
		s.f = avx2.of(8) // three vectors of AVX2 take less time than two of AVX-512, of which each takes as long as two
	}
	switch {
	case s.f == nil || parts && (len(r.Places) != 1 || size == 1 || size == 2 && r.Positions):
		return false
	case !parts && s.widen && size == 2 && s.kernels.of(2) != nil: // merges have no memory for rows so long
		return r.Count == 1 && s.counted(c, &r)
	case !parts && (s.widen || s.f.stored < 4): // machine code sorts such rows by networks only
		if r.Length > mostBytes && size == 1 || !s.f.sortsWhole(r.Length) || s.f.network(s.f.rows(min(r.Length, s.f.largest()), s.order.form(enter|leave))) == nil {
			return false
		}
	}
	s.call, s.rows = c, r
	for len(s.runs) < c.Threads {
		s.runs = append(s.runs, newRun())
	}
	raw := (s.f.avx512 || s.f.size == 8) && r.Type.IsFloat() && !r.Descending
	for _, u := range s.runs {
		u.begin(c, s.f, &s.order, raw)
		u.places = r.Places
	}
	if r.Count == 1 && len(r.Places) == 0 && c.Threads > 1 && r.Length >= shared && !s.f.sortsWhole(r.Length) {
		if p := s.whole(0); !s.runs[0].counted(&p) {
			s.together()
		}
	} else {
		c.Parallel(r.Count, 2+cost(r.Length), s.rowsOf)
	}
	s.call, s.rows = nil, tree.Rows{}
	for _, u := range s.runs {
		u.end()
	}
	return true
}

const (
	mostBytes = 1 << 9  // longer rows of bytes are counted
	shared    = 1 << 14 // keys of a row from which on several workers sort it
	// partsEach is the number of parts of such a row for each worker. leastPart is the number
	// of keys of a part from which on it is split.
	partsEach = 4
	leastPart = 1 << 12
)

// cost returns the approximate time of a sort in nanoseconds.
func cost(n int) float64 { return 0.4 * float64(n) * float64(bits.Len(uint(n))) }

// someRows sorts the rows lo..hi.
func (s *Sorter) someRows(worker, lo, hi int) {
	r, u := &s.rows, s.runs[worker]
	switch {
	case r.Parted != nil:
		for lo < hi && !s.call.Stopped() {
			lo += s.part(u, lo, hi-lo)
		}
		return
	case s.widen && r.Type.Size() == 1:
		someWidened[int8](r, u, lo, hi)
		return
	case s.widen:
		someWidened[int16](r, u, lo, hi)
		return
	}
	row := r.Length * s.f.stored
	to, from := unsafe.Add(r.To, lo*row), unsafe.Add(r.From, lo*row)
	if u.few(to, from, hi-lo, r.Length) {
		return
	}
	for ; lo < hi && !s.call.Stopped(); lo++ {
		switch p := s.whole(lo); {
		case s.f.stored >= 4:
			u.sort(&p)
		case !u.counted(&p) && !u.mergedRows(p.data, p.from, 1, p.n, enter|leave): // there is no memory for a kernel
			u.compare(&p)
		}
	}
}

// counted sorts a row of numbers of two bytes if it has few values, and reports whether it did.
func (s *Sorter) counted(c *tree.Call, r *tree.Rows) bool {
	if len(s.runs) == 0 {
		s.runs = append(s.runs, newRun())
	}
	u := s.runs[0]
	u.begin(c, s.kernels.of(2), &s.order, false)
	defer u.end()
	return u.counted(&part{from: r.From, data: r.To, n: r.Length, values: true})
}

// part divides some of n rows from number i on, and returns their number. To is room for one row.
func (s *Sorter) part(u *run, i, n int) int {
	r, p := s.rows, s.whole(0)
	row, size := r.Length*r.Type.Size(), r.Type.Size()
	if r.Positions {
		size = 8
	}
	p.from, u.low = unsafe.Add(r.From, i*row), 0
	if size == 2 {
		if r.From, r.Parted = p.from, unsafe.Add(r.Parted, i*row); s.widen {
			u.divideWide(r, p)
		} else {
			u.dividePairs(&r)
		}
		return 1
	}
	some := max(1, min(n, smallBytes/row))
	if to := unsafe.Pointer(&u.spare); row <= smallBytes && u.few(to, p.from, some, r.Length) {
		r.To = to
	} else {
		some = 1
		if u.sort(&p); s.call.Stopped() {
			return some // the key at the place is any
		}
	}
	for at := range some {
		d := r
		d.To, d.From, d.Parted = unsafe.Add(r.To, at*row), unsafe.Add(p.from, at*row), unsafe.Add(r.Parted, (i+at)*r.Length*size)
		u.divide(&d)
	}
	return some
}

// someWidened sorts the rows lo..hi of numbers of fewer bytes than those of the kernels, some
// rows at a time in the first-level cache.
func someWidened[T int8 | int16](r *tree.Rows, u *run, lo, hi int) {
	keys := (*[smallBytes / 4]int32)(unsafe.Pointer(&u.spare))
	for some := 0; lo < hi; lo += some {
		some = min(len(keys)/r.Length, hi-lo)
		k, off := keys[:some*r.Length], lo*r.Length*r.Type.Size()
		convert(k, unsafe.Slice((*T)(unsafe.Add(r.From, off)), len(k)))
		if p := unsafe.Pointer(&k[0]); !u.few(p, p, some, r.Length) && !u.mergedRows(p, p, some, r.Length, enter|leave) {
			for i := range some { // there is no memory for a kernel
				p := unsafe.Pointer(&k[i*r.Length])
				u.compare(&part{from: p, data: p, n: r.Length, values: true})
			}
		}
		convert(unsafe.Slice((*T)(unsafe.Add(r.To, off)), len(k)), k)
	}
}

func convert[A, B int8 | int16 | int32](to []A, from []B) {
	for ; len(to) >= 8 && len(from) >= 8; to, from = to[8:], from[8:] {
		a, b := (*[8]A)(to), (*[8]B)(from)
		a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7] = A(b[0]), A(b[1]), A(b[2]), A(b[3]), A(b[4]), A(b[5]), A(b[6]), A(b[7])
	}
	for i, x := range from[:len(to)] {
		to[i] = A(x)
	}
}

// whole returns row i as a part.
func (s *Sorter) whole(i int) part {
	r := &s.rows
	off := i * r.Length * s.f.stored
	return part{
		from: unsafe.Add(r.From, off), data: unsafe.Add(r.To, off),
		n: r.Length, values: true, floor: ^s.order.most, left: 2*bits.Len(uint(r.Length)) + 16,
	}
}

// together sorts one row on all workers. They split its parts until there are enough.
func (s *Sorter) together() {
	low, high := s.whole(0), part{}
	s.runs[0].split(&low, &high)
	for _, u := range s.runs {
		u.setRaw(s.runs[0].raw)
	}
	s.parts = append(s.parts[:0], low, high)
	for n := s.rows.Length / 2; n >= leastPart && len(s.parts) < partsEach*s.call.Threads; n /= 2 {
		s.next = slices.Grow(s.next[:0], 2*len(s.parts))[:2*len(s.parts)]
		s.call.Parallel(len(s.parts), 0.4*float64(n), s.splitOf)
		s.parts, s.next = s.next, s.parts
	}
	s.call.Parallel(len(s.parts), cost(s.rows.Length/len(s.parts)), s.sortOf)
	clear(s.parts)
	clear(s.next)
}

// splitParts splits the parts lo..hi.
func (s *Sorter) splitParts(worker, lo, hi int) {
	for i := lo; i < hi; i++ {
		s.next[2*i], s.next[2*i+1] = s.parts[i], part{}
		if s.parts[i].n >= leastPart && !s.call.Stopped() {
			s.runs[worker].split(&s.next[2*i], &s.next[2*i+1])
		}
	}
}

// sortParts sorts the parts lo..hi.
func (s *Sorter) sortParts(worker, lo, hi int) {
	for i := range s.parts[lo:hi] {
		s.runs[worker].sort(&s.parts[lo+i])
	}
}
