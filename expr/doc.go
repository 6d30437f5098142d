// Package expr holds lazy array expressions: trees of operations on arrays, the
// assignments that compute them, and the errors made in building them.
//
// # Trees
//
// An [Exp] is a tree with elements of a Go type; a [Node] is the same tree without
// it. Package op has the operators, package engine the arrays and what runs
// assignments, package grad derivatives, and package formula reads trees from
// text. Building a tree computes nothing:
//
//	y := op.Add(op.Exp(x), c)   // x and c are tensors
//	err := z.Assign(y)          // one loop over the elements
//
// Nodes are made once and then only read, so trees may share nodes and goroutines
// may share trees. [Apply] and [ApplyWith] check operands and attributes against
// the [Operator] and derive shape and element type. Whoever looks into a tree that
// others made calls [Node.Verify] or [Seen.Verify] first: fields can be changed.
//
// # Assignments
//
// A [Statement] is an assignment that has not been carried out: a target, a
// [Saver] (=, +=, -=, *=, /=), and a value that broadcasts to the target.
// Statements that are compiled together mean what they mean one after the other.
//
// # Errors
//
// A mistake in building a tree makes a node that carries an [*Error]; every tree
// that is built on it carries the same one, and the assignment returns it. The
// error matches one of the Err variables, names the function that was called, and
// has the file and line of the first caller outside of this library.
package expr
