package jit

import "github.com/oneloop/oneloop/engine/internal/backend"

// Bare returns a function that only calls the machine code of the first phase of the
// first loop. w must have run: the call uses the arguments in its frame.
func Bare(w backend.Worker) func() {
	x := w.(*worker)
	code := x.inst.vecs[0].phases[0].fn.code
	return func() { code.Call(x.frame) }
}
