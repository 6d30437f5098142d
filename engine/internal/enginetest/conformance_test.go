package enginetest_test

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Options{Backends: engine.Backends()})
}
