package interp

import (
	"slices"

	"github.com/oneloop/oneloop/plan/affine"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop without reductions may go through its positions in any order. Where one
// array is contiguous along the last digit and another one along a digit M
// before it (a transposed operand), both are cut, and the pieces are gone
// through as tiles of about one block: then every cache line that the transposed
// operand touches is used up while it is there.

const (
	tileRow   = 32      // elements along the last digit
	farApart  = 512     // bytes between neighbours that make tiles worth while
	tileTotal = 1 << 18 // elements that do not fit the caches anyway
)

// A tile is the pair of digits that a vec loop goes through last.
type tile struct{ col, row int }

// tiles decides on tiles and cuts digits for them.
func (b *binder) tiles() {
	b.tiled = make([]tile, len(b.code.vecs))
	for i := range b.code.vecs {
		v := &b.code.vecs[i]
		order := b.order(v)
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
		b.tiled[i] = tile{b.cutDigit(m, col), b.cutDigit(last, row)}
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
		a := &b.k.Access[info.access]
		if b.k.Bufs[a.Buf].Mode == ir.Row {
			continue
		}
		size := b.k.Bufs[a.Buf].Type.Size()
		strides, _ := b.layout(a.Buf, b.inst.bind)
		offset := b.Constant(0)
		for d, ix := range a.Coords {
			af, ok := b.Form(ix)
			if !ok {
				return -1
			}
			offset.Plus(af, strides[d])
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

// divisor is the greatest divisor of n that is at most limit.
func divisor(n, limit int) int {
	for d := min(limit, n); d > 1; d-- {
		if n%d == 0 {
			return d
		}
	}
	return 1
}

// cutDigit splits digit d so that its lower part has extent e, which it returns.
func (b *binder) cutDigit(d, e int) int {
	old := b.Digits[d]
	if old.Extent == e {
		return d
	}
	low := len(b.Digits)
	b.Digits = append(b.Digits, affine.Digit{Axis: old.Axis, Extent: e, Weight: old.Weight}, affine.Digit{Axis: old.Axis, Extent: old.Extent / e, Weight: old.Weight * e})
	axis := b.OfAxis[old.Axis]
	at := slices.Index(axis, d)
	b.OfAxis[old.Axis] = slices.Replace(slices.Clone(axis), at, at+1, low+1, low)
	return low
}
