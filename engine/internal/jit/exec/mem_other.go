//go:build !darwin && !dragonfly && !freebsd && !linux && !openbsd && !windows

package exec

type protectMemory struct{ noMemory }
