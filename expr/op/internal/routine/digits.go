package routine

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// Keys of one and two bytes are counted.

// The fewest keys whose positions are found by counting their bytes, for keys of one byte and of two.
const (
	digitKeys     = 400
	digitPairKeys = 1 << 14
)

// byDigits reports whether the positions of so many keys are found by counting their bytes.
func byDigits[K key](length int) bool {
	return sizeOf[K]() == 1 && length >= digitKeys || sizeOf[K]() == 2 && length >= digitPairKeys
}

// counts has tables of how many keys have a digit.
type counts [passes][1 << wideDigit]uint32

// digitsOf returns how many keys have each digit of 8 bits above bit low. Neighbours count in different tables, because equal ones would
// wait for each other.
func digitsOf[K key](c *counts, keys []K, low int) []uint32 {
	t0, t1, t2, t3 := (*[1 << 8]uint32)(c[0][:]), (*[1 << 8]uint32)(c[0][1<<8:]), (*[1 << 8]uint32)(c[1][:]), (*[1 << 8]uint32)(c[1][1<<8:])
	for _, t := range []*[1 << 8]uint32{t0, t1, t2, t3} {
		clear(t[:])
	}
	i, shift := 3, low&31
	for ; i < len(keys); i += 4 {
		t0[uint8(uint32(keys[i-3])>>shift)]++
		t1[uint8(uint32(keys[i-2])>>shift)]++
		t2[uint8(uint32(keys[i-1])>>shift)]++
		t3[uint8(uint32(keys[i])>>shift)]++
	}
	for _, k := range keys[i-3:] {
		t0[uint8(uint32(k)>>shift)]++
	}
	for i := range t0 {
		t0[i] += t1[i] + t2[i] + t3[i]
	}
	return t0[:]
}

// begins replaces the counts of digits by the number of keys with lower ones.
func begins(counts []uint32) {
	sum := uint32(0)
	for i, n := range counts {
		counts[i], sum = sum, sum+n
	}
}

// tally stores each key from k on as often as its count says.
func tally[K key](to []K, k K, counts []uint32) {
	each := 32 / sizeOf[K]()
	for _, n := range counts {
		some, done := to[:n], each
		if len(to) >= each { // without a branch for each key, and what is too much is overwritten
			words, many := (*[32]byte)(unsafe.Pointer(&to[0])), uint64(k)*repeated[K]()
			binary.NativeEndian.PutUint64(words[:], many)
			binary.NativeEndian.PutUint64(words[8:], many)
			binary.NativeEndian.PutUint64(words[16:], many)
			binary.NativeEndian.PutUint64(words[24:], many)
		} else {
			for j := range some {
				some[j] = k
			}
		}
		for ; done < len(some); done *= 2 {
			copy(some[done:], some[:done])
		}
		to = to[n:]
		k++
	}
}

// tallyPairs sorts keys of two bytes by counting them. It counts those of four places in turn, because neighbours may be equal. It returns
// false, and does nothing, if the room does not hold the counts.
func tallyPairs(tables *counts, keys, room []uint16) bool {
	least, values, quarter := uint16(0), 1<<16, len(keys)/4
	some := keys[:someKeys]
	if values > len(room)/2 || values > len(room)/4 && slices.Max(some)-slices.Min(some) < 1<<12 { // a count for each value takes longer
		high, first, last := digitsOf(tables, keys, 8), 0, 1<<8-1
		for ; high[first] == 0; first++ {
		}
		for ; high[last] == 0; last-- {
		}
		if least, values = uint16(first)<<8, (last-first+1)<<8; values > len(room)/2 {
			return false
		}
	}
	counts := unsafe.Slice((*uint32)(unsafe.Pointer(&room[0])), values)
	clear(counts)
	a, b, c, d := keys[:quarter], keys[quarter:][:quarter], keys[2*quarter:][:quarter], keys[3*quarter:]
	for i := range quarter {
		counts[a[i]-least]++
		counts[b[i]-least]++
		counts[c[i]-least]++
		counts[d[i]-least]++
	}
	for _, k := range d[quarter:] {
		counts[k-least]++
	}
	tally(keys, least, counts)
	return true
}

// positions stores the order or the ranks of a row by the bytes of its keys, the low ones first.
func (r *rowSort[K]) positions(s *sorter[K], row int) {
	last := 8*sizeOf[K]() - 8
	var from []uint32 // the positions so far; nil: they ascend
	for low := 0; low <= last && !slices.IsSorted(s.keys); low += 8 {
		at := [1 << 8]uint32(digitsOf(&s.counts, s.keys, low))
		if int(at[s.keys[0]>>low&0xff]) == len(s.keys) {
			continue
		}
		begins(at[:])
		if low == last && r.want == Order && r.columns == 1 {
			move(unsafe.Slice((*int64)(r.to(row, 8)), r.length), from, s.keys, low, &at)
			return
		}
		move(s.otherTags, from, s.keys, low, &at)
		from = s.otherTags
		s.tags, s.otherTags = s.otherTags, s.tags
	}
	if from == nil {
		enumerate(s.tags)
	}
	if r.want == Order {
		spread[int64](r, s, s.tags, row, 1)
	} else {
		storeRanks(r, s.tags, row)
	}
}

// move stores positions of keys at the places at which their digits above bit low begin.
func move[P uint32 | int64, K key](to []P, from []uint32, keys []K, low int, at *[1 << 8]uint32) {
	if from == nil {
		for i, k := range keys {
			d := uint8(uint32(k) >> (low & 31))
			to[at[d]] = P(i)
			at[d]++
		}
		return
	}
	for _, i := range from {
		d := uint8(uint32(keys[i]) >> (low & 31))
		to[at[d]] = P(i)
		at[d]++
	}
}
