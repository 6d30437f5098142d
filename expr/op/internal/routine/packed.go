package routine

import (
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/expr/tree"
)

// packable reports whether machine code orders the rows.
func (r *rowSort[K]) packable() bool {
	return (r.want == Order || r.want == Ranks) && r.length > 1
}

// wordRoom returns how many words of 8 bytes n rows of a length need, of elements of a size: see [tree.Rows.Order].
func wordRoom(n, length, size int) int {
	if length < 8 {
		length = 1 << bits.Len(uint(max(length-1, 0)))
	}
	if size <= 2 {
		n *= 2
	}
	return n*length + 8
}

// order stores the order or the ranks of n rows from number row on by machine code. It returns false, and stores nothing, if there is
// none.
func (r *rowSort[K]) order(s *sorter[K], sort func(*tree.Call, tree.Rows) bool, c *tree.Call, work []byte, row, n int) bool {
	words, end := as[uint64](work, 0, wordRoom(n, r.length, sizeOf[K]()))
	places, end := as[int64](work, end, n*r.length)
	rows := tree.Rows{Type: r.typ, Descending: r.descending, Count: n, Length: r.length, To: unsafe.Pointer(&words[0]), From: r.from(row)}
	if !r.dense {
		keys, _ := as[K](work, end, n*r.length)
		r.gather(s, keys, row, n)
		rows.From = unsafe.Pointer(&keys[0])
	}
	stays := r.want == Order && r.columns == 1
	if rows.Order = unsafe.Pointer(&places[0]); stays {
		rows.Order = r.to(row, 8)
	}
	switch {
	case !sort(c, rows):
		return false
	case stays, r.call.Stopped(): // then the positions are any
	case r.want == Order:
		spread[int64](r, s, places, row, n)
	default:
		for i := range n {
			storeRanks(r, places[i*r.length:][:r.length], row+i)
		}
	}
	return true
}

// enumerate sets words to their positions.
func enumerate(words []uint32) {
	for i := range words {
		words[i] = uint32(i)
	}
}

// storeRanks stores the ranks of a row, of which the positions in order are given.
func storeRanks[K key, P uint32 | int64](r *rowSort[K], order []P, row int) {
	to := tree.Elements[int64](&r.call.Out)[row/r.columns*r.length*r.columns+row%r.columns:]
	for i, p := range order {
		to[int(p)*r.columns] = int64(i)
	}
}
