package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// Complex returns the complex numbers with real parts re and imaginary parts im.
// C is the type whose parts have type T: complex128 for float64. Otherwise the
// result carries an error.
func Complex[C expr.ComplexNumber, T float32 | float64](re, im expr.Exp[T]) expr.Exp[C] {
	return expr.Of[C](untyped.Complex(expr.NodeOf(re), expr.NodeOf(im)))
}

// RealPart returns the real parts of z. T is the type of the parts: float64 for
// complex128. Otherwise the result carries an error.
func RealPart[T float32 | float64, C expr.ComplexNumber](z expr.Exp[C]) expr.Exp[T] {
	return ofParts[T](untyped.Row("real"), z)
}

// ImagPart returns the imaginary parts of z, as [RealPart] does.
func ImagPart[T float32 | float64, C expr.ComplexNumber](z expr.Exp[C]) expr.Exp[T] {
	return ofParts[T](untyped.Row("imag"), z)
}

// Angle returns atan2(imag(z), real(z)), as [RealPart] does.
func Angle[T float32 | float64, C expr.ComplexNumber](z expr.Exp[C]) expr.Exp[T] {
	return ofParts[T](untyped.Row("angle"), z)
}

// Modulus returns the absolute values of z without overflow: [Hypot] of the parts.
// T is as for [RealPart].
func Modulus[T float32 | float64, C expr.ComplexNumber](z expr.Exp[C]) expr.Exp[T] {
	n := expr.NodeOf(z)
	return expr.Of[T](tree.Apply(untyped.Row("abs"), n).As("Modulus", n))
}

func ofParts[T float32 | float64, C expr.ComplexNumber](o *tree.Operator, z expr.Exp[C]) expr.Exp[T] {
	return expr.Of[T](tree.Apply(o, expr.NodeOf(z)))
}
