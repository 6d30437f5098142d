package untyped

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestOrderOfGroups compares the axes of the reductions over groups of axes, the last one first. For sums and products of floats, whose
// order is documented, the outer groups are last, and a last axis of 256 elements or more goes before the others of its group. Where any
// order gives the same bits, short inner groups are last.
func TestOrderOfGroups(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  dtype.Type
		dims []int
		axes []int
		want [][]int
	}{
		{"sum", dtype.F32, []int{40, 50, 8}, []int{0, 2}, [][]int{{0}, {2}}},
		{"sum", dtype.F16, []int{40, 50, 8}, []int{0, 2}, [][]int{{0}, {2}}},
		{"sum", dtype.C64, []int{40, 50, 8}, []int{0, 2}, [][]int{{0}, {2}}},
		{"prod", dtype.C128, []int{40, 50, 8}, []int{0, 2}, [][]int{{0}, {2}}},
		{"sum", dtype.I32, []int{40, 50, 8}, []int{0, 2}, [][]int{{2}, {0}}},
		{"max", dtype.F32, []int{40, 50, 8}, []int{0, 2}, [][]int{{2}, {0}}},
		{"max", dtype.F32, []int{40, 50, 17}, []int{0, 2}, [][]int{{0}, {2}}},
		{"max", dtype.F32, []int{15, 50, 8}, []int{0, 2}, [][]int{{0}, {2}}},
		{"sum", dtype.F32, []int{40, 255}, nil, [][]int{{0, 1}}},
		{"sum", dtype.F32, []int{2, 256}, nil, [][]int{{0, 1}, {1}}},
		{"sum", dtype.F32, []int{1, 256}, nil, [][]int{{0, 1}}},
		{"sum", dtype.F32, []int{0, 256}, nil, [][]int{{0, 1}}},
		{"sum", dtype.F32, []int{9000}, nil, [][]int{{0}}},
		{"prod", dtype.F64, []int{3, 20, 1, 300}, nil, [][]int{{0, 1, 2, 3}, {3}}},
		{"sum", dtype.F64, []int{3, 1, 300, 256, 1}, nil, [][]int{{0, 1, 2, 3, 4}, {2, 3, 4}, {3, 4}}},
		{"sum", dtype.C64, []int{3, 40, 2, 300}, []int{0, 2, 3}, [][]int{{0}, {2, 3}, {3}}},
		{"sum", dtype.F32, []int{3, 300, 40}, []int{0, 1}, [][]int{{0, 1}}},
		{"sum", dtype.I32, []int{40, 300}, nil, [][]int{{0, 1}}},
		{"max", dtype.F32, []int{40, 300}, nil, [][]int{{0, 1}}},
	} {
		x := Cast(BroadcastTo(tree.NewConst(dtype.F32, 0), c.dims), c.typ)
		n := Reduce(c.name, x, Options{Axes: c.axes, Keep: true})
		var got [][]int
		for ; n.Err() == nil && n.Op.Class() == tree.Reduction; n = n.Args[0] {
			got = append(got, n.Axes)
		}
		if err := n.Err(); err != nil || !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s of %v%v over %v: the axes are %v, want %v (%v)", c.name, c.typ, c.dims, c.axes, got, c.want, err)
		}
	}
}
