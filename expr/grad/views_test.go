package grad_test

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// A testCase makes a tree of variables of given shapes.
type testCase struct {
	dims [][]int
	make func(x []*tree.Node) *tree.Node
}

// with returns a case of one operand and a row with integer attributes.
func with(t testing.TB, name string, dims []int, ints ...int) testCase {
	o := row(t, name)
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node {
		return tree.ApplyWith(o, tree.Attributes{Ints: ints}, x...)
	}}
}

func slice(dims []int, spans ...op.Span) testCase {
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node { return untyped.Slice(x[0], spans) }}
}

func transpose(dims []int, axes ...int) testCase {
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node { return untyped.Transpose(x[0], axes) }}
}

func concat(axis int, dims ...[]int) testCase {
	return testCase{dims, func(x []*tree.Node) *tree.Node { return untyped.Concat(axis, append(x, x[0])) }}
}

func pad(dims, fill []int, widths ...int) testCase {
	return testCase{[][]int{dims, fill}, func(x []*tree.Node) *tree.Node { return untyped.Pad(x[0], widths, x[1]) }}
}

func take[I expr.Integer](dims []int, axis int, index []I, shape ...int) testCase {
	i := engine.MustFromSlice(index, shape...)
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node { return untyped.Take(x[0], i.Node(), axis) }}
}

func along[I expr.Integer](dims []int, axis int, index []I, shape ...int) testCase {
	i := engine.MustFromSlice(index, shape...)
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node { return untyped.TakeAlongAxis(x[0], i.Node(), axis) }}
}

// scatter returns a case of a scatter along an axis. Its result has the
// shape base, or without a base the shape dims.
func scatter(name string, updates, base []int, index []int64, axis int, dims []int) testCase {
	i := engine.MustFromSlice(index).Node()
	c := testCase{[][]int{updates}, func(x []*tree.Node) *tree.Node { return untyped.Scatter(name, i, x[0], nil, axis, dims) }}
	if base != nil {
		c.dims = append(c.dims, base)
		c.make = func(x []*tree.Node) *tree.Node {
			return untyped.Scatter(name, i, x[0], x[1], axis, base)
		}
	}
	return c
}

func sorted(dims []int, axis int, ints ...int) testCase { return ordered("sort", dims, axis, ints...) }

func ordered(name string, dims []int, axis int, ints ...int) testCase {
	o, _ := untyped.Lookup(name)
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node {
		return tree.ApplyWith(o, tree.Attributes{Axes: []int{axis}, Ints: ints}, x...)
	}}
}

func selected(dims []int, axis int, places ...int) testCase {
	return ordered("select", dims, axis, places...)
}

func reduce(name string, dims []int, r untyped.Options) testCase {
	return testCase{[][]int{dims}, func(x []*tree.Node) *tree.Node { return untyped.Reduce(name, x[0], r) }}
}

// reductions returns the cases that every reduction has.
func reductions(name string) []testCase {
	return []testCase{
		reduce(name, []int{7}, untyped.Options{}),
		reduce(name, nil, untyped.Options{}),
		reduce(name, []int{3, 4}, untyped.Options{Axes: []int{1}}),
		reduce(name, []int{3, 4}, untyped.Options{Axes: []int{0}, Keep: true}),
		reduce(name, []int{2, 3, 2}, untyped.Options{Axes: []int{0, 2}}),
	}
}

func product(a, b []int) testCase {
	return testCase{[][]int{a, b}, func(x []*tree.Node) *tree.Node { return untyped.MatMul(x[0], x[1]) }}
}

