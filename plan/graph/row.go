package graph

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
)

// The rows of the operator table that the plan treats specially or makes.
// Operators are compared by pointer, because a user's operator may have the
// name of a row.
var (
	BroadcastRow = untyped.Row("broadcast_to")
	ConcatRow    = untyped.Row("concat")
	MatmulRow    = untyped.Row("matmul")
	PadRow       = untyped.Row("pad")
	ReshapeRow   = untyped.Row("reshape")
	SliceRow     = untyped.Row("slice")
	TakeRow      = untyped.Row("take")
	TransposeRow = untyped.Row("transpose")
	WindowsRow   = untyped.Row("windows")

	addRow     = untyped.Row("add")
	atLeastRow = untyped.Row("greater_equal")
	castRow    = untyped.Row("cast")
	iotaRow    = untyped.Row("iota")
	greaterRow = untyped.Row("maximum")
	lesserRow  = untyped.Row("minimum")
	whereRow   = untyped.Row("where")
)

// SaverRows are the operators of the savers that read their target.
var SaverRows = [...]*tree.Operator{expr.Plus: untyped.Row("add"), expr.Minus: untyped.Row("sub"), expr.Times: untyped.Row("mul"), expr.Over: untyped.Row("div")}

// copyRow is the identity. It copies values whose layout in memory does not
// fit.
var copyRow = tree.NewOperator(tree.Row{
	Name: "copy", Class: tree.View, Arity: 1,
	Gather: func(g *tree.Gather) prim.V { return g.At(0, g.Out) },
})

// builtIn reports whether o is an operator of the library. A user's operator
// may have the same name.
func builtIn(o *tree.Operator) bool {
	known, ok := untyped.Lookup(o.Name())
	return ok && known == o || o == copyRow
}
