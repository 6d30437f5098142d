package engine_test

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
	"github.com/oneloop/oneloop/expr/tree"
)

// Eval returns the value of an expression as a new tensor.
func ExampleEval() {
	x := engine.Arange[float64](0, 4, 1)
	y, err := engine.Eval(op.Square(x))
	fmt.Println(y, err)
	// Output: [0 1 4 9] <nil>
}

// EvalInto fills a slice of the caller.
func ExampleEvalInto() {
	x := engine.MustFromSlice([]float32{1, 2, 3})
	out := make([]float32, 3)
	fmt.Println(engine.EvalInto(out, op.Add(x, x)), out)
	// Output: <nil> [2 4 6]
}

// Item returns the value of a scalar expression as a Go number.
func ExampleItem() {
	x := engine.MustFromSlice([]float64{3, 4})
	norm, err := engine.Item(op.Sqrt(op.Sum(op.Square(x))))
	fmt.Println(norm, err)
	// Output: 5 <nil>
}

func ExampleFull() {
	fmt.Println(engine.Full("x" == "y", 2), engine.Full[int32](7, 1, 3))
	// Output: [false false] [[7 7 7]]
}

func ExampleOnes() {
	fmt.Println(engine.Ones[float32](2, 2))
	// Output:
	// [[1 1]
	//  [1 1]]
}

func ExampleArange() {
	fmt.Println(engine.Arange[int64](2, 11, 3))
	// Output: [2 5 8]
}

func ExampleLinspace() {
	fmt.Println(engine.Linspace[float64](0, 1, 5))
	// Output: [0 0.25 0.5 0.75 1]
}

func ExampleEye() {
	fmt.Println(engine.Eye[int32](2))
	// Output:
	// [[1 0]
	//  [0 1]]
}

// FromFunc computes the elements from their indices.
func ExampleFromFunc() {
	fmt.Println(engine.FromFunc(func(i []int) int32 { return int32(10*i[0] + i[1]) }, 2, 3))
	// Output:
	// [[ 0  1  2]
	//  [10 11 12]]
}

func ExampleFromRows() {
	x, err := engine.FromRows([][]float64{{1, 2}, {3, 4}, {5, 6}})
	fmt.Println(x.Shape(), x.At(2, 0), err)
	// Output: [3 2] 5 <nil>
}

// Index drops the leading axes: a row of a matrix is a vector that shares its
// elements.
func ExampleTensor_Index() {
	x := engine.Zeros[float64](2, 3)
	fmt.Println(x.Index(-1).Fill(7))
	fmt.Println(x)
	// Output:
	// <nil>
	// [[0 0 0]
	//  [7 7 7]]
}

// All yields the indices and the elements, of a view too.
func ExampleTensor_All() {
	x := engine.MustFromSlice([]int32{1, 2, 3, 4}, 2, 2)
	for i, v := range x.Transpose().All() {
		fmt.Print(i, v, " ")
	}
	// Output: [0 0] 1 [0 1] 3 [1 0] 2 [1 1] 4
}

// Clone copies a tensor, so that the copy may change.
func ExampleTensor_Clone() {
	x := engine.Ones[float64](2)
	y := x.Clone()
	y.Set(5, 0)
	fmt.Println(x, y)
	// Output: [1 1] [5 1]
}

// TestFill tests that Fill stores every value of every type exactly, in views too.
func TestFill(t *testing.T) {
	fills(t, true, false)
	fills[int8](t, -128, 127)
	fills[int32](t, math.MinInt32, 5)
	fills[int64](t, math.MinInt64, math.MaxInt64, 1<<53+1)
	fills[uint8](t, 255)
	fills[uint32](t, math.MaxUint32)
	fills[uint64](t, math.MaxUint64, 1<<63+1)
	fills(t, dtype.F16From(1.5), dtype.F16From(float32(math.Inf(-1))))
	fills(t, dtype.BF16From(-3))
	fills(t, .1, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32)
	fills(t, .1, math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.Inf(1))
}

