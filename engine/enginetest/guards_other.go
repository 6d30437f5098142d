//go:build !unix

package enginetest

import (
	"testing"
)

// Guards needs memory that can be protected.
func Guards(t *testing.T, _ Options) { t.Skip("memory cannot be protected here") }
