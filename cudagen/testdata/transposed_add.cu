
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  const f32 * b_0;
  const f32 * c_0;
  f32 * a_0;
  ix m0;
  divisor n1_4;
  ix b_0_d0;
  ix c_0_d1;
  ix a_0_d0;
};

// A thread for each position of i0, i1.
extern "C" __global__ void __launch_bounds__(256) oneloop_transposed_add(const __grid_constant__ args a) {
  const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
  for (ix i = first; i < a.m0 / 4; i += step) {
    const ix q1 = prim::quo(i, a.n1_4);
    const ix d0 = q1;
    const ix at = (i - q1*a.n1_4.n)*4;
    const pack<f32, 4> x0 = *(const pack<f32, 4> *)&a.b_0[d0*a.b_0_d0 + at];
    pack<f32, 4> x2;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const ix d1 = at + j;
      const f32 v0 = prim::load(x0.at[j]);
      const f32 v1 = prim::load(a.c_0[d0 + d1*a.c_0_d1]);
      const f32 v2 = prim::add(v0, v1);
      prim::store(x2.at[j], v2);
    }
    *(pack<f32, 4> *)&a.a_0[d0*a.a_0_d0 + at] = x2;
  }
}
