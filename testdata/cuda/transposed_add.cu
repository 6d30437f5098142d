
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  i64 tile_1;
  const f32 * c_0;
  const f32 * b_0;
  f32 * a_0;
  ix e0;
  ix e1;
  ix tiles0;
  divisor t1;
  divisor t0;
  ix c_0_d1;
  ix b_0_d0;
  ix a_0_d0;
};

// A thread for each position of i0, i1, or several.
extern "C" __global__ void __launch_bounds__(256) oneloop_transposed_add(const __grid_constant__ args a) {
  u8 *const shared = prim::shared();
  f32 (*const tile_1)[33] = (f32 (*)[33])(shared + a.tile_1);
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (ix tile = blockIdx.x; tile < a.tiles0; tile += gridDim.x) {
    const ix c = prim::quo(tile, a.t1), left = (tile - c*a.t1.n) * 32;
    const ix r = prim::quo(c, a.t0), top = (c - r*a.t0.n) * 32;
    f32 x1[4] = {};
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const int j = y + 8*k;
      const ix d0 = top + x, d1 = left + j;
      if (d0 < a.e0 && d1 < a.e1) x1[k] = a.c_0[d0 + d1*a.c_0_d1];
    }
    f32 x0[4] = {};
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const int j = y + 8*k;
      const ix d0 = top + j, d1 = left + x;
      if (d0 < a.e0 && d1 < a.e1) x0[k] = a.b_0[d0*a.b_0_d0 + d1];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      tile_1[y + 8*k][x] = x1[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const int j = y + 8*k;
      const ix d0 = top + j, d1 = left + x;
      if (d0 < a.e0 && d1 < a.e1) {
        const f32 v0 = prim::load(x0[k]);
        const f32 v1 = prim::load(tile_1[x][j]);
        const f32 v2 = prim::add(v0, v1);
        prim::store(a.a_0[d0*a.a_0_d0 + d1], v2);
      }
    }
    __syncthreads();
  }
}
