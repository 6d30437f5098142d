package op_test

import (
	"errors"
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
	"github.com/oneloop/oneloop/shape"
)

func engineOf[T expr.Elem](vals ...T) *engine.Tensor[T] { return engine.MustFromSlice(vals) }

// viewCase is a view of x, which holds 1, 2, 3 ..., and its expected elements.
type viewCase struct {
	name  string
	in    []int
	view  func(x expr.Exp[int32]) expr.Exp[int32]
	shape []int
	at    func(c []int) []int // coordinates in x, or nil for the fill
}

const fill = 99

// unravel returns position i of a shape as coordinates.
func unravel(i int, s []int) []int {
	c := make([]int, len(s))
	for k := len(s) - 1; k >= 0; k-- {
		c[k] = i % s[k]
		i /= s[k]
	}
	return c
}

func reshaped(in, out []int) func(c []int) []int {
	return func(c []int) []int {
		i, _ := shape.Shape(out).Offset(c...)
		return unravel(i, in)
	}
}

var viewCases = []viewCase{
	{
		"transpose",
		[]int{2, 3, 4},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.T(x) },
		[]int{4, 3, 2},
		func(c []int) []int { return []int{c[2], c[1], c[0]} },
	},
	{
		"permute",
		[]int{2, 3, 4},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Transpose(x, 1, -1, 0) },
		[]int{3, 4, 2},
		func(c []int) []int { return []int{c[2], c[0], c[1]} },
	},
	{
		"swap axes",
		[]int{2, 3, 4},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.SwapAxes(x, 0, -1) },
		[]int{4, 3, 2},
		func(c []int) []int { return []int{c[2], c[1], c[0]} },
	},
	{
		"new first axis",
		[]int{3},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.NewAxis(x, 0) },
		[]int{1, 3},
		func(c []int) []int { return c[1:] },
	},
	{
		"new last axis",
		[]int{3},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.NewAxis(x, -1) },
		[]int{3, 1},
		func(c []int) []int { return c[:1] },
	},
	{
		"squeeze",
		[]int{1, 3, 1, 2},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Squeeze(x) },
		[]int{3, 2},
		func(c []int) []int { return []int{0, c[0], 0, c[1]} },
	},
	{
		"squeeze one",
		[]int{1, 3, 1},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Squeeze(x, -1) },
		[]int{1, 3},
		func(c []int) []int { return []int{0, c[1], 0} },
	},
	{
		"slice",
		[]int{7, 5},
		func(x expr.Exp[int32]) expr.Exp[int32] {
			return op.Slice(x, op.By(op.Range(1, 6), 2), op.Until(-1))
		},
		[]int{3, 4},
		func(c []int) []int { return []int{1 + 2*c[0], c[1]} },
	},
	{
		"slice backwards",
		[]int{7},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Slice(x, op.By(op.From(-2), -3)) },
		[]int{2},
		func(c []int) []int { return []int{5 - 3*c[0]} },
	},
	{
		"slice to nothing",
		[]int{7},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Slice(x, op.Range(5, 2)) },
		[]int{0},
		nil,
	},
	{
		"index",
		[]int{2, 3, 4},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Index(x, 1, -1) },
		[]int{2, 4},
		func(c []int) []int { return []int{c[0], 2, c[1]} },
	},
	{
		"flip",
		[]int{3, 4},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Flip(x) },
		[]int{3, 4},
		func(c []int) []int { return []int{2 - c[0], 3 - c[1]} },
	},
	{
		"flip one",
		[]int{3, 4},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Flip(x, -1) },
		[]int{3, 4},
		func(c []int) []int { return []int{c[0], 3 - c[1]} },
	},
	{
		"broadcast",
		[]int{3, 1},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.BroadcastTo(x, 2, 3, 4) },
		[]int{2, 3, 4},
		func(c []int) []int { return []int{c[1], 0} },
	},
	{
		"flatten",
		[]int{2, 3, 2},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Flatten(x) },
		[]int{12},
		reshaped([]int{2, 3, 2}, []int{12}),
	},
	{
		"pad",
		[]int{2, 3},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Pad(x, [][2]int{{1, 0}, {0, 2}}, fill) },
		[]int{3, 5},
		func(c []int) []int {
			if c[0] < 1 || c[1] >= 3 {
				return nil
			}
			return []int{c[0] - 1, c[1]}
		},
	},
	{
		"windows",
		[]int{6, 5},
		func(x expr.Exp[int32]) expr.Exp[int32] {
			return op.Windows(x, op.Window{Size: 2, Stride: 2}, op.Window{Size: 2, Dilation: 3})
		},
		[]int{3, 2, 2, 2},
		func(c []int) []int { return []int{2*c[0] + c[2], c[1] + 3*c[3]} },
	},
	{
		"take",
		[]int{4, 3},
		func(x expr.Exp[int32]) expr.Exp[int32] {
			return op.Take(x, engine.MustFromSlice([]int64{3, 0, -1, 1}, 2, 2), 0)
		},
		[]int{2, 2, 3},
		func(c []int) []int { return []int{[]int{3, 0, 3, 1}[2*c[0]+c[1]], c[2]} },
	},
	{
		"take columns by uint8",
		[]int{2, 3},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Take(x, engineOf[uint8](2, 2, 0), -1) },
		[]int{2, 3},
		func(c []int) []int { return []int{c[0], []int{2, 2, 0}[c[1]]} },
	},
	{
		"concat",
		[]int{2, 3},
		func(x expr.Exp[int32]) expr.Exp[int32] { return op.Concat(-1, x, op.Flip(x, 1), x) },
		[]int{2, 9},
		func(c []int) []int { return []int{c[0], []int{0, 1, 2, 2, 1, 0, 0, 1, 2}[c[1]]} },
	},
}

