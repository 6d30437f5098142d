//go:build darwin || linux

package npy

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const canMap = true

// mapped returns the first n bytes of a file as private memory, and a function that
// replaces them by zeros without memory.
func mapped(f *os.File, n int) ([]byte, func() error, error) {
	const prot = unix.PROT_READ | unix.PROT_WRITE
	p, err := unix.MmapPtr(int(f.Fd()), 0, nil, uintptr(n), prot, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, fmt.Errorf("mmap: %w", err)
	}
	unmap := func() error {
		_, err := unix.MmapPtr(-1, 0, p, uintptr(n), prot, unix.MAP_PRIVATE|unix.MAP_NORESERVE|unix.MAP_ANON|unix.MAP_FIXED)
		if err != nil {
			return fmt.Errorf("oneloop: npy: mmap: %w", err)
		}
		return nil
	}
	return unsafe.Slice((*byte)(p), n), unmap, nil
}
