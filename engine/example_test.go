package engine_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// An assignment plans, compiles and runs: the whole right side is one loop.
func ExampleTensor() {
	w := engine.MustFromSlice([]float64{1, 2, 3, 4}, 2, 2)
	g := engine.MustFromSlice([]float64{1, 1, 1, 1}, 2, 2)
	fmt.Println(w.SubAssign(op.Scale(.5, op.Add(g, op.Scale(.1, w)))))
	fmt.Println(w.Shape(), w.Values(), w.At(1, 1))
	// Output:
	// <nil>
	// [2 2] [0.44999999999999996 1.4 2.35 3.3] 3.3
}

// A tensor shares its elements with the slice that it was made from.
func ExampleFromSlice() {
	data := []float32{1, 2, 3, 4, 5, 6}
	x, err := engine.FromSlice(data, 2, 3)
	fmt.Println(err, x.AddAssign(op.Full[float32](10)), data)
	_, err = engine.FromSlice(data, 4, 2)
	fmt.Println(errors.Is(err, expr.ErrShape))
	// Output:
	// <nil> <nil> [11 12 13 14 15 16]
	// true
}

// Views of a tensor share its memory and can be assigned to.
func ExampleTensor_Span() {
	grid := engine.Zeros[int32](4, 4)
	inner := grid.Span(op.Range(1, -1), op.Range(1, -1))
	corners := grid.Span(op.By(op.Span{}, 3), op.By(op.Span{}, 3))
	fmt.Println(inner.Assign(op.Full[int32](1)), corners.Assign(op.Full[int32](7)))
	for i := range 4 {
		fmt.Println(grid.Slice(i, i+1))
	}
	fmt.Println(errors.Is(grid.Reshape(5, 5).Err(), expr.ErrShape))
	// Output:
	// <nil> <nil>
	// [[7 0 0 7]]
	// [[0 1 1 0]]
	// [[0 1 1 0]]
	// [[7 0 0 7]]
	// true
}

// An assignment evaluates the right side before it stores anything. The target may
// overlap the operands.
func ExampleTensor_Assign_overlap() {
	a := engine.MustFromSlice([]float64{1, 2, 3, 4}, 2, 2)
	fmt.Println(a.Assign(op.Add(op.T(a), a)), a)
	x := engine.MustFromSlice([]float64{1, 2, 3, 4})
	fmt.Println(x.Slice(1, 4).AddAssign(x.Slice(0, 3)), x)
	// Output:
	// <nil> [[2 5]
	//  [5 8]]
	// <nil> [1 3 5 7]
}

// A program is compiled once and runs many times. Each run reads the current
// arrays and parameters. Here three statements are one loop.
func ExampleCompile() {
	ctx := context.Background()
	w, m, v := engine.MustFromSlice([]float64{1, 1}), engine.Zeros[float64](2), engine.Zeros[float64](2)
	g := engine.MustFromSlice([]float64{.5, -2})
	rate := expr.NewParam(.1)
	p, err := engine.Compile(ctx,
		expr.Let(m, op.Add(op.Scale(.5, m), op.Scale(.5, g))),
		expr.Let(v, op.Add(op.Scale(.5, v), op.Scale(.5, op.Square(g)))),
		expr.LetSub(w, op.Div(op.Mul(rate, m), op.Sqrt(v))),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if err := p.Run(ctx); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("%.4f, stages: %d, temporaries: %d\n", w.Values(), len(p.Plan().Stages), len(p.Plan().Temps))
	// Output: [0.8427 1.1573], stages: 1, temporaries: 0
}

// Options set the back end and the number of threads. Neither changes a bit of
// the result.
func ExampleCompileWith() {
	x := engine.Zeros[float32](1_000_001)
	for i := range x.Data() {
		x.Data()[i] = .1
	}
	sum := engine.Zeros[float32]()
	same := true
	var first float32
	for threads := 1; threads <= 4; threads++ {
		p, err := engine.CompileWith(context.Background(), engine.Options{Threads: threads}, expr.Let(sum, op.Sum(x)))
		if err != nil || p.Run(context.Background()) != nil {
			fmt.Println("failed")
			return
		}
		if threads == 1 {
			first = sum.At()
		}
		same = same && sum.At() == first
	}
	fmt.Println(same)
	// Output: true
}

// Explain lists the stages of a program, their reasons and the bytes they move.
func ExampleProgram_Explain() {
	x, w := engine.Zeros[float32](64, 32).Named("x"), engine.Zeros[float32](16, 32).Named("w")
	b, y := engine.Zeros[float32](16).Named("b"), engine.Zeros[float32](64, 16).Named("y")
	p, err := engine.Compile(context.Background(), expr.Let(y, op.ReLU(op.Add(op.MatMul(x, op.T(w)), b))))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Explain())
	// Output:
	// 2 stages, 0 temporaries, 0 bytes of scratch
	// stage 0: matrix product: a matrix product has a schedule of its own; the next stage reads its result in the target
	//   reads x float32[64 32], w float32[32 16]; writes y float32[64 16]; 14336 bytes
	// stage 1: loop: stores to the program's arrays
	//   reads y float32[64 16], b float32[16]; writes y float32[64 16]; 8256 bytes
}

