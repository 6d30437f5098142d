package interp

import (
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
)

// A loop without reductions may go through its positions in any order. Where one
// array is contiguous along the last digit and another one along a digit M
// before it, as a transposed operand is, both digits are cut, and the parts are
// gone through as tiles of about one block. Then every cache line of the
// transposed operand is used up while it is there.

const (
	tileRow   = 32      // elements along the last digit
	farApart  = 512     // bytes between neighbours that make tiles worth while
	tileTotal = 1 << 18 // elements that do not fit the caches anyway
)

// A tile is the pair of digits that a vec loop goes through last.
type tile struct{ col, row int }

// tiles decides on tiles, cuts digits for them, and orders the digits of loops.
func (b *binder) tiles() {
	b.tiled = make([]tile, len(b.code.vecs))
	for i := range b.code.vecs {
		v := &b.code.vecs[i]
		order := b.Order(v.axes)
		if len(v.reds) > 0 || len(v.seqs) > 0 || len(order) < 2 {
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

// crossed finds the digit along which some operand is contiguous that jumps
// along the last one, or -1.
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

// divisor is the greatest divisor of n that is at most limit.
func divisor(n, limit int) int {
	for d := min(limit, n); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}
