package interp

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/prim"
)

// The axes of vec loops are taken apart into digits. Where the plan has joined
// axes (a view of another shape) or split them by div and mod, the digits are
// the axes of the array again, so that index expressions become affine and
// loads become runs instead of gathers. Tiles are made the same way.

// A digit is a part of an axis: floor(position / weight) mod extent.
type digit struct {
	axis   int32
	extent int
	weight int
}

// split makes the digits. An axis is split where all divisors that it meets
// divide each other and its extent.
func (b *binder) split() error {
	k := b.k
	// First every axis has one digit, so that divisors can be evaluated.
	for a, e := range b.extents {
		b.digits = append(b.digits, digit{int32(a), e, 1})
		b.ofAxis = append(b.ofAxis, []int{a})
	}
	cuts := make([][]int, len(b.extents)) // divisors, by axis
	for i, n := range k.Index.Nodes {
		if n.Op != prim.IxDiv && n.Op != prim.IxMod {
			continue
		}
		if d, ok := b.number(n.B); !ok || d <= 0 {
			return fmt.Errorf("an index expression divides by %d", d)
		}
		if axis, lo, hi, ok := b.part(prim.Ix(i)); ok {
			cuts[axis] = append(cuts[axis], lo, hi)
		}
	}
	vecOnly := b.vecAxes()
	for a := range cuts {
		if vecOnly[a] && len(cuts[a]) > 0 {
			b.cut(int32(a), cuts[a])
		}
	}
	b.tiles()
	for i := range b.code.vecs {
		order := b.order(&b.code.vecs[i])
		if t := b.tiled[i]; t != (tile{}) {
			order = slices.DeleteFunc(order, func(d int) bool { return d == t.col || d == t.row })
			order = append(order, t.col, t.row)
		}
		b.orders = append(b.orders, order)
	}
	return nil
}

// vecAxes finds the axes that only vec loops bind.
func (b *binder) vecAxes() []bool {
	out := make([]bool, len(b.extents))
	for _, l := range b.k.Loops {
		for _, a := range l.Axes {
			out[a] = true
		}
	}
	for _, l := range b.k.Loops {
		for _, a := range l.Axes {
			out[a] = out[a] && l.Kind == ir.Vec
		}
	}
	return out
}

// part recognises floor((axis mod hi) / lo).
func (b *binder) part(ix prim.Ix) (axis int32, lo, hi int, ok bool) {
	n := b.k.Index.At(ix)
	switch n.Op {
	case prim.IxAxis:
		return int32(n.K), 1, b.extents[n.K], true
	case prim.IxDiv, prim.IxMod:
		axis, lo, hi, ok = b.part(n.A)
		d, _ := b.number(n.B)
		if !ok || d <= 0 {
			return 0, 0, 0, false
		}
		if n.Op == prim.IxDiv {
			return axis, lo * d, hi, true
		}
		if lo*d >= hi {
			return axis, lo, hi, true
		}
		return axis, lo, lo * d, hi%(lo*d) == 0
	}
	return 0, 0, 0, false
}

// cut splits an axis at the given weights, if they divide each other.
func (b *binder) cut(axis int32, weights []int) {
	e := b.extents[axis]
	weights = slices.DeleteFunc(weights, func(w int) bool { return w <= 1 || w >= e })
	slices.Sort(weights)
	weights = slices.Compact(weights)
	chain := append([]int{1}, weights...)
	chain = append(chain, e)
	for i := 1; i < len(chain); i++ {
		if chain[i]%chain[i-1] != 0 {
			return
		}
	}
	b.ofAxis[axis] = nil
	for i := len(chain) - 2; i >= 0; i-- {
		b.ofAxis[axis] = append(b.ofAxis[axis], len(b.digits))
		b.digits = append(b.digits, digit{axis, chain[i+1] / chain[i], chain[i]})
	}
}

// order is the order in which a vec loop goes through its digits.
func (b *binder) order(v *vecInfo) (out []int) {
	for _, a := range v.axes {
		out = append(out, b.ofAxis[a]...)
	}
	return out
}
