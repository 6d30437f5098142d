
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  u64 s0;
  u64 s1;
  u64 s2;
  u64 s3;
  u64 s4;
  u64 s5;
  u64 s6;
  const f32 * g_0;
  f32 * m_0;
  f32 * v_0;
  f32 * w_0;
  f32 * m_1;
  f32 * v_1;
  f32 * w_1;
  ix m0;
};

// A thread for each position of i0, or several.
extern "C" __global__ void __launch_bounds__(256) oneloop_adam(const __grid_constant__ args a) {
  const f32 v0 = prim::bitcast<f32>((u32)a.s0);
  const f32 v1 = prim::bitcast<f32>((u32)a.s1);
  const f32 v2 = prim::bitcast<f32>((u32)a.s2);
  const f32 v3 = prim::bitcast<f32>((u32)a.s3);
  const f32 v4 = prim::bitcast<f32>((u32)a.s4);
  const f32 v5 = prim::bitcast<f32>((u32)a.s5);
  const f32 v6 = prim::bitcast<f32>((u32)a.s6);
  const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
  for (ix i = first; i < a.m0 / 4; i += step) {
    const ix at = i*4;
    const pack<f32, 4> x0 = *(const pack<f32, 4> *)&a.g_0[at];
    const pack<f32, 4> x1 = *(const pack<f32, 4> *)&a.m_0[at];
    const pack<f32, 4> x2 = *(const pack<f32, 4> *)&a.v_0[at];
    const pack<f32, 4> x3 = *(const pack<f32, 4> *)&a.w_0[at];
    pack<f32, 4> x4;
    pack<f32, 4> x5;
    pack<f32, 4> x6;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const ix d0 = at + j;
      const f32 v7 = prim::load(x0.at[j]);
      const f32 v8 = prim::load(x1.at[j]);
      const f32 v9 = prim::mul(v0, v8);
      const f32 v10 = prim::mul(v1, v7);
      const f32 v11 = prim::add(v9, v10);
      const f32 v12 = prim::load(x2.at[j]);
      const f32 v13 = prim::mul(v2, v12);
      const f32 v14 = prim::mul(v7, v7);
      const f32 v15 = prim::mul(v3, v14);
      const f32 v16 = prim::add(v13, v15);
      const f32 v17 = prim::mul(v16, v5);
      const f32 v18 = prim::sqrt(v17);
      const f32 v19 = prim::add(v18, v6);
      const f32 v20 = prim::mul(v4, v11);
      const f32 v21 = prim::div(v20, v19);
      const f32 v22 = prim::load(x3.at[j]);
      const f32 v23 = prim::sub(v22, v21);
      prim::store(x4.at[j], v11);
      prim::store(x5.at[j], v16);
      prim::store(x6.at[j], v23);
    }
    *(pack<f32, 4> *)&a.m_1[at] = x4;
    *(pack<f32, 4> *)&a.v_1[at] = x5;
    *(pack<f32, 4> *)&a.w_1[at] = x6;
  }
}
