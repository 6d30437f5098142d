package routine

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr"
)

// Select returns the routine that takes elements of the sorted order along an axis,
// without sorting it: Axes has the axis, and Ints the places in the order.
func Select() *expr.Routine {
	return &expr.Routine{
		New: func(n *expr.Node) func(*expr.Call) error {
			switch keySize(n.Args[0].DType()) {
			case 1:
				return newSort[uint8](n, Selected)
			case 4:
				return newSort[uint32](n, Selected)
			}
			return newSort[uint64](n, Selected)
		},
		Work:    func(n *expr.Node) int { return sortRoom(n, Selected) },
		Checked: true,
	}
}

// pick returns the key with a number of keys before it in order. It changes the
// room, not the keys. first is set in the first of several calls for the same keys.
func (s *sorter[K]) pick(rank int, first bool) K {
	part, high := s.keys, 8*sizeOf[K]()
	counts := &s.counts[0]
	for {
		if len(part) <= someKeys {
			few := s.otherKeys[:copy(s.otherKeys, part)]
			slices.Sort(few)
			return few[rank]
		}
		low := max(high-wideDigit, 0)
		if first || counts != &s.counts[0] {
			countTop(counts, part, low)
		}
		d := K(0)
		for ; rank >= int(counts[place(d)]); d++ {
			rank -= int(counts[place(d)])
		}
		part = gather(s.otherKeys, part, low, d)
		if low == 0 {
			return part[0]
		}
		high, counts = low, &s.counts[1]
	}
}

// countTop counts the digits of keys from bit low on. The bits above are equal.
func countTop[K key](counts *[1 << wideDigit]uint32, keys []K, low int) {
	clear(counts[:])
	for _, k := range keys {
		counts[place(k>>low)]++
	}
}

// gather copies the keys with digit d at bit low to dst, which may be the keys.
func gather[K key](dst, keys []K, low int, d K) []K {
	n := 0
	for _, k := range keys {
		if place(k>>low) == place(d) {
			dst[n] = k
			n++
		}
	}
	return dst[:n]
}

// selected stores the elements of a row that come at the places.
func (r *rowSort[K]) selected(s *sorter[K], first, stride int) {
	out := &r.call.Out
	for i, rank := range r.places {
		k := [1]K{s.pick(rank, i == 0)}
		valuesOf(k[:], r.typ, unsafe.Add(out.Ptr, (first+i*stride)*sizeOf[K]()), 1, false)
	}
}
