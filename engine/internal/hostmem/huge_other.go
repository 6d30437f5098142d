//go:build !linux

package hostmem

// preferHugePages asks the system for huge pages, where it can be asked.
func preferHugePages([]byte) {}
