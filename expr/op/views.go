package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// Transpose returns a with its axes permuted: axis i of the result is axis
// axes[i] of a. No axes mean the reverse order.
func Transpose[T expr.Elem](a expr.Exp[T], axes ...int) expr.Exp[T] {
	return expr.Of[T](untyped.Permute(expr.NodeOf(a), axes))
}

// T returns a with its axes in reverse order.
func T[E expr.Elem](a expr.Exp[E]) expr.Exp[E] { return Transpose(a) }
