package interp

import (
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
)

// A loop without reductions may run in any order. A transposed operand is
// contiguous along an earlier digit M instead of the last digit. Then the loop
// runs in tiles of about one block: both digits are cut, and the lower parts become
// the innermost. So the loop uses all elements of a cache line of the transposed
// operand while the line is in the cache.

const (
	tileRow   = 32      // elements of a tile along the last digit, at most
	farApart  = 512     // least stride along the last digit for which tiles are faster, in bytes
	tileTotal = 1 << 18 // least number of elements for which tiles are faster; fewer fit the caches
)

// A tile has the two innermost digits of a vec loop that runs in tiles.
type tile struct{ col, row int }

// tiles chooses the tiles of all vec loops, cuts digits for them, and sets
// b.orders.
func (b *binder) tiles() {
	b.tiled = make([]tile, len(b.code.vecs))
	for i := range b.code.vecs {
		v := &b.code.vecs[i]
		order := b.Order(v.axes)
		if b.code.k.InOrder || len(v.reds) > 0 || len(v.seqs) > 0 || len(order) < 2 {
			continue
		}
		last := order[len(order)-1]
		m := b.crossed(int32(i), order)
		if m < 0 {
			continue
		}
		row := divisor(b.Digits[last].Extent, tileRow)
		col := divisor(b.Digits[m].Extent, block/max(row, 1))
		if row < 8 || col < 8 {
			continue
		}
		b.tiled[i] = tile{b.Cut(m, col), b.Cut(last, row)}
		b.Analyse()
	}
	for i, t := range b.tiled {
		order := b.Order(b.code.vecs[i].axes)
		if t != (tile{}) {
			order = slices.DeleteFunc(order, func(d int) bool { return d == t.col || d == t.row })
			order = append(order, t.col, t.row)
		}
		b.orders = append(b.orders, order)
	}
}

// crossed returns the digit along which a transposed operand of a vec loop is
// contiguous, or nearly so, or -1. Such an operand has a stride of at least
// farApart bytes along the last digit.
func (b *binder) crossed(vec int32, order []int) int {
	last := order[len(order)-1]
	for i := range b.code.sites {
		info := &b.code.sites[i]
		if info.vec != vec || info.access < 0 {
			continue
		}
		a := &b.Access[info.access]
		if b.IR.Bufs[a.Buf].Mode == ir.Row {
			continue
		}
		size := b.IR.Bufs[a.Buf].Type.Size()
		offset, ok := a.Whole()
		if !ok {
			return -1
		}
		if abs(offset.Coef[last])*size < farApart {
			continue
		}
		for _, m := range order[:len(order)-1] {
			if c := abs(offset.Coef[m]); c > 0 && c*size <= 16 && b.Digits[m].Extent*b.Digits[last].Extent >= tileTotal {
				return m
			}
		}
	}
	return -1
}

func abs(x int) int { return max(x, -x) }

// divisor returns the greatest divisor of n that is at most limit, and 1 if there
// is none.
func divisor(n, limit int) int {
	for d := min(limit, n); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}
