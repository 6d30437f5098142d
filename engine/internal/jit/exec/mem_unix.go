//go:build darwin || dragonfly || freebsd || linux || openbsd

package exec

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// protectName is what protectMemory does.
const protectName = "mmap and mprotect"

// protectMemory is private memory whose pages are writable or executable. The
// change of protection interrupts every processor that runs the process, which
// also makes it see the new code.
type protectMemory struct{}

func (protectMemory) reserve(size int) ([]byte, unsafe.Pointer, error) {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, fmt.Errorf("mmap: %w", err)
	}
	return unsafe.Slice((*byte)(p), size), p, nil
}

func (protectMemory) free(write []byte, exec unsafe.Pointer) error {
	return unix.MunmapPtr(exec, uintptr(len(write)))
}

func (protectMemory) begin(part []byte) error {
	if err := unix.Mprotect(part, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return fmt.Errorf("mprotect: %w", err)
	}
	return nil
}

// clean does nothing: the next begin takes the permission to run what is in the pages from
// all processors.
func (protectMemory) clean([][]byte) {}

func (protectMemory) end(part []byte) error {
	if err := unix.Mprotect(part, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		return fmt.Errorf("mprotect: %w", err)
	}
	return nil
}
