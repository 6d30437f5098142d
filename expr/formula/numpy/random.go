package numpy

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// key returns argument 0, from which random numbers follow.
func (c *call) key() expr.Exp[uint64] {
	t := c.array(0).DType()
	stopIf(!t.IsInt() && t.Valid(), c.args[0].at, tree.ErrType, "a key is an integer, not %v", t)
	return expr.Of[uint64](c.as(0, dtype.U64))
}

// random returns the function of random floats. It rounds float32 to halves.
func random(wide func(expr.Exp[uint64], ...int) expr.Exp[float64], narrow func(expr.Exp[uint64], ...int) expr.Exp[float32]) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		t := c.dtype(2, dtype.F64)
		switch {
		case !t.IsFloat():
			panic(fail(c.args[2].at, tree.ErrType, "random numbers of type %v are not floats", t))
		case t == dtype.F64:
			return expr.NodeOf(wide(c.key(), c.integers(1)...))
		}
		return cast(expr.NodeOf(narrow(c.key(), c.integers(1)...)), t)
	}
}

func callRandomIntegers(c *call) *tree.Node {
	return expr.NodeOf(op.Integers[int64](c.key(), uint64(max(c.integer(1), 0)), c.integers(2)...))
}

func callGamma(c *call) *tree.Node {
	return expr.NodeOf(op.Gamma[float64](c.key(), c.float(1), c.integers(2)...))
}
