package routine

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
)

// pickAll sets pivots to the keys with numbers of keys before them in order.
func (s *sorter[K]) pickAll(ranks []int) {
	s.pivots = s.pivots[:0]
	for len(s.pivots) < len(ranks) {
		s.pick(ranks[len(s.pivots):])
	}
}

// pick appends to pivots the keys with numbers of keys before them in order: at least for the
// first of the ranks, and for the next ones as long as their keys are in the same parts. It changes
// the room, not the keys. pivots is empty in the first of several calls for the same keys.
func (s *sorter[K]) pick(ranks []int) {
	part, high, before := s.keys, 8*sizeOf[K](), 0 // keys before the part
	counts, counted := &s.counts[0], len(s.pivots) > 0
	for len(part) > someKeys {
		low := max(high-wideDigit, 0)
		if !counted {
			clear(counts[:])
			for _, k := range part { // the bits above the digit are equal
				counts[place(k>>low)]++
			}
		}
		d := K(0)
		for ; ranks[0]-before >= int(counts[place(d)]); d++ {
			before += int(counts[place(d)])
		}
		end := before + int(counts[place(d)])
		if i := slices.IndexFunc(ranks, func(rank int) bool { return rank < before || rank >= end }); i >= 0 {
			ranks = ranks[:i]
		}
		part = gather(s.otherKeys[:end-before], part, low, d)
		if low == 0 { // all are equal
			for range ranks {
				s.pivots = append(s.pivots, part[0])
			}
			return
		}
		high, counts, counted = low, &s.counts[1], false
	}
	few := s.otherKeys[:copy(s.otherKeys, part)]
	slices.Sort(few)
	for _, rank := range ranks {
		s.pivots = append(s.pivots, few[rank-before])
	}
}

// gather copies the keys with digit d at bit low to dst, which has as many and may be the
// first of the keys.
func gather[K key](dst, keys []K, low int, d K) []K {
	n := 0
	if len(dst) < len(keys)/rareKeys { // a branch is nearly always right
		for _, k := range keys {
			if place(k>>low) == place(d) {
				dst[n] = k
				n++
			}
		}
		return dst
	}
	for _, k := range keys {
		if n == len(dst) {
			break
		}
		dst[n] = k
		n += scalar.FromBool[int](place(k>>low) == place(d))
	}
	return dst
}

// rareKeys is the number of keys of which one is copied where a branch is faster.
const rareKeys = 16

// selected stores the elements of a row that come at the places.
func (r *rowSort[K]) selected(s *sorter[K], first, stride int) {
	out := &r.call.Out
	s.pickAll(r.places)
	valuesOf(s.pivots, r.typ, unsafe.Add(out.Ptr, first*sizeOf[K]()), stride, false)
}

// parts reports whether the rows are divided at places.
func (r *rowSort[K]) parts() bool { return r.want == Parted || r.want == PartedOrder }

// partsByMachine divides n rows from number row on at the only place, and returns false if there is no machine
// code for them.
func (r *rowSort[K]) partsByMachine(s *sorter[K], work []byte, row, n int) bool {
	room, end := as[byte](work, 0, partRoom(r.length, sizeOf[K]()))
	rows := tree.Rows{
		Type: r.typ, Descending: r.descending, Count: n, Length: r.length, From: r.from(row), To: unsafe.Pointer(&room[0]),
		Places: r.ascending, Positions: r.want == PartedOrder,
	}
	if !r.dense {
		var keys []K
		keys, end = as[K](work, end, n*r.length)
		r.gather(s, keys, row, n)
		rows.From = unsafe.Pointer(&keys[0])
	}
	size := sizeOf[K]()
	if rows.Positions {
		size = 8
	}
	if rows.Parted = r.to(row, size); r.columns > 1 {
		words, _ := as[uint64](work, end, n*r.length)
		rows.Parted = unsafe.Pointer(&words[0])
	}
	switch {
	case !s.machine(&s.alone, rows):
		return false
	case r.columns == 1:
	case rows.Positions:
		spread[int64](r, s, unsafe.Slice((*int64)(rows.Parted), n*r.length), row, n)
	default:
		spread[K](r, s, unsafe.Slice((*K)(rows.Parted), n*r.length), row, n)
	}
	return true
}

