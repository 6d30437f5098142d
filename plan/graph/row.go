package graph

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
)

// The rows of the operator table that the plan treats specially or makes.
// Operators are compared by pointer, because a user's operator may have the
// name of a row.
var (
	BroadcastRow = mustRow("broadcast_to")
	ConcatRow    = mustRow("concat")
	MatmulRow    = mustRow("matmul")
	PadRow       = mustRow("pad")
	ReshapeRow   = mustRow("reshape")
	SliceRow     = mustRow("slice")
	TransposeRow = mustRow("transpose")

	castRow         = mustRow("cast")
	stopGradientRow = mustRow("stop_gradient")
)

// SaverRows are the operators of the savers that read their target.
var SaverRows = [...]*expr.Operator{expr.Plus: mustRow("add"), expr.Minus: mustRow("sub"), expr.Times: mustRow("mul"), expr.Over: mustRow("div")}

// copyRow is the identity. It copies values whose layout in memory does not
// fit.
var copyRow = expr.Operator{
	Name: "copy", Class: expr.View, Arity: 1,
	Gather: func(g *expr.Gather) prim.V { return g.At(0, g.Out) },
}

// mustRow returns the built-in operator of a name. It panics if there is none.
func mustRow(name string) *expr.Operator {
	o, ok := op.Lookup(name)
	if !ok {
		panic("plan: the table has no row " + name)
	}
	return o
}

// builtIn reports whether o is an operator of the library. A user's operator
// may have the same name.
func builtIn(o *expr.Operator) bool {
	known, ok := op.Lookup(o.Name)
	return ok && known == o || o == &copyRow
}
