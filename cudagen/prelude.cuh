// The names that generated kernels use: types, primitives (each rounds once and
// is never contracted), memory, and reductions in their one order. On the GPU
// the primitives are intrinsics; elsewhere plain C++ that has the same bits
// (compiled with -ffp-contract=off).

#ifdef __CUDACC_RTC__
#pragma nv_diag_suppress 177  // what a kernel does not use
#pragma nv_diag_suppress 186  // tests of the sign of unsigned numbers
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct f16 { unsigned short bits; };
struct bf16 { unsigned short bits; };
struct b8 { u8 bits; };

#define FN static __device__ __forceinline__
#define METHOD __device__ __forceinline__

namespace prim {

template <class T, class S> FN T bitcast(S x) {
  static_assert(sizeof(T) == sizeof(S), "sizes differ");
  union {
    S from;
    T to;
  } u = {x};
  return u.to;
}

#ifdef __CUDA_ARCH__
#define ROUNDED(name, op) \
  FN f32 name(f32 x, f32 y) { return __f##name##_rn(x, y); } \
  FN f64 name(f64 x, f64 y) { return __d##name##_rn(x, y); }
FN f32 fma(f32 x, f32 y, f32 z) { return __fmaf_rn(x, y, z); }
FN f64 fma(f64 x, f64 y, f64 z) { return __fma_rn(x, y, z); }
FN f32 sqrt(f32 x) { return __fsqrt_rn(x); }
FN f64 sqrt(f64 x) { return __dsqrt_rn(x); }
FN u32 mulhi(u32 x, u32 y) { return __umulhi(x, y); }
FN u64 mulhi(u64 x, u64 y) { return __umul64hi(x, y); }
#else
#define ROUNDED(name, op) \
  FN f32 name(f32 x, f32 y) { return x op y; } \
  FN f64 name(f64 x, f64 y) { return x op y; }
FN f32 fma(f32 x, f32 y, f32 z) { return ::fmaf(x, y, z); }
FN f64 fma(f64 x, f64 y, f64 z) { return ::fma(x, y, z); }
FN f32 sqrt(f32 x) { return ::sqrtf(x); }
FN f64 sqrt(f64 x) { return ::sqrt(x); }
FN u32 mulhi(u32 x, u32 y) { return (u32)((u64)x * y >> 32); }
FN u64 mulhi(u64 x, u64 y) { return (u64)((unsigned __int128)x * y >> 64); }
#endif
FN u8 mulhi(u8 x, u8 y) { return (u8)((u32)x * y >> 8); }
FN u16 mulhi(u16 x, u16 y) { return (u16)((u32)x * y >> 16); }
ROUNDED(add, +)
ROUNDED(sub, -)
ROUNDED(mul, *)
ROUNDED(div, /)
#undef ROUNDED

// Integers wrap. Division by zero gives zero; a shift by the width or more, or
// by less than zero, gives zero or the sign.
#define INTEGER(T, U, neg1) \
  FN T add(T x, T y) { return (T)(U)((U)x + (U)y); } \
  FN T sub(T x, T y) { return (T)(U)((U)x - (U)y); } \
  FN T mul(T x, T y) { return (T)(U)((U)x * (U)y); } \
  FN T neg(T x) { return (T)(U)(0 - (U)x); } \
  FN T abs(T x) { return x < 0 ? neg(x) : x; } \
  FN T div(T x, T y) { return y == 0 ? 0 : neg1 ? neg(x) : (T)(x / y); } \
  FN T rem(T x, T y) { return y == 0 || neg1 ? 0 : (T)(x % y); } \
  FN T min(T x, T y) { return y < x ? y : x; } \
  FN T max(T x, T y) { return x < y ? y : x; } \
  FN T and_(T x, T y) { return (T)(x & y); } \
  FN T or_(T x, T y) { return (T)(x | y); } \
  FN T xor_(T x, T y) { return (T)(x ^ y); } \
  FN T not_(T x) { return (T)~x; } \
  FN T shl(T x, T y) { return (u64)y >= 8 * sizeof(T) ? 0 : (T)(U)((U)x << y); } \
  FN T shr(T x, T y) { return (u64)y >= 8 * sizeof(T) ? (T)(x < 0 ? -1 : 0) : (T)(x >> y); }
INTEGER(i8, u32, y == -1)
INTEGER(i16, u32, y == -1)
INTEGER(i32, u32, y == -1)
INTEGER(i64, u64, y == -1)
INTEGER(u8, u32, false)
INTEGER(u16, u32, false)
INTEGER(u32, u32, false)
INTEGER(u64, u64, false)
#undef INTEGER

FN bool and_(bool x, bool y) { return x & y; }
FN bool or_(bool x, bool y) { return x | y; }
FN bool xor_(bool x, bool y) { return x != y; }
FN bool not_(bool x) { return !x; }

// min and max propagate NaN and order the zeros; fmin and fmax ignore NaN.
#define EXTREMES(T, U) \
  FN T neg(T x) { return bitcast<T>((U)(bitcast<U>(x) ^ (U)1 << (8 * sizeof(T) - 1))); } \
  FN T abs(T x) { return bitcast<T>((U)(bitcast<U>(x) & ~((U)1 << (8 * sizeof(T) - 1)))); } \
  FN T least(T x, T y) { return x == y ? bitcast<T>((U)(bitcast<U>(x) | bitcast<U>(y))) : x < y ? x : y; } \
  FN T greatest(T x, T y) { return x == y ? bitcast<T>((U)(bitcast<U>(x) & bitcast<U>(y))) : x > y ? x : y; } \
  FN T fmin(T x, T y) { return x != x ? y : y != y ? x : least(x, y); } \
  FN T fmax(T x, T y) { return x != x ? y : y != y ? x : greatest(x, y); }
EXTREMES(f32, u32)
EXTREMES(f64, u64)
#undef EXTREMES
#if __CUDA_ARCH__ >= 800
FN f32 min(f32 x, f32 y) { f32 z; asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
FN f32 max(f32 x, f32 y) { f32 z; asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y)); return z; }
#else
FN f32 min(f32 x, f32 y) { return x != x ? x : y != y ? y : least(x, y); }
FN f32 max(f32 x, f32 y) { return x != x ? x : y != y ? y : greatest(x, y); }
#endif
FN f64 min(f64 x, f64 y) { return x != x ? x : y != y ? y : least(x, y); }
FN f64 max(f64 x, f64 y) { return x != x ? x : y != y ? y : greatest(x, y); }

FN f32 rem(f32 x, f32 y) { return ::fmodf(x, y); }
FN f64 rem(f64 x, f64 y) { return ::fmod(x, y); }
FN f32 floor(f32 x) { return ::floorf(x); }
FN f64 floor(f64 x) { return ::floor(x); }
FN f32 ceil(f32 x) { return ::ceilf(x); }
FN f64 ceil(f64 x) { return ::ceil(x); }
FN f32 trunc(f32 x) { return ::truncf(x); }
FN f64 trunc(f64 x) { return ::trunc(x); }
FN f32 rint(f32 x) { return ::rintf(x); }
FN f64 rint(f64 x) { return ::rint(x); }

// scale is x * 2^n, rounded once. Where 2^n is normal that is one product. Otherwise there
// are up to three, the last by the least normal power, or the greatest: if an earlier one
// is not exact, the result is 0 or infinite. ptxas would predicate the products, which
// all threads then issue; it does not predicate a loop.
FN f32 power(i32 n) { return bitcast<f32>((u32)(n + 127) << 23); }
FN i32 normal(i32 n) { return min(max(n, -126), 127); }
FN f32 scale(f32 x, i32 n) {
  if ((u32)(n + 126) < 254u) return mul(x, power(n));
  n = min(max(n, -300), 300); // rare
#pragma unroll 1
  for (i32 left = n - normal(n); left; left -= normal(left)) x = mul(x, power(normal(left))); // rare
  return mul(x, power(normal(n))); // rare
}
FN f64 scale(f64 x, i64 n) {
  if ((u64)n + 1022 < 2046) return mul(x, bitcast<f64>((u64)(n + 1023) << 52));
  return ::ldexp(x, (i32)min(max(n, (i64)-2200), (i64)2200));
}

template <class T> FN bool eq(T x, T y) { return x == y; }
template <class T> FN bool ne(T x, T y) { return x != y; }
template <class T> FN bool lt(T x, T y) { return x < y; }
template <class T> FN bool le(T x, T y) { return x <= y; }
template <class T> FN T select(bool p, T x, T y) { return p ? x : y; }

// Conversions to float round to nearest even, between integers wrap; from float
// to integer they truncate and saturate, and NaN gives 0.
template <class T> struct to {
  template <class S> FN T from(S x) { return (T)x; }
};
template <> struct to<bool> {
  template <class S> FN bool from(S x) { return x != 0; }
};
template <class T> FN T saturated(f64 x, f64 low, f64 high, T least, T most) {
  return x >= high ? most : x <= low ? least : x == x ? (T)x : 0;
}
#define SATURATING(T, low, high, least, most, fast) \
  template <> struct to<T> { \
    template <class S> FN T from(S x) { return (T)x; } \
    FN T from(f32 x) { return fast; } \
    FN T from(f64 x) { return saturated<T>(x, low, high, least, most); } \
  };
#define SLOW(T) from((f64)x)
#ifdef __CUDA_ARCH__ // the instructions saturate, and make NaN 0
#define TO_I32 __float2int_rz(x)
#define TO_U32 __float2uint_rz(x)
#else
#define TO_I32 SLOW(i32)
#define TO_U32 SLOW(u32)
#endif
SATURATING(i8, -128.0, 127.0, -128, 127, SLOW(i8))
SATURATING(i16, -32768.0, 32767.0, -32768, 32767, SLOW(i16))
SATURATING(i32, -2147483648.0, 2147483647.0, (-2147483647 - 1), 2147483647, TO_I32)
SATURATING(i64, -9223372036854775808.0, 9223372036854775808.0, (-9223372036854775807LL - 1), 9223372036854775807LL, SLOW(i64))
SATURATING(u8, 0.0, 255.0, 0, 255, SLOW(u8))
SATURATING(u16, 0.0, 65535.0, 0, 65535, SLOW(u16))
SATURATING(u32, 0.0, 4294967295.0, 0, 4294967295u, TO_U32)
SATURATING(u64, 0.0, 18446744073709551616.0, 0, 18446744073709551615ull, SLOW(u64))
#undef SATURATING
#undef SLOW
#undef TO_I32
#undef TO_U32
template <class T, class S> FN T cvt(S x) { return to<T>::from(x); }

// Halves. A NaN becomes some NaN.
#ifdef __CUDA_ARCH__
FN f16 half(f32 x) { f16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x)); return h; }
FN f32 value(f16 h) { f32 x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits)); return x; }
#else
FN f16 half(f32 x) {
  u32 b = bitcast<u32>(x), s = b >> 16 & 0x8000;
  b &= 0x7fffffff;
  if (b > 0x7f800000) b = 0x7e00;
  else if (b >= 0x477ff000) b = 0x7c00;
  else if (b < 0x38800000) b = bitcast<u32>(bitcast<f32>(b) + 0.5f) - 0x3f000000;
  else b = b - 0x38000000 + 0xfff + (b >> 13 & 1) >> 13;
  return f16{(unsigned short)(s | b)};
}
FN f32 value(f16 h) {
  u32 s = (u32)(h.bits & 0x8000) << 16, e = h.bits >> 10 & 31, m = h.bits & 0x3ff;
  if (e == 0) return bitcast<f32>(bitcast<u32>((f32)m * 0x1p-24f) | s);
  return bitcast<f32>(s | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13);
}
#endif
#if __CUDA_ARCH__ >= 800
FN bf16 bhalf(f32 x) { bf16 h; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x)); return h; }
#else
FN bf16 bhalf(f32 x) {
  u32 b = bitcast<u32>(x);
  return bf16{(unsigned short)(x != x ? b >> 16 | 0x40 : b + 0x7fff + (b >> 16 & 1) >> 16)};
}
#endif
FN f32 value(bf16 h) { return bitcast<f32>((u32)h.bits << 16); }
FN f32 roundf16(f32 x) { return value(half(x)); }
FN f32 roundbf16(f32 x) { return value(bhalf(x)); }

