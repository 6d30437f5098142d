
typedef i32 ix;
typedef divisor32 divisor;

struct args {
  i64 p4;
  i64 p5;
  const f32 * x_0;
  f32 * y_0;
  ix m0;
  divisor n3;
  divisor n2;
  divisor n1;
  ix f0_d0;
  ix f1_d2;
  ix x_0_d0;
  ix x_0_d2;
  divisor q3;
  divisor q2;
  divisor q1;
  divisor q0;
  ix x_e2;
  ix x_s2;
  ix x_e3;
  ix x_s3;
  ix y_0_d0;
  ix y_0_d1;
  ix y_0_d2;
};

// A thread for each position of row, col, or several.
extern "C" __global__ void __launch_bounds__(256) oneloop_im2col(const __grid_constant__ args a) {
  const f32 v0 = 0.0f;
  const ix first = (ix)blockIdx.x * 256 + threadIdx.x, step = (ix)gridDim.x * 256;
  for (ix i = first; i < a.m0; i += step) {
    const ix q3 = prim::quo(i, a.n3), d3 = i - q3*a.n3.n;
    const ix q2 = prim::quo(q3, a.n2), d2 = q3 - q2*a.n2.n;
    const ix q1 = prim::quo(q2, a.n1), d1 = q2 - q1*a.n1.n;
    const ix d0 = q1;
    const ix at_row = d0*a.f0_d0 + d1;
    const ix at_col = d2*a.f1_d2 + d3;
    const ix c0_2 = ((prim::quo(prim::mod((ix)at_col, a.q3), a.q2) * (ix)a.p4 + prim::quo(prim::mod((ix)at_row, a.q1), a.q0)) + (ix)a.p5 * (ix)-1ll);
    const ix c0_3 = ((prim::mod((ix)at_col, a.q2) * (ix)a.p4 + prim::mod((ix)at_row, a.q0)) + (ix)a.p5 * (ix)-1ll);
    const f32 v1 = c0_2 >= 0 && c0_2 < a.x_e2 && c0_3 >= 0 && c0_3 < a.x_e3 ? prim::load(a.x_0[d0*a.x_0_d0 + d2*a.x_0_d2 + (ix)c0_2*a.x_s2 + (ix)c0_3*a.x_s3]) : v0;
    prim::store(a.y_0[d0*a.y_0_d0 + d1*a.y_0_d1 + d2*a.y_0_d2 + d3], v1);
  }
}
