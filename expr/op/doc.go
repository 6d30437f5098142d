// Package op has the constructors of expressions.
//
// An operator is one row of a table: its name, operands and element types, its
// error bound, and its lowering, a small program over the primitives of package
// prim. The Go constructor, the name in formulas, the line in docs/ops.md and the
// code of every back end follow from the row. [Define] makes rows for users, with
// programs of type [V] that a [B] builds, [DefineView] index maps, and
// [DefineReduction] reductions.
//
// Constructors compute nothing. A mistake, such as shapes that do not
// broadcast, stays in the tree. The assignment returns it, with the line of the
// call that made it.
//
// # Which functions there are
//
//   - Element by element: [Add], [Exp], [Where], [Cast] and others. A name that ends with
//     Scalar takes a number of Go for the last operand, such as [MaximumScalar], and one
//     that begins with Scalar for the first, such as [ScalarSub].
//   - Reductions and statistics: [Sum], [Max], [Mean], [Std], [Median], [Histogram]; their
//     options are [Axis], [KeepDims], [DDof].
//   - Shapes and views: [Reshape], [Transpose], [Slice], [Concat], [Pad], [Windows], [Take].
//   - Products: [MatMul], [Dot], [Einsum]; [Conv] and pools of windows.
//   - Along an axis: [CumSum], [Scan], [Sort], [FFT].
//   - New values: [Full], [Arange], [Linspace], [Eye]; random numbers of a key, which is a
//     number: [Normal](expr.Const[uint64](1), n).
//
// docs/ops.md lists all of them, with types and error bounds, and docs/numpy.md by
// their names in NumPy.
//
// Package untyped has the table, and the same functions for code that makes trees
// without knowing their types, such as package formula.
package op

//go:generate go run ./internal/gen

import "github.com/oneloop/oneloop/expr"

// Summable is the constraint of element types that are results of sums and
// products. NumPy adds smaller integers in 64 bits (SumInt, SumUint). Where an int has 32
// bits, its sum is an error of type [expr.ErrType]; SumInt adds it up there too.
type Summable interface {
	expr.AnyFloat | int | int64 | uint64
}

// Bitwise is the constraint of element types with bit operations.
type Bitwise interface {
	expr.Integer | bool
}