// The shared memory of a block.
#ifdef __CUDACC__
FN u8 *shared() {
  extern __shared__ __align__(16) u8 bytes[];
  return bytes;
}
#else
FN u8 *shared() { return standin_shared; }
#endif

// Elements in memory and in registers.
template <class T> FN T load(T x) { return x; }
FN bool load(b8 x) { return x.bits != 0; }
FN f32 load(f16 x) { return value(x); }
FN f32 load(bf16 x) { return value(x); }
template <class T> FN void store(T &p, T x) { p = x; }
FN void store(b8 &p, bool x) { p.bits = x; }
FN void store(f16 &p, f32 x) { p = half(x); }
FN void store(bf16 &p, f32 x) { p = bhalf(x); }

// floored division by a positive divisor.
template <class T> FN T quo(T x, T y) { T q = x / y; return q - (x - q * y < 0); }
template <class T> FN T mod(T x, T y) { T r = x % y; return r < 0 ? r + y : r; }
template <class T> FN T clamp(T x, T n) { return x >= n ? n - 1 : x < 0 ? 0 : x; }

}  // namespace prim

// Divisors: multiplication by a reciprocal for dividends from 0 to 2^31 - 1.
struct divisor32 {
  i32 n;
  u32 mul, shift;
};
struct divisor64 {
  i64 n;
};

