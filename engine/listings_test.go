package engine_test

import (
	"errors"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// An array knows its shape, its type and its device, as a DLArray does.
func ExampleNewArray() {
	a, err := engine.NewArray(dtype.F32, 4, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Shape()[0], a.Shape()[1], a.Rank(), a.DType(), a.Device(), a.Memory().Size())
	_, err = engine.NewArray(dtype.F32, -1, 2)
	fmt.Println(errors.Is(err, expr.ErrShape))
	// Output:
	// 4 2 2 float32 cpu 32
	// true
}

// A device that does not exist is an error, and no exit.
func ExampleOpenDevice() {
	d, err := engine.OpenDevice("cpu")
	fmt.Println(d.Name(), err)
	_, err = engine.OpenDevice("abacus:0")
	fmt.Println(errors.Is(err, expr.ErrDevice))
	// Output:
	// cpu <nil>
	// true
}

// A move to the CPU of a tensor that is there shares its memory.
func ExampleTensor_To() {
	ones := engine.Ones[float32](64, 64)
	there, err := ones.To(engine.CPU())
	fmt.Println(err, there.Shape())
	fmt.Println(there)
	// Output:
	// <nil> [64 64]
	// [[1 1 1 ... 1 1 1]
	//  [1 1 1 ... 1 1 1]
	//  [1 1 1 ... 1 1 1]
	//  ...
	//  [1 1 1 ... 1 1 1]
	//  [1 1 1 ... 1 1 1]
	//  [1 1 1 ... 1 1 1]]
}

// A reshape of a tensor shares its elements.
func ExampleTensor_Reshape() {
	x := engine.Zeros[float32](6, 12)
	images := x.Reshape(6, 3, 2, 2)
	fmt.Println(images.Err(), images.Shape())
	images.Set(5, 0, 2, 1, 1)
	fmt.Println(x.At(0, 11))
	// Output:
	// <nil> [6 3 2 2]
	// 5
}

// Nothing is computed before an assignment, which is one loop.
func ExampleTensor_Assign() {
	a, b, c := engine.Zeros[float64](3), engine.MustFromSlice([]float64{1, 2, 3}), engine.MustFromSlice([]float64{4, 5, 6})
	fmt.Println(a.Assign(op.Add(b, c)), a)
	fmt.Println(a.Assign(op.Add(op.Add(b, c), c)), a)
	fmt.Println(a.Assign(op.Maximum(op.Mul(b, c), op.Add(c, c))), a)
	// Output:
	// <nil> [5 7 9]
	// <nil> [9 12 15]
	// <nil> [8 10 18]
}
