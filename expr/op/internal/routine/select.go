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

// partRows divides n rows from number row on at the places.
func (r *rowSort[K]) partRows(s *sorter[K], work []byte, row, n int) {
	d, size := parter[K]{rowSort: r, s: s}, sizeOf[K]()
	room, end := as[byte](work, 0, partRoom(r.length, size))
	d.part, end = as[K](work, end, r.length)
	d.partOrder, end = as[int64](work, end, r.length)
	d.rows = tree.Rows{
		Type: r.typ, Descending: r.descending, Count: n, Length: r.length, From: r.from(row), To: unsafe.Pointer(&room[0]),
		Places: r.ascending, Positions: r.want == PartedOrder,
	}
	if !r.dense {
		var keys []K
		keys, end = as[K](work, end, n*r.length)
		r.gather(s, keys, row, n)
		d.rows.From = unsafe.Pointer(&keys[0])
	}
	if d.rows.Positions {
		size = 8
	}
	to := r.to(row, size)
	if r.columns > 1 {
		words, _ := as[uint64](work, end, n*r.length)
		to = unsafe.Pointer(&words[0])
	}
	if d.rows.Parted = to; len(r.ascending) != 1 || s.machine == nil || !s.machine(&s.alone, d.rows) {
		all := unsafe.Slice((*K)(d.rows.From), n*r.length)
		for i := range n {
			d.row(all[i*r.length:][:r.length], unsafe.Add(to, i*r.length*size))
		}
	}
	switch {
	case r.columns == 1:
	case r.want == PartedOrder:
		spread[int64](r, s, unsafe.Slice((*int64)(to), n*r.length), row, n)
	default:
		spread[K](r, s, unsafe.Slice((*K)(to), n*r.length), row, n)
	}
}

// A parter divides a row at one of its places, and then each part at its own places. The elements have the same order then as if all places
// divided the row at once.
type parter[K key] struct {
	*rowSort[K]
	s                *sorter[K]
	rows             tree.Rows // of one part
	values, to, part []K       // of the row, where they go, and of a part
	order, partOrder []int64   // where positions go, and those in a part
}

// row divides a row.
func (d *parter[K]) row(values []K, to unsafe.Pointer) {
	if d.values = values; d.rows.Positions {
		d.order = unsafe.Slice((*int64)(to), len(values))
		for i := range d.order {
			d.order[i] = int64(i)
		}
	} else {
		d.to = unsafe.Slice((*K)(to), len(values))
		copy(d.to, values)
	}
	d.between(0, len(values), d.ascending)
}

// between divides the part lo..hi of a row at places in it.
func (d *parter[K]) between(lo, hi int, places []int) {
	for len(places) > 0 && !d.s.alone.Stopped() {
		middle := len(places) / 2
		place, part := places[middle], d.part[:hi-lo]
		d.rows.Count, d.rows.Length, d.rows.From, d.rows.Places = 1, len(part), unsafe.Pointer(&part[0]), d.s.place[:]
		d.s.place[0] = place - lo
		if d.rows.Positions {
			last := uint64(len(d.values) - 1)
			for i, at := range d.order[lo:hi] {
				part[i] = d.values[min(uint64(at), last)] // the result may change at the same time
			}
			d.rows.Parted = unsafe.Pointer(&d.partOrder[0])
		} else {
			copy(part, d.to[lo:hi])
			d.rows.Parted = unsafe.Pointer(&d.to[lo])
		}
		if d.s.machine == nil || !d.s.machine(&d.s.alone, d.rows) {
			d.partAt(part, place-lo)
		}
		if d.rows.Positions && !d.s.alone.Stopped() { // else they are any
			order := d.order[lo:hi]
			for i, at := range d.partOrder[:len(order)] {
				d.partOrder[i] = order[at]
			}
			copy(order, d.partOrder)
		}
		d.between(lo, place, places[:middle])
		lo, places = place+1, places[middle+1:]
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
		counts, d := digitsOf(&s.counts, part, low), 0
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

// partAt divides a part at one place by Go. Of elements with equal keys the first ones come first.
func (d *parter[K]) partAt(part []K, place int) {
	s, n := d.s, len(part)
	room := unsafe.Slice((*K)(d.rows.To), 2*n)
	s.keys, s.otherKeys = room[:n], room[n:]
	keysOf(s.keys, d.typ, d.rows.From, 1, d.descending)
	pivot, less := s.pickOne(place)
	store := func(i, place int) {
		if d.rows.Positions {
			*(*int64)(unsafe.Add(d.rows.Parted, place*8)) = int64(i)
		} else {
			*(*K)(unsafe.Add(d.rows.Parted, place*sizeOf[K]())) = part[i]
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