namespace prim {
FN i32 quo(i32 x, divisor32 d) { return (i32)((u64)(u32)x * d.mul >> d.shift); }
FN i32 mod(i32 x, divisor32 d) { return x - quo(x, d) * d.n; }
FN i64 quo(i64 x, divisor64 d) { return x / d.n; }
FN i64 mod(i64 x, divisor64 d) { return x % d.n; }
}  // namespace prim

// N elements that are loaded and stored at once.
template <class T, int N> struct alignas(sizeof(T) * N) pack { T at[N]; };

// Reductions. A reduction R has accumulators, which begin with its identity, and
// joins them; put adds the value at a position. Each source declares those that
// it uses. The lengths are those of package ir.
namespace red {

constexpr int block_length = 4096, run_length = 64, lane_count = 64;

// A plain accumulator is a value.
template <class T, bool in_order> struct plain {
  typedef T acc;
  static constexpr bool ordered = in_order;
  FN T result(T a) { return a; }
};

// An extreme is a value and its position; -1 is none.
template <class T, class I> struct extreme {
  T value;
  I at;
};
// The first of equals stays, and the first NaN. I is the type of positions.
template <class T, bool greatest, class I> struct position {
  typedef extreme<T, I> acc;
  static constexpr bool ordered = false;
  FN acc identity() { return acc{0, -1}; }
  FN acc empty() { return identity(); }
  FN acc join(acc x, acc y) {
    if (x.at < 0 || y.at < 0) return x.at < 0 ? y : x;
    bool xn = x.value != x.value, yn = y.value != y.value;
    bool same = xn || yn ? xn && yn : x.value == y.value;
    bool better = greatest ? y.value > x.value : y.value < x.value;
    bool second = same ? y.at < x.at : yn || !xn && better;
    return second ? y : x;
  }
  // Threads put values in the order of their positions.
  FN acc put(acc a, T x, i64 at) {
    bool second = a.at < 0 || a.value == a.value && !(greatest ? x <= a.value : x >= a.value);
    return second ? acc{x, (I)at} : a;
  }
  FN i64 result(acc a) { return a.at < 0 ? 0 : a.at; }
};

template <class T> FN T shuffled(T x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }
FN i8 shuffled(i8 x, int mask) { return (i8)shuffled((i32)x, mask); }
FN u8 shuffled(u8 x, int mask) { return (u8)shuffled((u32)x, mask); }
FN i16 shuffled(i16 x, int mask) { return (i16)shuffled((i32)x, mask); }
FN u16 shuffled(u16 x, int mask) { return (u16)shuffled((u32)x, mask); }
FN bool shuffled(bool x, int mask) { return shuffled((i32)x, mask) != 0; }
template <class T, class I> FN extreme<T, I> shuffled(extreme<T, I> x, int mask) {
  return extreme<T, I>{shuffled(x.value, mask), shuffled(x.at, mask)};
}

// The accumulators that one thread of a warp has of a block of 4096 positions:
// there are 64 lanes, or 32 of eight bytes, and position i is added to lane i
// modulo their number. half selects one of two lanes.
template <class R, class T> struct lanes {
  typedef typename R::acc acc;
  static constexpr bool two = sizeof(T) < 8;
  acc at[2] = {R::identity(), R::identity()};
  METHOD void put(int half, T x, i64 position) {
    at[two ? half : 0] = R::put(at[two ? half : 0], x, position);
  }
  // fold adds lane j + L/2 to lane j until one is left, which every thread gets.
  METHOD acc fold() const {
    acc a = two ? R::join(at[0], at[1]) : at[0];
#pragma unroll
    for (int m = 16; m > 0; m /= 2) a = R::join(a, shuffled(a, m));
    return a;
  }
};

// block calls f with the positions of block b of n that belong to this lane of a
// warp, and which of two lanes of the reduction each is, unroll pairs at a time as
// long as all lanes have these.
template <int unroll, class I, class F> FN void block(I b, I n, int lane, F f) {
  I at = b * block_length, end = prim::min(at + block_length, n);
  for (; at + unroll * lane_count <= end; at += unroll * lane_count) {
#pragma unroll
    for (int u = 0; u < unroll; u++) {
      f(at + u * lane_count + lane, 0);
      f(at + u * lane_count + lane + 32, 1);
    }
  }
  for (I i = at + lane; i < end; i += lane_count) {
    f(i, 0);
    if (i + 32 < end) f(i + 32, 1);
  }
}

// adjacent combines up to 16 results in adjacent pairs. Result j is part[j * stride].
template <class R, class I> FN typename R::acc adjacent(const typename R::acc *part, I n, I stride) {
  typename R::acc x[16];
#pragma unroll
  for (int j = 0; j < 16; j++) x[j] = j < n ? part[j * stride] : R::identity();
#pragma unroll
  for (int s = 1; s < 16; s *= 2) {
#pragma unroll
    for (int j = 0; j < 16; j += 2 * s) {
      if (j + s < n) x[j] = R::join(x[j], x[j + s]);
    }
  }
  return x[0];
}

// tree combines the results of m blocks in adjacent pairs, an odd one carried up; a
// thread goes up four levels at once. Result j is part[j * stride]. The threads that
// combine the same results have the numbers 0 to threads - 1; one with the number m
// combines none. All threads of a thread block call tree with the same m, and get the
// result of theirs.
template <class R, class I> FN typename R::acc tree(typename R::acc *part, I m, I stride, I thread, I threads) {
  typedef typename R::acc acc;
  if (m == 0) return R::empty();
  __syncthreads();
  for (; m > 1; m = (m + 15) / 16) {
    for (I i = 0; i < (m + 15) / 16; i += threads) {
      I k = i + thread, n = m - 16 * k;
      acc a = R::identity();
      if (n > 0) a = adjacent<R>(part + 16 * k * stride, n, stride);
      __syncthreads();
      if (n > 0) part[k * stride] = a;
      __syncthreads();
    }
  }
  acc a = part[0];
  __syncthreads();
  return a;
}
template <class R, class I> FN typename R::acc tree(typename R::acc *part, I m) {
  return tree<R, I>(part, m, 1, threadIdx.x, blockDim.x);
}

// across combines the accumulators of all threads of a block, in any order. All
// threads get the result.
template <class R> FN typename R::acc across(typename R::acc *part, typename R::acc a) {
#pragma unroll
  for (int m = 16; m > 0; m /= 2) a = R::join(a, shuffled(a, m));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a;
  return tree<R>(part, (i32)blockDim.x / 32);
}

// staged reduces n values that lie in order, at most a block of them, by a warp.
template <class R, class T> FN typename R::acc staged(const T *x, int n, int lane) {
  lanes<R, T> r;
  block<4>(0, n, lane, [&](int i, int half) { r.put(half, x[i], i); });
  return r.fold();
}

// runs reduces the positions of a sequential loop: runs of 64, combined in
// adjacent pairs. Level i of the stack holds 2^i runs if bit i of count is set.
template <class R, bool = R::ordered> struct runs {
  typename R::acc a = R::identity(), stack[42];
  i64 count = 0;
  int length = 0;
  template <class T> METHOD void put(T x) {
    a = R::put(a, x, 0);
    if (++length < run_length) return;
    int i = 0;
    for (; count >> i & 1; i++) a = R::join(stack[i], a);
    stack[i] = a;
    a = R::identity();
    count++;
    length = 0;
  }
  METHOD typename R::acc result() const {
    if (count == 0 && length == 0) return R::empty();
    typename R::acc r = a;
    bool have = length > 0;
    for (int i = 0; count >> i; i++) {
      if (!(count >> i & 1)) continue;
      r = have ? R::join(stack[i], r) : stack[i];
      have = true;
    }
    return r;
  }
};
// Where the order does not matter there is one accumulator.
template <class R> struct runs<R, false> {
  typename R::acc a = R::identity();
  i64 at = 0;
  template <class T> METHOD void put(T x) { a = R::put(a, x, at++); }
  METHOD typename R::acc result() const { return at ? a : R::empty(); }
};

}  // namespace red
