package untyped

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestOrderOfGroups compares the axes of the last reduction over several groups of axes: the outer ones for sums of floats, whose order
// is documented, and short inner ones where any order gives the same bits.
func TestOrderOfGroups(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  dtype.Type
		dims []int
		last []int
	}{
		{"sum", dtype.F32, []int{40, 50, 8}, []int{0}},
		{"sum", dtype.F16, []int{40, 50, 8}, []int{0}},
		{"sum", dtype.C64, []int{40, 50, 8}, []int{0}},
		{"prod", dtype.C128, []int{40, 50, 8}, []int{0}},
		{"sum", dtype.I32, []int{40, 50, 8}, []int{2}},
		{"max", dtype.F32, []int{40, 50, 8}, []int{2}},
		{"max", dtype.F32, []int{40, 50, 17}, []int{0}},
		{"max", dtype.F32, []int{15, 50, 8}, []int{0}},
	} {
		x := Cast(BroadcastTo(tree.NewConst(dtype.F32, 0), c.dims), c.typ)
		n := Reduce(c.name, x, Options{Axes: []int{0, 2}, Keep: true})
		if err := n.Err(); err != nil || !slices.Equal(n.Axes, c.last) {
			t.Errorf("%s of %v%v: the last axes are %v, want %v (%v)", c.name, c.typ, c.dims, n.Axes, c.last, err)
		}
	}
}
