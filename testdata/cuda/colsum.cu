
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  u8 * scratch;
  i64 runs_1;
  const f32 * x_0;
  f32 * y_0;
  ix threads0;
  divisor lanes0;
  ix m1;
  ix x_0_d1;
  ix m0;
};

struct reduce_sum_f32 : red::plain<f32, true> {
  FN f32 identity() { return -0.0f; }
  FN f32 empty() { return 0.0f; }
  FN f32 join(f32 x, f32 y) { return prim::add(x, y); }
  FN f32 put(f32 a, f32 x, i64) { return join(a, x); }
};

// A thread for each run of 64 positions of the columns along i1.
extern "C" __global__ void __launch_bounds__(256) oneloop_colsum_1(const __grid_constant__ args a) {
  const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
  reduce_sum_f32::acc *const runs_1 = (reduce_sum_f32::acc *)(a.scratch + a.runs_1);
  for (ix t = first; t < a.threads0; t += step) {
    const ix run = prim::quo(t, a.lanes0), i = t - run*a.lanes0.n;
    const ix d0 = i;
    reduce_sum_f32::acc r1 = reduce_sum_f32::identity();
    for (ix k = run * 64; k < prim::min(run * 64 + 64, a.m1); k++) {
      const ix d1 = k;
      const f32 v0 = prim::load(a.x_0[d0 + d1*a.x_0_d1]);
      r1 = reduce_sum_f32::put(r1, v0, k);
    }
    runs_1[run * a.lanes0.n + i] = r1;
  }
}

// A block for each column along i1 combines the runs.
extern "C" __global__ void __launch_bounds__(256) oneloop_colsum_2(const __grid_constant__ args a) {
  reduce_sum_f32::acc *const runs_1 = (reduce_sum_f32::acc *)(a.scratch + a.runs_1);
  const ix column = threadIdx.x % 1, thread = threadIdx.x / 1; // of the columns at work, of the column
  for (ix left = (ix)blockIdx.x * 1; left < a.m0; left += (ix)gridDim.x * 1) {
    const ix i = prim::min(left + column, a.m0 - 1);
    const ix d0 = i;
    const f32 v1 = reduce_sum_f32::result(red::tree<reduce_sum_f32>(runs_1 + i, (a.m1 + 63) / 64, a.m0, left + column < a.m0 ? thread : (a.m1 + 63) / 64, (ix)256));
    if (thread == 0 && left + column < a.m0) {
      prim::store(a.y_0[d0], v1);
    }
  }
}
