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
	return expr.Of[T](untyped.Cast(untyped.NormalOf(t.Register(), block(untyped.Row("philox"), "Normal", key, dims)), t))
}
