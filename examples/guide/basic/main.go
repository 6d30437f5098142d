// Command basic shows tensors: memory of the caller, views, shapes, and expressions
// of them. It is the first program of mshadow's guide.
package main

import (
	"fmt"
	"log"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	data := make([]float32, 20)
	mat, err := engine.FromSlice(data, 2, 5, 2) // shares the slice
	check(err)
	second, row := mat.Index(1), mat.Index(0, 1) // views
	check(second.Fill(1))
	check(row.Assign(op.Arange[float32](5, 7, 1)))
	fmt.Println(data)

	// A shape error is an error, not an abort.
	fmt.Println(second.Assign(mat))

	lhs, rhs, out := engine.Ones[float32](2, 3), engine.Ones[float32](2, 3), engine.Zeros[float32](2, 2)
	check(out.Assign(op.MatMul(lhs, op.T(rhs))))
	fmt.Println(out)
	check(out.AddAssign(op.Scale(.5, op.MatMul(lhs, op.T(rhs))))) // one product, no temporary
	fmt.Println(out)

	// Columns 1 and 2 of the sum with a row that broadcasts.
	bias := engine.MustFromSlice([]float32{10, 20, 30})
	y, err := engine.Eval(op.Slice(op.Add(lhs, bias), op.Span{}, op.From(1)))
	check(err)
	fmt.Println(y, shape.Shape{2, 3, 4}.Size(), mat.Shape())
}
