// The primitives of package prim, as far as the lowerings of functions use them.
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
CAST(f64, double, i64, int64_t)
CAST(f64, double, u64, uint64_t)
CAST(i64, int64_t, f64, double)
CAST(u64, uint64_t, f64, double)
CAST(i64, int64_t, u64, uint64_t)
CAST(u64, uint64_t, i64, int64_t)

static inline float bits_f32(uint64_t x) { return f32_from_u32((uint32_t)x); }
static inline double bits_f64(uint64_t x) { return f64_from_u64(x); }
static inline double fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }
static inline double sqrt_f64(double x) { return __builtin_sqrt(x); }
static inline double abs_f64(double x) { return __builtin_fabs(x); }
static inline double rint_f64(double x) { return __builtin_rint(x); }
static inline int64_t min_i64(int64_t x, int64_t y) { return x < y ? x : y; }
static inline int64_t max_i64(int64_t x, int64_t y) { return x > y ? x : y; }
static inline uint64_t mulhi_u64(uint64_t x, uint64_t y) { return (unsigned __int128)x * y >> 64; }
static inline uint64_t shl_u64(uint64_t x, uint64_t y) { return y > 63 ? 0 : x << (y & 63); }
static inline uint64_t shr_u64(uint64_t x, uint64_t y) { return y > 63 ? 0 : x >> (y & 63); }
static inline int64_t shl_i64(int64_t x, int64_t y) { return (int64_t)shl_u64((uint64_t)x, (uint64_t)y); }
static inline int64_t shr_i64(int64_t x, int64_t y) { return x >> ((uint64_t)y > 63 ? 63 : y); }
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

static inline double scale_f64(double x, int64_t n)
{
	uint64_t e = (uint64_t)(n + 1022);
	if (e < 2046)
		return x * f64_from_u64((e + 1) << 52);
	return ldexp(x, n < -2200 ? -2200 : n > 2200 ? 2200 : (int)n);
}
