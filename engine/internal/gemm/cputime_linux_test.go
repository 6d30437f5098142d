package gemm

import "syscall"

// cpuTime is the processor time of the thread in nanoseconds, which other load on
// the machine disturbs less than the clock.
func cpuTime() int64 {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
