package autograd

import (
	"cmp"
	"context"
	"math"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// Check compares the gradients of a loss with central differences, one element of
// one variable after the other. The error is [expr.ErrValue] and names the
// variable, counted from 0, the element and both numbers if they differ by more
// than tol times the larger of 1 and the difference quotient. 1e-6 is a fit tol
// for float64, and 1e-2 for float32. Check runs the loss twice for each element.
// It leaves values and gradients of the variables as they were. The values must
// be on the host.
func Check[T Float](loss expr.Exp[T], tol float64, vars ...*Variable[T]) error {
	ctx := context.Background()
	own := make([]*Variable[T], len(vars)) // with gradients of their own
	for i, v := range vars {
		if v == nil {
			return tree.NewError(tree.ErrType, "", "variable %d is nil", i)
		}
		own[i] = &Variable[T]{value: v.value, frozen: v.frozen}
	}
	g, err := Record(loss, own...)
	if err != nil {
		return err
	}
	if err := g.Backward(ctx); err != nil {
		return err
	}
	value, err := engine.Compile(ctx, expr.Let(g.loss, g.tree))
	if err != nil {
		return err
	}
	at := func() (float64, error) {
		err := value.Run(ctx)
		return float64(g.loss.At()), err
	}
	for i, v := range own {
		if v.frozen {
			continue
		}
		if err := v.check(i, tol, at); err != nil {
			return err
		}
	}
	return nil
}

// check compares the gradient of variable number i with differences of loss.
func (v *Variable[T]) check(i int, tol float64, loss func() (float64, error)) (err error) {
	before, x, analytic := v.value.Values(), v.value.Values(), v.grad.Values()
	moved, err := engine.FromSlice(x, v.value.Shape()...)
	if err != nil {
		return err
	}
	defer func() {
		copy(x, before)
		err = cmp.Or(err, v.value.Assign(moved))
	}()
	h := step[T]()
	for j, at := range before {
		quotient, width := 0., 0.
		for _, sign := range []float64{1, -1} {
			x[j] = T(float64(at) + sign*h*math.Max(1, math.Abs(float64(at))))
			if err := v.value.Assign(moved); err != nil {
				return err
			}
			l, err := loss()
			if err != nil {
				return err
			}
			quotient += sign * l
			width += sign * float64(x[j])
		}
		x[j] = at
		quotient /= width
		if d := math.Abs(quotient - float64(analytic[j])); !(d <= tol*math.Max(1, math.Abs(quotient))) {
			return tree.NewError(tree.ErrValue, "", "variable %d, element %d: the gradient is %v, the difference quotient %v", i, j, analytic[j], quotient)
		}
	}
	return nil
}

// step returns the cube root of the precision of T, at which a central difference
// has the least error.
func step[T Float]() float64 {
	if dtype.Of[T]() == dtype.F64 {
		return math.Cbrt(0x1p-52)
	}
	return math.Cbrt(0x1p-23)
}
