// Loops over a function of a BLAS library, so that a call costs as little as it
// does in C.
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t m, n, k, lda, ldb, ldc, transA, transB, batch, strideA, strideB, strideC;
  int64_t wide; // the library takes integers of 64 bits
  void *a, *b, *c, *bias, *gemm, *gemv;
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

// GEMV multiplies a matrix, stored in ROWS rows of COLS elements, or its transpose, by a vector.
#define GEMV(REAL, INT, TRANS, ROWS, COLS, LD, MATRIX, X)                                                             \
  ((void (*)(int, int, INT, INT, REAL, const REAL *, INT, const REAL *, INT, REAL, REAL *, INT))j->gemv)(            \
      row_major, plain + (TRANS), ROWS, COLS, 1, MATRIX, LD, X, 1, 0, c, 1)

#define GEMM(REAL, INT)                                                                                              \
  ((void (*)(int, int, int, INT, INT, INT, REAL, const REAL *, INT, const REAL *, INT, REAL, REAL *, INT))j->gemm)(  \
      row_major, plain + j->transA, plain + j->transB, j->m, j->n, j->k, 1, a, j->lda, b, j->ldb, 0, c, j->ldc)

#define CALLS(REAL, INT)                                                                                             \
  do {                                                                                                               \
    for (size_t r = 0; r < reps; r++) {                                                                              \
      for (int64_t i = 0; i < j->batch; i++) {                                                                       \
        const REAL *a = (REAL *)j->a + i * j->strideA, *b = (REAL *)j->b + i * j->strideB;                           \
        REAL *c = (REAL *)j->c + i * j->strideC;                                                                     \
        if (j->gemv && j->n == 1)                                                                                    \
          GEMV(REAL, INT, j->transA, j->transA ? j->k : j->m, j->transA ? j->m : j->k, j->lda, a, b);                \
        else if (j->gemv && j->m == 1)                                                                               \
          GEMV(REAL, INT, !j->transB, j->transB ? j->n : j->k, j->transB ? j->k : j->n, j->ldb, b, a);               \
        else                                                                                                         \
          GEMM(REAL, INT);                                                                                           \
      }                                                                                                              \
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
