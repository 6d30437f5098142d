//go:build !darwin && !dragonfly && !freebsd && !linux && !openbsd && !windows

package exec

const protectName = "none"

type protectMemory struct{ noMemory }
