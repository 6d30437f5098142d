//go:build !unix

package enginetest

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
)

// Guards needs memory that can be protected.
func Guards(t *testing.T, _ engine.Options) { t.Skip("memory cannot be protected here") }
