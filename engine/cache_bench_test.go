package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
)

// BenchmarkAssign measures trees of 10 operators: to build one, to assign one
// that exists, and both.
func BenchmarkAssign(b *testing.B) {
	w, g, y := engine.MustFromSlice(ramp(16)), engine.MustFromSlice(ramp(16)), engine.Zeros[float32](16)
	b.Run("build", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			grown = chain(w, g, 10)
		}
	})
	e := chain(w, g, 10)
	b.Run("assign", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := y.Assign(e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("both", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := y.Assign(chain(w, g, 10)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

var grown expr.Exp[float32]
