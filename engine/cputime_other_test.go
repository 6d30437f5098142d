//go:build !linux

package engine_test

import "time"

var began = time.Now()

// cpuTime is the time since the process began, where there is nothing better.
func cpuTime() time.Duration { return time.Since(began) }
