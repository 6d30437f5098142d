package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// Normal returns numbers of the normal distribution with mean 0 and variance 1. Those of float64
// have magnitudes below 8.3, and those of float32 and halves below 5.5. See docs/numerics.md.
// [Uniform] says what a key is.
func Normal[T expr.Float](key expr.Exp[uint64], dims ...int) expr.Exp[T] {
	t := dtype.Of[T]()
	at := block(untyped.Row("philox"), "Normal", key, dims)
	if at.Err() != nil {
		return expr.Of[T](at)
	}
	z := untyped.NormalOf(t.Register(), at.Args[0], at.Args[1], at.Args[2])
	return expr.Of[T](untyped.Cast(z, t).As("Normal", expr.NodeOf(key)))
}
