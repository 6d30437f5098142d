//go:build !linux

package op_test

import "time"

// cpuTime returns 0, because the test reads processor times only on Linux.
func cpuTime() time.Duration { return 0 }
