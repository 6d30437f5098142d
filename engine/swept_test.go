package engine_test

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/enginetest"
	"github.com/oneloop/oneloop/engine/internal/testlevel"
)

// TestSweptConformance is the conformance of loops that go down in small pieces:
// of all whose arrays have more than 128 bytes, a cache that no machine has.
func TestSweptConformance(t *testing.T) {
	defer engine.SetCaches(128, 512)()
	areas := map[string]func(*testing.T, enginetest.Options){
		"reductions": enginetest.Reductions, "views": enginetest.Views, "lengths": enginetest.Lengths,
		"fusion": enginetest.Fusion, "aliasing": enginetest.Aliasing, "order": enginetest.Order,
		"threads": enginetest.Threads, "faults": enginetest.Faults, "random": enginetest.Random,
	}
	name, err := engine.DefaultBackend()
	if err != nil {
		t.Fatal(err)
	}
	t.Run(name, func(t *testing.T) { // as in TestConformance
		for name, area := range areas {
			if !testlevel.Deep() && !slices.Contains([]string{"reductions", "aliasing", "order", "threads"}, name) {
				continue
			}
			t.Run(name, func(t *testing.T) { area(t, enginetest.Options{}) })
		}
	})
}
