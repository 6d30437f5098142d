package interp

import (
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
)

// The axes of vec loops are taken apart into digits. Where the plan has joined
// axes (a view of another shape) or split them by div and mod, the digits are
// the axes of the array again, so that index expressions become affine and
// loads become runs instead of gathers. Tiles are made the same way.

// split makes the digits.
func (b *binder) split() error {
	vecOnly := b.vecAxes()
	if err := b.Split(func(axis int32) bool { return vecOnly[axis] }); err != nil {
		return err
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

// order is the order in which a vec loop goes through its digits.
func (b *binder) order(v *vecInfo) (out []int) {
	for _, a := range v.axes {
		out = append(out, b.OfAxis[a]...)
	}
	return out
}
