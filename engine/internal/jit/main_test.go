package jit

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestMain has less garbage collected: a sixth of the time of the tests went into that. They compile
// thousands of kernels and keep few.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" && !testlevel.Deep() {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
