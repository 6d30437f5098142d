package untyped

import (
	"fmt"
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
)

// These files hold the lowerings of mathematical functions. Each is a fixed
// sequence of correctly rounded primitives, so every back end gives the same
// bits. docs/numerics.md defines "within 1 ULP", and docs/accuracy.md has the
// measured errors. scripts/coefficients fits the coefficients.
//
// Conventions: "hot" code runs for ordinary arguments. Special cases that need
// many instructions are in a cold region. A float64 lowering is the float32 one
// with more coefficients unless its comment says otherwise.

// A format holds the properties of a floating-point type that lowerings need.
type format struct {
	t, i, u dtype.Type // the float, and the integers of its width
	row     int        // index into coefs
	width   int64      // number of bits
	mant    int64      // stored bits of the significand
	bias    int64      // of the exponent
	magic   float64    // 1.5 * 2^mant: adding it rounds to an integer
	exp     [2]float64 // exp(x) is 0 below the first, and infinite above the second
}

var formats = [2]format{
	{dtype.F32, dtype.I32, dtype.U32, 0, 32, 23, 127, 0x1.8p23, [2]float64{-104, 89}},
	{dtype.F64, dtype.I64, dtype.U64, 1, 64, 52, 1023, 0x1.8p52, [2]float64{-746, 710}},
}

// A builder builds a program on floats of one format.
type builder struct {
	*B
	*format
}

// builderOf returns the builder for the format of x. If x is no float, b records an
// error, and the format is any.
func builderOf(b *B, x V) builder {
	switch x.Type {
	case dtype.F32:
		return builder{b, &formats[0]}
	case dtype.F64:
		return builder{b, &formats[1]}
	}
	b.Fail(fmt.Errorf("no lowering for elements of type %v", x.Type))
	return builder{b, &formats[0]}
}

// onFloats returns the lowering of an operator on floats.
func onFloats(lower func(b builder, x ...V) V) Lowering {
	return func(b *B, x ...V) V { return lower(builderOf(b, x[0]), x...) }
}

// coefs are constants for float32 and float64.
type coefs [2][]float64

func (b builder) c(v float64) V       { return b.Const(b.t, v) }
func (b builder) int(v int64) V       { return b.Int(b.i, v) }
func (b builder) bits(x V) V          { return b.Bitcast(b.i, x) }
func (b builder) float(x V) V         { return b.Bitcast(b.t, x) }
func (b builder) at(c coefs, i int) V { return b.c(c[b.row][i]) }
func (b builder) signBit() V          { return b.int(math.MinInt64 >> (64 - b.width)) }

// lookup returns entry i of a table, modulo its length.
func (b builder) lookup(table coefs, i V) V {
	bits := lists.Map(table[b.row], func(v float64) uint64 { return prim.FromFloat(b.t, v) })
	return b.Lookup(b.t, bits, i)
}

// horner returns the polynomial in x with coefficients cs followed by last, in
// Horner's scheme. The first coefficient belongs to the highest power.
func horner(b builder, x V, cs []float64, last ...V) V {
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
// first coefficient plus x times the rest, computed as even + x*odd in x2. It
// has as many instructions as Horner's scheme, and half the latency. The first
// coefficient is the largest term. It is added last, so only its rounding error
// remains.
func horner2(b builder, x, x2 V, cs []float64) V {
	if len(cs) < 4 {
		return horner(b, x, cs)
	}
	even, odd := split(cs[1:])
	rest := b.Fma(horner(b, x2, odd), x, horner(b, x2, even))
	return b.Fma(rest, x, b.Const(x.Type, cs[0]))
}

// horner4 returns the polynomial in x with coefficients cs as four polynomials in x^4, which do
// not wait for each other.
func horner4(b builder, x V, cs []float64) V {
	even, odd := split(cs)
	x2 := b.Mul(x, x)
	x4 := b.Mul(x2, x2)
	return b.Fma(horner2(b, x2, x4, odd), x, horner2(b, x2, x4, even))
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

// withSign returns the magnitude y, whose sign bit is 0, with the sign of x.
func (b builder) withSign(y, x V) V {
	s := b.And(b.bits(x), b.signBit())
	return b.float(b.Or(b.bits(y), s))
}
