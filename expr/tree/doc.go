// Package tree has the nodes of expressions, the rows that define operators, and
// the errors made in building trees. It is for code that makes or reads trees
// without knowing their element types, such as package formula, the plan
// compiler and back ends, and for operators of one's own. A program that only
// evaluates expressions needs package expr.
//
// Nodes do not change once made, so trees may share nodes and goroutines may
// share trees. [Apply] and [ApplyWith] check operands and attributes against
// the [Operator] and derive shape and element type. Fields are exported and can
// be changed, so code that reads a foreign tree calls [Node.Verify] or
// [Seen.Verify] first.
//
// A mistake in building a tree makes a node that carries an [*Error]. Every
// tree that is built on it carries the same error.
package tree
