package op

import (
	"github.com/oneloop/oneloop/expr"
)

// Deg2Rad returns x degrees in radians.
func Deg2Rad[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("deg2rad", x) }

// Rad2Deg returns x radians in degrees.
func Rad2Deg[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("rad2deg", x) }

// LogAddExp returns log(exp(x) + exp(y)) without overflow.
func LogAddExp[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("logaddexp", x, y) }

// LogAddExp2 returns log2(2**x + 2**y) without overflow.
func LogAddExp2[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("logaddexp2", x, y) }

// Sinc returns sin(pi*x) / (pi*x), and 1 at 0.
func Sinc[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("sinc", x) }

// Heaviside returns 0 below 0, 1 above 0, and y at 0.
func Heaviside[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("heaviside", x, y) }

// IsPosInf returns whether x is positive infinity.
func IsPosInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] { return plain[bool]("isposinf", x) }

// IsNegInf returns whether x is negative infinity.
func IsNegInf[T expr.Float](x expr.Exp[T]) expr.Exp[bool] { return plain[bool]("isneginf", x) }

// BitCount returns the number of bits that are set in |x|.
func BitCount[T expr.Integer](x expr.Exp[T]) expr.Exp[uint8] { return plain[uint8]("bitwise_count", x) }

// Frexp returns m and e of x = m * 2^e with .5 <= |m| < 1. They are x and 0 for 0, infinity and NaN.
func Frexp[T expr.Float](x expr.Exp[T]) (m expr.Exp[T], e expr.Exp[int32]) {
	if expr.NodeOf(x).Err() == nil {
		x = Cast[T](x) // a half inside a tree has more digits than an element
	}
	return Mantissa(x), Cast[int32](Exponent(x))
}

// Spacing returns the distance from x to the next number of type T away from 0, with the sign of x.
func Spacing[T expr.Float](x expr.Exp[T]) expr.Exp[T] { return plain[T]("spacing", x) }

// NextAfter returns the next number of type T from x towards y.
func NextAfter[T expr.Float](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("nextafter", x, y) }

// GCD returns the greatest common divisor of |x| and |y|. The one of 0 and 0 is 0.
func GCD[T expr.Integer](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("gcd", x, y) }

// LCM returns the least common multiple of |x| and |y|. It wraps.
func LCM[T expr.Integer](x, y expr.Exp[T]) expr.Exp[T] { return plain[T]("lcm", x, y) }