func init() {
	// These reshapes join, split, and move boundaries, with axes of size 1
	// between.
	for _, p := range [][2][]int{
		{{2, 3, 4}, {6, 4}},
		{{2, 3, 4}, {2, 12}},
		{{6, 4}, {2, 3, 2, 2}},
		{{2, 3}, {3, 2}},
		{{4, 6}, {3, 8}},
		{{2, 1, 6}, {1, 3, 4, 1}},
		{{1, 1}, {}},
		{{}, {1, 1, 1}},
		{{6, 5, 4}, {10, 12}},
	} {
		viewCases = append(viewCases, viewCase{
			fmt.Sprint("reshape ", p), p[0], func(x expr.Exp[int32]) expr.Exp[int32] { return op.Reshape(x, p[1]...) },
			p[1], reshaped(p[0], p[1]),
		})
	}
}

// TestViews checks every view of an array and of a computed value, alone and
// inside an operation.
func TestViews(t *testing.T) {
	for _, c := range viewCases {
		x := iota[int32](c.in...)
		want := make([]int32, shape.Shape(c.shape).Size())
		for i := range want {
			want[i] = fill
			if at := c.at(unravel(i, c.shape)); at != nil {
				off, err := shape.Shape(c.in).Offset(at...)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				want[i] = int32(off + 1)
			}
		}
		for what, e := range map[string]expr.Exp[int32]{
			"of an array":          c.view(x),
			"of a computed value":  c.view(op.Sub(op.AddScalar(x, 1), op.Full[int32](1))),
			"of a column":          c.view(column(x)),
			"inside an operation":  op.Sub(op.Scale(2, c.view(x)), c.view(x)),
			"of itself and itself": op.Where(op.Equal(c.view(x), c.view(x)), c.view(x), op.Full[int32](0)),
		} {
			got, s := eval(t, e)
			if !slices.Equal(s, c.shape) && len(s)+len(c.shape) > 0 || !slices.Equal(got, want) {
				t.Errorf("%s %s: got %v %v, want %v %v", c.name, what, s, got, c.shape, want)
			}
		}
	}
}

// column returns a view of a column of a wider array that has the elements of
// x.
func column(x *engine.Tensor[int32]) expr.Exp[int32] {
	wide := engine.Zeros[int32](append(slices.Clone(x.Shape()), 3)...)
	v := wide.Span(append(make([]op.Span, len(x.Shape())), op.Range(1, 2))...).Reshape(x.Shape()...)
	if err := v.Assign(x); err != nil {
		return expr.Of[int32](tree.Failed(err))
	}
	return v
}

