package jit

import (
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
)

// Bare returns a function that only calls the machine code of the first phase of the
// first loop. w must have run: the call uses the arguments in its frame.
func Bare(w backend.Worker) func() {
	x := w.(*worker)
	code := x.inst.vecs[0].phases[0].fn.code
	return func() { code.Call(x.frame) }
}

// FixCaches sets the sizes of the caches for a test, which choose variants of the code.
func FixCaches(t *testing.T) {
	before := caches
	t.Cleanup(func() { caches = before })
	caches = cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}
}
