package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// Deg2Rad returns x degrees in radians.
func Deg2Rad[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("deg2rad", untyped.Options{}, expr.NodeOf(x))
}

// Rad2Deg returns x radians in degrees.
func Rad2Deg[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("rad2deg", untyped.Options{}, expr.NodeOf(x))
}

// LogAddExp returns log(exp(x) + exp(y)) without overflow.
func LogAddExp[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("logaddexp", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// LogAddExp2 returns log2(2**x + 2**y) without overflow.
func LogAddExp2[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("logaddexp2", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// Sinc returns sin(pi*x) / (pi*x), and 1 at 0.
func Sinc[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("sinc", untyped.Options{}, expr.NodeOf(x))
}

// Heaviside returns 0 below 0, 1 above 0, and y at 0.
func Heaviside[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("heaviside", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// IsPosInf returns whether x is positive infinity.
func IsPosInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("isposinf", untyped.Options{}, expr.NodeOf(x))
}

// IsNegInf returns whether x is negative infinity.
func IsNegInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] {
	return composed[bool]("isneginf", untyped.Options{}, expr.NodeOf(x))
}

// BitCount returns the number of bits that are set in |x|.
func BitCount[T expr.Integer](x expr.Exp[T]) expr.Exp[uint8] {
	return composed[uint8]("bitwise_count", untyped.Options{}, expr.NodeOf(x))
}

// Frexp returns m and e of x = m * 2^e with .5 <= |m| < 1. They are x and 0 for 0, infinity and NaN.
func Frexp[T expr.Float](x expr.Exp[T]) (m expr.Exp[T], e expr.Exp[int32]) {
	if expr.NodeOf(x).Err() == nil {
		x = Cast[T](x) // a half inside a tree has more digits than an element
	}
	return Mantissa(x), Cast[int32](Exponent(x))
}

// Spacing returns the distance from x to the next number of type T away from 0, with the sign of x.
func Spacing[T expr.Float](x expr.Exp[T]) expr.Exp[T] {
	return composed[T]("spacing", untyped.Options{}, expr.NodeOf(x))
}

// NextAfter returns the next number of type T from x towards y.
func NextAfter[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("nextafter", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// GCD returns the greatest common divisor of |x| and |y|. The one of 0 and 0 is 0.
func GCD[T expr.Integer](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("gcd", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(y))
}

// LCM returns the least common multiple of |x| and |y|. It wraps.
func LCM[T expr.Integer](x, y expr.Exp[T]) expr.Exp[T] {
	return composed[T]("lcm", untyped.Options{}, expr.NodeOf(x), expr.NodeOf(y))
}