// A failed evaluation changes nothing.
func ExampleRun_failure() {
	x := engine.MustFromSlice([]int64{6, 7, 8})
	err := x.Assign(op.ScalarDiv(100, op.AddScalar(x, -7)))
	fmt.Println(err)
	fmt.Println(x)
	// Output:
	// oneloop: op.ScalarDiv: integer division by zero at [1] (example_test.go:140)
	// [6 7 8]
}

// Rebind makes a compiled program use other data of the same size.
func ExampleMemory_Rebind() {
	ctx := context.Background()
	x, y := engine.Zeros[float32](3), engine.Zeros[float32](3)
	p, err := engine.Compile(ctx, expr.Let(y, op.Scale(2, x)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, batch := range [][]float32{{1, 2, 3}, {4, 5, 6}} {
		if err := x.Array().Memory().Rebind(dtype.Bytes(batch)); err != nil {
			fmt.Println(err)
		}
		fmt.Println(p.Run(ctx), y)
	}
	// Output:
	// <nil> [2 4 6]
	// <nil> [8 10 12]
}

// A binding runs a program on other data, without the cost of a lock.
func ExampleProgram_Bind() {
	ctx := context.Background()
	x, y := engine.Zeros[float32](3), engine.Zeros[float32](3)
	p, err := engine.Compile(ctx, expr.Let(y, op.Scale(2, x)))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := p.Bind(ctx, x.Array().Memory())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, batch := range [][]float32{{1, 2, 3}, {4, 5, 6}} {
		if err := b.Set(dtype.Bytes(batch)); err != nil {
			fmt.Println(err)
		}
		fmt.Println(b.Run(ctx), y)
	}
	// Output:
	// <nil> [2 4 6]
	// <nil> [8 10 12]
}

// RunAsync queues runs on a stream. The caller waits for the event of a run.
func ExampleStream() {
	ctx := context.Background()
	x := engine.MustFromSlice([]float64{1, 2})
	p, err := engine.Compile(ctx, expr.LetMul(x, op.Full[float64](3)))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := engine.NewStream()
	defer s.Close()
	p.RunAsync(s)
	done := p.RunAsync(s)
	fmt.Println(done.Wait(ctx), x)
	// Output: <nil> [9 18]
}

// An Array is a tensor whose element type is known only at run time.
func ExampleArray() {
	a, err := engine.NewArray(dtype.F32, 2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := engine.TensorOf[float32](a)
	fmt.Println(err, t.Assign(op.Arange[float32](0, 2, 1)), a.DType(), a.Shape(), t)
	_, err = engine.TensorOf[int8](a)
	fmt.Println(errors.Is(err, expr.ErrType))
	// Output:
	// <nil> <nil> float32 [2 2] [[0 1]
	//  [0 1]]
	// true
}

// Operators that compute at once make an array and a loop each. A tree is one loop
// without temporaries, with the same bits.
func ExampleEval_apart() {
	b, c := engine.MustFromSlice([]float32{1, 2, 3}), engine.MustFromSlice([]float32{5, 6, 7})
	sum, err := engine.Eval(op.Add(b, c)) // a loop, and a temporary
	if err != nil {
		fmt.Println(err)
		return
	}
	apart, err := engine.Eval(op.Add(sum, c)) // another loop
	if err != nil {
		fmt.Println(err)
		return
	}
	fused, err := engine.Eval(op.Add(op.Add(b, c), c)) // one loop
	fmt.Println(apart, fused, err)
	// Output: [11 14 17] [11 14 17] <nil>
}
