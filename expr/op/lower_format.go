package op

import (
	"fmt"
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

// The lowerings of mathematical functions. Each is one fixed sequence of
// correctly rounded primitives, so every backend gives the same bits; see
// docs/numerics.md for what "within 1 ULP" means and docs/accuracy.md for the
// measured errors. The coefficients are fitted by scripts/coefficients.
//
// Conventions: "hot" is what runs for ordinary arguments; special cases that
// need many instructions go into a cold region. A float64 lowering is the
// float32 one with more coefficients unless said otherwise.

// A format is what a lowering must know of a floating-point type.
type format struct {
	t, i, u dtype.Type // the float, and the integers of its width
	row     int        // of coefs
	width   int64      // bits in all
	mant    int64      // stored bits of the significand
	bias    int64      // of the exponent
	magic   float64    // 1.5 * 2^mant: adding it rounds to an integer
	exp     [2]float64 // exp(x) is 0 below the first, and infinite above the second
}

var formats = [2]format{
	{dtype.F32, dtype.I32, dtype.U32, 0, 32, 23, 127, 0x1.8p23, [2]float64{-104, 89}},
	{dtype.F64, dtype.I64, dtype.U64, 1, 64, 52, 1023, 0x1.8p52, [2]float64{-746, 710}},
}

// formatOf returns the format of x. If x is no float, the builder gets the
// error, and the lowering goes on with nonsense.
func formatOf(b *B, x V) *format {
	switch x.Type {
	case dtype.F32:
		return &formats[0]
	case dtype.F64:
		return &formats[1]
	}
	b.Fail(fmt.Errorf("no lowering for elements of type %v", x.Type))
	return &formats[0]
}

// coefs are constants for float32 and float64.
type coefs [2][]float64

func (f *format) c(b *B, v float64) V       { return b.Const(f.t, v) }
func (f *format) int(b *B, v int64) V       { return b.Int(f.i, v) }
func (f *format) bits(b *B, x V) V          { return b.Bitcast(f.i, x) }
func (f *format) float(b *B, x V) V         { return b.Bitcast(f.t, x) }
func (f *format) at(b *B, c coefs, i int) V { return f.c(b, c[f.row][i]) }
func (f *format) signBit(b *B) V            { return f.int(b, math.MinInt64>>(64-f.width)) }

// horner returns the polynomial with coefficients cs, and then those of last,
// in Horner's scheme: the first value is the highest coefficient.
func horner(b *B, x V, cs []float64, last ...V) V {
	y := b.Const(x.Type, cs[len(cs)-1])
	for i := len(cs) - 2; i >= 0; i-- {
		y = b.Fma(y, x, b.Const(x.Type, cs[i]))
	}
	for _, c := range last {
		y = b.Fma(y, x, c)
	}
	return y
}

// horner2 returns the polynomial with coefficients cs in x, given x2 = x^2: the
// first coefficient plus x times the rest, the rest as even + x*odd, both in
// x2. It has as many instructions as Horner's scheme, and half the latency. The
// first coefficient is the largest term; adding it last leaves its rounding
// error only.
func horner2(b *B, x, x2 V, cs []float64) V {
	if len(cs) < 4 {
		return horner(b, x, cs)
	}
	even, odd := split(cs[1:])
	rest := b.Fma(horner(b, x2, odd), x, horner(b, x2, even))
	return b.Fma(rest, x, b.Const(x.Type, cs[0]))
}

// split returns the coefficients of even and of odd powers.
func split(cs []float64) (even, odd []float64) {
	for i, c := range cs {
		if i%2 == 0 {
			even = append(even, c)
		} else {
			odd = append(odd, c)
		}
	}
	return even, odd
}

// withSign returns the magnitude y, which has no sign, with the sign of x.
func (f *format) withSign(b *B, y, x V) V {
	s := b.And(f.bits(b, x), f.signBit(b))
	return f.float(b, b.Or(f.bits(b, y), s))
}
