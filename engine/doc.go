// Package engine evaluates expressions. It has tensors and their memory, compiles
// statements into programs, and runs programs on threads and devices.
//
//	w := engine.MustFromSlice(data, rows, cols)
//	err := w.SubAssign(op.Scale(eta, op.Add(g, op.Scale(lambda, w))))  // runs now
//	y, err := engine.Eval(op.Softmax(w, -1))                           // runs now, into a new tensor
//	p, err := engine.Compile(ctx, expr.LetSub(w, e))                   // compiles
//	err = p.Run(ctx)                                                   // runs, without allocating
//
// Assignments and Run compile too. They keep the program for later statements of
// the same structure on arrays of the same shapes and strides. So the caller may
// build the trees again each time.
//
// An evaluation that fails leaves its target unchanged. One whose context is
// cancelled may have stored a part. Several goroutines may run programs, also the
// same one; runs of one program follow each other. The caller must not write the
// arrays of a running program.
package engine
