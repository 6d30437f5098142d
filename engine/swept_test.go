package engine_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/enginetest"
	"github.com/oneloop/oneloop/engine/internal/testlevel"
)

// TestSweptConformance is the conformance of loops that go down in small pieces:
// of all whose arrays have more than 128 bytes, a cache that no machine has.
func TestSweptConformance(t *testing.T) {
	defer engine.SetCaches(128, 512)()
	areas := []string{"reductions", "aliasing", "order", "threads"}
	if testlevel.Deep() {
		areas = append(areas, "views", "lengths", "fusion", "faults", "random")
	}
	name, err := engine.DefaultBackend()
	if err != nil {
		t.Fatal(err)
	}
	t.Run(name, func(t *testing.T) { // as in TestConformance
		for _, area := range areas {
			t.Run(area, func(t *testing.T) { enginetest.Area(area)(t, enginetest.Options{}) })
		}
	})
}
