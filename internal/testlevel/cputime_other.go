//go:build !linux

package testlevel

import "time"

// CPUTime returns 0.
func CPUTime() time.Duration { return 0 }
