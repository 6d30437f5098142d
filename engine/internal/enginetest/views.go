package enginetest

import (
	"fmt"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// A viewCase is a view of x, a tree of shape dims.
type viewCase struct {
	dims []int
	make func(x *tree.Node) *tree.Node
}

func spans(list ...op.Span) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node { return untyped.Slice(x, list) }
}

func reshaped(dims ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node { return untyped.Reshape(x, dims) }
}

func permuted(axes ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node { return untyped.Transpose(x, axes) }
}

func padded(widths ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node {
		return untyped.Pad(x, widths, tree.NewConst(x.DType(), cachedSpecials[x.DType()][1]))
	}
}

func broadcastTo(dims ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node { return untyped.BroadcastTo(x, dims) }
}

func windows(ints ...int) func(*tree.Node) *tree.Node { return withInts("windows", ints...) }

func withInts(name string, ints ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node {
		return tree.ApplyWith(untyped.Row(name), tree.Attributes{Ints: ints}, x)
	}
}

func taken(axis int, t dtype.Type, list []int64, dims ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node {
		bits := lists.Map(list, func(v int64) uint64 { return fromInt(t, v) })
		return untyped.Take(x, of(t, bits, dims...).Node(), axis)
	}
}

func takenAlong(axis int, t dtype.Type, size int, dims ...int) func(*tree.Node) *tree.Node {
	return func(x *tree.Node) *tree.Node { // positions from -size to size - 1
		bits := lists.Make(shape.Shape(dims).Size(), func(i int) uint64 { return fromInt(t, int64(i*7%(2*size)-size)) })
		return untyped.TakeAlongAxis(x, of(t, bits, dims...).Node(), axis)
	}
}

