package op_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A user's operator is a program over primitives. It fuses like the built-in
// ones.
func ExampleDefine() {
	softsign := op.Define("softsign", 1, func(b *op.B, x ...op.V) op.V {
		return b.Div(x[0], b.Add(b.Like(x[0], 1), b.Abs(x[0])))
	}, op.ULP(1.5))
	x := engine.MustFromSlice([]float64{-3, 0, 1})
	y := engine.Zeros[float64](3)
	fmt.Println(y.Assign(op.Scale(2, op.Map1(softsign, x))), y)
	// Output: <nil> [-1.5 0 1]
}

// A user's view is a shape and the coordinates at which it reads its operand.
// Its integers are run-time values: one compiled loop serves all of them.
func ExampleDefineView() {
	roll := op.DefineView("roll", 1,
		func(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil },
		func(g *tree.Gather) op.V {
			from := g.Add(g.Out[0], g.Int(-g.Node.Ints[0]))
			return g.At(0, []prim.Ix{g.Mod(from, g.Int(g.Node.Shape()[0]))})
		})
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5})
	y := engine.Zeros[float64](5)
	fmt.Println(y.Assign(op.Add(x, op.View(roll, []int{1}, x))), y)
	// Output: <nil> [6 3 5 7 9]
}

// A Go function runs element by element on the CPU. It does not fuse, so use
// Define where you can.
func ExampleGoFunc() {
	gamma := op.GoFunc("gamma", math.Gamma)
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5})
	y := engine.Zeros[float64](5)
	fmt.Println(y.Assign(gamma(x)), y)
	// Output: <nil> [1 1 2 6 24]
}

// Where chooses element by element. A value that is not chosen cannot fail.
func ExampleWhere() {
	x := engine.MustFromSlice([]int32{10, 20, 30})
	d := engine.MustFromSlice([]int32{2, 0, 5})
	y := engine.Zeros[int32](3)
	err := y.Assign(op.Div(x, d))
	fmt.Println(errors.Is(err, expr.ErrDivide), y)
	safe := op.WhereScalar(op.NotEqualScalar(d, 0), op.Div(x, d), -1)
	fmt.Println(y.Assign(safe), y)
	// Output:
	// true [0 0 0]
	// <nil> [5 -1 6]
}

// Reductions take axes, which may count from the end, and can keep them with
// size 1.
func ExampleSum() {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	all := engine.Zeros[float64]()
	rows := engine.Zeros[float64](2)
	share := engine.Zeros[float64](2, 3)
	fmt.Println(all.Assign(op.Sum(x)), all)
	fmt.Println(rows.Assign(op.Sum(x, op.Axis(-1))), rows)
	fmt.Println(share.Assign(op.Div(x, op.Sum(x, op.Axis(0), op.KeepDims()))), share.At(1, 1))
	// Output:
	// <nil> 21
	// <nil> [6 15]
	// <nil> 0.7142857142857143
}

// The sum of many float32 may be accumulated in float64.
func ExampleAccumFloat64() {
	x := engine.MustFromSlice([]float32{1 << 24, 1, 1})
	s := engine.Zeros[float32](2)
	_ = s.Slice(0, 1).Assign(op.Sum(x))
	_ = s.Slice(1, 2).Assign(op.Sum(x, op.AccumFloat64()))
	fmt.Printf("%.0f %.0f\n", s.At(0), s.At(1))
	// Output: 16777216 16777218
}

// ArgMax returns the position of the maximum. Of several maxima it returns the
// first.
func ExampleArgMax() {
	x := engine.MustFromSlice([]float32{3, 9, 2, 9, 1, 4}, 2, 3)
	at := engine.Zeros[int64](2)
	fmt.Println(at.Assign(op.ArgMax(x, op.Axis(1))), at)
	// Output: <nil> [1 0]
}

// Views read elements from other places, without copies.
func ExampleSlice() {
	x := engine.MustFromSlice([]float64{0, 1, 2, 3, 4, 5, 6, 7})
	diff := engine.Zeros[float64](3)
	// x[1:7:2] - x[0:6:2], as NumPy writes it
	e := op.Sub(op.Slice(x, op.By(op.Range(1, 7), 2)), op.Slice(x, op.By(op.Range(0, 6), 2)))
	fmt.Println(diff.Assign(e), diff)
	back := engine.Zeros[float64](8)
	fmt.Println(back.Assign(op.Flip(x)), back)
	// Output:
	// <nil> [1 1 1]
	// <nil> [7 6 5 4 3 2 1 0]
}

