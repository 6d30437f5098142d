package cudagen_test

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/plan/ir"
)

// The example generates the code of a kernel for 1000 contiguous elements, with
// vectors of four lanes, and prints its launch.
func ExampleGenerate() {
	k, err := ir.Parse(`kernel double
axis i0
buf x f32 in 1
buf y f32 out 1
{
  vec i0 {
    %0 = load f32 x[i0]
    %1 = add f32 %0 %0
    store f32 y[i0] %1
  }
}`)
	if err != nil {
		panic(err)
	}
	array := ir.BufBind{Strides: []int{1}, Extents: []int{1000}}
	binding := &ir.Binding{Extents: []int{1000}, Bufs: []ir.BufBind{array, array}}
	addresses := []uint64{0x7f0000000000, 0x7f0000001000}
	device := cudagen.Device{SMs: 132, Shared: 227 << 10}

	layout, err := cudagen.LayoutOf(k, binding, addresses, device)
	if err != nil {
		panic(err)
	}
	source := cudagen.Generate(k, layout)
	bound, err := source.Bind(binding, device)
	if err != nil {
		panic(err)
	}
	bound.SetArgs(addresses, nil, 0, 0)

	fmt.Println(strings.TrimPrefix(source.Code, cudagen.Prelude))
	for _, l := range bound.Launches {
		fmt.Println(source.Entries[l.Entry], l.Grid, l.Block, len(bound.Args), "bytes")
	}
	// Output:
	// typedef i32 ix;
	// typedef divisor32 divisor;
	//
	// struct args {
	//   const f32 * x_0;
	//   f32 * y_0;
	//   ix m0;
	// };
	//
	// // A thread for each position of i0, or several.
	// extern "C" __global__ void __launch_bounds__(256) oneloop_double(const __grid_constant__ args a) {
	//   const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
	//   for (ix i = first; i < a.m0 / 4; i += step) {
	//     const ix at = i*4;
	//     const pack<f32, 4> x0 = *(const pack<f32, 4> *)&a.x_0[at];
	//     pack<f32, 4> x1;
	// #pragma unroll
	//     for (int j = 0; j < 4; j++) {
	//       const ix d0 = at + j;
	//       const f32 v0 = prim::load(x0.at[j]);
	//       const f32 v1 = prim::add(v0, v0);
	//       prim::store(x1.at[j], v1);
	//     }
	//     *(pack<f32, 4> *)&a.y_0[at] = x1;
	//   }
	// }
	//
	// oneloop_double [1 1 1] [256 1 1] 24 bytes
}
