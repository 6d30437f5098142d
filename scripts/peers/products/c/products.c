// Loops over a function of a BLAS library, so that a call costs as little as it
// does in C.
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t m, n, k, lda, ldb, ldc, transA, transB, batch, strideA, strideB, strideC;
  int64_t wide; // the library takes integers of 64 bits
  void *a, *b, *c, *bias, *gemm;
} job;

#define LAYER(REAL)                                                            \
  do {                                                                         \
    const REAL *restrict bias = j->bias;                                       \
    for (int64_t i = 0; j->bias && i < j->batch * j->m; i++) {                 \
      REAL *restrict c = (REAL *)j->c + i * j->ldc;                            \
      for (int64_t k = 0; k < j->n; k++) {                                     \
        REAL x = c[k] + bias[k];                                               \
        c[k] = x > 0 ? x : 0;                                                  \
      }                                                                        \
    }                                                                          \
  } while (0)

enum { row_major = 101, plain = 111, transposed = 112 };

#define CALLS(REAL, INT)                                                                                             \
  do {                                                                                                               \
    typedef void (*gemm)(int, int, int, INT, INT, INT, REAL, const REAL *, INT, const REAL *, INT, REAL, REAL *, INT); \
    for (size_t r = 0; r < reps; r++) {                                                                              \
      for (int64_t i = 0; i < j->batch; i++)                                                                         \
        ((gemm)j->gemm)(row_major, plain + j->transA, plain + j->transB, j->m, j->n, j->k, 1,                         \
                        (REAL *)j->a + i * j->strideA, j->lda, (REAL *)j->b + i * j->strideB, j->ldb, 0,             \
                        (REAL *)j->c + i * j->strideC, j->ldc);                                                      \
      LAYER(REAL);                                                                                                   \
    }                                                                                                                \
  } while (0)

void run_f32(size_t reps, const job *j) {
  if (j->wide)
    CALLS(float, int64_t);
  else
    CALLS(float, int32_t);
}

void run_f64(size_t reps, const job *j) {
  if (j->wide)
    CALLS(double, int64_t);
  else
    CALLS(double, int32_t);
}
