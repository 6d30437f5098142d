package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine/internal/enginetest"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestSweptConformance runs conformance tests with a first-level cache of 128
// bytes, smaller than any machine's. So nearly all loops go down in small blocks.
func TestSweptConformance(t *testing.T) {
	defer setCaches(128, 512)()
	areas := []string{"reductions", "aliasing", "order", "threads"}
	if testlevel.Deep() {
		areas = append(areas, "views", "lengths", "fusion", "faults", "random")
	}
	for _, area := range areas { // with names as in TestConformance
		t.Run(area, func(t *testing.T) { enginetest.Area(area)(t, enginetest.Options{}) })
	}
}
