
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  i64 row_2;
  i64 size_0;
  const f32 * x_0;
  const f32 * x_1;
  f32 * y_0;
  ix m0;
  ix m1;
  ix x_0_d0;
  ix m2;
  ix x_1_d0;
  ix m3;
  ix y_0_d0;
};

// The rows along i0.
extern "C" __global__ void __launch_bounds__(256) oneloop_softmax(const __grid_constant__ args a) {
  const int lane = threadIdx.x % 32;
  const int slot = threadIdx.x / 32, thread = lane; // of the rows at work, of the row
  const ix first = thread, step = 32;
  u8 *const shared = prim::shared();
  f32 *const row_e = (f32 *)(shared + a.row_2 + slot * a.size_0);
  for (ix row = (ix)blockIdx.x * 8 + slot; row < a.m0; row += (ix)gridDim.x * 8) {
    const ix d0 = row;
    red::lanes<red::max<f32>, f32> r1;
    red::block<4>((ix)0, a.m1, lane, [&](ix i, int half) {
      const ix d1 = i;
      const f32 v0 = prim::load(a.x_0[d0*a.x_0_d0 + d1]);
      r1.put(half, v0, i);
    });
    const f32 v1 = red::max<f32>::result(a.m1 ? r1.fold() : red::max<f32>::empty());
    __syncwarp();
    red::lanes<red::sum<f32>, f32> r15;
    red::block<4>((ix)0, a.m2, lane, [&](ix i, int half) {
      const ix d2 = i;
      const f32 v2 = prim::load(a.x_1[d0*a.x_1_d0 + d2]);
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
      prim::store(row_e[d2], v14);
      r15.put(half, v14, i);
    });
    const f32 v15 = red::sum<f32>::result(a.m2 ? r15.fold() : red::sum<f32>::empty());
    __syncwarp();
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
    __syncwarp();
  }
}
