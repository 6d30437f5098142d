//go:build !linux

package formula

import "time"

// CPUTime returns 0, because the tests read processor times only on Linux.
func CPUTime() time.Duration { return 0 }
