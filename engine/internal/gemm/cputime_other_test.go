//go:build !linux

package gemm

func cpuTime() int64 { return 0 }
