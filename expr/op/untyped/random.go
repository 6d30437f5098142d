package untyped

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// Random numbers are element-wise operators of the element's position and a
// key, so they fuse, and have the same bits on every back end, for any number
// of threads and any layout. The generator is Philox 4x32-10 (Salmon, Moraes,
// Dror, Shaw 2011). It encrypts a counter of 128 bits, here position + 2^64
// stream, with a key of 64 bits.

var random = family(tree.Row{Class: tree.Elementwise, Arity: 3, Types: tree.TypesOf(dtype.U64)}, []tree.Row{
	{
		Name: "philox", Operands: "position stream key", Lower: func(b *B, x ...V) V { return pack(b, philox(b, x...)[:2]) },
		Doc: "the low 64 bits of Philox 4x32-10 of the counter position + 2^64 stream.",
	},
	{Name: "multiply_high", Arity: 2, Operands: "x y", Lower: primitive(prim.MulHi), Doc: "the high 64 bits of the product."},
	{
		Name: "philox_high", Operands: "position stream key", Lower: func(b *B, x ...V) V { return pack(b, philox(b, x...)[2:]) },
		Doc: "the high 64 bits of Philox 4x32-10 of the counter position + 2^64 stream.",
	},
})

// philox returns the four words of a block, each in the lower half of a number of 64 bits. The
// upper halves have other bits. x are the halves of the counter, and the key. Both rows have the
// same instructions, which a kernel has once.
func philox(b *B, x ...V) []V {
	s := newPhilox(b, x)
	s.rounds(b, 10)
	return s.c[:]
}

// A philoxState has the words of a block between two rounds, and the key of the next round.
type philoxState struct {
	c [4]V
	k [2]V
}

func newPhilox(b *B, x []V) *philoxState {
	return &philoxState{[4]V{x[0], highHalf(b, x[0]), x[1], highHalf(b, x[1])}, [2]V{x[2], highHalf(b, x[2])}}
}

// products returns the products of a round. Their lower halves are the words 3 and 1 after it.
func (s *philoxState) products(b *B) (p0, p1 V) {
	return b.Mul(b.Int(dtype.U64, 0xd2511f53), lowHalf(b, s.c[0])), b.Mul(b.Int(dtype.U64, 0xcd9e8d57), lowHalf(b, s.c[2]))
}

// rounds computes n rounds. The products of a round depend on the products before by one xor. The other
// xor, with the key, needs none of them.
func (s *philoxState) rounds(b *B, n int) {
	for range n {
		p0, p1 := s.products(b)
		s.c = [4]V{b.Xor(highHalf(b, p1), b.Xor(s.c[1], s.k[0])), p1, b.Xor(highHalf(b, p0), b.Xor(s.c[3], s.k[1])), p0}
		s.k = [2]V{b.Add(s.k[0], b.Int(dtype.U64, 0x9e3779b9)), b.Add(s.k[1], b.Int(dtype.U64, 0xbb67ae85))}
	}
}

// highHalf returns the upper half of a number of 64 bits.
func highHalf(b *B, x V) V { return b.Shr(x, b.Int(dtype.U64, 32)) }

// lowHalf clears the upper half of a number of 64 bits.
func lowHalf(b *B, x V) V { return b.And(x, b.Int(dtype.U64, math.MaxUint32)) }

// pack returns the number with the lower halves of two numbers as its halves.
func pack(b *B, w []V) V { return b.Or(lowHalf(b, w[0]), b.Shl(w[1], b.Int(dtype.U64, 32))) }

// Numbers of the normal distribution are quantiles of probabilities 1/2 + y: y times
// a polynomial in log(1-4y^2) (Giles 2010). One number in 300 is in the tails, and has a polynomial
// in the root of the logarithm, in a cold region.

// normals are the operators: two of [NormalOf], for float32 and float64, and one of [NormalOfBlock]. They state the type of the
// result as a cast does, because it differs from the uint64 of the operands.
var normals = [3]*tree.Operator{
	normalOperator("normal_float32", word32, pairText), normalOperator("normal_float64", word64, pairText),
	normalOperator("normal_block", blockWord64, "the block of Philox 4x32-10 of the counter position + 2^64 stream"),
}

const pairText = "a half of the block of Philox 4x32-10 of the counter position + 2^64 stream, with bit 3 of the position cleared: that bit says which half"

func normalOperator(name string, y func(b *B, x ...V) V, from string) *tree.Operator {
	return tree.NewOperator(tree.Row{
		Name: name, GoName: "Normal", Class: tree.Elementwise, Arity: 3, Types: tree.TypesOf(dtype.U64), Result: tree.ResultTo, ULP: -1,
		Lower: func(b *B, x ...V) V {
			v := y(b, x...)
			return normalQuantile(builderOf(b, v), v)
		},
		Doc: "a number of the normal distribution from " + from,
	})
}

// The operand of the polynomial of the centre is log(1-4y^2) plus normalMiddle, down to normalDepth below
// that. The operand of the polynomial of the tails is the root of -log(1-4y^2) less tailsMiddle.
const (
	normalDepth = 5
	tailsMiddle = 4
)

// pairBit is the bit of a position that says which half of a block an element has. Two elements whose positions differ in this bit
// only have one block, which machine code computes once: the elements are in two vectors, in the same lane.
const pairBit = 8

