// Package numpy makes trees of package expr/tree from the syntax trees of formulas,
// by the rules of NumPy 2: its functions, its promotion of element types (NEP
// 50), its subscripts and its assignments.
//
// It computes nothing, and imports no engine. If a temporary has to be stored, the
// caller allocates the array.
package numpy
