package engine

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine/internal/text"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/shape"
)

// Format prints the elements as nested rows in brackets, as NumPy does. It prints
// an array of rank 0 as a number. Of an array of more than 1000 elements it prints
// the first three and the last three positions of each long axis. It fetches only
// these elements from a device.
//
// The verb, its flags and its precision apply to each element: %v, %8.3f, %x.
// %+v adds a line with element type and shape. %#v writes elements as NumPy
// does: "1." and "True".
func (a Array) Format(f fmt.State, verb rune) {
	if err := a.format(f, verb); err != nil {
		fmt.Fprint(f, err)
	}
}

// String returns the elements as %v prints them.
func (a *Array) String() string { return fmt.Sprintf("%v", a) }

// Format prints the elements as [Array.Format] does. It prints the error of a
// tensor that has one.
func (t Tensor[T]) Format(f fmt.State, verb rune) {
	if err := t.Err(); err != nil {
		fmt.Fprint(f, err)
		return
	}
	t.a.Format(f, verb)
}

// String returns the elements as %v prints them.
func (t *Tensor[T]) String() string { return fmt.Sprintf("%v", t) }

func (a *Array) format(f fmt.State, verb rune) error {
	if err := a.usable(); err != nil {
		return err
	}
	from, small := a, text.Shown(a.Shape())
	if small.Size() < a.Shape().Size() && a.mem.dev != nil && a.mem.Head() == AtDevice {
		var err error
		if from, err = a.corners(small); err != nil {
			return err
		}
	}
	data, err := from.mem.Host()
	if err != nil {
		return err
	}
	p := text.Array{Type: a.DType(), Shape: a.Shape(), Data: data, First: from.Offset(), Strides: from.Strides(), Cut: from != a}
	return p.Print(f, verb)
}

// corners returns a new array of shape small with the elements of a that are
// shown, which the device copies. It returns a itself if the device runs no
// programs.
func (a *Array) corners(small shape.Shape) (*Array, error) {
	c, err := newArrayOn(a.mem.dev, a.DType(), small)
	if err != nil {
		return nil, err
	}
	stmts := []expr.Statement{{}}
	to, from := make([]shape.Slice, len(small)), make([]shape.Slice, len(small))
	var visit func(axis int) error
	visit = func(axis int) error {
		if axis == len(small) {
			t, err := c.Span(to...)
			if err != nil {
				return err
			}
			v, err := a.Span(from...)
			stmts = append(stmts, expr.Statement{Target: t.Node(), Value: v.Node()})
			return err
		}
		n, d := small[axis], a.Shape()[axis]
		if n == d {
			to[axis], from[axis] = shape.Slice{}, shape.Slice{}
			return visit(axis + 1)
		}
		for _, lo := range []int{0, text.Edge} {
			to[axis] = shape.Slice{Start: shape.At(lo), Stop: shape.At(lo + text.Edge)}
			from[axis] = to[axis]
			if lo > 0 {
				from[axis] = shape.Slice{Start: shape.At(d - text.Edge)}
			}
			if err := visit(axis + 1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(0); err != nil {
		return nil, err
	}
	if err := Run(context.Background(), stmts[1:]...); err != nil {
		return a, nil // the device runs no programs
	}
	return c, nil
}
