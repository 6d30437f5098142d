// Package untyped has the operator table, and constructors of trees whose element
// types are known only when a program runs.
//
// An operator is one row: its name, operands and element types, its error bound,
// its derivative, and its lowering, a small program over the primitives of package
// prim. [Row] and [Lookup] find it, [Call] and [Apply] apply it. A composition is a
// function that is a tree of operators: [Compose] makes it. The functions named as
// those of package op, such as [Cast] and [MatMul], make what needs more than a name
// and operands: types, axes, dimensions, slices.
//
// Package op is this package with the types of Go. Programs whose types are known
// use that one.
package untyped