// cases returns the cases of the rows that are not element-wise.
func cases(t testing.TB) map[string][]testCase {
	list := map[string][]testCase{
		"reshape":      {with(t, "reshape", []int{6, 2}, 3, 4), with(t, "reshape", []int{1}), with(t, "reshape", nil, 1, 1)},
		"transpose":    {transpose([]int{2, 3}, 1, 0), transpose([]int{2, 3, 4}, 2, 0, 1), transpose([]int{2, 1, 3}, 2, -1, 0), transpose([]int{1})},
		"broadcast_to": {with(t, "broadcast_to", []int{3, 1}, 2, 3, 4), with(t, "broadcast_to", nil, 5), with(t, "broadcast_to", []int{1}, 0)},
		"slice": {
			slice([]int{7}, op.Range(1, 4)), slice([]int{7}, op.By(op.Span{}, -1)), slice([]int{9}, op.By(op.From(1), 3)),
			slice([]int{9}, op.By(op.Span{}, -2)), slice([]int{5, 6}, op.By(op.Span{}, -1), op.By(op.From(1), 2)),
			slice([]int{5, 6}, op.Range(4, 5), op.By(op.Range(4, 1), -1)), slice([]int{5, 6}, op.Range(2, 2)), slice([]int{9}, op.By(op.From(-1), 4)),
		},
		"unslice":        {with(t, "unslice", []int{3}, 1, 2, 7), with(t, "unslice", []int{3, 2}, 6, -3, 8, 0, 1, 2)},
		"concat":         {concat(0, []int{2, 3}, []int{1, 3}), concat(1, []int{2, 3}, []int{2, 0}, []int{2, 1})},
		"pad":            {pad([]int{3}, nil, 1, 2), pad([]int{2, 3}, []int{1, 1}, 0, 1, 2, 0)},
		"take":           {take([]int{5}, 0, []int64{0, -1, 2, 2}, 4), take([]int{2, 4}, 1, []int8{3, 0, -4, 1}, 2, 2), take([]int{3, 2}, 0, []uint8{2, 2}, 2), take([]int{3, 2}, 0, []int32{1})},
		"take_along":     {along([]int{5}, 0, []int64{0, -1, 2, 2}, 4), along([]int{2, 4}, 1, []int8{3, 0, -4, 1}, 2, 2), along([]int{3, 2}, 0, []uint8{2, 1}, 1, 2), along([]int{2, 3, 2}, 1, []int64{0, 2, -1, 0}, 2, 1, 2)},
		"windows":        {with(t, "windows", []int{7}, 3, 1, 1), with(t, "windows", []int{11}, 3, 2, 2), with(t, "windows", []int{5, 6}, 2, 2, 1, 3, 1, 2), with(t, "windows", []int{38}, 35, 2, 1)},
		"window_scatter": {with(t, "window_scatter", []int{3, 2}, 2, 3, 8), with(t, "window_scatter", []int{2, 3, 2, 2}, 1, 1, 4, 3, 2, 9)},
		"window_gather":  {with(t, "window_gather", []int{8, 2}, 2, 3, 3)},
		"scatter":        {scatter("scatter", []int{4, 1}, []int{5, 2}, []int64{3, 0, 3, -1}, 0, nil), scatter("scatter", []int{2, 3}, nil, []int64{0, 2, 0}, 1, []int{2, 4})},
		"scatter_add":    {scatter("scatter_add", []int{3}, nil, []int64{1, 1, -4}, 0, []int{4}), scatter("scatter_add", []int{2, 3}, []int{2, 4}, []int64{0, 2, 0}, 1, []int{2, 4}), scatter("scatter_add", nil, nil, []int64{1, 0}, 1, []int{2, 3, 2})},
		"bincount":       {scatter("bincount", []int{3}, nil, []int64{1, 1, 2}, 0, []int{4})},
		"scatter_max":    {scatter("scatter_max", []int{3}, []int{4}, []int64{1, 1, 3}, 0, []int{4}), scatter("scatter_max", []int{2, 3}, []int{2, 4}, []int64{0, 2, 0}, 1, []int{2, 4})},
		"scatter_min":    {scatter("scatter_min", []int{3}, []int{4}, []int64{1, 1, 3}, 0, []int{4})},
		"sort":           {sorted([]int{7}, 0), sorted([]int{3, 4}, 0, 1), sorted([]int{2, 3, 2}, 1), sorted([]int{2, 5}, 1)},
		"partition":      {ordered("partition", []int{9}, 0, 0, 3), ordered("partition", []int{3, 4}, 0, 1, 1), ordered("partition", []int{2, 5, 2}, 1, 0, 1, 3)},
		"select":         {selected([]int{9}, 0, 3, 8, 3), selected([]int{3, 4}, 0, 1), selected([]int{2, 3, 2}, 1, 2, 0)},
		"matmul": {
			product([]int{3, 4}, []int{4, 2}), product([]int{4}, []int{4}), product([]int{3, 4}, []int{4}), product([]int{4}, []int{4, 2}),
			product([]int{2, 3, 4}, []int{2, 4, 2}), product([]int{2, 3, 4}, []int{4, 2}), product([]int{3, 4}, []int{2, 4, 2}),
			product([]int{2, 1, 2, 3}, []int{3, 3, 2}), product([]int{2, 3, 4}, []int{4}), product([]int{4}, []int{2, 4, 3}), product([]int{3, 1}, []int{1, 2}),
		},
	}
	for _, o := range untyped.Table() {
		if o.Class() == tree.Reduction {
			list[o.Name()] = reductions(o.Name())
		}
	}
	list["sum"] = append(list["sum"], reduce("sum", []int{3, 4}, untyped.Options{Acc: dtype.F64}), reduce("sum", []int{0, 4}, untyped.Options{Axes: []int{0}}))
	return list
}

// TestShaped compares every row that is not element-wise with differences, to
// the second order. A square of the result gives linear rows a second
// derivative.
func TestShaped(t *testing.T) {
	all := cases(t)
	for _, o := range untyped.Table() {
		if o.Class() == tree.Elementwise || !differentiable(o) {
			continue
		}
		for _, e := range o.Examples() {
			all[o.Name()] = append(all[o.Name()], testCase{e.Operands, func(x []*tree.Node) *tree.Node { return e.Apply(o, x...) }})
		}
		if len(all[o.Name()]) == 0 {
			t.Errorf("the derivative of %s is not tested: a view needs Examples in its row", o.Name())
		}
		t.Run(o.Name(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			for i, c := range all[o.Name()] {
				var xs []T
				for _, d := range c.dims {
					xs = append(xs, array(r, .5, 2, d...))
				}
				n := c.make(nodes(xs))
				if n.Err() != nil {
					t.Fatalf("case %d: %v", i, n.Err())
				}
				twice(t, o.Name(), call(t, "square", n), xs...)
			}
		})
	}
}
