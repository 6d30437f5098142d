package sorting

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// Rows with few values are counted: a kernel goes over a block of numbers once for each value, and then each value is stored as often as
// it occurs. Integers that are close together are counted in a table.

const (
	mostDistinct = 16
	distinctKeys = 128     // of a part, in which all of its values should occur
	countedKeys  = 1 << 12 // of a block, which stays in the first level
	tableBytes   = 1 << 15 // the fewest of a row that is counted in a table
)

// counted sorts a part if it has few values, or is a row of integers that are close together, and reports whether it did. It returns early,
// with true, if the call is stopped.
func (u *run) counted(p *part) bool {
	switch u.f.size {
	case 2:
		return counted[int16](u, p) || tabulated[int16](u, p)
	case 4:
		return counted[int32](u, p) || tabulated[int32](u, p)
	}
	return counted[int64](u, p) || tabulated[int64](u, p)
}

// tabulated counts the keys around those of a sample. It returns false at the first other key.
func tabulated[K int16 | int32 | int64](u *run, p *part) bool {
	if u.order.fold != 0 || !p.values || p.n*u.f.size < tableBytes || uint64(p.n) > math.MaxUint32 {
		return false
	}
	numbers, flip, counts := unsafe.Slice((*K)(p.from), p.n), K(u.order.flip), (*[smallBytes / 4]uint32)(unsafe.Pointer(&u.spare))
	least, most := numbers[0]^flip, numbers[0]^flip
	for i := range distinctKeys {
		k := numbers[p.n/distinctKeys*i] ^ flip
		least, most = min(least, k), max(most, k)
	}
	more := len(counts) - int(min(uint64(most)-uint64(least), uint64(len(counts)))) // keys of the table that the sample lacks
	if more < len(counts)/4 {
		return false
	}
	first := max(int64(least), ^u.order.most+int64(more/2)) - int64(more/2)
	first = min(first, u.order.most-int64(len(counts)-1))
	clear(counts[:])
	at := func(k K) uint64 { return uint64(k^flip) - uint64(first) }
	quarter := p.n / 4
	a, b, c, d := numbers[:quarter], numbers[quarter:][:quarter], numbers[2*quarter:][:quarter], numbers[3*quarter:] // neighbours may be equal
	for done := 0; done < quarter; done += callKeys / 4 {
		if u.of.Stopped() {
			return true
		}
		for i := done; i < min(done+callKeys/4, quarter); i++ {
			w, x, y, z := at(a[i]), at(b[i]), at(c[i]), at(d[i])
			if w|x|y|z >= uint64(len(counts)) {
				return false
			}
			counts[w]++
			counts[x]++
			counts[y]++
			counts[z]++
		}
	}
	for _, k := range d[quarter:] {
		if at(k) >= uint64(len(counts)) {
			return false
		}
		counts[at(k)]++
	}
	to := unsafe.Slice((*K)(p.to()), p.n)
	for i, n := range counts {
		if n > 0 {
			repeat(to[:n], K(u.order.value(first+int64(i))))
			to = to[n:]
		}
	}
	return true
}

func counted[K int16 | int32 | int64](u *run, p *part) bool {
	numbers := unsafe.Slice((*K)(p.from), p.n)
	var few [mostDistinct]K
	values := distinct(few[:0], numbers)
	if len(values) == 0 {
		return false
	}
	key := func(v K) int64 {
		if p.values || u.raw {
			return u.order.key(int64(v))
		}
		return int64(v)
	}
	slices.SortFunc(values, func(a, b K) int { return cmp.Compare(key(a), key(b)) })
	var counts [mostDistinct]int
	left := p.n
	for block := range slices.Chunk(numbers, countedKeys) {
		if u.of.Stopped() {
			return true
		}
		for i, v := range values {
			n := occurrences(u, block, v)
			counts[i] += n
			left -= n
		}
	}
	if left != 0 { // there are other values, or the numbers changed at the same time
		return false
	}
	to := unsafe.Slice((*K)(p.to()), p.n)
	for i, v := range values {
		if n := counts[i]; n > 0 { // the numbers may change at the same time
			repeat(to[:n], K(u.order.value(key(v))))
			to = to[n:]
		}
	}
	return true
}

// distinct appends the values of some of the numbers to values, or returns none if they do not fit.
func distinct[K int16 | int32 | int64](values, numbers []K) []K {
	place := uint32(0)
	for i := range distinctKeys {
		step := len(numbers) / distinctKeys
		v := numbers[i*step+int(uint64(place)*uint64(step)>>32)]
		place += goldenRatio
		if slices.Contains(values, v) {
			continue
		}
		if len(values) == cap(values) {
			return nil
		}
		values = append(values, v)
	}
	return values
}

// occurrences returns how many of the numbers are a value.
func occurrences[K int16 | int32 | int64](u *run, numbers []K, value K) int {
	at, left := seek(u, numbers, value, len(numbers))
	n := len(numbers) - left
	for _, k := range numbers[at:] {
		n += is(k == value)
	}
	return n
}
