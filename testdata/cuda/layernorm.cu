
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  i64 p0;
  u64 s0;
  i64 copy_0;
  i64 part_4;
  i64 part_9;
  const f32 * x_0;
  const f32 * gamma_0;
  const f32 * beta_0;
  f32 * y_0;
  ix m0;
  ix m1;
  ix x_0_d0;
  ix m2;
  ix m3;
  ix y_0_d0;
};

struct reduce_sum_f32 : red::plain<f32, true> {
  FN f32 identity() { return -0.0f; }
  FN f32 empty() { return 0.0f; }
  FN f32 join(f32 x, f32 y) { return prim::add(x, y); }
  FN f32 put(f32 a, f32 x, i64) { return join(a, x); }
};

// The rows along i0.
extern "C" __global__ void __launch_bounds__(256) oneloop_layernorm(const __grid_constant__ args a) {
  const i64 v0 = (i64)(ix)a.p0;
  const f32 v1 = prim::cvt<f32>(v0);
  const f32 v2 = prim::bitcast<f32>((u32)a.s0);
  const int lane = threadIdx.x % 32;
  const int slot = 0, thread = threadIdx.x, warp = threadIdx.x / 32, warps = 8; // of the rows at work, of the row
  const ix first = thread, step = 256;
  u8 *const shared = prim::shared();
  f32 *const copy_0 = (f32 *)(shared + a.copy_0);
  reduce_sum_f32::acc *const part_4 = (reduce_sum_f32::acc *)(shared + a.part_4);
  reduce_sum_f32::acc *const part_9 = (reduce_sum_f32::acc *)(shared + a.part_9);
  for (ix row = (ix)blockIdx.x * 1 + slot; row < a.m0; row += (ix)gridDim.x * 1) {
    const ix d0 = row;
    for (ix i = first; i < a.m1 / 4; i += 4*step) {
      pack<f32, 4> x1[4];
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const ix at = (i + k*step) * 4;
        if (i + k*step < a.m1 / 4) x1[k] = *(pack<f32, 4> *)&a.x_0[d0*a.x_0_d0 + at];
      }
#pragma unroll
      for (int k = 0; k < 4; k++) {
        const ix at = (i + k*step) * 4;
        if (i + k*step < a.m1 / 4) *(pack<f32, 4> *)&copy_0[at] = x1[k];
      }
    }
    __syncthreads();
    for (ix b = warp; b < (a.m1 + 4095) / 4096; b += warps) {
      red::lanes<reduce_sum_f32, f32> r4;
      red::block<4>(b, a.m1, lane, [&](ix i, int half) {
        const ix d1 = i;
        const f32 v3 = prim::load(copy_0[d1]);
        r4.put(half, v3, i);
      });
      const reduce_sum_f32::acc p4 = r4.fold();
      if (lane == 0) {
        part_4[b] = p4;
      }
    }
    const f32 v4 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(part_4, (a.m1 + 4095) / 4096));
    __syncthreads();
    const f32 v5 = prim::div(v4, v1);
    for (ix b = warp; b < (a.m2 + 4095) / 4096; b += warps) {
      red::lanes<reduce_sum_f32, f32> r9;
      red::block<4>(b, a.m2, lane, [&](ix i, int half) {
        const ix d2 = i;
        const f32 v6 = prim::load(copy_0[d2]);
        const f32 v7 = prim::sub(v6, v5);
        const f32 v8 = prim::mul(v7, v7);
        r9.put(half, v8, i);
      });
      const reduce_sum_f32::acc p9 = r9.fold();
      if (lane == 0) {
        part_9[b] = p9;
      }
    }
    const f32 v9 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(part_9, (a.m2 + 4095) / 4096));
    __syncthreads();
    const f32 v10 = prim::div(v9, v1);
    const f32 v11 = prim::add(v10, v2);
    const f32 v12 = prim::sqrt(v11);
    for (ix i = first; i < a.m3 / 4; i += step) {
      const ix at = i*4;
      const pack<f32, 4> x3 = *(const pack<f32, 4> *)&copy_0[at];
      const pack<f32, 4> x4 = *(const pack<f32, 4> *)&a.gamma_0[at];
      const pack<f32, 4> x5 = *(const pack<f32, 4> *)&a.beta_0[at];
      pack<f32, 4> x6;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const ix d3 = at + j;
        const f32 v13 = prim::load(x3.at[j]);
        const f32 v14 = prim::sub(v13, v5);
        const f32 v15 = prim::div(v14, v12);
        const f32 v16 = prim::load(x4.at[j]);
        const f32 v17 = prim::mul(v15, v16);
        const f32 v18 = prim::load(x5.at[j]);
        const f32 v19 = prim::add(v17, v18);
        prim::store(x6.at[j], v19);
      }
      *(pack<f32, 4> *)&a.y_0[d0*a.y_0_d0 + at] = x6;
    }
    __syncthreads();
  }
}