func TestViewErrors(t *testing.T) {
	x := iota[int32](2, 3)
	e := engine.Zeros[int32](0, 3)
	bad := op.Add[int32](x, iota[int32](4))
	for name, n := range map[string]*tree.Node{
		"reshape to another size":       op.Reshape[int32](x, 4, 2).Node(),
		"reshape with two unknowns":     op.Reshape[int32](x, -1, -1).Node(),
		"transpose with too few axes":   op.Transpose[int32](x, 1).Node(),
		"transpose with an axis twice":  op.Transpose[int32](x, 1, 1).Node(),
		"transpose with a strange axis": op.Transpose[int32](x, 0, 2).Node(),
		"drop of a longer axis":         untyped.Transpose(x.Node(), []int{0}),
		"swap of a strange axis":        op.SwapAxes[int32](x, 0, 2).Node(),
		"new axis too far":              op.NewAxis[int32](x, 4).Node(),
		"squeeze of a longer axis":      op.Squeeze[int32](x, 0).Node(),
		"squeeze of a strange axis":     op.Squeeze[int32](x, 5).Node(),
		"too many spans":                op.Slice[int32](x, op.Span{}, op.Span{}, op.Span{}).Node(),
		"index of a strange axis":       op.Index[int32](x, 2, 0).Node(),
		"flip of a strange axis":        op.Flip[int32](x, 2).Node(),
		"broadcast to fewer":            op.BroadcastTo[int32](x, 3).Node(),
		"broadcast to negative":         op.BroadcastTo[int32](x, -1, 3).Node(),
		"concat along a strange axis":   op.Concat[int32](2, x, x).Node(),
		"concat of other ranks":         op.Concat[int32](0, x, iota[int32](3)).Node(),
		"concat of other shapes":        op.Concat[int32](0, x, iota[int32](2, 4)).Node(),
		"concat of other types":         untyped.Concat(0, []*tree.Node{x.Node(), iota[int8](2, 3).Node()}),
		"concat of nothing":             op.Concat[int32](0).Node(),
		"pad of too few axes":           op.Pad[int32](x, [][2]int{{1, 1}}, 0).Node(),
		"pad by less than nothing":      op.Pad[int32](x, [][2]int{{1, 1}, {-1, 0}}, 0).Node(),
		"pad without end":               op.Pad[int32](x, [][2]int{{1, 1}, {math.MaxInt, 0}}, 0).Node(),
		"pad without end on both sides": op.Pad[int32](x, [][2]int{{1, 1}, {math.MaxInt / 2, math.MaxInt / 2}}, 0).Node(),
		"pad with an array":             untyped.Pad(x.Node(), make([]int, 4), x.Node()),
		"windows of too few axes":       op.Windows[int32](x, op.Window{}).Node(),
		"windows that are too large":    op.Windows[int32](x, op.Window{Size: 3}, op.Window{}).Node(),
		"windows too far apart":         op.Windows[int32](x, op.Window{}, op.Window{Size: 2, Dilation: 3}).Node(),
		"windows with steps backwards":  op.Windows[int32](x, op.Window{Stride: -1}, op.Window{}).Node(),
		"take along a strange axis":     op.Take[int32](x, engineOf[int32](0), 2).Node(),
		"take by floats":                untyped.Take(x.Node(), iota[float32](2).Node(), 0),
		"take from nothing":             op.Take[int32](e, engineOf[int32](0), 0).Node(),
		"arange without a step":         op.Arange[int32](0, 1, 0).Node(),
		"arange without an end":         op.Arange[float64](0, math.Inf(1), 1).Node(),
		"arange of NaN":                 op.Arange[float64](math.NaN(), 1, 1).Node(),
		"iota of less than nothing":     untyped.Iota(-1),
	} {
		fails(t, name, n, expr.ErrShape)
	}
	fails(t, "index outside", op.Index[int32](x, 1, 3).Node(), expr.ErrIndex)
	fails(t, "index before the start", op.Index[int32](x, 1, -4).Node(), expr.ErrIndex)
	fails(t, "one-hot by floats", untyped.Compose("one_hot", untyped.Options{Ints: []int{3}, To: dtype.Bool}, iota[float32](2).Node()), expr.ErrType)
	if got, _ := eval(t, op.Arange[uint8](3, 0, -1)); !slices.Equal(got, []uint8{3, 2, 1}) {
		t.Errorf("arange down to 1: %v", got)
	}
	fails(t, "arange by halves of integers", op.Arange[int32](0, 3, .5).Node(), expr.ErrType)

	// Each constructor passes on the first error of a tree.
	for name, n := range map[string]*tree.Node{
		"reshape": op.Reshape(bad, 1).Node(), "transpose": op.T(bad).Node(), "swap": op.SwapAxes(bad, 0, 1).Node(),
		"new axis": op.NewAxis(bad, 0).Node(), "squeeze": op.Squeeze(bad).Node(), "slice": op.Slice(bad, op.Span{}).Node(),
		"index": op.Index(bad, 0, 0).Node(), "flip": op.Flip(bad).Node(), "broadcast": op.BroadcastTo(bad, 1).Node(),
		"concat": op.Concat(0, bad, bad).Node(), "pad": op.Pad(bad, nil, 0).Node(), "windows": op.Windows(bad).Node(),
		"take": op.Take(bad, bad, 0).Node(), "one-hot": op.OneHot[float32](bad, 3).Node(), "cast": op.Cast[int8](bad).Node(),
		"sum": op.SumInt(bad).Node(), "max": op.Max(bad).Node(), "product": op.MatMul(bad, bad).Node(), "dot": op.Dot(bad, bad).Node(),
		"mean": op.Mean(op.Cast[float32](bad)).Node(), "var": op.Var(op.Cast[float32](bad)).Node(),
		"log-sum-exp": op.LogSumExp(op.Cast[float32](bad)).Node(), "layer norm": op.LayerNorm(op.Cast[float32](bad), nil, nil, 1).Node(),
		"softmax": op.Softmax(op.Cast[float32](bad), 0).Node(),
	} {
		if n.Err() == nil || n.Err() != bad.Node().Err() {
			t.Errorf("%s: got %v", name, n.Err())
		}
	}
}

