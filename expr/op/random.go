package op

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

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
	return expr.Of[uint64](untyped.Call("philox", tree.NewConst(dtype.U64, n), tree.NewConst(dtype.U64, keyStream), scalarKey("Fold", key).Node()).As("Fold", expr.NodeOf(key)))
}

// scalarKey returns key, or an error if it is no scalar.
func scalarKey(name string, key expr.Exp[uint64]) expr.Exp[uint64] {
	if n := expr.NodeOf(key); n.Err() == nil && len(n.Shape()) > 0 {
		return expr.Of[uint64](tree.Errorf(tree.ErrShape, name, "the key has shape %v and is no scalar", n.Shape()))
	}
	return expr.Of[uint64](expr.NodeOf(key))
}

// block applies philox to the row-major positions of a shape, for the constructor called name.
func block(name string, key expr.Exp[uint64], dims []int) *tree.Node {
	n := 1
	for _, d := range dims {
		if d < 0 || d > 0 && n > math.MaxInt/d {
			return tree.Errorf(tree.ErrShape, name, "%v is no shape", dims)
		}
		n *= d
	}
	position := untyped.Cast(untyped.Reshape(untyped.Iota(n), slices.Clone(dims)), dtype.U64)
	return untyped.Call("philox", position, tree.NewConst(dtype.U64, elementStream), scalarKey(name, key).Node()).As(name, expr.NodeOf(key))
}

// RandomBits returns 64 random bits for each element of a shape.
func RandomBits(key expr.Exp[uint64], dims ...int) expr.Exp[uint64] {
	return expr.Of[uint64](block("RandomBits", key, dims))
}

// unit returns a multiple of 2^-k in [0, 1) made of the k high bits, where k is
// 24 for float32 and halves, and 53 for float64.
func unit(t dtype.Type, bits *tree.Node) *tree.Node {
	wide, k := t.Register(), 24
	if wide == dtype.F64 {
		k = 53
	}
	high := untyped.Call("right_shift", bits, tree.ConstInt(dtype.U64, int64(64-k)))
	high = untyped.Cast(high, dtype.Integer(wide.Size(), true))
	return untyped.Call("mul", untyped.Cast(high, wide), tree.ConstFloat(wide, math.Ldexp(1, -k)))
}

// Uniform returns numbers of [0, 1), evenly distributed: multiples of 2^-53 in
// float64, and of 2^-24 in the narrower types. A half is rounded, to at most 1. They
// follow from the key: a number such as expr.Const[uint64](1), or a parameter. [Fold]
// makes other keys of it.
func Uniform[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	return expr.Of[T](untyped.Cast(unit(t, block("Uniform", key, dims)), t))
}

// Exponential returns numbers of the exponential distribution with mean 1.
func Exponential[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	return expr.Of[T](untyped.Cast(untyped.Call("neg", logOfUnit(t, block("Exponential", key, dims))), t))
}

// logOfUnit returns the logarithm of a uniform number of (0, 1], which is finite.
func logOfUnit(t dtype.Type, bits *tree.Node) *tree.Node {
	return untyped.Call("log1p", untyped.Call("neg", unit(t, bits)))
}

// Bernoulli returns true with probability p, rounded to a multiple of 2^-53.
func Bernoulli(key expr.Exp[uint64], p float64, dims ...int) expr.Exp[bool] {
	if !(p >= 0 && p <= 1) {
		return expr.Of[bool](tree.Errorf(tree.ErrValue, "Bernoulli", "%v is no probability", p))
	}
	u := unit(dtype.F64, block("Bernoulli", key, dims))
	return expr.Of[bool](untyped.Call("less", u, tree.ConstFloat(dtype.F64, p)))
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
	high := untyped.Call("multiply_high", block("Integers", key, dims), tree.NewConst(dtype.U64, n))
	return expr.Of[T](untyped.Cast(high, t))
}

// Normal returns numbers of the normal distribution with mean 0 and variance 1. Those of float64
// have magnitudes below 8.3, and those of float32 and halves below 5.5. See docs/numerics.md.
// [Uniform] says what a key is.
func Normal[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	at := block("Normal", key, dims)
	if at.Err() != nil {
		return expr.Of[T](at)
	}
	z := untyped.NormalOf(t.Register(), at.Args[0], at.Args[1], at.Args[2])
	return expr.Of[T](untyped.Cast(z, t).As("Normal", expr.NodeOf(key)))
}
