package enginetest_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/enginetest"
)

func TestConformance(t *testing.T) {
	for _, name := range engine.Backends() {
		t.Run(name, func(t *testing.T) { enginetest.Run(t, enginetest.Options{Options: engine.Options{Backend: name}}) })
	}
}
