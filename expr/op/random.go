package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
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
	{
		Name: "multiply_high", Arity: 2, Operands: "x y", Lower: prim2(prim.MulHi),
		Doc: "the high 64 bits of the product.",
	},
	{
		Name: "philox_high", Operands: "position stream key", Lower: func(b *B, x ...V) V { return pack(b, philox(b, x...)[2:]) },
		Doc: "the high 64 bits of Philox 4x32-10 of the counter position + 2^64 stream.",
	},
})

// philox returns the four words of a block, each in the lower half of a number of 64 bits. The
// upper halves have other bits. x are the halves of the counter, and the key. Both rows have the
// same instructions, which a kernel has once.
func philox(b *B, x ...V) []V {
	word := func(v int64) V { return b.Int(dtype.U64, v) }
	high := func(x V) V { return b.Shr(x, word(32)) }
	c0, c1, c2, c3, k0, k1 := x[0], high(x[0]), x[1], high(x[1]), x[2], high(x[2])
	for round := range 10 {
		if round > 0 {
			k0, k1 = b.Add(k0, word(0x9e3779b9)), b.Add(k1, word(0xbb67ae85))
		}
		p0, p1 := b.Mul(word(0xd2511f53), lowHalf(b, c0)), b.Mul(word(0xcd9e8d57), lowHalf(b, c2))
		c0, c1, c2, c3 = b.Xor(b.Xor(high(p1), c1), k0), p1, b.Xor(b.Xor(high(p0), c3), k1), p0
	}
	return []V{c0, c1, c2, c3}
}

// lowHalf clears the upper half of a number of 64 bits.
func lowHalf(b *B, x V) V { return b.And(x, b.Int(dtype.U64, math.MaxUint32)) }

// pack returns the number with the lower halves of two numbers as its halves.
func pack(b *B, w []V) V { return b.Or(lowHalf(b, w[0]), b.Shl(w[1], b.Int(dtype.U64, 32))) }

// The streams of a key. Derived keys come from a stream of their own, so that
// they share no block with the numbers of the key.
const (
	elementStream = 0
	keyStream     = 1
)

// Fold returns a key made of a key and a number. The numbers of different keys
// are independent. A key is any scalar: a constant, or a parameter, which gives
// every run of a program other numbers.
func Fold(key expr.Exp[uint64], n uint64) expr.Exp[uint64] {
	return expr.Of[uint64](call("philox", tree.NewConst(dtype.U64, n), tree.NewConst(dtype.U64, keyStream), scalarKey("Fold", key).Node()).As("Fold", expr.NodeOf(key)))
}

// scalarKey returns key, or an error if it is no scalar.
func scalarKey(name string, key expr.Exp[uint64]) expr.Exp[uint64] {
	if n := expr.NodeOf(key); n.Err() == nil && len(n.Shape()) > 0 {
		return expr.Of[uint64](tree.Errorf(tree.ErrShape, name, "the key has shape %v and is no scalar", n.Shape()))
	}
	return expr.Of[uint64](expr.NodeOf(key))
}

// block applies a row of philox to the row-major positions of a shape.
func block(o *tree.Operator, name string, key expr.Exp[uint64], dims []int) *tree.Node {
	n := 1
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return tree.Errorf(tree.ErrShape, name, "%v is no shape", dims)
		}
		n *= d
	}
	position := CastNode(ReshapeNode(IotaNode(n), dims), dtype.U64)
	return Apply(o, position, tree.NewConst(dtype.U64, elementStream), scalarKey(name, key).Node()).As(name, expr.NodeOf(key))
}

// RandomBits returns 64 random bits for each element of a shape.
func RandomBits(key expr.Exp[uint64], dims ...int) expr.Exp[uint64] {
	return expr.Of[uint64](block(row("philox"), "RandomBits", key, dims))
}

// unit returns a multiple of 2^-k in [0, 1) made of the k high bits, where k is
// 24 for float32 and halves, and 53 for float64.
func unit(t dtype.Type, bits *tree.Node) *tree.Node {
	wide, k := t.Register(), 24
	if wide == dtype.F64 {
		k = 53
	}
	high := call("right_shift", bits, tree.ConstInt(dtype.U64, int64(64-k)))
	if k == 24 {
		high = CastNode(high, dtype.I32)
	} else {
		high = CastNode(high, dtype.I64)
	}
	return call("mul", CastNode(high, wide), tree.ConstFloat(wide, math.Ldexp(1, -k)))
}

// Uniform returns numbers of [0, 1), evenly distributed: multiples of 2^-53 in
// float64, and of 2^-24 in the narrower types. A half is rounded, to at most 1. They
// follow from the key: a number such as expr.Const[uint64](1), or a parameter. [Fold]
// makes other keys of it.
func Uniform[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	return expr.Of[T](CastNode(unit(t, block(row("philox"), "Uniform", key, dims)), t))
}

// exponential returns -log(1-u), which is finite.
func exponential(t dtype.Type, bits *tree.Node) *tree.Node {
	u := unit(t, bits)
	return call("neg", call("log1p", call("neg", u)))
}

// Exponential returns numbers of the exponential distribution with mean 1.
func Exponential[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	return expr.Of[T](CastNode(exponential(t, block(row("philox"), "Exponential", key, dims)), t))
}

// Bernoulli returns true with probability p, rounded to a multiple of 2^-53.
func Bernoulli(key expr.Exp[uint64], p float64, dims ...int) expr.Exp[bool] {
	if !(p >= 0 && p <= 1) {
		return expr.Of[bool](tree.Errorf(tree.ErrValue, "Bernoulli", "%v is no probability", p))
	}
	u := unit(dtype.F64, block(row("philox"), "Bernoulli", key, dims))
	return expr.Of[bool](call("less", u, tree.ConstFloat(dtype.F64, p)))
}

// Integers returns integers from 0 to n-1: the high half of the product of 64
// random bits and n. The probabilities differ by at most 2^-64.
func Integers[T expr.Integer](key expr.Exp[uint64], n uint64, dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	bits := 8 * t.Size()
	if t.IsSigned() {
		bits--
	}
	if n == 0 || bits < 64 && (n-1)>>bits != 0 {
		return expr.Of[T](tree.Errorf(tree.ErrValue, "Integers", "%d integers are no %v", n, t))
	}
	high := call("multiply_high", block(row("philox"), "Integers", key, dims), tree.NewConst(dtype.U64, n))
	return expr.Of[T](CastNode(high, t))
}
