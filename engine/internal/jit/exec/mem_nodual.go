//go:build !linux

package exec

type dualMemory struct{ noMemory }