func fills[T expr.Elem](t *testing.T, values ...T) {
	t.Helper()
	for _, v := range values {
		x := engine.Zeros[T](3, 4)
		if err := x.Transpose().Slice(1, 3).Fill(v); err != nil {
			t.Fatal(err)
		}
		for i, got := range x.All() {
			want := *new(T)
			if i[1] == 1 || i[1] == 2 {
				want = v
			}
			if tree.Bits(got) != tree.Bits(want) {
				t.Fatalf("element %v of %T is %v, want %v", i, v, got, want)
			}
		}
		if full := engine.Full(v, 2); tree.Bits(full.At(1)) != tree.Bits(v) {
			t.Errorf("Full(%v) is %v", v, full)
		}
	}
}

// TestValues tests Eval, EvalInto and Item on scalars, empty tensors, views and
// errors.
func TestValues(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	y, err := engine.Eval(x.Transpose())
	if err != nil || !y.Array().IsContiguous() || !slices.Equal(y.Data(), []float64{1, 4, 2, 5, 3, 6}) {
		t.Error(y, err)
	}
	s, err := engine.Eval(op.Sum(x))
	if err != nil || s.Rank() != 0 || s.Size() != 1 || s.At() != 21 {
		t.Error(s, err)
	}
	if e, err := engine.Eval(op.Exp(engine.Zeros[float64](0, 3))); err != nil || !slices.Equal(e.Shape(), []int{0, 3}) {
		t.Error(e, err)
	}
	for _, e := range []expr.Exp[float64]{op.Sum(x), x.Span(op.Range(1, 2), op.Range(2, 3)), op.Full[float64](21)} {
		if v, err := engine.Item(e); err != nil || v != 21 && v != 6 {
			t.Error(v, err)
		}
	}
	if _, err := engine.Item(x); !errors.Is(err, expr.ErrShape) {
		t.Error("Item of six elements gives", err)
	}
	for _, err := range []error{
		engine.EvalInto(make([]float64, 5), x),
		engine.EvalInto(make([]float64, 2), op.Add(x, engine.Zeros[float64](4))),
	} {
		if !errors.Is(err, expr.ErrShape) {
			t.Error("the error is", err)
		}
	}
	out := []float64{1, 2, 3}
	if err := engine.EvalInto(out, op.Neg(engine.MustFromSlice(out))); err != nil || out[2] != -3 {
		t.Error(out, err)
	}
	if _, err := engine.FromRows([][]int32{{1}, {2, 3}}); !errors.Is(err, expr.ErrShape) {
		t.Error("rows of two lengths give", err)
	}
	if z, err := engine.FromRows[int32](nil); err != nil || z.Size() != 0 {
		t.Error(z, err)
	}
	for _, i := range [][]int{{2}, {-3}, {0, 3}} {
		if err := x.Index(i...).Err(); !errors.Is(err, expr.ErrIndex) {
			t.Errorf("Index(%v) gives %v", i, err)
		}
	}
	if err := x.Index(0, 0, 0).Err(); !errors.Is(err, expr.ErrShape) {
		t.Error("three positions of a matrix give", err)
	}
	if v := x.Transpose().Index(-1, 1); v.Rank() != 0 || v.At() != 6 {
		t.Error(v)
	}
	if c := x.Transpose().Named("c").Clone(); !c.Array().IsContiguous() || c.At(2, 1) != 6 || x.Named("c").Name() != "c" {
		t.Error(c)
	}
}

// TestValuesOnDevice tests that values of tensors on a device are there, and that
// Set and Fill reach it.
func TestValuesOnDevice(t *testing.T) {
	x, err := engine.MustFromSlice([]float64{1, 2, 3}).To(&fakeDevice{})
	if err != nil {
		t.Fatal(err)
	}
	x.Set(7, 1)
	if x.Array().Memory().Head() != engine.AtHost || x.At(1) != 7 {
		t.Error(x, x.Array().Memory().Head())
	}
	sum := 0.
	for _, v := range x.All() {
		sum += v
	}
	if sum != 11 {
		t.Error("the sum is", sum)
	}
}

// TestEvalFails tests that there is no tensor beside an error, also one of a run.
func TestEvalFails(t *testing.T) {
	x := engine.MustFromSlice([]int64{1, 2})
	for name, e := range map[string]expr.Exp[int64]{
		"tree": op.Add(x, engine.Zeros[int64](3)), "run": op.Div(x, engine.Zeros[int64](2)), "index": op.Take(x, x, 0),
	} {
		if y, err := engine.Eval(e); y != nil || err == nil {
			t.Errorf("%s: %v, %v", name, y, err)
		}
	}
}
