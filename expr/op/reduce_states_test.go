package op_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

type list = []*tree.Node

func use(name string, args ...*tree.Node) *tree.Node {
	return untyped.Apply(untyped.Row(name), args...)
}

// first is the greatest element and its position; of equal ones the first.
var first = op.Reducer{
	Name:    "first_max",
	First:   func(t dtype.Type) list { return list{tree.ConstInt(t, -100), tree.ConstInt(dtype.I64, -1)} },
	Element: func(at, x *tree.Node) list { return list{x, at} },
	Combine: func(x, y list) list {
		better := use("less", x[0], y[0])
		return list{use("where", better, y[0], x[0]), use("where", better, y[1], x[1])}
	},
	Result: func(s list) *tree.Node { return s[1] },
}

// moments are the number of elements, their mean, and the sum of their squared
// distances from it.
var moments = op.Reducer{
	Name: "variance",
	First: func(t dtype.Type) list {
		zero := tree.ConstFloat(t, 0)
		return list{zero, zero, zero}
	},
	Element: func(_, x *tree.Node) list {
		return list{tree.ConstFloat(x.DType(), 1), x, tree.ConstFloat(x.DType(), 0)}
	},
	Combine: func(x, y list) list {
		n, d := use("add", x[0], y[0]), use("sub", y[1], x[1])
		part := use("div", y[0], n)
		return list{n, use("add", x[1], use("mul", d, part)), use("add", use("add", x[2], y[2]), use("mul", use("mul", d, d), use("mul", x[0], part)))}
	},
	Result: func(s list) *tree.Node { return use("div", s[2], s[0]) },
}

// Welford's variance as a reduction: three states, combined pairwise.
func ExampleReduceStates() {
	x := engine.MustFromSlice([]float64{1, 2, 1, 4, 5, 2, 5, 4}, 4, 2)
	fmt.Println(engine.Eval(op.ReduceStates[float64](moments, x, op.Axis(0))))
	// Output: [4 1] <nil>
}

func TestReduceStates(t *testing.T) {
	for _, c := range []struct{ dims, axes []int }{
		{[]int{1}, nil},
		{[]int{300}, nil},
		{[]int{4096}, nil},
		{[]int{4097}, nil},
		{[]int{2*4096 + 70}, nil},
		{[]int{5, 7}, []int{0}},
		{[]int{5, 7}, []int{-1}},
		{[]int{3, 5, 4}, []int{0, 2}},
		{[]int{2, 3, 4200}, []int{1, 2}},
	} {
		x := engine.Zeros[int32](c.dims...)
		for i := range x.Data() {
			x.Data()[i] = int32(i * 7919 % 97)
		}
		for _, keep := range []bool{false, true} {
			opts := []op.ReduceOption{op.Axis(c.axes...)}
			if keep {
				opts = append(opts, op.KeepDims())
			}
			got, s := eval(t, op.ReduceStates[int64](first, x, opts...))
			if want, w := eval(t, op.ArgMax(x, opts...)); !slices.Equal(got, want) || !slices.Equal(s, w) {
				t.Errorf("%v over %v: %v %v, want %v %v", c.dims, c.axes, s, got, w, want)
			}
		}
	}
	if got, _ := eval(t, op.ReduceStates[int64](first, engine.Zeros[float32](0))); got[0] != -1 {
		t.Errorf("of nothing: %v", got)
	}
	value := first
	value.Result = nil
	if got, _ := eval(t, op.ReduceStates[dtype.Float16](value, op.Cast[dtype.Float16](engineOf(1., 3, 2)))); got[0] != dtype.F16From(3) {
		t.Errorf("the first state of halves: %v", got)
	}
}

// TestReduceStatesGrad compares the derivative of a variance with 2 (x - mean) / n.
func TestReduceStatesGrad(t *testing.T) {
	x := engineOf(1., 2, 4, 9)
	g, err := grad.Of(op.ReduceStates[float64](moments, x), x)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := eval(t, g[0]); !slices.Equal(got, []float64{-1.5, -1, 0, 2.5}) {
		t.Errorf("the gradient is %v", got)
	}
}

func TestReduceStatesErrors(t *testing.T) {
	x := iota[float64](3)
	with := func(change func(r *op.Reducer)) *tree.Node {
		r := first
		change(&r)
		return untyped.ReduceStates(r, x.Node(), untyped.Options{})
	}
	for name, c := range map[string]struct {
		n    *tree.Node
		kind error
	}{
		"nothing":        {untyped.ReduceStates(op.Reducer{Name: "r"}, x.Node(), untyped.Options{}), expr.ErrValue},
		"nil":            {untyped.ReduceStates(first, nil, untyped.Options{}), expr.ErrType},
		"axis":           {untyped.ReduceStates(first, x.Node(), untyped.Options{Axes: []int{1}}), expr.ErrShape},
		"accumulator":    {untyped.ReduceStates(first, x.Node(), untyped.Options{Acc: dtype.F64}), expr.ErrValue},
		"no state":       {with(func(r *op.Reducer) { r.First = func(dtype.Type) list { return nil } }), expr.ErrValue},
		"too few states": {with(func(r *op.Reducer) { r.Combine = func(x, _ list) list { return x[:1] } }), expr.ErrValue},
		"other type":     {with(func(r *op.Reducer) { r.Combine = func(x, _ list) list { return list{x[1], x[1]} } }), expr.ErrType},
		"a view": {with(func(r *op.Reducer) {
			r.Element = func(at, x *tree.Node) list { return list{untyped.Permute(x, nil), at} }
		}), expr.ErrUnsupported},
		"nil result":  {with(func(r *op.Reducer) { r.Result = func(list) *tree.Node { return nil } }), expr.ErrType},
		"result type": {op.ReduceStates[float32](first, x).Node(), expr.ErrType},
	} {
		fails(t, name, c.n, c.kind)
	}
}
