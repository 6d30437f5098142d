package op_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestReductions compares reductions over every set of axes with plain loops.
// The elements are small integers, whose sums and products are exact in every
// order.
func TestReductions(t *testing.T) {
	dims := []int{2, 3, 2, 2}
	x := engine.Zeros[float64](dims...)
	for i := range x.Data() {
		x.Data()[i] = float64(i*7%5) - 1.5
	}
	for set := 1; set < 16; set++ {
		var axes []int
		for a := range dims {
			if set>>a&1 == 1 {
				axes = append(axes, a-len(dims)*(a%2)) // some of them negative
			}
		}
		for name, f := range map[string]struct {
			e    func(opts ...op.ReduceOption) expr.Exp[float64]
			fold func(acc, v float64) float64
		}{
			"sum":  {func(o ...op.ReduceOption) expr.Exp[float64] { return op.Sum(x, o...) }, func(a, v float64) float64 { return a + v }},
			"prod": {func(o ...op.ReduceOption) expr.Exp[float64] { return op.Prod(x, o...) }, func(a, v float64) float64 { return a * v }},
			"max":  {func(o ...op.ReduceOption) expr.Exp[float64] { return op.Max(x, o...) }, math.Max},
			"min":  {func(o ...op.ReduceOption) expr.Exp[float64] { return op.Min(x, o...) }, math.Min},
		} {
			kept, want := reduceLoop(x.Data(), dims, set, f.fold)
			got, s := eval(t, f.e(op.Axis(axes...), op.KeepDims()))
			if !slices.Equal(s, kept) || !slices.Equal(got, want) {
				t.Errorf("%s over %v: got %v %v, want %v %v", name, axes, s, got, kept, want)
			}
			var dropped []int
			for a, d := range dims {
				if set>>a&1 == 0 {
					dropped = append(dropped, d)
				}
			}
			if got, s := eval(t, f.e(op.Axis(axes...))); !slices.Equal(s, dropped) || !slices.Equal(got, want) {
				t.Errorf("%s over %v without them: got %v %v, want %v %v", name, axes, s, got, dropped, want)
			}
		}
	}
}

// reduceLoop folds x over the axes in set. The reduced axes keep size 1.
func reduceLoop(x []float64, dims []int, set int, fold func(acc, v float64) float64) (kept []int, out []float64) {
	size := 1
	for a, d := range dims {
		if set>>a&1 == 1 {
			d = 1
		}
		kept = append(kept, d)
		size *= d
	}
	out = make([]float64, size)
	begun := make([]bool, size)
	for i, v := range x {
		c := unravel(i, dims)
		at := 0
		for a := range c {
			if set>>a&1 == 0 {
				at = at*kept[a] + c[a]
			}
		}
		if out[at] = fold(out[at], v); !begun[at] {
			out[at], begun[at] = v, true
		}
	}
	return kept, out
}

func TestPositions(t *testing.T) {
	x := engine.MustFromSlice([]float32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 9}, 2, 3, 2)
	for _, c := range []struct {
		e    expr.Exp[int64]
		s    []int
		want []int64
	}{
		{op.ArgMax[float32](x), nil, []int64{5}}, // the first of two nines
		{op.ArgMin[float32](x), nil, []int64{1}},
		{op.ArgMax[float32](x, op.Axis(1)), []int{2, 2}, []int64{2, 2, 1, 2}},
		{op.ArgMax[float32](x, op.Axis(-1), op.KeepDims()), []int{2, 3, 1}, []int64{0, 0, 1, 1, 0, 1}},
		{op.ArgMax[float32](x, op.Axis(0, 2)), []int{3}, []int64{3, 2, 1}}, // row-major over axes 0 and 2
		{op.ArgMin[float32](x, op.Axis(0, 1), op.KeepDims()), []int{1, 1, 2}, []int64{3, 0}},
		{op.ArgMax[float32](op.Full[float32](7)), nil, []int64{0}},
		{op.ArgMax[float64](engineOf(1, nan, 5, nan)), nil, []int64{1}},
		{op.ArgMin[float64](engineOf(1, nan, 5, nan)), nil, []int64{1}},
	} {
		got, s := eval(t, c.e)
		if !slices.Equal(s, c.s) || !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v %v, want %v %v", c.e.Node(), s, got, c.s, c.want)
		}
	}
}

