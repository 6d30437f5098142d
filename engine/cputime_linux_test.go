package engine_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time that the process has used: what other processes
// do does not count.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
