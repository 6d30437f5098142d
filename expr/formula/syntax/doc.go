// Package syntax reads the text of formulas, a subset of Python's assignments
// and expressions, as trees with positions.
//
// It has the grammar and the numbers, but no functions, element types or
// shapes. [Parse] bounds the length, the depth and the number of operations of a
// text. A mistake is an [*Error] with its place.
package syntax
