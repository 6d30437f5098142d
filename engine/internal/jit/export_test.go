package jit

import (
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/machine"
)

// Bare returns a function that only calls the machine code of a worker with a shortcut. w
// must have run: the call uses the arguments in its frame.
func Bare(w backend.Worker) func() {
	x := w.(*worker)
	return func() {
		if x.short.whole {
			*x.short.words[0].At = 1
		}
		for i := range x.short.calls {
			x.short.calls[i].Code.Call(x.frame)
		}
	}
}

// Generators returns the back ends of all instruction sets, in the order of ISAs, also of those that
// this machine lacks.
func Generators() (out []backend.Backend) {
	for _, g := range generators {
		out = append(out, g)
	}
	return out
}

// FixCaches sets the model of the machine, which chooses variants of the code, to the
// defaults with the caches of a common desktop, which takes whole vectors of 512 bits.
func FixCaches(t *testing.T) { fixModel(t, false, true) }

// FixHalves is FixCaches for a desktop that takes vectors of 512 bits in two halves, and FixWide for one that is as fast with
// whole ones from all levels.
func FixHalves(t *testing.T) { fixModel(t, true, true) }
func FixWide(t *testing.T)   { fixModel(t, false, false) }

func fixModel(t *testing.T, halves, narrow bool) {
	m := defaultsWith(cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20})
	m.Halves, m.Narrow, m.Copies = halves, narrow, !halves
	t.Cleanup(useModel(m))
}

// defaultsWith returns the defaults with other caches, and narrow vectors outside the first level on all processors.
func defaultsWith(c cpucache.Sizes) machine.Model {
	m := machine.Defaults()
	m.Caches, m.Narrow = c, true
	return m
}

// useModel makes m the model of the machine until the caller calls restore.
func useModel(m machine.Model) (restore func()) {
	before := model
	model = func() machine.Model { return m }
	return func() { model = before }
}
