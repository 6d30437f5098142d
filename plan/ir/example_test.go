package ir_test

import (
	"fmt"

	"github.com/oneloop/oneloop/plan/ir"
)

func ExampleParse() {
	k, err := ir.Parse(`
# y = 2*x + 1
kernel affine
axis i
buf x f32 in 1
buf y f32 out 1
{
  %10 = const f32 2
  %20 = const f32 1
  vec i {
    %30 = load f32 x[i]
    %40 = fma f32 %30 %10 %20
    store f32 y[i] %40
  }
}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(k)
	fmt.Println(ir.Check(k))
	// Output:
	// kernel affine
	// axis i
	// buf x f32 in 1
	// buf y f32 out 1
	// {
	//   %0 = const f32 0x40000000 ; 2
	//   %1 = const f32 0x3f800000 ; 1
	//   vec i {
	//     %2 = load f32 x[i]
	//     %3 = fma f32 %2 %0 %1
	//     store f32 y[i] %3
	//   }
	// }
	// <nil>
}
