package jit

import "github.com/oneloop/oneloop/engine/internal/backend"

// Bare is the call of machine code that w, which has run, makes for the first
// piece of its first loop, without all that leads to it.
func Bare(w backend.Worker) func() {
	x := w.(*worker)
	code := x.inst.vecs[0].phases[0].fn.code
	return func() { code.Call(x.frame) }
}