// lastProducts returns the last products of a block, of which words 1 and 3 are the lower halves, and the numbers
// whose xor with their upper halves is words 0 and 2.
func lastProducts(b *B, x []V) (p, xor [2]V) {
	s := newPhilox(b, x)
	s.rounds(b, 9)
	p0, p1 := s.products(b)
	return [2]V{p1, p0}, [2]V{b.Xor(s.c[1], s.k[0]), b.Xor(s.c[3], s.k[1])}
}

// ofPair returns the half of the block of a position: words 0 and 1 or, if the pair bit is set, 2 and 3.
func ofPair(b *B, x []V, half func(p, xor V) V) V {
	p, xor := lastProducts(b, []V{b.And(x[0], b.Int(dtype.U64, ^pairBit)), x[1], x[2]})
	bit := b.Int(dtype.U64, pairBit)
	second := b.Eq(b.And(x[0], bit), bit)
	return b.Select(second, half(p[1], xor[1]), half(p[0], xor[0]))
}

// word64 returns k 2^-52 + 2^-53 - 1/2, where k has the upper 52 bits of the number with the words of half of a block as
// its upper and lower half.
func word64(b *B, x ...V) V {
	return unit64(b, ofPair(b, x, func(p, xor V) V { return twoWords(b, p, xor) }))
}

// blockWord64 is word64 of words 0 and 1 of a block, whose position it is.
func blockWord64(b *B, x ...V) V {
	p, xor := lastProducts(b, x)
	return unit64(b, twoWords(b, p[0], xor[0]))
}

// twoWords returns the number with an even word as its upper half, and the next one as its lower half.
func twoWords(b *B, p, xor V) V { return b.Xor(p, b.Shl(xor, b.Int(dtype.U64, 32))) }

func unit64(b *B, bits V) V {
	m := b.Bitcast(dtype.F64, b.Or(b.Shr(bits, b.Int(dtype.U64, 12)), b.Int(dtype.U64, 0x3ff<<52))) // 1 + k 2^-52
	return b.Add(b.Sub(m, b.Const(dtype.F64, 1.5)), b.Const(dtype.F64, 0x1p-53))
}

// word32 returns k 2^-24 + 2^-25, where k has the upper 24 bits of the odd word of half of a block, an integer with a sign. This word
// is the lower half of a product.
func word32(b *B, x ...V) V {
	k := b.Shr(b.Cvt(dtype.I32, ofPair(b, x, func(p, _ V) V { return p })), b.Int(dtype.I32, 8))
	return b.Fma(b.Cvt(dtype.F32, k), b.Const(dtype.F32, 0x1p-24), b.Const(dtype.F32, 0x1p-25))
}

// normalQuantile returns the quantile of 1/2 + y, which has an error of 2^-34, or 2^-21 for float32. It rounds 1/4-y^2 once, so
// the tails keep their relative accuracy. The logarithm needs no relative accuracy near 1, and is log((1+u)/(1-u)) of a
// significand between 1 and 2 over the root of 2.
func normalQuantile(b builder, y V) V {
	bits := b.Bitcast(b.u, b.Fma(b.Neg(y), y, b.c(.25)))
	one := b.bits(b.c(1))
	m := b.float(b.Or(b.Bitcast(b.i, b.And(bits, b.Int(b.u, 1<<b.mant-1))), one))
	u := b.Div(b.Sub(m, b.c(math.Sqrt2)), b.Add(m, b.c(math.Sqrt2)))
	t := b.Fma(exponent(b, bits), b.at(ln2Near, 0), b.at(normalShift, 0))
	t = b.Fma(u, horner(b, b.Mul(u, u), normalLog[b.row]), t) // log(1-4y^2) + normalMiddle
	middle := normalMiddle[b.row][0]
	q := b.Cold(b.Lt(t, b.c(middle-normalDepth)), horner2(b, t, b.Mul(t, t), normalCentre[b.row]), func() V {
		return b.Mul(quantileTail(b, b.Sub(b.c(middle), t)), b.c(2))
	})
	return b.Mul(y, q)
}

// exponent returns the exponent in the bits of a positive number, and for float64 2^52 more, so that no conversion
// is needed, which takes five instructions in AVX2. normalShift takes that into account.
func exponent(b builder, bits V) V {
	e := b.Shr(bits, b.Int(b.u, b.mant))
	if b.row == 0 {
		return b.Cvt(b.t, b.Bitcast(b.i, e))
	}
	return b.float(b.Bitcast(b.i, b.Or(e, b.Int(b.u, int64(math.Float64bits(0x1p52))))))
}

// quantileTail returns the quantile of (1+x)/2, divided by x, in the tails. w is -log(1-x^2).
func quantileTail(b builder, w V) V {
	return horner(b, b.Sub(b.Sqrt(w), b.c(tailsMiddle)), normalTails[b.row])
}

// NormalOf returns numbers of the normal distribution in type t, float32 or float64. Two numbers whose positions differ in bit 3 are
// made of the two halves of one block of Philox 4x32-10: words 0 and 1, or 2 and 3. The counter of the block is position + 2^64 stream with
// this bit cleared. Those of float32 use the second word of a half.
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

// NormalOfBlock returns numbers of the normal distribution in float64, made of words 0 and 1 of the block of Philox 4x32-10
// of the counter position + 2^64 stream.
func NormalOfBlock(position, stream, key *tree.Node) *tree.Node {
	return tree.ApplyWith(normals[2], tree.Attributes{To: dtype.F64}, position, stream, key)
}