func TestReduceSpecials(t *testing.T) {
	x := engineOf(nan, 1, 2)
	empty := engine.Zeros[float64](0, 2)
	for name, c := range map[string]struct {
		e    expr.Exp[float64]
		want []float64
	}{
		"max of NaN":      {op.Max[float64](x), []float64{nan}},
		"nanmax":          {op.NaNMax[float64](x), []float64{2}},
		"nanmin":          {op.NaNMin[float64](x), []float64{1}},
		"max of -0 and 0": {op.Reciprocal(op.Max[float64](engineOf(zero, 0))), []float64{inf}},
		"sum of nothing":  {op.Reciprocal(op.Sum[float64](empty, op.Axis(0))), []float64{inf, inf}}, // +0
		"sum of -0":       {op.Reciprocal(op.Sum[float64](engineOf(zero, zero, zero))), []float64{-inf}},
		"prod of nothing": {op.Prod[float64](empty, op.Axis(0)), []float64{1, 1}},
		"sum of a scalar": {op.Sum(op.Full[float64](3)), []float64{3}},
		"mean of one":     {op.Mean(op.Full[float64](3), op.KeepDims()), []float64{3}},
	} {
		if got, _ := eval(t, c.e); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	b := engine.MustFromSlice([]bool{true, false, true, true}, 2, 2)
	if got, _ := eval(t, op.All(b, op.Axis(1))); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("all: %v", got)
	}
	if got, _ := eval(t, op.Any(op.Not[bool](b), op.Axis(1))); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("any: %v", got)
	}
	if got, _ := eval(t, op.Count(b)); got[0] != 3 {
		t.Errorf("count: %v", got)
	}
	if got, _ := eval(t, op.SumInt(engineOf[int8](127, 127))); got[0] != 254 {
		t.Errorf("sum of int8: %v", got)
	}
	if got, _ := eval(t, op.SumUint(engineOf[uint8](255, 255))); got[0] != 510 {
		t.Errorf("sum of uint8: %v", got)
	}
	// 2^24 + 1 is not a float32, so the sum must be in float64.
	big := engineOf[float32](1<<24, 1, 1)
	if got, _ := eval(t, op.Sum[float32](big, op.AccumFloat64())); got[0] != 1<<24+2 {
		t.Errorf("sum in float64: %v", got)
	}
	half := engine.Zeros[expr.Float16](2049)
	for i := range half.Data() {
		half.Data()[i] = dtype.F16From(1)
	}
	if got, _ := eval(t, op.Cast[float32](op.Sum[expr.Float16](half))); got[0] != 2049 {
		t.Errorf("sum of halves, which is float32 until it is stored: %v", got)
	}
}

func TestReduceErrors(t *testing.T) {
	x := iota[float64](2, 3)
	i := iota[int32](2, 3)
	empty := engine.Zeros[float64](2, 0)
	for name, n := range map[string]*tree.Node{
		"sum over a strange axis":  op.Sum[float64](x, op.Axis(2)).Node(),
		"sum over an axis twice":   op.Sum[float64](x, op.Axis(1, -1)).Node(),
		"mean over a strange axis": op.Mean[float64](x, op.Axis(2)).Node(),
		"max of nothing":           op.Max[float64](empty, op.Axis(1)).Node(),
		"argmax of nothing":        op.ArgMax[float64](empty).Node(),
		"mean of nothing":          op.Mean[float64](empty, op.Axis(1)).Node(),
		"var of nothing":           op.Var[float64](empty, op.Axis(1)).Node(),
		"log-sum-exp, strange":     op.LogSumExp[float64](x, op.Axis(7)).Node(),
		"softmax, strange":         op.Softmax[float64](x, 2).Node(),
	} {
		fails(t, name, n, expr.ErrShape)
	}
	for name, n := range map[string]*tree.Node{
		"wide accumulator of integers": untyped.Reduce("sum", i.Node(), untyped.Options{Acc: dtype.F64}),
		"wide accumulator of a max":    op.Max[float64](x, op.AccumFloat64()).Node(),
		"narrow accumulator":           untyped.Reduce("sum", x.Node(), untyped.Options{Acc: dtype.F32}),
		"mean of integers":             untyped.Compose("mean", untyped.Options{}, i.Node()),
		"var of integers":              untyped.Compose("var", untyped.Options{}, i.Node()),
		"mean of nil":                  untyped.Compose("mean", untyped.Options{}, nil),
		"var of nil":                   untyped.Compose("var", untyped.Options{}, nil),
		"layer norm of nil":            op.LayerNorm[float32](nil, nil, nil, 1).Node(),
		"any of numbers":               untyped.Reduce("any", x.Node(), untyped.Options{}),
	} {
		fails(t, name, n, expr.ErrType)
	}
}
