package routine

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/tree"
)

// The sizes of sorts, in keys.
const (
	fewKeys  = 24      // up to here an insertion sort is fastest
	someKeys = 64      // from here on a radix sort is fastest
	manyKeys = 1 << 12 // from here on wide digits are, because their counts then cost little
)

// The digits of a radix sort. After some passes, few keys have equal digits, and
// comparisons do the rest.
const (
	digit     = 8 // bits
	wideDigit = 11
	passes    = 3
)

// A sorter sorts keys, and moves tags along with them. Equal keys keep their order.
// It keeps its memory between sorts.
type sorter[K key] struct {
	keys, otherKeys []K      // the keys, and room for as many
	tags, otherTags []uint32 // nil: there are none
	counts          counts

	pivots []K    // of selections: the keys at places
	place  [1]int // of a part

	// Of rows of values that machine code sorts; or nil.
	machine func(*tree.Call, tree.Rows) bool
	alone   tree.Call // of one worker

	transpose, transpose8 tree.Transpose // of elements, and of positions; or nil
}

// sort sorts the keys. The result is in keys and tags, which may have changed
// places with the rooms.
func (s *sorter[K]) sort() {
	n := len(s.keys)
	pairs, ok := any(s.keys).([]uint16)
	many := ok && s.tags == nil && n >= manyKeys
	switch {
	case n < someKeys && (s.tags != nil || n <= fewKeys):
		s.insert(0, n)
	case sizeOf[K]() == 1 && s.tags == nil:
		tally(s.keys, 0, digitsOf(&s.counts, s.keys, 0))
	case many && tallyPairs(&s.counts, pairs, any(s.otherKeys).([]uint16)): // which sorts them
	case n < someKeys:
		slices.Sort(s.keys)
	case s.radix(0, n):
		s.keys, s.otherKeys = s.otherKeys, s.keys
		s.tags, s.otherTags = s.otherTags, s.tags
	}
}

// insert sorts the keys lo..hi by insertion.
func (s *sorter[K]) insert(lo, hi int) {
	for i := lo + 1; i < hi; i++ {
		j, k := i, s.keys[i]
		for ; j > lo && s.keys[j-1] > k; j-- {
			s.keys[j] = s.keys[j-1]
		}
		if j == i {
			continue
		}
		s.keys[j] = k
		if s.tags != nil {
			t := s.tags[i]
			copy(s.tags[j+1:i+1], s.tags[j:i])
			s.tags[j] = t
		}
	}
}

// radix sorts the keys lo..hi by their highest differing bits, and then the keys in
// which these are equal. It reports whether the result is in the rooms. If the run is stopped, it returns the keys in any order.
func (s *sorter[K]) radix(lo, hi int) (moved bool) {
	keys := s.keys[lo:hi]
	var differ K
	for _, k := range keys {
		differ |= k ^ keys[0]
	}
	width := wideDigit
	if len(keys) < manyKeys {
		width = digit
	}
	high := bits.Len64(uint64(differ))
	n := min((high+width-1)/width, passes)
	low := max(high-n*width, 0) // lower bits are left
	s.count(keys, low, width, n)
	for p := range n {
		if s.alone.Stopped() {
			return moved
		}
		if s.pass(lo, hi, p, low+p*width, 1<<width-1, moved) {
			moved = !moved
		}
	}
	if low == 0 {
		return moved
	}
	if moved {
		copy(keys, s.otherKeys[lo:hi])
		if s.tags != nil {
			copy(s.tags[lo:hi], s.otherTags[lo:hi])
		}
	}
	s.finish(lo, hi, low)
	return false
}

// count counts the digits of all passes.
func (s *sorter[K]) count(keys []K, low, width, n int) {
	for p := range n {
		clear(s.counts[p][:1<<width])
	}
	mask := K(1)<<width - 1
	switch a, b, c := &s.counts[0], &s.counts[1], &s.counts[2]; n {
	case 1:
		for _, k := range keys {
			a[place(k>>low&mask)]++
		}
	case 2:
		for _, k := range keys {
			k >>= low
			a[place(k&mask)]++
			b[place(k>>width&mask)]++
		}
	case 3:
		for _, k := range keys {
			k >>= low
			a[place(k&mask)]++
			b[place(k>>width&mask)]++
			c[place(k>>(2*width)&mask)]++
		}
	}
}

// place returns a digit as a place in the counts.
func place[K key](digit K) uint32 { return uint32(digit) & (1<<wideDigit - 1) }

// pass moves the keys to the places that digit p gives them, from the rooms if moved
// is set, else to the rooms. It returns false if all keys have one digit.
func (s *sorter[K]) pass(lo, hi, p, shift int, mask K, moved bool) bool {
	from, to := s.keys[lo:hi], s.otherKeys[lo:hi]
	if moved {
		from, to = to, from
	}
	at := &s.counts[p]
	if int(at[place(from[0]>>shift&mask)]) == len(from) {
		return false
	}
	sum := uint32(0)
	for d := range at[:int(mask)+1] {
		at[d], sum = sum, sum+at[d]
	}
	if s.tags == nil {
		for _, k := range from {
			d := place(k >> shift & mask)
			to[at[d]] = k
			at[d]++
		}
		return true
	}
	tags, toTags := s.tags[lo:hi], s.otherTags[lo:hi]
	if moved {
		tags, toTags = toTags, tags
	}
	for i, k := range from {
		d := place(k >> shift & mask)
		j := at[d]
		at[d] = j + 1
		to[j], toTags[j] = k, tags[i]
	}
	return true
}

// finish sorts the keys lo..hi, whose bits from low on are sorted.
func (s *sorter[K]) finish(lo, hi, low int) {
	for i := lo; i < hi; {
		top, j := s.keys[i]>>low, i+1
		for j < hi && s.keys[j]>>low == top {
			j++
		}
		switch {
		case j-i <= 1:
		case j-i < someKeys:
			s.insert(i, j)
		case s.radix(i, j):
			copy(s.keys[i:j], s.otherKeys[i:j])
			if s.tags != nil {
				copy(s.tags[i:j], s.otherTags[i:j])
			}
		}
		i = j
	}
}

// sizeOf returns the size of a type in bytes.
func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }
