package plan_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
)

// A plan holds kernels whose shapes and scalars are open, and the numbers to
// bind to them.
func ExampleCompile() {
	x, y := leaf("x", 2, 3), leaf("y", 3)
	p, err := plan.Compile(context.Background(), []expr.Statement{expr.Let(y, op.Max(x, op.Axis(0)))})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p.Explain())
	for _, s := range p.Stages {
		fmt.Printf("%sextents %v\n", s.Kernel, s.Extents)
	}
	// Output:
	// 1 stage, 0 temporaries, 0 bytes of scratch
	// stage 0: loop: stores to the program's arrays
	//   reads x float32[2 3]; writes y float32[3]; 36 bytes
	// kernel max
	// axis i0 i1
	// buf b0 f32 in 2
	// buf b1 f32 out 1
	// {
	//   vec i0 {
	//     seq i1 {
	//       %0 = load f32 b0[i1, i0]
	//       %1 = reduce max f32 %0
	//     }
	//     store f32 b1[i0] %1
	//   }
	// }
	// extents [3 2]
}
