package routine

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/prim/scalar"
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
			countTop(counts, part, low)
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

// countTop counts the digits of keys from bit low on. The bits above are equal.
func countTop[K key](counts *[1 << wideDigit]uint32, keys []K, low int) {
	clear(counts[:])
	for _, k := range keys {
		counts[place(k>>low)]++
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
