// What instructions do to registers, by the rules of the PTX ISA: integers wrap,
// shifts clamp, floats round once, and a NaN that arithmetic makes is the canonical
// one. An instruction or a modifier that is not here is refused when a module is
// loaded.

#include <fenv.h>
#include <math.h>

#include <algorithm>

#include "ptx.h"

namespace ptx {

Options options;
std::mt19937_64 randomness;

namespace {

template <class T> T fromBits(u64 x) {
  T t;
  memcpy(&t, &x, sizeof t);
  return t;
}

template <class T> u64 toBits(T t) {
  u64 x = 0;
  memcpy(&x, &t, sizeof t);
  return x;
}

float flush(float x) { return x != 0 && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

// get returns an operand.
template <class T> T get(const u64 *r, u32 slot, const Ins &) { return fromBits<T>(r[slot]); }
template <> float get(const u64 *r, u32 slot, const Ins &i) {
  float x = fromBits<float>(r[slot]);
  return i.ftz ? flush(x) : x;
}

// put stores a result. Results that are narrower than their register are extended.
template <class T> void put(u64 *r, const Ins &i, T x) { r[i.d] = u64(i64(x)) & i.mask; }
template <> void put(u64 *r, const Ins &i, u8 x) { r[i.d] = x; }
template <> void put(u64 *r, const Ins &i, u16 x) { r[i.d] = x; }
template <> void put(u64 *r, const Ins &i, u32 x) { r[i.d] = x; }
template <> void put(u64 *r, const Ins &i, u64 x) { r[i.d] = x & i.mask; }
template <> void put(u64 *r, const Ins &i, float x) {
  if (i.ftz) x = flush(x);
  if (i.saturate) x = x > 1 ? 1 : x > 0 ? x : 0;
  r[i.d] = x != x ? 0x7fffffff : toBits(x);
}
template <> void put(u64 *r, const Ins &i, double x) {
  if (i.saturate) x = x > 1 ? 1 : x > 0 ? x : 0;
  r[i.d] = x != x ? 0xfff8000000000000 : toBits(x);
}

// Shapes of instructions: F::of computes the result from 1, 2 or 3 operands.
template <class F, class T> struct Unary {
  static void step(u64 *r, const Ins &i) { put(r, i, F::of(get<T>(r, i.a, i))); }
};
template <class F, class T> struct Binary {
  static void step(u64 *r, const Ins &i) { put(r, i, T(F::of(get<T>(r, i.a, i), get<T>(r, i.b, i)))); }
};
template <class F, class T> struct Ternary {
  static void step(u64 *r, const Ins &i) { put(r, i, T(F::of(get<T>(r, i.a, i), get<T>(r, i.b, i), get<T>(r, i.c, i)))); }
};

// Directed wraps a step so that its arithmetic rounds as the instruction says.
template <Step S> void directed(u64 *r, const Ins &i) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  fesetround(modes[i.round]);
  S(r, i);
  fesetround(FE_TONEAREST);
}

// Dispatch on the type of an instruction. Null means that there is no such form.
template <template <class, class> class Shape, class F> Step onIntegers(Type t) {
  switch (t) {
    case B16: case U16: return Shape<F, u16>::step;
    case S16: return Shape<F, i16>::step;
    case B32: case U32: return Shape<F, u32>::step;
    case S32: return Shape<F, i32>::step;
    case B64: case U64: return Shape<F, u64>::step;
    case S64: return Shape<F, i64>::step;
    default: return nullptr;
  }
}

template <template <class, class> class Shape, class F> Step onFloats(Type t, Rounding round = NEAREST) {
  if (t == F32) return round == NEAREST ? Shape<F, float>::step : directed<Shape<F, float>::step>;
  if (t == F64) return round == NEAREST ? Shape<F, double>::step : directed<Shape<F, double>::step>;
  return nullptr;
}

template <template <class, class> class Shape, class F> Step onNumbers(Type t, Rounding round = NEAREST) {
  Step s = onIntegers<Shape, F>(t);
  return s ? s : onFloats<Shape, F>(t, round);
}

// onBits treats values of any type as unsigned integers.
template <template <class, class> class Shape, class F> Step onBits(Type t) {
  switch (bytesOf(t)) {
    case 1: return t == PRED ? Shape<F, u8>::step : nullptr;
    case 2: return Shape<F, u16>::step;
    case 4: return Shape<F, u32>::step;
    case 8: return Shape<F, u64>::step;
  }
  return nullptr;
}

struct Add { template <class T> static T of(T a, T b) { return a + b; } };
struct Sub { template <class T> static T of(T a, T b) { return a - b; } };
struct Mul { template <class T> static T of(T a, T b) { return T(u64(i64(a)) * u64(i64(b))); }
  static float of(float a, float b) { return a * b; }
  static double of(double a, double b) { return a * b; } };
struct MulAdd { template <class T> static T of(T a, T b, T c) { return T(Mul::of(a, b) + c); } };
struct MulHigh { template <class T> static T of(T a, T b) { return T((__int128(a) * __int128(b)) >> 8 * sizeof(T)); }
  static u64 of(u64 a, u64 b) { return u64((unsigned __int128)a * b >> 64); } };
struct MulHighAdd { template <class T> static T of(T a, T b, T c) { return T(MulHigh::of(a, b) + c); } };
struct Fma { static float of(float a, float b, float c) { return fmaf(a, b, c); }
  static double of(double a, double b, double c) { return fma(a, b, c); } };

// A division by 0 gives all ones, as the hardware does; the ISA leaves it open.
struct Div { template <class T> static T of(T a, T b) { return b == 0 ? T(-1) : b == T(-1) && T(-1) < T(0) ? T(0 - u64(i64(a))) : T(a / b); }
  static float of(float a, float b) { return a / b; }
  static double of(double a, double b) { return a / b; } };
struct Rem { template <class T> static T of(T a, T b) { return b == 0 ? a : b == T(-1) && T(-1) < T(0) ? T(0) : T(a % b); } };
struct Abs { template <class T> static T of(T a) { return a < 0 ? T(0 - u64(i64(a))) : a; } };
struct Neg { template <class T> static T of(T a) { return T(0 - u64(i64(a))); } };

// Minima and maxima of floats: a NaN loses, and -0 is less than 0.
struct Min { template <class T> static T of(T a, T b) { return b < a ? b : a; }
  template <class T> static T floats(T a, T b) { return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b; }
  static float of(float a, float b) { return floats(a, b); }
  static double of(double a, double b) { return floats(a, b); } };
struct Max { template <class T> static T of(T a, T b) { return a < b ? b : a; }
  template <class T> static T floats(T a, T b) { return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a < b ? b : a; }
  static float of(float a, float b) { return floats(a, b); }
  static double of(double a, double b) { return floats(a, b); } };
// Those that have .NaN: a NaN wins.
template <class F> struct OrNan { static float of(float a, float b) { return a != a || b != b ? NAN : F::of(a, b); } };

struct Not { template <class T> static T of(T a) { return T(~a); } };
struct NotPredicate { static u8 of(u8 a) { return !(a & 1); } };
struct LogicalNot { template <class T> static T of(T a) { return a == 0; } };
struct And { template <class T> static T of(T a, T b) { return a & b; } };
struct Or { template <class T> static T of(T a, T b) { return a | b; } };
struct Xor { template <class T> static T of(T a, T b) { return a ^ b; } };
struct Move { template <class T> static T of(T a) { return a; } };

// The count of a shift is 32 bits wide, and at least the width clears or fills.
template <class F, class T> struct Shift {
  static void step(u64 *r, const Ins &i) { put(r, i, T(F::of(get<T>(r, i.a, i), std::min(u32(r[i.b]), u32(8 * sizeof(T)))))); }
};
struct ShiftLeft { template <class T> static T of(T a, u32 n) { return n >= 8 * sizeof(T) ? T(0) : T(u64(i64(a)) << n); } };
struct ShiftRight { template <class T> static T of(T a, u32 n) { return n < 8 * sizeof(T) ? T(a >> n) : a < 0 ? T(-1) : T(0); } };

template <class F, class T> struct Select {
  static void step(u64 *r, const Ins &i) { put(r, i, get<T>(r, r[i.c] & 1 ? i.a : i.b, i)); }
};

template <class T> bool holds(u8 c, T a, T b) {
  const bool nan = a != a || b != b;
  switch (c) {
    case EQ: return a == b;
    case NE: return !nan && a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQU: return nan || a == b;
    case NEU: return nan || a != b;
    case LTU: return nan || a < b;
    case LEU: return nan || a <= b;
    case GTU: return nan || a > b;
    case GEU: return nan || a >= b;
    case NUM: return !nan;
  }
  return nan;  // IS_NAN
}

template <class F, class T> struct Compare {
  static void step(u64 *r, const Ins &i) {
    const bool yes = holds(i.mode, get<T>(r, i.a, i), get<T>(r, i.b, i));
    r[i.d] = yes;
    r[i.d2] = !yes;
  }
};

// Conversions.

float halfToFloat(u16 h) {
  const u32 exponent = h >> 10 & 31, fraction = h & 0x3ff;
  float x = exponent == 0 ? ldexpf(float(fraction), -24) : exponent == 31 ? (fraction ? NAN : INFINITY) : ldexpf(float(fraction + 1024), int(exponent) - 25);
  return h & 0x8000 ? -x : x;
}

u16 floatToHalf(float x) {
  if (x != x) return 0x7fff;
  const u16 sign = signbit(x) ? 0x8000 : 0;
  const double a = fabs(double(x));
  if (a >= 65520) return sign | 0x7c00;                      // rounds to infinity
  if (a < 0x1p-14) return sign | u16(rint(ldexp(a, 24)));    // subnormal, or the least normal
  const int exponent = ilogb(a);
  return sign | u16(((exponent + 14) << 10) + int(rint(ldexp(a, 10 - exponent))));  // a carry goes to the exponent
}

float bfloatToFloat(u16 b) { return fromBits<float>(u64(b) << 16); }

u16 floatToBfloat(float x) {
  if (x != x) return 0x7fff;
  const u32 b = u32(toBits(x));
  return u16((b + 0x7fff + (b >> 16 & 1)) >> 16);
}

// toIntegral rounds to an integer as the instruction says.
template <class T> T toIntegral(T x, Rounding round) {
  return round == TO_ZERO ? trunc(x) : round == DOWN ? floor(x) : round == UP ? ceil(x) : rint(x);
}

// floatToInteger clamps. A NaN is 0, and the least integer, or 2^63, where one of
// the types has 64 bits.
template <class T, class From> T floatToInteger(From x, Rounding round) {
  if (x != x) return sizeof(From) == 8 || sizeof(T) == 8 ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
  const double y = toIntegral(double(x), round), top = ldexp(1, 8 * sizeof(T) - (T(-1) < T(0)));
  if (y >= top) return T(-1) < T(0) ? T(~(T(1) << (8 * sizeof(T) - 1))) : T(-1);
  if (T(-1) < T(0) ? y < -top : y <= 0) return T(-1) < T(0) ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
  return T(y);
}

template <class T, class From> void convertFloatToInteger(u64 *r, const Ins &i) { put(r, i, floatToInteger<T>(get<From>(r, i.a, i), i.round)); }

template <class T, class From> void convertInteger(u64 *r, const Ins &i) {
  From x = get<From>(r, i.a, i);
  if (i.saturate) {
    const __int128 low = T(-1) < T(0) ? -(__int128(1) << (8 * sizeof(T) - 1)) : 0, high = (__int128(1) << (8 * sizeof(T) - (T(-1) < T(0)))) - 1;
    const __int128 y = std::min(std::max(__int128(x), low), high);
    return put(r, i, T(y));
  }
  put(r, i, T(x));
}

template <class T, class From> void convertToFloat(u64 *r, const Ins &i) { put(r, i, T(get<From>(r, i.a, i))); }

template <class T> void roundToIntegral(u64 *r, const Ins &i) { put(r, i, toIntegral(get<T>(r, i.a, i), i.round)); }

template <float (*F)(u16)> void widen(u64 *r, const Ins &i) { put(r, i, F(u16(r[i.a]))); }
template <u16 (*F)(float)> void narrow(u64 *r, const Ins &i) { r[i.d] = F(get<float>(r, i.a, i)); }
template <u16 (*F)(float)> void narrowTwo(u64 *r, const Ins &i) { r[i.d] = u64(F(get<float>(r, i.a, i))) << 16 | F(get<float>(r, i.b, i)); }

template <class From> Step convertFrom(Type to, bool fromFloat, const Ins &i) {
  if (fromFloat) {
    switch (to) {
      case U8: return convertFloatToInteger<u8, From>;
      case S8: return convertFloatToInteger<i8, From>;
      case U16: return convertFloatToInteger<u16, From>;
      case S16: return convertFloatToInteger<i16, From>;
      case U32: return convertFloatToInteger<u32, From>;
      case S32: return convertFloatToInteger<i32, From>;
      case U64: return convertFloatToInteger<u64, From>;
      case S64: return convertFloatToInteger<i64, From>;
      default: break;
    }
  }
  switch (to) {
    case U8: return convertInteger<u8, From>;
    case S8: return convertInteger<i8, From>;
    case U16: return convertInteger<u16, From>;
    case S16: return convertInteger<i16, From>;
    case U32: return convertInteger<u32, From>;
    case S32: return convertInteger<i32, From>;
    case U64: return convertInteger<u64, From>;
    case S64: return convertInteger<i64, From>;
    case F32: return i.round == NEAREST ? convertToFloat<float, From> : directed<convertToFloat<float, From>>;
    case F64: return i.round == NEAREST ? convertToFloat<double, From> : directed<convertToFloat<double, From>>;
    default: return nullptr;
  }
}

Step conversion(Type to, Type from, const Ins &i) {
  const bool halves = to == F16 || to == BF16 || to == F16X2 || to == BF16X2;
  if (halves) {
    if (from != F32 || i.round != NEAREST || i.integral || i.saturate) return nullptr;
    return to == F16 ? narrow<floatToHalf> : to == BF16 ? narrow<floatToBfloat> : to == F16X2 ? narrowTwo<floatToHalf> : narrowTwo<floatToBfloat>;
  }
  if (from == F16 || from == BF16) return to != F32 || i.integral ? nullptr : from == F16 ? widen<halfToFloat> : widen<bfloatToFloat>;
  const bool fromFloat = from == F32 || from == F64, toFloat = to == F32 || to == F64;
  if (fromFloat && (toFloat ? i.integral && to != from : !i.integral)) return nullptr;
  if (fromFloat && toFloat && i.integral) return to == F32 ? roundToIntegral<float> : roundToIntegral<double>;
  switch (from) {
    case U8: return convertFrom<u8>(to, false, i);
    case S8: return convertFrom<i8>(to, false, i);
    case U16: return convertFrom<u16>(to, false, i);
    case S16: return convertFrom<i16>(to, false, i);
    case U32: return convertFrom<u32>(to, false, i);
    case S32: return convertFrom<i32>(to, false, i);
    case U64: return convertFrom<u64>(to, false, i);
    case S64: return convertFrom<i64>(to, false, i);
    case F32: return convertFrom<float>(to, true, i);
    case F64: return convertFrom<double>(to, true, i);
    default: return nullptr;
  }
}

// Products of twice the width.
template <class Wide, class T> void mulWide(u64 *r, const Ins &i) { put(r, i, Wide(Wide(get<T>(r, i.a, i)) * Wide(get<T>(r, i.b, i)))); }
template <class Wide, class T> void mulAddWide(u64 *r, const Ins &i) { put(r, i, Wide(Wide(get<T>(r, i.a, i)) * Wide(get<T>(r, i.b, i)) + get<Wide>(r, i.c, i))); }

Step wide(Type t, bool add) {
  switch (t) {
    case U16: return add ? mulAddWide<u32, u16> : mulWide<u32, u16>;
    case S16: return add ? mulAddWide<i32, i16> : mulWide<i32, i16>;
    case U32: return add ? mulAddWide<u64, u32> : mulWide<u64, u32>;
    case S32: return add ? mulAddWide<i64, i32> : mulWide<i64, i32>;
    default: return nullptr;
  }
}

void absFloat(u64 *r, const Ins &i) { r[i.d] = (i.bytes == 4 ? toBits(get<float>(r, i.a, i)) : r[i.a]) & maskOf(i.bytes) >> 1; }
void negFloat(u64 *r, const Ins &i) { r[i.d] = (i.bytes == 4 ? toBits(get<float>(r, i.a, i)) : r[i.a]) ^ u64(1) << (8 * i.bytes - 1); }
struct Sqrt { static float of(float a) { return sqrtf(a); } static double of(double a) { return sqrt(a); } };
struct Reciprocal { static float of(float a) { return 1 / a; } static double of(double a) { return 1 / a; } };

// inexact returns a result that an approximate instruction may give for x.
float inexact(float x) {
  if (!options.approx || !std::isfinite(x) || x == 0) return x;
  int n = int(randomness() % (2 * options.approx + 1)) - options.approx;
  for (; n > 0; n--) x = nextafterf(x, INFINITY);
  for (; n < 0; n++) x = nextafterf(x, -INFINITY);
  return x;
}
template <class F> struct Inexact { static float of(float a) { return inexact(F::of(a)); } };
// div.full is within 2 ulp everywhere; div.approx gives 0 for divisors above 2^126.
struct DivFull { static float of(float a, float b) { return inexact(a / b); } };
struct DivApprox { static float of(float a, float b) {
  if (fabsf(b) > 0x1p126f && std::isfinite(b)) return std::isfinite(a) ? copysignf(0, a / b) : NAN;
  return inexact(a / b);
} };

Step multiply(Name &n, Type t, Rounding round) {
  if (n.take("lo")) return onIntegers<Binary, Mul>(t);
  if (n.take("hi")) return onIntegers<Binary, MulHigh>(t);
  if (n.take("wide")) return wide(t, false);
  return onFloats<Binary, Mul>(t, round);
}

Step multiplyAdd(Name &n, Type t) {
  if (n.take("lo")) return onIntegers<Ternary, MulAdd>(t);
  if (n.take("hi")) return onIntegers<Ternary, MulHighAdd>(t);
  return n.take("wide") ? wide(t, true) : nullptr;
}

// The rounding that a mnemonic has. approximate is the rounding of .approx and .full.
Rounding takeRounding(Name &n, Ins &i) {
  static const std::pair<const char *, Rounding> names[] = {{"rn", NEAREST}, {"rz", TO_ZERO}, {"rm", DOWN}, {"rp", UP}, {"approx", APPROXIMATE}};
  for (auto &x : names) {
    if (n.take(x.first)) return x.second;
    if (x.second != APPROXIMATE && n.take(std::string(x.first) + "i")) {
      i.integral = true;
      return x.second;
    }
  }
  return NEAREST;
}

u8 takeComparison(Name &n) {
  static const std::pair<const char *, Comparison> names[] = {{"eq", EQ}, {"ne", NE}, {"lt", LT}, {"le", LE}, {"gt", GT}, {"ge", GE}, {"lo", LT}, {"ls", LE}, {"hi", GT}, {"hs", GE},
    {"equ", EQU}, {"neu", NEU}, {"ltu", LTU}, {"leu", LEU}, {"gtu", GTU}, {"geu", GEU}, {"num", NUM}, {"nan", IS_NAN}};
  for (auto &x : names) {
    if (n.take(x.first)) return x.second;
  }
  return 255;
}

bool isFloat(Type t) { return t == F32 || t == F64; }

// Steps of instructions that have one operand, two and three.

Step chooseUnary(Name &n, Ins &i, Type t) {
  const std::string &s = n.base;
  if (s == "mov") return onBits<Unary, Move>(t);
  if (s == "not") return t == PRED ? Unary<NotPredicate, u8>::step : onBits<Unary, Not>(t);
  if (s == "cnot") return onBits<Unary, LogicalNot>(t);
  if (s == "abs") return isFloat(t) ? absFloat : isSigned(t) ? onIntegers<Unary, Abs>(t) : nullptr;
  if (s == "neg") return isFloat(t) ? negFloat : isSigned(t) ? onIntegers<Unary, Neg>(t) : nullptr;
  if (s == "clz") return countZeros;
  if (s == "popc") return countOnes;
  if (s == "brev") return reverseBits;
  if (s == "cvta") return n.take("to") && n.take("global") ? onBits<Unary, Move>(t) : nullptr;
  if (s == "cvt") return conversion(t, n.source(), i);
  if (s == "sqrt") return i.round == APPROXIMATE ? (t == F32 ? Unary<Inexact<Sqrt>, float>::step : nullptr) : onFloats<Unary, Sqrt>(t, i.round);
  if (s == "rcp") return i.round == APPROXIMATE ? (t == F32 ? Unary<Inexact<Reciprocal>, float>::step : nullptr) : onFloats<Unary, Reciprocal>(t, i.round);
  return nullptr;
}

Step chooseBinary(Name &n, Ins &i, Type t) {
  const std::string &s = n.base;
  if (s == "add") return onNumbers<Binary, Add>(t, i.round);
  if (s == "sub") return onNumbers<Binary, Sub>(t, i.round);
  if (s == "mul") return multiply(n, t, i.round);
  if (s == "div" && n.take("full")) return t == F32 ? Binary<DivFull, float>::step : nullptr;
  if (s == "div" && i.round == APPROXIMATE) return t == F32 ? Binary<DivApprox, float>::step : nullptr;
  if (s == "div") return onNumbers<Binary, Div>(t, i.round);
  if (s == "rem") return onIntegers<Binary, Rem>(t);
  if (s == "min" && n.take("NaN")) return t == F32 ? Binary<OrNan<Min>, float>::step : nullptr;
  if (s == "max" && n.take("NaN")) return t == F32 ? Binary<OrNan<Max>, float>::step : nullptr;
  if (s == "min") return onNumbers<Binary, Min>(t);
  if (s == "max") return onNumbers<Binary, Max>(t);
  if (s == "and") return onBits<Binary, And>(t);
  if (s == "or") return onBits<Binary, Or>(t);
  if (s == "xor") return onBits<Binary, Xor>(t);
  if (s == "shl") return onIntegers<Shift, ShiftLeft>(t);
  if (s == "shr") return onIntegers<Shift, ShiftRight>(t);
  if (s == "copysign") return isFloat(t) ? copySign : nullptr;
  if (s == "cvt") return conversion(t, n.source(), i);  // of two floats to packed halves
  if (s == "setp") {
    i.mode = takeComparison(n);
    if (i.mode == 255 || (i.mode > GE && !isFloat(t))) return nullptr;
    return onNumbers<Compare, void>(t);
  }
  return nullptr;
}

// dot adds products of the numbers of a register and of bytes of another one, from byte first on, to a sum.
template <class A, class B, int first = 0> void dot(u64 *r, const Ins &i) {
  const u32 a = get<u32>(r, i.a, i), b = get<u32>(r, i.b, i) >> 8 * first;
  u32 sum = get<u32>(r, i.c, i);
  for (int k = 0; k < int(4 / sizeof(A)); k++) sum += u32(i32(A(a >> k * 8 * sizeof(A))) * i32(B(b >> k * 8)));
  put(r, i, sum);
}

template <class A, class B> Step chooseDot(Name &n) {
  if (n.base == "dp4a") return dot<A, B>;
  using Wide = std::conditional_t<std::is_signed_v<A>, i16, u16>;
  if (n.take("lo")) return dot<Wide, B>;
  return n.take("hi") ? dot<Wide, B, 2> : nullptr;
}

Step chooseDot(Name &n, Type a, Type b) {
  if (bytesOf(a) != 4 || bytesOf(b) != 4) return nullptr;
  if (isSigned(a)) return isSigned(b) ? chooseDot<i8, i8>(n) : chooseDot<i8, u8>(n);
  return isSigned(b) ? chooseDot<u8, i8>(n) : chooseDot<u8, u8>(n);
}

Step chooseTernary(Name &n, Ins &i, Type t) {
  const std::string &s = n.base;
  if (s == "fma" || (s == "mad" && isFloat(t))) return onFloats<Ternary, Fma>(t, i.round);
  if (s == "mad") return multiplyAdd(n, t);
  if (s == "dp4a" || s == "dp2a") return chooseDot(n, t, n.source());
  if (s == "selp") return onBits<Select, void>(t);
  if (s == "prmt") return t == B32 ? permute : nullptr;
  if (s == "bfe") return onIntegers<Binary, And>(t) && bytesOf(t) >= 4 ? bitExtract : nullptr;
  if (s == "shf") {
    i.right = n.take("r");
    i.clamp = n.take("clamp");
    return (i.right || n.take("l")) && (i.clamp || n.take("wrap")) && t == B32 ? funnel : nullptr;
  }
  return nullptr;
}

}  // namespace

bool Name::take(const std::string &modifier) {
  auto i = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (i == modifiers.end()) return false;
  modifiers.erase(i);
  return true;
}

int choose(Name &n, Ins &i) {
  const Type t = n.type();
  i.bytes = bytesOf(t);
  i.extend = isSigned(t);
  i.round = takeRounding(n, i);
  i.ftz = n.take("ftz");
  const bool saturates = n.take("sat");
  i.saturate = saturates;
  if (saturates && n.base != "cvt" && !isFloat(t)) return -1;
  int operands = 1;
  if (n.base == "cvt" && (t == F16X2 || t == BF16X2)) operands = 2;
  if (operands == 1 && (i.step = chooseUnary(n, i, t))) return 1;
  if ((i.step = chooseBinary(n, i, t))) return 2;
  if ((i.step = chooseTernary(n, i, t))) return 3;
  if (n.base == "bfi" && bytesOf(t) >= 4) return i.step = bitInsert, 4;
  if (n.base == "lop3" && t == B32) return i.step = logic3, 4;
  if (n.base == "unpack") return i.step = unpack, 1;
  if (n.base == "pack") return i.step = pack, 0;
  return -1;
}

}  // namespace ptx
