// What the C code of routines.txt calls.
#include <complex.h>

// philox computes a block of four random numbers of 32 bits (Philox 4x32-10).
static inline void philox(uint32_t c[4], uint32_t k0, uint32_t k1) {
  for (int r = 0; r < 10; r++) {
    uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
    c[3] = (uint32_t)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// Paths go in groups, so that compilers can compute several at once. Normal numbers are those of
// Box and Muller.
enum { GROUP = 64 };

static void asianf(long dates, long paths, float *restrict y) {
  for (long p0 = 0; p0 < paths; p0 += 4 * GROUP) {
    float price[4][GROUP], sum[4][GROUP];
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < GROUP; j++)
        price[k][j] = 100, sum[k][j] = 0;
    for (long d = 0; d < dates; d++)
      for (int j = 0; j < GROUP; j++) {
        uint32_t c[4] = {(uint32_t)(p0 + j), (uint32_t)d, 0, 0};
        philox(c, 7, 0);
        for (int k = 0; k < 4; k += 2) {
          float r = sqrtf(-2 * logf((c[k] + .5f) * 0x1p-32f)), a = 6.2831853f * (c[k + 1] * 0x1p-32f);
          price[k][j] *= expf(r * cosf(a) * .0126f - .00008f);
          price[k + 1][j] *= expf(r * sinf(a) * .0126f - .00008f);
          sum[k][j] += price[k][j];
          sum[k + 1][j] += price[k + 1][j];
        }
      }
    for (int k = 0; k < 4; k++)
      for (int j = 0; j < GROUP; j++)
        y[p0 + k * GROUP + j] = fmaxf(sum[k][j] / dates - 100, 0);
  }
}

static void asian(long dates, long paths, double *restrict y) {
  for (long p0 = 0; p0 < paths; p0 += 2 * GROUP) {
    double price[2][GROUP], sum[2][GROUP];
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < GROUP; j++)
        price[k][j] = 100, sum[k][j] = 0;
    for (long d = 0; d < dates; d++)
      for (int j = 0; j < GROUP; j++) {
        uint32_t c[4] = {(uint32_t)(p0 + j), (uint32_t)d, 0, 0};
        philox(c, 7, 0);
        double u = (c[0] * 0x1p-32 + c[1] + .5) * 0x1p-32, v = (c[2] * 0x1p-32 + c[3]) * 0x1p-32;
        double r = sqrt(-2 * log(u)), a = 6.283185307179586 * v;
        price[0][j] *= exp(r * cos(a) * .0126 - .00008);
        price[1][j] *= exp(r * sin(a) * .0126 - .00008);
        sum[0][j] += price[0][j];
        sum[1][j] += price[1][j];
      }
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < GROUP; j++)
        y[p0 + k * GROUP + j] = fmax(sum[k][j] / dates - 100, 0);
  }
}
