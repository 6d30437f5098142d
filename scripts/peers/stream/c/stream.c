// The kernels of STREAM, as plain loops and with non-temporal stores.
#define _GNU_SOURCE
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { stagger = 1024 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

__attribute__((noinline)) static void copy(float *restrict a, const float *restrict b, size_t n) {
  for (size_t i = 0; i < n; i++) a[i] = b[i];
}

__attribute__((noinline)) static void triad(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t n) {
  for (size_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

#ifdef __AVX512F__
enum { lanes = 16 };
typedef __m512 vec;
#define LOAD _mm512_load_ps
#define STREAM _mm512_stream_ps
#define FMA _mm512_fmadd_ps
#define SET _mm512_set1_ps
#else
enum { lanes = 8 };
typedef __m256 vec;
#define LOAD _mm256_load_ps
#define STREAM _mm256_stream_ps
#define FMA _mm256_fmadd_ps
#define SET _mm256_set1_ps
#endif

__attribute__((noinline)) static void copy_nt(float *restrict a, const float *restrict b, size_t n) {
  for (size_t i = 0; i < n; i += lanes) STREAM(a + i, LOAD(b + i));
  _mm_sfence();
}

__attribute__((noinline)) static void triad_nt(float *restrict a, const float *restrict b, const float *restrict c, float s, size_t n) {
  vec t = SET(s);
  for (size_t i = 0; i < n; i += lanes) STREAM(a + i, FMA(t, LOAD(c + i), LOAD(b + i)));
  _mm_sfence();
}

// rate returns the rate of the best of four samples, in bytes a second, counted as
// STREAM does: a loop over arrays of a size in bytes, of which it reads one or two.
double rate(size_t bytes, int reads, int nt, int passes) {
  static char *mem;
  static size_t have;
  size_t huge = 2 << 20, all = (3 * (bytes + stagger) + huge - 1) & ~(huge - 1), n = bytes / sizeof(float);
  if (have != all) {
    if (mem) munmap(mem, have);
    mem = mmap(0, have = all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mem == MAP_FAILED) abort();
    madvise(mem, all, MADV_HUGEPAGE);
    memset(mem, 0, all);
  }
  float *a = (float *)mem, *b = (float *)(mem + bytes + stagger), *c = (float *)(mem + 2 * (bytes + stagger));
  double best = 1e30;
  for (int sample = 0; sample < 4; sample++) {
    int count = sample ? passes : 1; // the first warms the caches up
    double start = now();
    for (int p = 0; p < count; p++) {
      if (reads == 1 && nt) copy_nt(a, b, n);
      else if (reads == 1) copy(a, b, n);
      else if (nt) triad_nt(a, b, c, 0.5f, n);
      else triad(a, b, c, 0.5f, n);
    }
    double t = now() - start;
    if (t / count < best) best = t / count;
  }
  return (double)(reads + 1) * bytes / best;
}
