//go:build !linux

package sorting

func cpuTime() int64 { return 0 }