// Indices outside are found at run time, and nothing is stored.
func TestTakeOutside(t *testing.T) {
	x, y := iota[float64](3), engineOf(-1., -1)
	for _, index := range [][]int32{{0, 3}, {-4, 0}} {
		if err := y.Assign(op.Take(x, engine.MustFromSlice(index), 0)); !errors.Is(err, expr.ErrIndex) {
			t.Errorf("%v: got the error %v", index, err)
		}
	}
	if y.At(0) != -1 || y.At(1) != -1 {
		t.Errorf("the target was changed: %v", y)
	}
}

func TestArange(t *testing.T) {
	for _, c := range []struct {
		start, stop, step float64
		want              []float64
	}{
		{0, 4, 1, []float64{0, 1, 2, 3}},
		{1, 2, .25, []float64{1, 1.25, 1.5, 1.75}},
		{3, 0, -2, []float64{3, 1}},
		{0, -1, 1, nil},
	} {
		if got, _ := eval(t, op.Arange[float64](c.start, c.stop, c.step)); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v:%v:%v is %v, want %v", c.start, c.stop, c.step, got, c.want)
		}
	}
	if got, _ := eval(t, op.Arange[int8](-2, 3, 2)); !slices.Equal(got, []int8{-2, 0, 2}) {
		t.Errorf("int8: %v", got)
	}
}

func TestOneHot(t *testing.T) {
	got, s := eval(t, op.OneHot[float32](engineOf[int8](1, 0, -1, 3), 3))
	want := []float32{0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}
	if !slices.Equal(s, []int{4, 3}) || !slices.Equal(got, want) {
		t.Errorf("got %v %v", s, got)
	}
}

func TestInto(t *testing.T) {
	a, b := engine.Zeros[float64](2, 2), engine.Zeros[float64](2, 1)
	if err := engine.Run(t.Context(), expr.Let(op.Into[float64](1, a, b), iota[float64](2, 3))); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Values(), []float64{1, 2, 4, 5}) || !slices.Equal(b.Values(), []float64{3, 6}) {
		t.Errorf("got %v and %v", a, b)
	}
	fails(t, "other shapes", op.Into[float64](0, a, b).Node(), expr.ErrShape)
}

func TestCast(t *testing.T) {
	x := iota[float32](2)
	if op.Cast[float32](x).Node() != x.Node() {
		t.Error("a cast to the same type is an operation")
	}
	h := iota[expr.Float16](2)
	if op.Cast[expr.Float16](h).Node() == h.Node() {
		t.Error("a cast to a half must round, even of a half tree")
	}
	got, _ := eval(t, op.Cast[uint8](engineOf(-1, .99, 255.9, 300, nan)))
	if !slices.Equal(got, []uint8{0, 0, 255, 255, 0}) {
		t.Errorf("to uint8: %v", got)
	}
	third := op.Cast[expr.Float16](engineOf[float32](1. / 3))
	wide, _ := eval(t, op.Cast[float32](third))
	if want := dtype.F16From(1. / 3).Float32(); wide[0] != want {
		t.Errorf("through float16: %v, want %v", wide[0], want)
	}
}
