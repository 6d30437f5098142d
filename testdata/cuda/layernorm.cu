
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  i64 p0;
  u64 s0;
  i64 part_4;
  i64 stage_4;
  i64 part_9;
  i64 stage_9;
  const f32 * x_0;
  const f32 * x_1;
  const f32 * x_2;
  const f32 * gamma_0;
  const f32 * beta_0;
  f32 * y_0;
  ix m0;
  ix m1;
  ix x_0_d0;
  ix m2;
  ix x_1_d0;
  ix m3;
  ix x_2_d0;
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
  reduce_sum_f32::acc *const part_4 = (reduce_sum_f32::acc *)(shared + a.part_4);
  f32 *const stage_4 = (f32 *)(shared + a.stage_4);
  reduce_sum_f32::acc *const part_9 = (reduce_sum_f32::acc *)(shared + a.part_9);
  f32 *const stage_9 = (f32 *)(shared + a.stage_9);
  for (ix row = (ix)blockIdx.x * 1 + slot; row < a.m0; row += (ix)gridDim.x * 1) {
    const ix d0 = row;
    for (ix b = 0; b < (a.m1 + 4095) / 4096; b++) {
      const ix begin = b * 4096, end = prim::min(begin + 4096, a.m1);
      for (ix i = begin / 4 + first; i < end / 4; i += step) {
        const ix at = i*4;
        const pack<f32, 4> x1 = *(const pack<f32, 4> *)&a.x_0[d0*a.x_0_d0 + at];
        pack<f32, 4> s4[1];
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const ix d1 = at + j;
          const f32 v3 = prim::load(x1.at[j]);
          s4[j / 4].at[j % 4] = v3;
        }
        *(pack<f32, 4> *)&stage_4[b % 2 * 4096 + i * 4 + 0 - begin] = s4[0];
      }
      __syncthreads();
      if (warp == b % warps) {
        const reduce_sum_f32::acc p4 = red::staged<reduce_sum_f32>(stage_4 + b % 2 * 4096, (int)(end - begin), lane);
        if (lane == 0) part_4[b] = p4;
      }
    }
    const f32 v4 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(part_4, (a.m1 + 4095) / 4096));
    __syncthreads();
    const f32 v5 = prim::div(v4, v1);
    for (ix b = 0; b < (a.m2 + 4095) / 4096; b++) {
      const ix begin = b * 4096, end = prim::min(begin + 4096, a.m2);
      for (ix i = begin / 4 + first; i < end / 4; i += step) {
        const ix at = i*4;
        const pack<f32, 4> x2 = *(const pack<f32, 4> *)&a.x_1[d0*a.x_1_d0 + at];
        pack<f32, 4> s9[1];
#pragma unroll
        for (int j = 0; j < 4; j++) {
          const ix d2 = at + j;
          const f32 v6 = prim::load(x2.at[j]);
          const f32 v7 = prim::sub(v6, v5);
          const f32 v8 = prim::mul(v7, v7);
          s9[j / 4].at[j % 4] = v8;
        }
        *(pack<f32, 4> *)&stage_9[b % 2 * 4096 + i * 4 + 0 - begin] = s9[0];
      }
      __syncthreads();
      if (warp == b % warps) {
        const reduce_sum_f32::acc p9 = red::staged<reduce_sum_f32>(stage_9 + b % 2 * 4096, (int)(end - begin), lane);
        if (lane == 0) part_9[b] = p9;
      }
    }
    const f32 v9 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(part_9, (a.m2 + 4095) / 4096));
    __syncthreads();
    const f32 v10 = prim::div(v9, v1);
    const f32 v11 = prim::add(v10, v2);
    const f32 v12 = prim::sqrt(v11);
    for (ix i = first; i < a.m3 / 4; i += step) {
      const ix at = i*4;
      const pack<f32, 4> x3 = *(const pack<f32, 4> *)&a.x_2[d0*a.x_2_d0 + at];
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
