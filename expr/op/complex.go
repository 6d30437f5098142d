package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
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

// A FourierOption is an option of a Fourier transform.
type FourierOption func(o *untyped.FourierOptions)

func fourier(opts []FourierOption) untyped.FourierOptions {
	return *complete(&untyped.FourierOptions{}, opts)
}

// FourierPoints sets the number of points of a transform along each of its axes. An
// axis is cut or padded with zeros. For [IRFFT], [IRFFTN] and [HFFT] the last number is
// the one of results. In a transform along several axes, -1 is the extent of the axis.
func FourierPoints(n ...int) FourierOption {
	return func(o *untyped.FourierOptions) { o.Points = append([]int{}, n...) }
}

// FourierNorm says where a transform divides by its number of points n: "backward", the
// default, in inverse transforms, "forward" in the others, and "ortho" by the root of
// n in all.
func FourierNorm(norm string) FourierOption { return func(o *untyped.FourierOptions) { o.Norm = norm } }

// FFT returns the discrete Fourier transform along an axis: of x[t] the sum of
// x[t]*exp(-2i*pi*k*t/n) for each k. It is computed in float64, on the host, and
// then rounded to complex64. A division by n, or by its root, rounds once more.
// Lengths with large prime factors take time with their square.
func FFT[C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("fft", expr.NodeOf(x), []int{axis}, fourier(opts)))
}

// IFFT returns the inverse of [FFT].
func IFFT[C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("ifft", expr.NodeOf(x), []int{axis}, fourier(opts)))
}

// RFFT returns the first n/2 + 1 numbers of the transform of n real numbers. The
// others are their conjugates. C is the type whose parts have type T.
func RFFT[C expr.ComplexNumber, T float32 | float64](x expr.Exp[T], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("rfft", expr.NodeOf(x), []int{axis}, fourier(opts)))
}

// IRFFT returns the inverse of [RFFT]. The number of results is 2*(m-1) for m points,
// if the options do not state it. It ignores the imaginary part of the first point,
// and for an even number of results of the last.
func IRFFT[T float32 | float64, C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[T] {
	return expr.Of[T](untyped.Fourier("irfft", expr.NodeOf(x), []int{axis}, fourier(opts)))
}

// HFFT returns the transform of n numbers of which the last are the conjugates of the
// first. It is real, and x has the first n/2 + 1. n is 2*(m-1) for m of them, if the
// options do not state it.
func HFFT[T float32 | float64, C expr.ComplexNumber](x expr.Exp[C], axis int, opts ...FourierOption) expr.Exp[T] {
	return expr.Of[T](untyped.Fourier("hfft", expr.NodeOf(x), []int{axis}, fourier(opts)))
}

// IHFFT returns the inverse of [HFFT].
func IHFFT[C expr.ComplexNumber, T float32 | float64](x expr.Exp[T], axis int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("ihfft", expr.NodeOf(x), []int{axis}, fourier(opts)))
}

// FFTN returns the transform along several axes, the last one first: [FFT] along
// each. Nil axes are the last ones for which [FourierPoints] has numbers, or all.
func FFTN[C expr.ComplexNumber](x expr.Exp[C], axes []int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("fftn", expr.NodeOf(x), axes, fourier(opts)))
}

// IFFTN returns the inverse of [FFTN].
func IFFTN[C expr.ComplexNumber](x expr.Exp[C], axes []int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("ifftn", expr.NodeOf(x), axes, fourier(opts)))
}

// RFFTN returns the transform of real numbers along several axes: [RFFT] along the last
// of them, then [FFT] along the others. Axes are as in [FFTN].
func RFFTN[C expr.ComplexNumber, T float32 | float64](x expr.Exp[T], axes []int, opts ...FourierOption) expr.Exp[C] {
	return expr.Of[C](untyped.Fourier("rfftn", expr.NodeOf(x), axes, fourier(opts)))
}

// IRFFTN returns the inverse of [RFFTN]: [IFFT] along all axes but the last, then
// [IRFFT] along the last.
func IRFFTN[T float32 | float64, C expr.ComplexNumber](x expr.Exp[C], axes []int, opts ...FourierOption) expr.Exp[T] {
	return expr.Of[T](untyped.Fourier("irfftn", expr.NodeOf(x), axes, fourier(opts)))
}

// FFTFreq returns the frequencies of the points of a transform of n points at
// distance d, as NumPy's fftfreq: 0, 1, ..., then the negative ones, over n*d.
func FFTFreq[T float32 | float64](n int, d float64) expr.Exp[T] {
	return expr.Of[T](untyped.Frequency(dtype.Of[T](), n, d, false))
}

// RFFTFreq returns the frequencies of the points of [RFFT]: 0 to n/2, over n*d.
func RFFTFreq[T float32 | float64](n int, d float64) expr.Exp[T] {
	return expr.Of[T](untyped.Frequency(dtype.Of[T](), n, d, true))
}
