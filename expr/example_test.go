package expr_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// A variable that is first a tensor and later an expression needs the type of
// the interface.
func ExampleExp() {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	var power expr.Exp[float64] = x
	for range 3 {
		power = op.Mul(power, x)
	}
	y := engine.Zeros[float64](3)
	fmt.Println(y.Assign(power), y)
	// Output: <nil> [1 16 81]
}

// A parameter is read at each run. A program need not be compiled again when
// the parameter changes.
func ExampleParam() {
	ctx := context.Background()
	w := engine.MustFromSlice([]float32{1, 2})
	g := engine.MustFromSlice([]float32{1, 1})
	rate := expr.NewParam[float32](.5)
	p, err := engine.Compile(ctx, expr.LetSub(w, op.Mul(rate, g)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Run(ctx), w)
	rate.Set(.25)
	fmt.Println(p.Run(ctx), w)
	// Output:
	// <nil> [0.5 1.5]
	// <nil> [0.25 1.25]
}

// Statements have the effect of running them in order: the second one reads the
// values that the first one stored. Here both run in one loop.
func ExampleStatement() {
	x := engine.MustFromSlice([]float64{1, 2, 3}).Named("x")
	y := engine.Zeros[float64](3).Named("y")
	grow := expr.LetAdd(x, op.Full[float64](10))
	copied := expr.Let(y, op.Scale(2, x))
	fmt.Println(grow)
	fmt.Println(copied)
	fmt.Println(engine.Run(context.Background(), grow, copied), x, y)
	// Output:
	// x += 10
	// y = (2 * x)
	// <nil> [11 12 13] [22 24 26]
}
