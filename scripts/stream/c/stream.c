// The kernels of STREAM, as plain loops and with non-temporal stores. Argument:
// the size of each array in bytes. For each line read ("copy", "triad",
// "copy-nt" or "triad-nt" and a number of passes) it writes the rate of the
// best of four samples, in bytes a second, counted as STREAM does.
#define _GNU_SOURCE
#include <immintrin.h>
#include <stdio.h>
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

int main(int argc, char **argv) {
  size_t bytes = argc > 1 ? strtoull(argv[1], 0, 10) : 0, n = bytes / sizeof(float);
  if (bytes == 0 || bytes % 512 != 0) return 2;
  size_t huge = 2 << 20, all = (3 * (bytes + stagger) + huge - 1) & ~(huge - 1);
  char *mem = mmap(0, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mem == MAP_FAILED) return 1;
  madvise(mem, all, MADV_HUGEPAGE);
  memset(mem, 0, all);
  float *a = (float *)mem, *b = (float *)(mem + bytes + stagger), *c = (float *)(mem + 2 * (bytes + stagger));
  char name[16];
  int passes;
  while (scanf("%15s %d", name, &passes) == 2) {
    int streams = strncmp(name, "copy", 4) ? 3 : 2, nt = strstr(name, "-nt") != 0;
    double best = 1e30;
    for (int sample = 0; sample < 4; sample++) {
      int count = sample ? passes : 1; // the first warms the caches up
      double start = now();
      for (int p = 0; p < count; p++) {
        if (streams == 2 && nt) copy_nt(a, b, n);
        else if (streams == 2) copy(a, b, n);
        else if (nt) triad_nt(a, b, c, 0.5f, n);
        else triad(a, b, c, 0.5f, n);
      }
      double t = now() - start;
      if (t / count < best) best = t / count;
    }
    printf("%.0f\n", (double)streams * bytes / best);
    fflush(stdout);
  }
}
