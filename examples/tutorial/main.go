// Command tutorial is the program of docs/tutorial.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

func first() error {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3) // 2 rows, 3 columns
	y, err := engine.Eval(op.Exp(op.Neg(op.Square(x))))
	if err != nil {
		return err
	}
	fmt.Printf("%.4f\n", y)
	fmt.Println(y.Shape(), y.Values()[0])
	return nil
}

func broadcasting() error {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	mean := op.Mean(x, op.Axis(0)) // of each column: a tree, not yet numbers
	centred := op.Sub(x, mean)     // the row is subtracted from each row
	scaled := op.Div(centred, op.Std(x, op.Axis(0)))
	y, err := engine.Eval(scaled)
	if err != nil {
		return err
	}
	fmt.Println(y)
	z, err := engine.Eval(op.Sum(op.Where(op.GreaterScalar(x, 2), x, op.Full[float64](0))))
	fmt.Println(z, err)
	return nil
}

func views() error {
	x, err := engine.Eval(op.Arange[float64](0, 8, 1))
	if err != nil {
		return err
	}
	even := x.Span(shape.Slice{Step: shape.At(2)}) // shares the elements of x
	if err := even.AddAssign(op.Full[float64](100)); err != nil {
		return err
	}
	fmt.Println(x)
	right, left := x.Slice(1, 8), x.Slice(0, 7)
	if err := right.SubAssign(left); err != nil { // every right side is read first
		return err
	}
	fmt.Println(x)
	return nil
}

func programs(ctx context.Context) error {
	w := engine.MustFromSlice([]float64{1, 2, 3}).Named("w")
	g := engine.MustFromSlice([]float64{10, 0, -10}).Named("g")
	rate := expr.NewParam(.1)
	p, err := engine.Compile(ctx, expr.LetSub(w, op.Mul(rate, g)))
	if err != nil {
		return err
	}
	for range 3 { // no allocation, no compilation
		if err := p.Run(ctx); err != nil {
			return err
		}
	}
	rate.Set(.01)
	if err := p.Run(ctx); err != nil {
		return err
	}
	fmt.Printf("%.1f\n", w)
	fmt.Print(p.Explain())
	return nil
}

func fit(ctx context.Context) error {
	x := engine.MustFromSlice([]float64{0, 1, 2, 3, 4}).Named("x")
	y := engine.MustFromSlice([]float64{1, 3, 5, 7, 9}).Named("y")
	a, b := engine.MustFromSlice([]float64{0}).Named("a"), engine.MustFromSlice([]float64{0}).Named("b")
	loss := op.Mean(op.Square(op.Sub(op.Add(op.Mul(a, x), b), y)))
	d, err := grad.Of(loss, a, b)
	if err != nil {
		return err
	}
	step, err := engine.Compile(ctx, engine.Together(expr.LetSub(a, op.Scale(.05, d[0])), expr.LetSub(b, op.Scale(.05, d[1])))...)
	if err != nil {
		return err
	}
	for range 500 {
		if err := step.Run(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("y = %.3f x + %.3f\n", a.At(0), b.At(0))
	return nil
}

func formulas(ctx context.Context) error {
	f := formula.MustCompile[float64]("s = (x - mean(x, axis=0)) / std(x, axis=0); m = abs(s).max()")
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	s, m := engine.Zeros[float64](2, 3), engine.Zeros[float64]()
	if err := f.Run(ctx, map[string]any{"x": x, "s": s, "m": m}); err != nil {
		return err
	}
	fmt.Println(m.At())
	return nil
}

func mistakes() {
	x, y := engine.Zeros[float64](2, 3), engine.Zeros[float64](4)
	_, err := engine.Eval(op.Add(x, y))
	fmt.Println(errors.Is(err, expr.ErrShape), err)
	i := engine.MustFromSlice([]int64{0, 7})
	_, err = engine.Eval(op.Take(y, i, 0))
	fmt.Println(errors.Is(err, expr.ErrIndex), err)
}

func main() {
	ctx := context.Background()
	for _, err := range []error{first(), broadcasting(), views(), programs(ctx), fit(ctx), formulas(ctx)} {
		if err != nil {
			log.Fatal(err)
		}
	}
	mistakes()
}
