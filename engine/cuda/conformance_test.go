package cuda

import (
	"flag"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/enginetest"
)

// all asks for the whole suite: with -short some eight thousand kernels, each of
// which g++ has to compile the first time.
var all = flag.Bool("all", false, "run the whole conformance suite on the stand-in")

// asan is set by scripts/standin-asan.
var asan = flag.Bool("asan", false, "compile kernels for the stand-in with AddressSanitizer, which must be loaded")

// testConformance runs the suite of all backends, in both orders of threads.
func testConformance(t *testing.T, s *standIn) {
	d, err := engine.CUDA(0)
	check(t, err)
	o := enginetest.Options{Device: d}
	for _, reverse := range []bool{false, true} {
		name := "cuda (stand-in)"
		if reverse {
			name += " reversed"
		}
		t.Run(name, func(t *testing.T) {
			s.limit(0, reverse)
			if *all {
				enginetest.Run(t, o)
				return
			}
			t.Run("aliasing", func(t *testing.T) { enginetest.Aliasing(t, o) })
			t.Run("order", func(t *testing.T) { enginetest.Order(t, o) })
			t.Run("threads", func(t *testing.T) { enginetest.Threads(t, o) })
			t.Run("errors", func(t *testing.T) { enginetest.Errors(t, o) })
			t.Run("allocations", func(t *testing.T) {
				if raceDetector {
					t.Skip("with the race detector calls of libraries allocate; see noAllocations")
				}
				enginetest.Allocations(t, o)
			})
			t.Run("extensions", func(t *testing.T) { enginetest.Extensions(t, o) })
		})
	}
}
