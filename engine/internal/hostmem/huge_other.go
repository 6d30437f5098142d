//go:build !linux

package hostmem

// preferHugePages does nothing: only Linux takes this advice.
func preferHugePages([]byte) {}
