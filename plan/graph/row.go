package graph

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// The rows of the operator table that the plan treats specially or makes.
// Operators are compared by pointer, because a user's operator may have the
// name of a row.
var (
	BroadcastRow = op.Row("broadcast_to")
	ConcatRow    = op.Row("concat")
	MatmulRow    = op.Row("matmul")
	PadRow       = op.Row("pad")
	ReshapeRow   = op.Row("reshape")
	SliceRow     = op.Row("slice")
	TransposeRow = op.Row("transpose")
	WindowsRow   = op.Row("windows")

	castRow = op.Row("cast")
)

// SaverRows are the operators of the savers that read their target.
var SaverRows = [...]*tree.Operator{expr.Plus: op.Row("add"), expr.Minus: op.Row("sub"), expr.Times: op.Row("mul"), expr.Over: op.Row("div")}

// copyRow is the identity. It copies values whose layout in memory does not
// fit.
var copyRow = tree.NewOperator(tree.Row{
	Name: "copy", Class: tree.View, Arity: 1,
	Gather: func(g *tree.Gather) prim.V { return g.At(0, g.Out) },
})

// builtIn reports whether o is an operator of the library. A user's operator
// may have the same name.
func builtIn(o *tree.Operator) bool {
	known, ok := op.Lookup(o.Name())
	return ok && known == o || o == copyRow
}
