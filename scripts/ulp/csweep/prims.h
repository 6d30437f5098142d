// The primitives of package prim, as far as float32 lowerings use them.
#include <math.h>
#include <stdint.h>
#include <string.h>

#define CAST(to, T, from, F) \
	static inline T to##_from_##from(F x) { T y; memcpy(&y, &x, sizeof y); return y; }
CAST(f32, float, i32, int32_t)
CAST(f32, float, u32, uint32_t)
CAST(i32, int32_t, f32, float)
CAST(u32, uint32_t, f32, float)
CAST(i32, int32_t, u32, uint32_t)
CAST(u32, uint32_t, i32, int32_t)

static inline float bits_f32(uint64_t x) { return f32_from_u32((uint32_t)x); }
static inline float fma_f32(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float sqrt_f32(float x) { return __builtin_sqrtf(x); }
static inline float abs_f32(float x) { return __builtin_fabsf(x); }
static inline float rint_f32(float x) { return __builtin_rintf(x); }
static inline int32_t min_i32(int32_t x, int32_t y) { return x < y ? x : y; }
static inline int32_t max_i32(int32_t x, int32_t y) { return x > y ? x : y; }
static inline uint32_t mulhi_u32(uint32_t x, uint32_t y) { return (uint64_t)x * y >> 32; }
static inline uint32_t shl_u32(uint32_t x, uint32_t y) { return y > 31 ? 0 : x << (y & 31); }
static inline uint32_t shr_u32(uint32_t x, uint32_t y) { return y > 31 ? 0 : x >> (y & 31); }
static inline int32_t shl_i32(int32_t x, int32_t y) { return (int32_t)shl_u32((uint32_t)x, (uint32_t)y); }
static inline int32_t shr_i32(int32_t x, int32_t y) { return x >> ((uint32_t)y > 31 ? 31 : y); }

// x * 2^n rounded once: the product of float64 is exact.
static inline float scale_f32(float x, int32_t n)
{
	n = n < -300 ? -300 : n > 300 ? 300 : n;
	uint64_t b = (uint64_t)(n + 1023) << 52;
	double p;
	memcpy(&p, &b, sizeof p);
	return (float)((double)x * p);
}
