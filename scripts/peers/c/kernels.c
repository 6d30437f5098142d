// The benchmark workloads as plain C loops, the way a careful C programmer
// writes them: restrict pointers, sizes known, no intrinsics. This file is
// compiled once for each element type, with REAL and NAME(x) defined.
#include <math.h>
#include <stddef.h>

#define SQRT(x) _Generic((x), float: sqrtf, double: sqrt)(x)

// ENTRY defines what the Go side calls: reps runs of a loop over r x c elements.
// The barrier keeps the runs from being merged.
#define ENTRY(name, call)                                                      \
  void NAME(name)(size_t reps, size_t r, size_t c, REAL **a, const double *s) { \
    for (size_t i = 0; i < reps; i++) {                                        \
      call;                                                                    \
      __asm__ volatile("" ::: "memory");                                       \
    }                                                                          \
  }

static __attribute__((noinline)) void do_update(size_t n, REAL *restrict w, const REAL *restrict g, REAL eta, REAL lam) {
  for (size_t i = 0; i < n; i++)
    w[i] += -eta * (g[i] + lam * w[i]);
}
ENTRY(update, do_update(r * c, a[0], a[1], s[0], s[1]))

static __attribute__((noinline)) void do_six(size_t n, REAL *restrict y, const REAL *restrict b, const REAL *restrict c,
                                             const REAL *restrict d, const REAL *restrict e, const REAL *restrict f,
                                             const REAL *restrict g) {
  for (size_t i = 0; i < n; i++)
    y[i] = b[i] * c[i] + d[i] * e[i] - f[i] / g[i];
}
ENTRY(six, do_six(r * c, a[0], a[1], a[2], a[3], a[4], a[5], a[6]))

static __attribute__((noinline)) void do_add(size_t n, REAL *restrict y, const REAL *restrict b, const REAL *restrict c) {
  for (size_t i = 0; i < n; i++)
    y[i] = b[i] + c[i];
}
ENTRY(add, do_add(r * c, a[0], a[1], a[2]))

static __attribute__((noinline)) void do_sumsq(size_t n, REAL *restrict y, const REAL *restrict a, const REAL *restrict b) {
  REAL sum = 0;
  for (size_t i = 0; i < n; i++) {
    REAL d = a[i] - b[i];
    sum += d * d;
  }
  *y = sum;
}
ENTRY(sumsq, do_sumsq(r * c, a[0], a[1], a[2]))

static __attribute__((noinline)) void do_adam(size_t n, REAL *restrict w, REAL *restrict m, REAL *restrict v,
                                              const REAL *restrict g, REAL b1, REAL b2, REAL lrt, REAL eps) {
  const REAL c1 = 1 - b1, c2 = 1 - b2;
  for (size_t i = 0; i < n; i++) {
    REAL x = g[i];
    REAL mi = b1 * m[i] + c1 * x;
    REAL vi = b2 * v[i] + c2 * x * x;
    m[i] = mi;
    v[i] = vi;
    w[i] -= lrt * mi / (SQRT(vi) + eps);
  }
}
ENTRY(adam, do_adam(r * c, a[0], a[1], a[2], a[3], s[0], s[1], s[2], s[3]))

static __attribute__((noinline)) void do_stencil(size_t r, size_t c, REAL *restrict v, const REAL *restrict u, REAL k) {
  for (size_t i = 1; i + 1 < r; i++) {
    const REAL *up = u + (i - 1) * c, *at = u + i * c, *down = u + (i + 1) * c;
    REAL *restrict out = v + i * c;
    for (size_t j = 1; j + 1 < c; j++)
      out[j] = at[j] + k * (up[j] + down[j] + at[j - 1] + at[j + 1] - 4 * at[j]);
  }
}
ENTRY(stencil, do_stencil(r, c, a[0], a[1], s[0]))

static __attribute__((noinline)) void do_broadcast(size_t r, size_t c, REAL *restrict y, const REAL *restrict x,
                                                   const REAL *restrict row, const REAL *restrict col) {
  for (size_t i = 0; i < r; i++) {
    REAL k = col[i];
    for (size_t j = 0; j < c; j++)
      y[i * c + j] = x[i * c + j] * row[j] + k;
  }
}
ENTRY(broadcast, do_broadcast(r, c, a[0], a[1], a[2], a[3]))

// Tiles of 16 rows and columns are what gcc does best with.
enum { TILE = 16 };

static __attribute__((noinline)) void do_transposed(size_t n, REAL *restrict y, const REAL *restrict b, const REAL *restrict c) {
  for (size_t i0 = 0; i0 < n; i0 += TILE)
    for (size_t j0 = 0; j0 < n; j0 += TILE) {
      size_t ie = i0 + TILE < n ? i0 + TILE : n, je = j0 + TILE < n ? j0 + TILE : n;
      for (size_t i = i0; i < ie; i++)
        for (size_t j = j0; j < je; j++)
          y[i * n + j] = b[i * n + j] + c[j * n + i];
    }
}
ENTRY(transposed, do_transposed(r, a[0], a[1], a[2]))
