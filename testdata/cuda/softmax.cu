
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  i64 row_2;
  i64 part_1;
  i64 part_15;
  const f32 * x_0;
  f32 * y_0;
  ix m0;
  ix m1;
  ix x_0_d0;
  ix m2;
  ix m3;
  ix y_0_d0;
};

struct reduce_max_f32 : red::plain<f32, false> {
  FN f32 identity() { return prim::bitcast<f32>(0xff800000u); }
  FN f32 empty() { return prim::bitcast<f32>(0xff800000u); }
  FN f32 join(f32 x, f32 y) { return prim::max(x, y); }
  FN f32 put(f32 a, f32 x, i64) { return join(a, x); }
};
struct reduce_sum_f32 : red::plain<f32, true> {
  FN f32 identity() { return -0.0f; }
  FN f32 empty() { return 0.0f; }
  FN f32 join(f32 x, f32 y) { return prim::add(x, y); }
  FN f32 put(f32 a, f32 x, i64) { return join(a, x); }
};

// The rows along i0.
extern "C" __global__ void __launch_bounds__(256) oneloop_softmax(const __grid_constant__ args a) {
  const int lane = threadIdx.x % 32;
  const int slot = 0, thread = threadIdx.x, warp = threadIdx.x / 32, warps = 8; // of the rows at work, of the row
  const ix first = thread, step = 256;
  u8 *const shared = prim::shared();
  f32 *const row_e = (f32 *)(shared + a.row_2);
  f32 *const copy_0 = (f32 *)row_e;
  reduce_max_f32::acc *const part_1 = (reduce_max_f32::acc *)(shared + a.part_1);
  reduce_sum_f32::acc *const part_15 = (reduce_sum_f32::acc *)(shared + a.part_15);
  for (ix row = (ix)blockIdx.x * 1 + slot; row < a.m0; row += (ix)gridDim.x * 1) {
    const ix d0 = row;
    reduce_max_f32::acc r1 = reduce_max_f32::identity();
    for (ix i = first; i < a.m1 / 4; i += step) {
      const ix at = i*4;
      const pack<f32, 4> x0 = *(const pack<f32, 4> *)&a.x_0[d0*a.x_0_d0 + at];
      *(pack<f32, 4> *)&copy_0[at] = x0;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const ix d1 = at + j;
        const f32 v0 = prim::load(x0.at[j]);
        r1 = reduce_max_f32::put(r1, v0, i * 4 + j);
      }
    }
    const f32 v1 = reduce_max_f32::result(red::across<reduce_max_f32>(part_1, r1));
    __syncthreads();
    for (ix i = first; i < a.m2 / 4; i += step) {
      const ix at = i*4;
      const pack<f32, 4> x1 = *(const pack<f32, 4> *)&copy_0[at];
      pack<f32, 4> x2;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const ix d2 = at + j;
        const f32 v2 = prim::load(x1.at[j]);
        const f32 v3 = prim::sub(v2, v1);
        const f32 v4 = 1.442695f;
        const f32 v5 = prim::mul(v3, v4);
        const f32 v6 = prim::rint(v5);
        const f32 v7 = -0.6931472f;
        const f32 v8 = prim::fma(v6, v7, v3);
        const f32 v9 = 0.5f;
        const f32 v10 = 1.0f;
        const f32 v11 = prim::fma(v8, v9, v10);
        const f32 v12 = prim::fma(v8, v11, v10);
        const i32 v13 = prim::cvt<i32>(v6);
        const f32 v14 = prim::scale(v12, v13);
        prim::store(x2.at[j], v14);
      }
      *(pack<f32, 4> *)&row_e[at] = x2;
    }
    __syncthreads();
    for (ix b = warp; b < (a.m2 + 4095) / 4096; b += warps) {
      red::lanes<reduce_sum_f32, f32> r15;
      red::block<16>(b, a.m2, lane, [&](ix i, int half) { r15.put(half, row_e[i], i); });
      const reduce_sum_f32::acc p15 = r15.fold();
      if (lane == 0) part_15[b] = p15;
    }
    const f32 v15 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(part_15, (a.m2 + 4095) / 4096));
    __syncthreads();
    for (ix i = first; i < a.m3 / 4; i += step) {
      const ix at = i*4;
      const pack<f32, 4> x3 = *(const pack<f32, 4> *)&row_e[at];
      pack<f32, 4> x4;
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const ix d3 = at + j;
        const f32 v16 = prim::load(x3.at[j]);
        const f32 v17 = prim::div(v16, v15);
        prim::store(x4.at[j], v17);
      }
      *(pack<f32, 4> *)&a.y_0[d0*a.y_0_d0 + at] = x4;
    }
    __syncthreads();
  }
}
