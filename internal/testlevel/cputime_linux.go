package testlevel

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that this process has used. Other load on the machine
// disturbs it less than the clock. It is 0 on systems other than Linux.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
