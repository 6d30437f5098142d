// A stand-in for cuBLAS, for tests: plain loops over memory of the stand-in for
// the driver, after what the stream has queued.

#include "drain.h"

#include <stddef.h>

int cublasCreate_v2(void **h) {
  static int handle;
  *h = &handle;
  return 0;
}

int cublasDestroy_v2(void *h) { return 0; }

static void *stream;

int cublasSetStream_v2(void *h, void *s) {
  stream = s;
  return 0;
}

int cublasSetWorkspace_v2(void *h, void *p, size_t n) { return p && n ? 0 : 7; }

int cublasSetMathMode(void *h, int mode) { return 0; }

int cublasGetProperty(int part, int *v) {
  *v = part == 0 ? 13 : 0;
  return 0;
}

const char *cublasGetStatusName(int r) { return r == 7 ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS"; }

#define AT(p, trans, ld, i, j) ((trans) ? (p)[(j) + (size_t)(i) * (ld)] : (p)[(i) + (size_t)(j) * (ld)])

#define GEMM(name, T)                                                                                                     \
  int name##StridedBatched(void *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, long long sa,  \
                           const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int batch) {       \
    if (lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return 7;                                         \
    drain(stream);                                                                                                           \
    for (int x = 0; x < batch; x++, a += sa, b += sb, c += sc)                                                               \
      for (int j = 0; j < n; j++) {                                                                                          \
        for (int i = 0; i < m; i++) {                                                                                        \
          T sum = 0;                                                                                                         \
          for (int l = 0; l < k; l++) sum += AT(a, ta, lda, i, l) * AT(b, tb, ldb, l, j);                                    \
          T old = *beta == 0 ? 0 : *beta * c[i + (size_t)j * ldc];                                                           \
          c[i + (size_t)j * ldc] = *alpha * sum + old;                                                                             \
        }                                                                                                                    \
        wrote(c + (size_t)j * ldc, m * sizeof(T));                                                                           \
      }                                                                                                                      \
    return 0;                                                                                                                \
  }                                                                                                                          \
  int name##_v2(void *h, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,      \
                const T *beta, T *c, int ldc) {                                                                              \
    return name##StridedBatched(h, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                        \
  }

GEMM(cublasSgemm, float)
GEMM(cublasDgemm, double)
