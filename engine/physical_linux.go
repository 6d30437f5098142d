package engine

import "golang.org/x/sys/unix"

// physical is the size of the machine's memory in bytes, 0 if it is not known.
func physical() uint64 {
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) != nil {
		return 0
	}
	return uint64(s.Totalram) * uint64(max(s.Unit, 1))
}
