package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// composed returns a composition for a typed constructor.
func composed[R expr.Elem](name string, o untyped.Options, x ...*tree.Node) expr.Exp[R] {
	return expr.Of[R](untyped.Compose(name, o, x...))
}
