// Package op has the operator table, and the constructors of expressions made
// from it.
//
// An operator is one row: its name, operands and element types, its error
// bound, and its lowering, a small program over the primitives of package prim.
// The Go constructor, the name in formulas, the line in docs/ops.md and the
// code of every back end follow from the row. [Define] makes rows for users,
// and [DefineView] index maps.
//
// Constructors compute nothing. A mistake, such as shapes that do not
// broadcast, stays in the tree. The assignment returns it, with the line of the
// call that made it.
package op

//go:generate go run ./internal/gen

import "github.com/oneloop/oneloop/expr"

// Summable is the constraint of element types that are results of sums and
// products. NumPy adds smaller integers in 64 bits (SumInt, SumUint).
type Summable interface {
	expr.AnyFloat | int64 | uint64
}

// Bitwise is the constraint of element types with bit operations.
type Bitwise interface {
	expr.Integer | bool
}
