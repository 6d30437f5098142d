package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// TestMessages tests that an error names the function that the caller called,
// what is wrong with which numbers, and the caller's line.
func TestMessages(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	m := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	i := engine.MustFromSlice([]int64{0, 9, 1})
	y := engine.Zeros[float64](3)
	_, _, line, _ := runtime.Caller(0)
	for k, c := range []struct {
		err  error
		kind error
		want string
	}{
		{x.Reshape(2, 2).Err(), expr.ErrShape, "Tensor.Reshape: 3 elements do not reshape to [2 2]"},
		{x.Span(op.Span{}, op.Span{}).Err(), expr.ErrShape, "Tensor.Span: the number of spans is 2, the rank 1"},
		{x.Transpose(1).Err(), expr.ErrShape, "Tensor.Transpose: axis 1 is out of range for rank 1"},
		{x.Index(5).Err(), expr.ErrIndex, "Tensor.Index: index 5 is out of range for axis 0 of size 3"},
		{op.Softmax(m, 5).Node().Err(), expr.ErrShape, "op.Softmax: axis 5 is out of range for rank 2"},
		{op.Squeeze(m, 0).Node().Err(), expr.ErrShape, "op.Squeeze: axis 0 of [2 3] must have size 1"},
		{op.OneHot[float64](i, -1).Node().Err(), expr.ErrShape, "op.OneHot: the depth -1 is negative"},
		{op.Unwindows(x, []int{5}, op.Window{Size: 2}).Node().Err(), expr.ErrShape, "op.Unwindows: "},
		{op.Arange[int8](0, 300, 1).Node().Err(), expr.ErrType, "op.Arange: the element 299"},
		{op.Full[uint8](1.5).Node().Err(), expr.ErrType, "op.Full: 1.5 is no value of type uint8; op.Cast"},
		{op.Scale(1.5, i).Node().Err(), expr.ErrType, "op.Scale: 1.5 is no value of type int64; op.Cast"},
		{op.MaximumScalar(i, 1e300).Node().Err(), expr.ErrType, "op.MaximumScalar: 1e+300 is no value of type int64"},
		{op.MatMul(m, m).Node().Err(), expr.ErrShape, "op.MatMul: inner dimensions of [2 3] and [2 3] differ"},
		{x.Assign(m), expr.ErrShape, "Tensor.Assign: a value of shape [2 3] cannot be assigned to a target of shape [3]"},
		{y.SubAssign(op.Take(x, i, 0)), expr.ErrIndex, "op.Take: index 9 at [1] is out of range for axis 0 of size 3"},
		{i.Assign(op.Div(op.Full[int64](1), i)), expr.ErrDivide, "op.Div: integer division by zero at [0]"},
		{failure(engine.TensorOf[float32](x.Array())), expr.ErrType, "engine.TensorOf: the array has elements of type float64, not float32"},
		{failure(engine.FromSlice([]float64{1}, 3)), expr.ErrShape, "engine.FromSlice: 1 elements do not have the shape [3]"},
		{op.MatVec(m, engine.Zeros[float64](2)).Node().Err(), expr.ErrShape, "op.MatVec: inner dimensions of [2 3] and [2] differ"},
		{op.VecMat(x, m).Node().Err(), expr.ErrShape, "op.VecMat: inner dimensions of [3] and [2 3] differ"},
		{op.MatVec(engine.Zeros[float64](2, 2, 3), engine.Zeros[float64](5, 3)).Node().Err(), expr.ErrShape, "op.MatVec: "},
		{op.MatVec(x, op.Full[float64](1)).Node().Err(), expr.ErrShape, "op.MatVec: operands of shapes [3] and [] are no matrix and vector"},
		{op.Dot(x, y.Slice(0, 2)).Node().Err(), expr.ErrShape, "op.Dot: inner dimensions of [3] and [2] differ"},
		{engine.EvalInto(make([]float64, 4), m), expr.ErrShape, "engine.EvalInto: an expression of shape [2 3] has 6 elements, and the slice has 4"},
		{op.Add(x, (*engine.Tensor[float64])(nil)).Node().Err(), expr.ErrType, "op.Add: operand 1 is nil"},
		{op.SegmentSum(x, (*engine.Tensor[int64])(nil), 3).Node().Err(), expr.ErrType, "op.SegmentSum: operand 1 is nil"},
		{op.ScatterSet[float64](i, nil, 0, 3).Node().Err(), expr.ErrType, "op.ScatterSet: operand 1 is nil"},
		{op.TakeAlongAxis[float64, int64](nil, i, 0).Node().Err(), expr.ErrType, "op.TakeAlongAxis: operand 0 is nil"},
		{op.Histogram[float64](nil, 3, 0, 1).Node().Err(), expr.ErrType, "op.Histogram: operand 0 is nil"},
		{op.Meshgrid(x, nil)[1].Node().Err(), expr.ErrType, "op.Meshgrid: operand 1 is nil"},
		{op.Modulus[float64, complex128](nil).Node().Err(), expr.ErrType, "op.Modulus: operand 0 is nil"},
		{op.RFFTFreq[float64](0, 1).Node().Err(), expr.ErrShape, "op.RFFTFreq: a transform needs at least one point, not 0"},
		{op.Into[float64](0, x, nil).Node().Err(), expr.ErrType, "op.Into: operand 1 is nil"},
		{failure(engine.Eval(op.TakeAlongAxis(m, op.BroadcastTo(i, 2, 3), 1))), expr.ErrIndex, "op.TakeAlongAxis: index 9 at [0 1] is out of range for axis 1 of size 3"},
		{failure(engine.Eval(op.ScalarSub(300, op.Cast[int8](i)))), expr.ErrType, "op.ScalarSub: 300 is no value of type int8"},
	} {
		place := fmt.Sprintf("(messages_test.go:%d)", line+6+k)
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), "oneloop: "+c.want) || !strings.HasSuffix(c.err.Error(), place) {
			t.Errorf("%v\nis not %v: %s %s", c.err, c.kind, c.want, place)
		}
	}
	if a, err := engine.ArrayOf(x.Array().Memory(), dtype.F64, []int{3}, nil, 0); err != nil || !a.IsContiguous() {
		t.Errorf("strides that are not given are not row-major: %v", err)
	}
}

// TestPanics checks that a panic names the function that was called.
func TestPanics(t *testing.T) {
	x := engine.Zeros[float64](3)
	for want, call := range map[string]func(){
		"Tensor.Set: index [3]":   func() { x.Set(1, 3) },
		"Tensor.At: index [-1]":   func() { x.At(-1) },
		"engine.Full: shape [-1]": func() { engine.Full(1., -1) },
		"engine.Arange: there is no number of elements from 0 to 5 by steps of 0": func() { engine.Arange[float64](0, 5, 0) },
		"engine.Arange: the element 299 is no int8":                               func() { engine.Arange[int8](0, 300, 1) },
		"engine.Linspace: -1 numbers":                                             func() { engine.Linspace[float64](0, 1, -1) },
		"engine.Eye: a matrix cannot have -1 rows":                                func() { engine.Eye[float64](-1) },
		"engine.FromFunc: the function is nil":                                    func() { engine.FromFunc[float64](nil, 2) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("the panic is %s, not %s", got, want)
				}
			}()
			call()
		}()
	}
}

func failure[T any](_ T, err error) error { return err }
