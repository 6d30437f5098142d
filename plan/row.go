package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// The rows of the operator table that the plan treats specially or makes.
// Operators are compared by pointer, because a user's operator may have the
// name of a row.
var (
	castRow         = mustRow("cast")
	stopGradientRow = mustRow("stop_gradient")
	broadcastRow    = mustRow("broadcast_to")
	concatRow       = mustRow("concat")
	matmulRow       = mustRow("matmul")
	padRow          = mustRow("pad")
	reshapeRow      = mustRow("reshape")
	sliceRow        = mustRow("slice")
	takeRow         = mustRow("take")
	transposeRow    = mustRow("transpose")
)

var saverRows = [...]*expr.Operator{expr.Plus: mustRow("add"), expr.Minus: mustRow("sub"), expr.Times: mustRow("mul"), expr.Over: mustRow("div")}

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
