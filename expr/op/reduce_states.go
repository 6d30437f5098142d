package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// ReduceStates returns the reduction f of a. The result carries an error if f yields
// another type than R.
func ReduceStates[R, T expr.Elem](f Reducer, a expr.Exp[T], opts ...ReduceOption) expr.Exp[R] {
	return expr.Of[R](untyped.ReduceStates(f, expr.NodeOf(a), options(opts)))
}
