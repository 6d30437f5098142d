// Package expr holds lazy array expressions: trees of operations on arrays, the
// assignments that compute them, and the errors made in building them.
//
// # Expressions
//
// An [Exp] is a tree of operations whose elements have a Go type. Package op has
// the operators. Package engine has the arrays and runs assignments. Package
// grad has derivatives. Package formula reads trees from text. Building a tree
// computes nothing:
//
//	y := op.Add(op.Exp(x), c)   // x and c are tensors
//	err := z.Assign(y)          // one loop over the elements
//
// Trees do not change once made, so they may share parts, and goroutines may
// share them. The same tree without its Go type is a [tree.Node]. Package tree
// is for code that makes or reads trees without knowing their types, and for
// operators and back ends of one's own.
//
// # Assignments
//
// A [Statement] is an assignment that has not run: a target, a [Saver] (=, +=,
// -=, *=, /=), and a value that broadcasts to the target. [Let], [LetAdd],
// [LetSub], [LetMul] and [LetDiv] make statements. Statements that are compiled
// together have the effect of running them in order. A tensor's method Assign
// runs at once.
//
// # Errors
//
// A mistake in building a tree makes a tree that carries a [*tree.Error]. Every
// tree that is built on it carries the same error, and the assignment returns
// it. The error matches one of the Err variables, names the function that was
// called, and has the file and line of the first caller outside of this
// library.
package expr