// Operands broadcast by NumPy's rules: a row and a column make a table.
func ExampleNewAxis() {
	row := engine.MustFromSlice([]int32{1, 2, 3})
	column := op.NewAxis(engine.MustFromSlice([]int32{10, 20}), -1)
	table := engine.Zeros[int32](2, 3)
	fmt.Println(table.Assign(op.Add(row, column)), table)
	// Output:
	// <nil> [[11 12 13]
	//  [21 22 23]]
}

// Windows returns all positions of a sliding window. Pooling is a reduction
// over them.
func ExampleWindows() {
	x := engine.MustFromSlice([]float32{1, 5, 2, 8, 3, 4})
	pooled := engine.Zeros[float32](3)
	w := op.Windows(x, op.Window{Size: 2, Stride: 2})
	fmt.Println(pooled.Assign(op.Max(w, op.Axis(-1))), pooled)
	// Output: <nil> [5 8 4]
}

// Take selects by index; negative indices count from the end.
func ExampleTake() {
	words := engine.MustFromSlice([]float32{0, 0, 1, 10, 2, 20}, 3, 2)
	ids := engine.MustFromSlice([]int32{2, 0, -1})
	out := engine.Zeros[float32](3, 2)
	fmt.Println(out.Assign(op.Take(words, ids, 0)), out)
	// Output:
	// <nil> [[ 2 20]
	//  [ 0  0]
	//  [ 2 20]]
}

// Pad surrounds an array by a value. The padded array is not stored.
func ExamplePad() {
	x := engine.MustFromSlice([]float64{1, 2, 4, 8})
	smooth := engine.Zeros[float64](4)
	w := op.Windows(op.Pad(x, [][2]int{{1, 1}}, 0), op.Window{Size: 3})
	fmt.Println(smooth.Assign(op.Sum(w, op.Axis(-1))), smooth)
	// Output: <nil> [3 7 14 12]
}

// Into is the concatenation of targets, as a target.
func ExampleInto() {
	a, b := engine.Zeros[float64](2), engine.Zeros[float64](3)
	err := engine.Run(context.Background(), expr.Let(op.Into(0, a, b), op.Arange[float64](0, 5, 1)))
	fmt.Println(err, a, b)
	// Output: <nil> [0 1] [2 3 4]
}

// Softmax is a composition of rows, so it fuses with its neighbours.
func ExampleSoftmax() {
	x := engine.MustFromSlice([]float64{1000, 1001, 1002})
	y := engine.Zeros[float64](3)
	p, err := engine.Compile(context.Background(), expr.Let(y, op.Scale(100, op.Softmax(x, 0))))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Run(context.Background()))
	fmt.Printf("%.2f%% %.2f%% %.2f%%\n", y.At(0), y.At(1), y.At(2))
	// Output:
	// <nil>
	// 9.00% 24.47% 66.52%
}

// LayerNorm normalises rows; scale and shift may be left out.
func ExampleLayerNorm() {
	x := engine.MustFromSlice([]float64{1, 3, 10, 14}, 2, 2)
	y := engine.Zeros[float64](2, 2)
	fmt.Println(y.Assign(op.LayerNorm(x, nil, nil, 0)), y)
	// Output:
	// <nil> [[-1  1]
	//  [-1  1]]
}

// A scalar is converted to the element type. One that it cannot hold is an
// error of the assignment.
func ExampleScale() {
	pixels := engine.MustFromSlice([]uint8{1, 2, 100})
	fmt.Println(pixels.Assign(op.Scale(2, pixels)), pixels)
	fmt.Println(errors.Is(pixels.Assign(op.Scale(.5, pixels)), expr.ErrType), pixels)
	// Output:
	// <nil> [2 4 200]
	// true [2 4 200]
}

// Cast rounds, truncates or wraps; from floats to integers it saturates.
func ExampleCast() {
	x := engine.MustFromSlice([]float64{117.65, 300, -1, math.NaN()})
	y := engine.Zeros[uint8](4)
	fmt.Println(y.Assign(op.Cast[uint8](x)), y)
	// Output: <nil> [117 255 0 0]
}

// All that uses a product becomes one loop, which follows the product.
func ExampleMatMul() {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4}, 2, 2).Named("x")
	w := engine.MustFromSlice([]float64{1, 0, -1, 1}, 2, 2).Named("w")
	b := engine.MustFromSlice([]float64{0, -5}).Named("b")
	y := engine.Zeros[float64](2, 2).Named("y")
	fmt.Println(y.Assign(op.ReLU(op.Add(op.MatMul(x, op.T(w)), b))), y)
	// Output:
	// <nil> [[1 0]
	//  [3 0]]
}

// Lookup finds a row of the table by its name in formulas.
func ExampleLookup() {
	o, ok := untyped.Lookup("log1p")
	fmt.Println(ok, o.Constructor(), o.Arity(), o.ULP(), o.Doc())
	// Output: true Log1p 1 1.3 log(1 + x), accurate near zero.
}
