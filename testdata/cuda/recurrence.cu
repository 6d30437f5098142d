
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  u64 s0;
  const f32 * first_0;
  const f32 * x_0;
  f32 * y_0;
  f32 * last_0;
  f32 * before_0;
  i64 * ups_0;
  ix m0;
  ix e1;
  ix x_0_d1;
  ix y_0_d1;
};

// A thread for each position of i1, or several.
extern "C" __global__ void __launch_bounds__(256) oneloop_recurrence(const __grid_constant__ args a) {
  const f32 v0 = prim::bitcast<f32>((u32)a.s0);
  const f32 v1 = 0.0f;
  const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
  for (ix i = first; i < a.m0; i += step) {
    const ix d0 = i;
    const f32 v2 = prim::load(a.first_0[d0]);
    const i64 v3 = 0ll;
    f32 v4 = v2;
    f32 v5 = v1;
    i64 v6 = v3;
    for (ix d1 = 0; d1 < a.e1; d1++) {
      const f32 v7 = prim::load(a.x_0[d0 + d1*a.x_0_d1]);
      const f32 v8 = prim::mul(v0, v4);
      const f32 v9 = prim::add(v8, v7);
      prim::store(a.y_0[d0 + d1*a.y_0_d1], v9);
      const bool v10 = prim::lt(v5, v9);
      const i64 v11 = prim::cvt<i64>(v10);
      const i64 v12 = prim::add(v6, v11);
      const f32 n13 = v9;
      const f32 n14 = v4;
      const i64 n15 = v12;
      v4 = n13;
      v5 = n14;
      v6 = n15;
    }
    const f32 v13 = v4;
    const f32 v14 = v5;
    const i64 v15 = v6;
    prim::store(a.last_0[d0], v13);
    prim::store(a.before_0[d0], v14);
    prim::store(a.ups_0[d0], v15);
  }
}
