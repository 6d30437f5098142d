package formula

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the processor time that this process has used.
func CPUTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
