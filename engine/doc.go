// Package engine evaluates expressions: tensors and their memory, compilation
// of statements into programs, and the machinery that runs programs on threads.
//
//	w := engine.MustFromSlice(data, rows, cols)
//	err := w.SubAssign(op.Scale(eta, op.Add(g, op.Scale(lambda, w))))  // runs now
//	p, err := engine.Compile(ctx, expr.SubAssign(w, e))                // compiles
//	err = p.Run(ctx)                                                   // runs, without allocating
//
// Assignments and Run compile too, and keep the program for statements of the
// same structure on arrays of the same shapes and strides, so that trees may be
// built anew each time.
//
// An evaluation that fails leaves its target as it was. Programs may be run
// from several goroutines; runs of one program follow each other. It is the
// caller's business that nothing else writes the arrays of a running program.
package engine
