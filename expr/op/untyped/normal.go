package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// Numbers of the normal distribution are quantiles of probabilities 1/2 + y: y times
// a polynomial in log(1-4y^2) (Giles 2010). One number in 300 is in the tails, and has a polynomial
// in the root of the logarithm, in a cold region.

// normals are the operators of [NormalOf], for float32 and float64. Their result is no uint64, so they state its type like a cast.
var normals = [2]*tree.Operator{normalOperator("normal_float32", word32), normalOperator("normal_float64", word64)}

func normalOperator(name string, y func(b *B, x ...V) V) *tree.Operator {
	return tree.NewOperator(tree.Row{
		Name: name, GoName: "Normal", Class: tree.Elementwise, Arity: 3, Types: tree.TypesOf(dtype.U64), Result: tree.ResultTo, ULP: -1,
		Lower: func(b *B, x ...V) V { return normalQuantile(b, y(b, x...)) },
		Doc:   "a number of the normal distribution from the block of Philox 4x32-10 of the counter position + 2^64 stream",
	})
}

// The operand of the polynomial of the centre is log(1-4y^2) plus normalMiddle, down to normalDepth below
// that. The operand of the polynomial of the tails is the root of -log(1-4y^2) less tailsMiddle.
const (
	normalDepth = 5
	tailsMiddle = 4
)

// word64 returns k 2^-52 + 2^-53 - 1/2, where k has the upper 52 bits of the number with the words 0 and 1 of the block as
// its upper and lower half. The last round has one product, of which these words are the halves but for an xor.
func word64(b *B, x ...V) V {
	s := newPhilox(b, x)
	s.rounds(b, 9)
	_, p1 := s.products(b)
	bits := b.Xor(p1, b.Shl(b.Xor(s.c[1], s.k[0]), b.Int(dtype.U64, 32)))
	m := b.Bitcast(dtype.F64, b.Or(b.Shr(bits, b.Int(dtype.U64, 12)), b.Int(dtype.U64, 0x3ff<<52))) // 1 + k 2^-52
	return b.Add(b.Sub(m, b.Const(dtype.F64, 1.5)), b.Const(dtype.F64, 0x1p-53))
}

// word32 returns k 2^-24 + 2^-25, where k has the upper 24 bits of word 1 of the block, an integer with a sign. This word
// is the lower half of a product.
func word32(b *B, x ...V) V {
	s := newPhilox(b, x)
	s.rounds(b, 9)
	_, p1 := s.products(b)
	k := b.Shr(b.Cvt(dtype.I32, p1), b.Int(dtype.I32, 8))
	return b.Fma(b.Cvt(dtype.F32, k), b.Const(dtype.F32, 0x1p-24), b.Const(dtype.F32, 0x1p-25))
}

// normalQuantile returns the quantile of 1/2 + y, which has an error of 2^-34, or 2^-21 for float32. It rounds 1/4-y^2 once, so
// the tails keep their relative accuracy. The logarithm needs no relative accuracy near 1, and is log((1+u)/(1-u)) of a
// significand between 1 and 2 over the root of 2.
func normalQuantile(b *B, y V) V {
	f := formatOf(b, y)
	bits := b.Bitcast(f.u, b.Fma(b.Neg(y), y, f.c(b, .25)))
	one := f.bits(b, f.c(b, 1))
	m := f.float(b, b.Or(b.Bitcast(f.i, b.And(bits, b.Int(f.u, 1<<f.mant-1))), one))
	u := b.Div(b.Sub(m, f.c(b, math.Sqrt2)), b.Add(m, f.c(b, math.Sqrt2)))
	t := b.Fma(exponent(b, f, bits), f.at(b, ln2Near, 0), f.at(b, normalShift, 0))
	t = b.Fma(u, horner(b, b.Mul(u, u), normalLog[f.row]), t) // log(1-4y^2) + normalMiddle
	middle := normalMiddle[f.row][0]
	q := b.Cold(b.Lt(t, f.c(b, middle-normalDepth)), horner2(b, t, b.Mul(t, t), normalCentre[f.row]), func() V {
		return b.Mul(quantileTail(b, f, b.Sub(f.c(b, middle), t)), f.c(b, 2))
	})
	return b.Mul(y, q)
}

// exponent returns the exponent in the bits of a positive number, and for float64 2^52 more, so that no conversion
// is needed, which takes five instructions in AVX2. normalShift takes that into account.
func exponent(b *B, f *format, bits V) V {
	e := b.Shr(bits, b.Int(f.u, f.mant))
	if f.row == 0 {
		return b.Cvt(f.t, b.Bitcast(f.i, e))
	}
	return f.float(b, b.Bitcast(f.i, b.Or(e, b.Int(f.u, int64(math.Float64bits(0x1p52))))))
}

// quantileTail returns the quantile of (1+x)/2, divided by x, in the tails. w is -log(1-x^2).
func quantileTail(b *B, f *format, w V) V {
	return horner(b, b.Sub(b.Sqrt(w), f.c(b, tailsMiddle)), normalTails[f.row])
}

// NormalOf returns numbers of the normal distribution in type t, float32 or float64. The numbers of float64 are
// made of words 0 and 1 of the block of Philox 4x32-10 of the counter position + 2^64 stream, those of float32 of word 1.
func NormalOf(t dtype.Type, position, stream, key *tree.Node) *tree.Node {
	o := normals[1]
	switch t {
	case dtype.F32:
		o = normals[0]
	case dtype.F64:
	default:
		return tree.Failed(tree.NewError(tree.ErrType, "Normal", "normal numbers have float32 or float64, not %v", t))
	}
	return tree.ApplyWith(o, tree.Attributes{To: t}, position, stream, key)
}
