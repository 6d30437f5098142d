package routine

import (
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// Keys of one and two bytes are sorted by their bytes.

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

// digitsOf returns how many keys have each digit of width bits above bit low. Neighbours count in different tables,
// because equal ones would wait for each other.
func digitsOf[K key](c *counts, keys []K, low, width int) []uint32 {
	const most = 1 << mostTallied
	t0, t1, t2, t3 := (*[most]uint32)(c[0][:]), (*[most]uint32)(c[0][most:]), (*[most]uint32)(c[1][:]), (*[most]uint32)(c[1][most:])
	n := 1 << width
	for _, t := range []*[most]uint32{t0, t1, t2, t3} {
		clear(t[:n])
	}
	shift, mask := low&31, uint32(n-1)
	for ; len(keys) >= 4; keys = keys[4:] {
		t0[uint32(keys[0])>>shift&mask%most]++
		t1[uint32(keys[1])>>shift&mask%most]++
		t2[uint32(keys[2])>>shift&mask%most]++
		t3[uint32(keys[3])>>shift&mask%most]++
	}
	for _, k := range keys {
		t0[uint32(k)>>shift&mask%most]++
	}
	for i := range t0[:n] {
		t0[i] += t1[i] + t2[i] + t3[i]
	}
	return t0[:n]
}

// begins replaces the counts of digits by the number of keys with lower ones.
func begins(counts []uint32) {
	sum := uint32(0)
	for i, n := range counts {
		counts[i], sum = sum, sum+n
	}
}

// tally stores keys in order to the elements of to, which may be the keys, by counting them. The keys are from
// base on, and less than 1<<width above it. The bits of turn, above these, are changed in memory.
func tally[K key](c *counts, to, keys []K, base K, width int, turn K) {
	counts, each := digitsOf(c, keys, 0, width), 16/sizeOf[K]()
	for i := range counts {
		k := base + K(i)
		some, done := to[:counts[int(k)&(len(counts)-1)]], each
		k ^= turn
		if len(to) >= each { // without a branch for each key, and what is too much is overwritten
			words := (*[16]byte)(unsafe.Pointer(&to[0]))
			binary.NativeEndian.PutUint64(words[:], uint64(k)*repeated[K]())
			binary.NativeEndian.PutUint64(words[8:], uint64(k)*repeated[K]())
		} else {
			for j := range some {
				some[j] = k
			}
		}
		for ; done < len(some); done *= 2 {
			copy(some[done:], some[:done])
		}
		to = to[len(some):]
	}
}

// mostTallied is the most bits in which keys of two bytes differ that are counted at once.
const mostTallied = 10

// divide stores keys of two bytes in order to to, which may be the keys: by their high bytes, and then the parts with equal ones by
// machine code, or by counting. turn is 0, or the highest bit if the keys have it as the values of signed integers do.
func (s *sorter[K]) divide(to, keys, room []uint16, turn uint16) {
	memory := digitsOf(&s.counts, keys, 8, 8)
	var high, at [1 << 8]uint32 // in order
	flip := int(turn >> 8)
	for d := range high {
		high[d] = memory[d^flip]
	}
	first := slices.IndexFunc(high[:], func(n uint32) bool { return n > 0 })
	if end := first + 1<<(mostTallied-8); end >= len(high) || !slices.ContainsFunc(high[end:], func(n uint32) bool { return n > 0 }) {
		tally(&s.counts, to, keys, uint16(first)<<8, mostTallied, turn)
		return
	}
	sum := uint32(0)
	for d, n := range high {
		at[d^flip], sum = sum, sum+n
	}
	for _, k := range keys {
		d := k >> 8
		if i := at[d]; int(i) < len(room) { // the keys may change at the same time
			room[i] = k
			at[d] = i + 1
		}
	}
	typ := dtype.U16
	if turn != 0 {
		typ = dtype.I16
	}
	for i, n := range high {
		if n == 0 {
			continue
		}
		part, from := to[:n], room[:n]
		to, room = to[n:], room[n:]
		if s.parts == nil || n >= manyKeys || !s.parts(&s.alone, tree.Rows{
			Type: typ, Count: 1, Length: int(n), To: unsafe.Pointer(&part[0]), From: unsafe.Pointer(&from[0]),
		}) {
			tally(&s.counts, part, from, uint16(i)<<8, 8, turn)
		}
	}
}

// divides reports whether rows of values are sorted by divide where they are.
func (r *rowSort[K]) divides() bool {
	return sizeOf[K]() == 2 && r.want == Values && r.dense && !r.descending && !r.typ.IsFloat() && r.length >= manyKeys
}

// dividePairs sorts a row of values, from where they are to where they go.
func (r *rowSort[K]) dividePairs(s *sorter[K], row int) {
	turn := uint16(0)
	if r.typ.IsSigned() {
		turn = 1 << 15
	}
	pairs := func(p unsafe.Pointer) []uint16 { return unsafe.Slice((*uint16)(p), r.length) }
	s.divide(pairs(r.to(row, 2)), pairs(r.from(row)), pairs(unsafe.Pointer(&s.otherKeys[0])), turn)
}

// positions stores the order or the ranks of a row by the bytes of its keys, the low ones first.
func (r *rowSort[K]) positions(s *sorter[K], row int) {
	last := 8*sizeOf[K]() - 8
	var from []uint32 // the positions so far; nil: they ascend
	for low := 0; low <= last && !slices.IsSorted(s.keys); low += 8 {
		at := [1 << 8]uint32(digitsOf(&s.counts, s.keys, low, 8))
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