var viewCases = map[string][]viewCase{
	"reshape": {
		{[]int{6, 35}, reshaped(210)},
		{[]int{6, 35}, reshaped(2, 3, 5, 7)},
		{[]int{6, 35}, reshaped(35, 6)},
		{[]int{1}, reshaped()},
		{nil, reshaped(1, 1)},
		{[]int{0, 3}, reshaped(2, 0)},
		{[]int{5, 1, 130}, reshaped(650, 1)},
	},
	"transpose": {
		{[]int{33, 65}, permuted(1, 0)},
		{[]int{5, 6, 7}, permuted(2, 0, 1)},
		{[]int{5, 1, 7}, permuted(2, -1, 0)},
		{[]int{0, 4}, permuted(1, 0)},
		{[]int{3, 4, 5, 6}, permuted(3, 1, 2, 0)},
	},
	"slice": {
		{[]int{1000}, spans(op.Range(1, -1))},
		{[]int{1000}, spans(op.By(op.Span{}, -1))},
		{[]int{1000}, spans(op.By(op.Range(3, 900), 7))},
		{[]int{40, 50}, spans(op.By(op.Span{}, -2), op.By(op.Span{}, 3))},
		{[]int{40, 50}, spans(op.Range(5, 5))},
		{[]int{40, 50}, spans(op.Span{}, op.Range(-1, 50))},
	},
	"broadcast_to": {
		{nil, broadcastTo(70)},
		{[]int{1}, broadcastTo(5, 70)},
		{[]int{70}, broadcastTo(5, 70)},
		{[]int{5, 1}, broadcastTo(5, 70)},
		{[]int{5, 1, 3}, broadcastTo(2, 5, 33, 3)},
		{[]int{1, 3}, broadcastTo(0, 3)},
	},
	"concat": {
		{[]int{5, 7}, func(x *tree.Node) *tree.Node { return concat(0, x, untyped.Compose("flip", untyped.Options{}, x), x) }},
		{[]int{5, 7}, func(x *tree.Node) *tree.Node { return concat(1, x, spans(op.Span{}, op.Range(2, 2))(x), x) }},
		{[]int{100}, func(x *tree.Node) *tree.Node { return concat(0, x) }},
		{[]int{3000}, func(x *tree.Node) *tree.Node { return concat(0, x, spans(op.Until(1))(x), x, x) }},
	},
	"pad": {
		{[]int{100}, padded(1, 0)},
		{[]int{100}, padded(0, 70)},
		{[]int{20, 30}, padded(1, 1, 2, 3)},
		{[]int{20, 30}, padded(0, 0, 0, 0)},
		{[]int{0, 3}, padded(2, 1, 0, 0)},
		{nil, padded()},
		{[]int{2, 3, 4, 5}, padded(0, 1, 1, 0, 2, 2, 0, 3)},
	},
	"take": {
		{[]int{50}, taken(0, dtype.I64, []int64{0, 49, -1, -50, 7, 7}, 6)},
		{[]int{50, 9}, taken(0, dtype.I32, []int64{3, -3}, 2)},
		{[]int{9, 50}, taken(1, dtype.I8, []int64{3, -3, 0, 49}, 2, 2)},
		{[]int{9, 50}, taken(1, dtype.U8, []int64{49}, 1)},
		{[]int{9, 50}, taken(0, dtype.U64, []int64{8})},
		{[]int{4, 5, 6}, taken(1, dtype.U32, []int64{4, 0, 4}, 3)},
		{[]int{4, 5}, taken(1, dtype.I64, nil, 0)},
		{[]int{256}, taken(0, dtype.U8, []int64{0, 255, 254, 1, 128, 127, 255}, 7)}, // no index is outside
		{[]int{128, 3}, taken(0, dtype.I8, []int64{0, 127, -128, -1, 64}, 5)},
		{[]int{3, 300}, taken(1, dtype.U8, []int64{0, 255, 254, 1, 128, 127, 255, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 18)},
	},
	"take_along": {
		{[]int{50}, takenAlong(0, dtype.I64, 50, 70)},
		{[]int{90, 2}, takenAlong(1, dtype.I64, 2, 90, 2)},
		{[]int{90, 3}, takenAlong(0, dtype.I32, 90, 70, 3)},
		{[]int{40, 5}, takenAlong(1, dtype.I8, 5, 40, 17)},
		{[]int{40, 21}, takenAlong(1, dtype.I16, 21, 40, 1)},
		{[]int{9, 70}, takenAlong(0, dtype.I64, 9, 11, 70)},
		{[]int{7, 5, 12}, takenAlong(1, dtype.I64, 5, 7, 4, 12)},
		{[]int{7, 5, 1}, takenAlong(0, dtype.I64, 7, 3, 5, 1)},
		{[]int{3, 0}, takenAlong(1, dtype.I64, 1, 3, 0)},
	},
	"windows": {
		{[]int{70}, windows(3, 1, 1)},
		{[]int{70}, windows(3, 2, 5)},
		{[]int{20, 21}, windows(3, 1, 1, 5, 4, 2)},
		{[]int{20, 21}, windows(20, 1, 1, 21, 1, 1)},
	},
	"unslice": {
		{[]int{100}, withInts("unslice", 3, 1, 110)},
		{[]int{100}, withInts("unslice", 5, 3, 303)},
		{[]int{100}, withInts("unslice", 299, -3, 300)},
		{[]int{9, 10}, withInts("unslice", 8, -1, 9, 1, 7, 65)},
		{[]int{0, 10}, withInts("unslice", 0, 1, 5, 0, 2, 20)},
		{nil, withInts("unslice")},
	},
	"window_scatter": {
		{[]int{68, 3}, withInts("window_scatter", 1, 1, 70)},
		{[]int{30, 3}, withInts("window_scatter", 2, 5, 70)},
		{[]int{9, 10, 3, 4}, withInts("window_scatter", 1, 2, 14, 3, 1, 33)},
	},
	"window_gather": {
		{[]int{70, 3}, withInts("window_gather", 1, 1, 68)},
		{[]int{70, 3}, withInts("window_gather", 2, 5, 30)},
		{[]int{14, 33, 3, 4}, withInts("window_gather", 1, 2, 9, 3, 1, 10)},
	},
}

// examples returns the examples of a row. Operands after the first are arrays.
func examples(row *tree.Operator, t dtype.Type) []viewCase {
	return lists.Map(row.Examples(), func(e tree.Example) viewCase {
		return viewCase{e.Operands[0], func(x *tree.Node) *tree.Node {
			args := []*tree.Node{x}
			for i, dims := range e.Operands[1:] {
				args = append(args, place(newRand(uint64(i)), t, packed, wild, dims...).Node())
			}
			return e.Apply(row, args...)
		}}
	})
}

// Views tests every Chainer with every element type, over arrays in all layouts
// and over computed trees.
func Views(t *testing.T, o Options) { wholeArrays(t, o, tree.View) }

// wholeArrays tests the rows of a class by their examples and viewCases.
func wholeArrays(t *testing.T, o Options, class tree.Class) {
	c := coverage{}
	for _, row := range untyped.Table() {
		if row.Class() != class {
			continue
		}
		t.Run(row.Name(), func(t *testing.T) {
			s := suite{t, o}
			if row.Name() == "iota" {
				for n := range 70 {
					out := blank(newRand(1), dtype.I64, n).Named("out")
					s.check(expr.Statement{Target: out.Node(), Value: untyped.Iota(n)})
				}
				c[cell{row.Name(), dtype.I64}] = "70"
				return
			}
			for _, typ := range row.Types().List() {
				n := 0
				for i, vc := range append(examples(row, typ), viewCases[row.Name()]...) {
					if class == tree.Opaque && (i+int(typ))%testlevel.Every(1, 4) != 0 { // one Go function for all back ends
						continue
					}
					n += testView(s, typ, vc, i)
				}
				if n > 0 {
					c[cell{row.Name(), typ}] = fmt.Sprint(n)
				}
			}
		})
	}
	c.report(t, class)
}

// testView tests one case and returns the number of comparisons that pass.
func testView(s suite, t dtype.Type, vc viewCase, seed int) (n int) {
	s.Helper()
	r := newRand(uint64(seed))
	for l := range numLayouts {
		if (int(l)+seed+int(t))%testlevel.Every(1, 6) != 0 {
			continue
		}
		x := place(r, t, l, wild, vc.dims...).Named("x").Node()
		for _, tree := range []*tree.Node{x, apply("where", apply("equal", x, x), x, tree.ConstInt(t, 1))} {
			node := vc.make(tree)
			if node.Err() != nil {
				s.Errorf("%v of %v%v: %v", node, t, vc.dims, node.Err())
				return n
			}
			out := place(r, node.DType(), layout(r.IntN(int(repeated))), tame, node.Shape()...).Named("out").Node()
			if !s.check(expr.Statement{Target: out, Value: node}) {
				return n
			}
			n++
		}
	}
	// A view of a view, as one of two operands.
	x := place(r, t, packed, wild, vc.dims...).Named("x").Node()
	twice := untyped.Compose("flip", untyped.Options{}, vc.make(untyped.Compose("flip", untyped.Options{}, x)))
	if len(vc.dims) == 0 || twice.Err() != nil || len(twice.Shape()) == 0 {
		return n
	}
	both := apply("equal", twice, place(r, twice.DType(), columnMajor, wild, twice.Shape()...).Named("y").Node())
	out := blank(r, dtype.Bool, twice.Shape()...).Named("out").Node()
	if s.check(expr.Statement{Target: out, Value: both}) {
		n++
	}
	return n
}

// sizeOf returns the number of elements of a shape.
func sizeOf(dims ...int) int { return shape.Shape(dims).Size() }
