package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
)

func map1[T, R expr.Elem](o *tree.Operator, a expr.Exp[T]) expr.Exp[R] {
	return expr.Of[R](tree.Apply(o, expr.NodeOf(a)))
}

func map2[T, R expr.Elem](o *tree.Operator, a, b expr.Exp[T]) expr.Exp[R] {
	return expr.Of[R](tree.Apply(o, expr.NodeOf(a), expr.NodeOf(b)))
}

func map3[T, R expr.Elem](o *tree.Operator, a, b, c expr.Exp[T]) expr.Exp[R] {
	return expr.Of[R](tree.Apply(o, expr.NodeOf(a), expr.NodeOf(b), expr.NodeOf(c)))
}
