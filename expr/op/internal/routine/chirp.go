package routine

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// mostFactors is the greatest sum of the prime factors of a length that is transformed directly, in
// a time that grows with the length times the sum. Three transforms of a power of two are faster
// beyond.
const mostFactors = 100

// isDirect reports whether rows of n points are transformed directly.
func isDirect(n int) bool {
	sum := 0
	for p := 2; p*p <= n && sum <= mostFactors; p++ {
		for ; n%p == 0; n /= p {
			sum += p
		}
	}
	if n > 1 {
		sum += n
	}
	return sum <= mostFactors
}

// A chirp transforms rows of any length by Bluestein's algorithm: the product of two indices is half
// the sum of their squares less the square of their difference, so the transform is a convolution,
// which transforms of a power of two compute.
type chirp struct {
	fft      *fourier.CmplxFFT
	factors  []complex128 // exp(-i pi k^2 / n)
	spectrum []complex128 // of the conjugate factors around 0, divided by the number of its points
	work     []complex128
}

func newChirp(n int) *chirp {
	m := 1 << bits.Len(uint(2*n-2))
	c := &chirp{fourier.NewCmplxFFT(m), make([]complex128, n), make([]complex128, m), make([]complex128, m)}
	for k := range n {
		high, low := bits.Mul64(uint64(k), uint64(k))
		_, square := bits.Div64(high, low, uint64(2*n)) // k*k < 2n*2^64, because k < n
		sin, cos := math.Sincos(math.Pi * float64(square) / float64(n))
		c.factors[k] = complex(cos, -sin)
		factor := complex(cos/float64(m), sin/float64(m))
		c.spectrum[k] = factor
		c.spectrum[(m-k)%m] = factor
	}
	c.fft.Coefficients(c.spectrum, c.spectrum)
	return c
}

// transform replaces the points by their transform, or by the one with the conjugate factors.
func (c *chirp) transform(points []complex128, back bool) {
	turn := func(v complex128) complex128 {
		if back {
			return complex(real(v), -imag(v))
		}
		return v
	}
	for k, v := range points {
		c.work[k] = turn(v) * c.factors[k]
	}
	clear(c.work[len(points):])
	c.fft.Coefficients(c.work, c.work)
	for k, v := range c.spectrum {
		c.work[k] *= v
	}
	c.fft.Sequence(c.work, c.work)
	for k := range points {
		points[k] = turn(c.work[k] * c.factors[k])
	}
}

// coefficients stores the first half of the transform of numbers to points.
func (c *chirp) coefficients(points []complex128, numbers []float64, all []complex128) {
	for i, v := range numbers {
		all[i] = complex(v, 0)
	}
	c.transform(all, false)
	copy(points, all)
}

// sequence stores the numbers of whose transform points is the first half.
func (c *chirp) sequence(numbers []float64, points, all []complex128) {
	n := len(all)
	for k, v := range points {
		if k == 0 || 2*k == n {
			v = complex(real(v), 0)
		}
		all[k], all[(n-k)%n] = v, complex(real(v), -imag(v))
	}
	all[0] = complex(real(points[0]), 0)
	c.transform(all, true)
	for i, v := range all {
		numbers[i] = real(v)
	}
}