// parted divides a row at places by Go. The parts are numbered by the places before them. Of elements with equal
// keys the first ones come first.
func (r *rowSort[K]) parted(s *sorter[K], row int) {
	if len(r.ascending) == 1 {
		r.partedAt(s, row)
		return
	}
	s.pickAll(r.ascending)
	part := func(k K) int { // the number of pivots below k
		at, _ := slices.BinarySearch(s.pivots, k)
		return at
	}
	next := make([]int, len(s.pivots)+1) // the next place of each part
	below := make([]int, len(s.pivots))  // the number of keys below each pivot, or equal ones before it
	for i, place := range r.ascending {
		next[i+1] = place + 1
	}
	for _, k := range s.keys {
		at := part(k)
		for at < len(below) && s.pivots[at] == k {
			at++
		}
		if at < len(below) {
			below[at]++
		}
	}
	for i := 1; i < len(below); i++ {
		below[i] += below[i-1]
	}
	in, size := r.call.Args[0], sizeOf[K]()
	for i, k := range s.keys {
		to := part(k)
		place := -1
		if to < len(below) && s.pivots[to] == k {
			rank := below[to]
			below[to]++ // of the first of equal pivots
			var is bool
			if to, is = slices.BinarySearch(r.ascending, rank); is {
				place = rank
			}
		}
		if place < 0 {
			place = next[to]
			next[to]++
		}
		if r.want == PartedOrder {
			*(*int64)(unsafe.Add(r.to(row, 8), place*r.columns*8)) = int64(i)
		} else {
			*(*K)(unsafe.Add(r.to(row, size), place*r.columns*size)) = *(*K)(unsafe.Add(r.from(row), i*in.Strides[r.axis]*size))
		}
	}
}

// pickOne returns the key with so many keys before it in order, and how many are below it. It finds keys of two bytes by counts of each byte.
func (s *sorter[K]) pickOne(rank int) (pivot K, less int) {
	if sizeOf[K]() != 2 {
		s.pickAll([]int{rank})
		for _, k := range s.keys {
			less += scalar.FromBool[int](k < s.pivots[0])
		}
		return s.pivots[0], less
	}
	part := s.keys
	for _, low := range [...]int{8, 0} {
		counts, d := digitsOf(&s.counts, part, low, 8), 0
		for ; rank-less >= int(counts[d]); d++ {
			less += int(counts[d])
		}
		if n := int(counts[d]); low > 0 && n < len(part) {
			part = gather(s.otherKeys[:n], part, low, K(d))
		}
		pivot |= K(d) << low
	}
	return pivot, less
}

// partedAt divides a row at one place by Go.
func (r *rowSort[K]) partedAt(s *sorter[K], row int) {
	place := r.ascending[0]
	pivot, less := s.pickOne(place)
	from, size, jump := r.from(row), sizeOf[K](), r.call.Args[0].Strides[r.axis]*sizeOf[K]()
	if r.want == PartedOrder {
		size = 8
	}
	to, step := r.to(row, size), r.columns*size
	store := func(i, place int) {
		if r.want == PartedOrder {
			*(*int64)(unsafe.Add(to, place*step)) = int64(i)
		} else {
			*(*K)(unsafe.Add(to, place*step)) = *(*K)(unsafe.Add(from, i*jump))
		}
	}
	lower, upper := 0, place+1
	either := func(i, low int) {
		next := upper
		if low > 0 {
			next = lower
		}
		lower, upper = lower+low, upper+1-low
		store(i, next)
	}
	at, equal := 0, place-less // equal keys that belong to the lower part
	for ; s.keys[at] != pivot || equal > 0; at++ {
		equal -= scalar.FromBool[int](s.keys[at] == pivot)
		either(at, scalar.FromBool[int](s.keys[at] <= pivot))
	}
	store(at, place)
	for i, k := range s.keys[at+1:] {
		either(at+1+i, scalar.FromBool[int](k < pivot))
	}
}
