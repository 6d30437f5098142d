package routine

import (
	"cmp"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// A word is a packed key: the high bits of a key above the position of its element in the row.
// All words of a row differ, so a sort that is not stable orders them.
type word interface{ uint32 | uint64 }

// A packing says how the keys of rows become words.
type packing struct {
	places int  // bits of a position
	narrow bool // words have 32 bits, which hold all bits of a key
	long   bool // the keys may lose bits
	row    int  // words of a row. The words behind a short row are the greatest ones, so that vectors have whole rows.
}

// paddedRow is the number of elements of a row from which on a vector has no second row.
const paddedRow = 8

func packingOf(length, keyBytes int) packing {
	places, row := bits.Len(uint(max(length-1, 0))), length
	if length < paddedRow {
		row = 1 << places
	}
	return packing{places, 8*keyBytes+places <= 32, 8*keyBytes+places > 64, row}
}

func (p packing) size() int {
	if p.narrow {
		return 4
	}
	return 8
}

// packable reports whether machine code orders the rows.
func (r *rowSort[K]) packable() bool {
	return (r.want == Order || r.want == Ranks) && r.length > 1 && !byDigits[K](r.length)
}

// order stores the order or the ranks of n rows from number row on, by sorting words by machine
// code. It returns false, and stores nothing, if there is none.
func (r *rowSort[K]) order(sort func(*tree.Call, tree.Rows) bool, c *tree.Call, work []byte, row, n int) bool {
	p := packingOf(r.length, sizeOf[K]())
	keys, end := as[K](work, 0, n*r.length)
	if p.narrow {
		words, _ := as[uint32](work, end, n*p.row)
		return orderWords(r, p, keys, words, row, func() bool { return sort(c, rowsOf(dtype.U32, words, n, p.row)) })
	}
	words, _ := as[uint64](work, end, n*p.row)
	return orderWords(r, p, keys, words, row, func() bool { return sort(c, rowsOf(dtype.U64, words, n, p.row)) })
}

// rowsOf describes n rows of words, which are sorted where they are.
func rowsOf[W word](t dtype.Type, words []W, n, length int) tree.Rows {
	at := unsafe.Pointer(unsafe.SliceData(words))
	return tree.Rows{Type: t, Count: n, Length: length, To: at, From: at}
}

func orderWords[K key, W word](r *rowSort[K], p packing, keys []K, words []W, row int, sort func() bool) bool {
	from := r.from(row)
	if !r.dense {
		r.gather(keys, row, len(keys)/r.length)
		from = unsafe.Pointer(&keys[0])
	}
	keysOf(keys, r.typ, from, 1, r.descending)
	lost, sorted := false, true
	for i := 0; i < len(keys) && sorted; i += r.length {
		sorted = slices.IsSorted(keys[i : i+r.length])
	}
	switch {
	case sorted && r.columns == 1:
		enumerate(unsafe.Slice((*int64)(r.to(row, 8)), len(keys)), r.length)
		return true
	case sorted:
		enumerate(words[:len(keys)], r.length)
	default:
		some := r.length // keys of which all lose as many bits
		if some < shortRow {
			some = len(keys)
		}
		for i := 0; i < len(keys); i += some {
			lost = pack(words[i/r.length*p.row:], keys[i:i+some], p, r.length, r.typ.IsFloat()) || lost
		}
		if !sort() {
			return false
		}
		if r.call.Stopped() {
			return true // the words have any order
		}
		if p.row > r.length {
			compact(words, p.row, r.length)
		}
	}
	words = words[:len(keys)]
	if lost && hasTies(words, p.places) {
		for i := 0; i < len(words); i += r.length {
			settle(words[i:i+r.length], keys[i:i+r.length], p.places)
		}
	}
	mask := W(1)<<p.places - 1
	if r.want == Order {
		spread[int64](r, words, mask, row, len(words)/r.length)
		return true
	}
	for i := 0; i < len(words); i += r.length {
		storeRanks(r, words[i:i+r.length], mask, row+i/r.length)
	}
	return true
}

// shortRow is the number of elements of a row from which on its keys are packed alone, so that they lose as few bits as
// they can. For shorter ones the calls would take longer than the rest.
const shortRow = 32

// enumerate sets words to their positions in rows of a length.
func enumerate[W word | int64](words []W, length int) {
	for i := 0; i < len(words); i += length {
		row := words[i:][:length]
		for j := range row {
			row[j] = W(j)
		}
	}
}

// compact moves the first words of each row together.
func compact[W word](words []W, row, length int) {
	to := 0
	for at := 0; at < len(words); at += row {
		for _, w := range words[at : at+length] {
			words[to] = w
			to++
		}
	}
}

// pack makes words of the keys of rows of a length, and reports whether the keys lose bits in which they differ. Integers are
// measured from the least one, so that those close together lose none.
func pack[K key, W word](words []W, keys []K, p packing, length int, float bool) bool {
	if !p.long {
		packRows(words, keys, p, length, 0, 0)
		return false
	}
	least, differ := K(0), K(0)
	if float {
		for _, k := range keys {
			differ |= k ^ keys[0]
		}
	} else {
		least = ^least
		for _, k := range keys {
			least, differ = min(least, k), max(differ, k)
		}
		differ -= least
	}
	shift := max(0, bits.Len64(uint64(differ))+p.places-64)
	packRows(words, keys, p, length, least, shift)
	return shift > 0 && (!float || bits.TrailingZeros64(uint64(differ)) < shift)
}

// packRows makes words of the bits of keys from bit shift on, after least was subtracted.
func packRows[K key, W word](words []W, keys []K, p packing, length int, least K, shift int) {
	for ; len(keys) > 0; keys, words = keys[length:], words[p.row:] {
		row := words[:p.row]
		for j, k := range keys[:length] {
			row[j] = W((k-least)>>(shift&63))<<(p.places&63) | W(j)
		}
		for j := length; j < len(row); j++ {
			row[j] = ^W(0)
		}
	}
}

// hasTies reports whether neighbouring words may have equal keys.
func hasTies[W word](words []W, places int) bool {
	last := words[0]
	for _, w := range words[1:] {
		if (w^last)>>(places&63) == 0 {
			return true
		}
		last = w
	}
	return false
}

// settle orders sorted words whose keys differ only in the bits that the words lack.
func settle[K key, W word](words []W, keys []K, places int) {
	mask := W(1)<<places - 1
	for i := 1; i < len(words); i++ {
		if (words[i]^words[i-1])>>(places&63) != 0 {
			continue
		}
		first := i - 1
		sorted, last := true, keys[words[first]&mask]
		for ; i < len(words) && (words[i]^words[first])>>(places&63) == 0; i++ {
			k := keys[words[i]&mask]
			sorted, last = sorted && last <= k, k
		}
		if !sorted {
			slices.SortFunc(words[first:i], func(a, b W) int {
				return cmp.Or(cmp.Compare(keys[a&mask], keys[b&mask]), cmp.Compare(a, b))
			})
		}
	}
}

// storeRanks stores the ranks of a row, of which the sorted words have the positions in the bits of a mask.
func storeRanks[K key, W word](r *rowSort[K], sorted []W, mask W, row int) {
	to := tree.Elements[int64](&r.call.Out)[row/r.columns*r.length*r.columns+row%r.columns:]
	for i, w := range sorted {
		to[int(w&mask)*r.columns] = int64(i)
	}
}
