// Package scalar computes single values for package prim and for the
// interpreter: the primitives whose meaning is more than one Go expression, and
// the conversions.
//
// Go may fuse x*y + z into one rounding on some targets. Where a product feeds
// a sum, write float32(x*y) + z: an explicit conversion forbids the fusion.
package scalar

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// Fma32 returns x*y + z rounded once.
//
// The product is exact in float64. The float64 sum is rounded. Rounding it
// again to float32 is wrong only if it is exactly half-way between two float32
// values, because rounding is monotonic and every half-way point is a float64.
// For normal results the low 29 bits show that; subnormal results go the slow way.
// 897<<53 is 2^-126 without its sign; a zero sum wraps around and is fine.
func Fma32(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z) // a fusion changes nothing here
	if b := math.Float64bits(s); b&0x1fffffff != 0x10000000 && b<<1-1 >= 897<<53-1 {
		return float32(s)
	}
	return fmaSlow(x, y, z)
}

// fmaSlow returns x*y + z rounded to float32 by rounding to odd: an inexact
// float64 sum gets its last bit set, which no half-way point has (Boldo &
// Melquiond 2008).
func fmaSlow(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	b := math.Float64bits(s)
	if b&1 == 0 && s-s == 0 {
		t := s - p // Knuth's TwoSum: p + c = s + e exactly
		e := (p - (s - t)) + (c - t)
		switch {
		case e == 0:
		case e > 0 == (s > 0):
			b++
		default:
			b--
		}
	}
	return float32(math.Float64frombits(b))
}

// Abs returns |x|. For the least integer it returns x.
func Abs[T dtype.Int](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

// Div returns the truncated quotient; by zero it is 0.
func Div[T dtype.Int](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y
}

// Rem returns the remainder of Div; by zero it is 0.
func Rem[T dtype.Int](x, y T) T {
	if y == 0 {
		return 0
	}
	return x % y
}

// Ldexp32 returns x * 2^n rounded once, for any n. Beyond ±300 every finite x
// has overflowed or underflowed. Within, the float64 product is exact.
func Ldexp32(x float32, n int32) float32 {
	n = min(max(n, -300), 300)
	return float32(float64(x) * math.Float64frombits(uint64(n+1023)<<52))
}

// Ldexp64 returns x * 2^n rounded once, for any n.
func Ldexp64(x float64, n int64) float64 {
	if e := uint64(n + 1022); e < 2046 { // 2^n is normal, and the product rounds once
		return x * math.Float64frombits(e<<52+1<<52)
	}
	return scaleSlow(x, n)
}

//go:noinline
func scaleSlow(x float64, n int64) float64 { return math.Ldexp(x, int(min(max(n, -2200), 2200))) }

// MulHi returns the high half of the product.
func MulHi[T dtype.Unsigned](x, y T) T {
	if w := 8 * unsafe.Sizeof(x); w < 64 {
		return T(uint64(x) * uint64(y) >> w)
	}
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	return T(hi)
}

// Limits returns the least value of an integer type, and the least float above its
// values.
func Limits(t dtype.Type) (least, above float64) {
	bits := 8 * t.Size()
	if t.IsSigned() {
		above = math.Ldexp(1, bits-1)
		return -above, above
	}
	return 0, math.Ldexp(1, bits)
}

// ToInt converts x to an integer type, and returns the bits. It truncates, saturates, and
// converts NaN to 0. A float32 operand is widened first, which is exact. The result of Go's
// own conversion out of range depends on the platform.
func ToInt(t dtype.Type, x float64) uint64 {
	switch least, above := Limits(t); {
	case x >= above && t.IsSigned():
		return t.Mask() >> 1
	case x >= above:
		return t.Mask()
	case x <= least && t.IsSigned():
		return t.Mask() ^ t.Mask()>>1
	case !(x > least):
		return 0
	case x >= 0x1p63:
		return uint64(int64(x-0x1p63)) + 1<<63
	}
	return uint64(int64(x)) & t.Mask()
}

// FromBool returns 1 for true and 0 for false.
func FromBool[T int | dtype.Int | float32 | float64](x bool) T {
	if x {
		return 1
	}
	return 0
}

// ToF32 returns the float32 nearest to x, ties to even. Where registers have 32
// bits, Go's own conversion goes through float64 and rounds twice.
func ToF32[T int64 | uint64](x T) float32 {
	if bits.UintSize == 64 {
		return float32(x)
	}
	return toF32(x)
}

// toF32 rounds to odd if float64 cannot hold x. Only the conversion to float32
// then rounds to nearest.
func toF32[T int64 | uint64](x T) float32 {
	const odd = 1 << 11
	if top := x >> 53; top != 0 && top != ^T(0) && x%odd != 0 {
		x = x&^(odd-1) | odd
	}
	return float32(float64(x))
}
