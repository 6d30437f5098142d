
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  const f32 * x_0;
  f32 * y_0;
  ix m0;
  ix e1;
  ix x_0_d1;
};

// A thread for each position of i1.
extern "C" __global__ void __launch_bounds__(256) oneloop_colsum(const __grid_constant__ args a) {
  const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
  for (ix i = first; i < a.m0; i += step) {
    const ix d0 = i;
    red::runs<red::sum<f32>> r1;
    for (ix d1 = 0; d1 < a.e1; d1++) {
      const f32 v0 = prim::load(a.x_0[d0 + d1*a.x_0_d1]);
      r1.put(v0);
    }
    const f32 v1 = red::sum<f32>::result(r1.result());
    prim::store(a.y_0[d0], v1);
  }
}
