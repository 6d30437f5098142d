// Package syntax reads the text of formulas, a subset of Python's assignments
// and expressions, as trees with positions.
//
// It knows the grammar and the numbers, but no function, element type or
// shape. [Parse] bounds the length, the depth and the number of operations of a
// text. A mistake is an [*Error] with its place.
package syntax
