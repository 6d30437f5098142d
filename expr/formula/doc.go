// Package formula reads the NumPy-like text form of expressions: the same text
// evaluated by NumPy 2 gives the same shapes, types and values.
//
// [Parse] reads a text, and [Source.Build] makes the trees of package expr from
// it. [Compile] does both and runs them, with variables bound by a map or a
// struct:
//
//	f := formula.MustCompile[float32]("w -= eta*(g + lam*w)")
//	err := f.Run(ctx, vars)
//
// Element types follow NumPy 2 (NEP 50): numbers in the text are Python scalars,
// which take the type of the arrays that they meet. What a program may rely on,
// and where NumPy differs, is in docs/formula.md.
//
// A mistake is an [*Error]: one line with the place in the text. Its method Caret adds
// a line that marks the place.
package formula
