//go:build !linux

package engine

// physical is the size of the machine's memory in bytes, 0 if it is not known.
func physical() uint64 { return 0 }
