
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  u8 * scratch;
  i64 part_4;
  const f32 * a_0;
  const f32 * b_0;
  f32 * y_0;
  ix m0;
};

struct reduce_sum_f32 : red::plain<f32, true> {
  FN f32 identity() { return -0.0f; }
  FN f32 empty() { return 0.0f; }
  FN f32 join(f32 x, f32 y) { return prim::add(x, y); }
  FN f32 put(f32 a, f32 x, i64) { return join(a, x); }
};

// A warp for each block of 4096 positions of i0, i1.
extern "C" __global__ void __launch_bounds__(256) oneloop_fullsum_1(const __grid_constant__ args a) {
  reduce_sum_f32::acc *const part_4 = (reduce_sum_f32::acc *)(a.scratch + a.part_4);
  const int lane = threadIdx.x % 32;
  const ix warp = (ix)blockIdx.x * 8 + threadIdx.x / 32, warps = (ix)gridDim.x * 8;
  for (ix b = warp; b < (a.m0 + 4095) / 4096; b += warps) {
    red::lanes<reduce_sum_f32, f32> r4;
    red::block<4>(b, a.m0, lane, [&](ix i, int half) {
      const ix d0 = i;
      const f32 v0 = prim::load(a.a_0[d0]);
      const f32 v1 = prim::load(a.b_0[d0]);
      const f32 v2 = prim::sub(v0, v1);
      const f32 v3 = prim::mul(v2, v2);
      r4.put(half, v3, i);
    });
    const reduce_sum_f32::acc p4 = r4.fold();
    if (lane == 0) {
      part_4[b] = p4;
    }
  }
}

// One block combines the results of the blocks.
extern "C" __global__ void __launch_bounds__(1024) oneloop_fullsum_2(const __grid_constant__ args a) {
  reduce_sum_f32::acc *const part_4 = (reduce_sum_f32::acc *)(a.scratch + a.part_4);
  const f32 v4 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(part_4, (a.m0 + 4095) / 4096));
  if (threadIdx.x == 0) {
    prim::store(a.y_0[0], v4);
  }
}
