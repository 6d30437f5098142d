package cuda

import (
	"flag"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/enginetest"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// all selects the whole suite. With -short it has some eight thousand kernels,
// and g++ compiles each of them once.
var all = flag.Bool("all", false, "run the whole conformance suite on the stand-in")

// asan compiles kernels with AddressSanitizer. scripts/standin-asan sets it.
var asan = flag.Bool("asan", false, "compile kernels for the stand-in with AddressSanitizer, which must be loaded")

// testConformance runs areas of the conformance suite: one of them by default,
// two in wide tests, six in both orders of threads in deep tests.
func testConformance(t *testing.T, s *standIn) {
	d, err := engine.OpenDevice("cuda:0")
	check(t, err)
	o := enginetest.Options{Device: d}
	areas := []string{"threads", "errors"}[testlevel.Every(0, 0, 1):]
	if testlevel.Deep() {
		areas = []string{"aliasing", "order", "threads", "errors", "allocations", "extensions"}
	}
	for _, reverse := range []bool{false, true} {
		name := "cuda (stand-in)"
		if reverse {
			name += " reversed"
		}
		if reverse && !testlevel.Deep() && !*all {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s.limit(0, reverse)
			if *all {
				enginetest.Run(t, o)
				return
			}
			for _, area := range areas {
				t.Run(area, func(t *testing.T) {
					if area == "allocations" && testlevel.Race {
						t.Skip("with the race detector calls of libraries allocate; see noAllocations")
					}
					enginetest.Area(area)(t, o)
				})
			}
		})
	}
}
