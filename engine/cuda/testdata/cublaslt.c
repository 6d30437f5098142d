// A stand-in for cuBLASLt, for tests: plain loops over memory of the stand-in for
// the driver, after what the stream has queued. It knows the epilogue that adds a bias, and refuses what the
// library would refuse or might misread.
//
// A test can make a call fail by standinLtFail, and ask for counts.

#include "drain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { success = 0, invalidValue = 7, notSupported = 15 };

typedef struct {
  int compute, scale, transA, transB;
  unsigned epilogue;
  uintptr_t bias;
} Desc;

typedef struct {
  int type, batch;
  uint64_t rows, cols;
  int64_t ld, stride;
} Layout;

typedef struct {
  uint64_t workspace;
  unsigned alignment[4];  // of A, B, C and D
} Preference;

// Algo is what the caller keeps of a choice: what it relies on.
typedef struct {
  uint64_t mark, workspace, alignment[4], bias, unused;
} Algo;

typedef struct {
  Algo algo;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} Heuristic;

static const uint64_t mark = 0x6c74;
static int live, products;
static char failing[64];
static int failure;

// standinLtFail makes a call, by its name, fail until another is named.
void standinLtFail(const char *call, int result) {
  strncpy(failing, call, sizeof failing - 1);
  failure = result;
}

// standinLtLive counts handles and descriptors that were not destroyed.
int standinLtLive(void) { return live; }

// standinLtProducts counts products that were computed.
int standinLtProducts(void) { return products; }

static int enter(const char *call) { return strcmp(call, failing) ? success : failure; }

#define ENTER()                 \
  do {                          \
    int r = enter(__func__);    \
    if (r != success) return r; \
  } while (0)

static int make(void **to, size_t size) {
  *to = calloc(1, size);
  live++;
  return success;
}

static int drop(void *p) {
  if (!p) return invalidValue;
  free(p);
  live--;
  return success;
}

static int set(void *field, size_t size, const void *from, size_t given) {
  if (!from || given != size) return invalidValue;
  memcpy(field, from, size);
  return success;
}

int cublasLtCreate(void **h) {
  ENTER();
  return make(h, 1);
}

int cublasLtDestroy(void *h) { return drop(h); }

size_t cublasLtGetVersion(void) { return 130000; }

const char *cublasLtGetStatusName(int r) {
  return r == invalidValue ? "CUBLAS_STATUS_INVALID_VALUE" : r == notSupported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS";
}

int cublasLtMatmulDescCreate(Desc **d, int compute, int scale) {
  ENTER();
  make((void **)d, sizeof(Desc));
  (*d)->compute = compute;
  (*d)->scale = scale;
  (*d)->epilogue = 1;
  return success;
}

int cublasLtMatmulDescDestroy(Desc *d) { return drop(d); }

int cublasLtMatmulDescSetAttribute(Desc *d, int attribute, const void *from, size_t size) {
  ENTER();
  switch (attribute) {
    case 3: return set(&d->transA, 4, from, size);
    case 4: return set(&d->transB, 4, from, size);
    case 7: return set(&d->epilogue, 4, from, size);
    case 8: return set(&d->bias, 8, from, size);
  }
  return invalidValue;
}

int cublasLtMatrixLayoutCreate(Layout **l, int type, uint64_t rows, uint64_t cols, int64_t ld) {
  ENTER();
  make((void **)l, sizeof(Layout));
  (*l)->type = type;
  (*l)->rows = rows;
  (*l)->cols = cols;
  (*l)->ld = ld;
  (*l)->batch = 1;
  return success;
}

int cublasLtMatrixLayoutDestroy(Layout *l) { return drop(l); }

int cublasLtMatrixLayoutSetAttribute(Layout *l, int attribute, const void *from, size_t size) {
  ENTER();
  switch (attribute) {
    case 5: return set(&l->batch, 4, from, size);
    case 6: return set(&l->stride, 8, from, size);
  }
  return invalidValue;
}

int cublasLtMatmulPreferenceCreate(Preference **p) {
  ENTER();
  make((void **)p, sizeof(Preference));
  for (int i = 0; i < 4; i++) (*p)->alignment[i] = 256;
  return success;
}

int cublasLtMatmulPreferenceDestroy(Preference *p) { return drop(p); }

