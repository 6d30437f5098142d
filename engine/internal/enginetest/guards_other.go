//go:build !unix

package enginetest

import "testing"

// Guards skips the test: it needs memory whose pages can be made inaccessible.
func Guards(t *testing.T, _ Options) { t.Skip("memory cannot be protected here") }

// newFence returns nil: no areas.
func newFence(*testing.T) *fence { return nil }
