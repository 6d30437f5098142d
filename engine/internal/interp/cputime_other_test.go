//go:build !linux

package interp

func cpuTime() int64 { return 0 }