int cublasLtMatmulPreferenceSetAttribute(Preference *p, int attribute, const void *from, size_t size) {
  ENTER();
  if (attribute == 1) return set(&p->workspace, 8, from, size);
  if (attribute >= 5 && attribute <= 8) return set(&p->alignment[attribute - 5], 4, from, size);
  return invalidValue;
}

// wrong reports whether sizes do not fit together.
static int wrong(const Desc *d, const Layout *a, const Layout *b, const Layout *c) {
  uint64_t k = d->transA ? a->rows : a->cols;
  return (d->transA ? a->cols : a->rows) != c->rows || (d->transB ? b->rows : b->cols) != c->cols || (d->transB ? b->cols : b->rows) != k ||
         a->ld < (int64_t)a->rows || b->ld < (int64_t)b->rows || c->ld < (int64_t)c->rows || a->batch != c->batch || b->batch != c->batch;
}

int cublasLtMatmulAlgoGetHeuristic(void *h, Desc *d, Layout *a, Layout *b, Layout *c, Layout *out, Preference *p, int want, Heuristic *to, int *found) {
  ENTER();
  if (!h || want != 1 || out != c || wrong(d, a, b, c)) return invalidValue;
  *found = 0;
  int compute = d->scale == 0 ? 68 : d->scale == 1 ? 70 : 0;
  if (d->compute != compute || d->epilogue != 4 || !d->bias || a->type != d->scale || b->type != d->scale || c->type != d->scale) return notSupported;
  memset(to, 0, sizeof *to);
  to->algo.mark = mark;
  to->algo.workspace = to->workspace = p->workspace;
  for (int i = 0; i < 4; i++) to->algo.alignment[i] = p->alignment[i];
  to->algo.bias = d->bias & -d->bias;
  *found = 1;
  return success;
}

#define AT(p, trans, l, i, j) ((trans) ? (p)[(j) + (i) * (l)->ld] : (p)[(i) + (j) * (l)->ld])

#define PRODUCT(name, T)                                                                                                             \
  static void name(const Desc *d, const T *a, const Layout *la, const T *b, const Layout *lb, T *c, const Layout *lc) {              \
    const T *bias = (const T *)d->bias;                                                                                              \
    uint64_t k = d->transA ? la->rows : la->cols;                                                                                    \
    for (int x = 0; x < lc->batch; x++, a += la->stride, b += lb->stride, c += lc->stride)                                           \
      for (uint64_t j = 0; j < lc->cols; j++) {                                                                                      \
        for (uint64_t i = 0; i < lc->rows; i++) {                                                                                    \
          T sum = 0;                                                                                                                 \
          for (uint64_t l = 0; l < k; l++) sum += AT(a, d->transA, la, i, l) * AT(b, d->transB, lb, l, j);                           \
          c[i + j * lc->ld] = sum + bias[i];                                                                                         \
        }                                                                                                                            \
        wrote(c + j * lc->ld, lc->rows * sizeof(T));                                                                                 \
      }                                                                                                                              \
  }

PRODUCT(productF32, float)
PRODUCT(productF64, double)

int cublasLtMatmul(void *h, Desc *d, const void *alpha, const void *a, Layout *la, const void *b, Layout *lb, const void *beta, const void *c,
                   Layout *lc, void *out, Layout *lout, const Algo *algo, void *workspace, size_t bytes, void *stream) {
  ENTER();
  const void *pointers[4] = {a, b, c, out};
  for (int i = 0; i < 4; i++)
    if (!pointers[i] || (uintptr_t)pointers[i] % algo->alignment[i]) return invalidValue;
  if (!h || !stream || !d->bias || d->bias % algo->bias || algo->mark != mark || c != out || lc != lout) return invalidValue;
  if (!workspace || (uintptr_t)workspace % 256 || bytes < algo->workspace) return invalidValue;
  drain(stream);
  if (d->scale == 0) {
    if (*(const float *)alpha != 1 || *(const float *)beta != 0) return invalidValue;
    productF32(d, a, la, b, lb, out, lc);
  } else {
    if (*(const double *)alpha != 1 || *(const double *)beta != 0) return invalidValue;
    productF64(d, a, la, b, lb, out, lc);
  }
  products++;
  return success;
}
