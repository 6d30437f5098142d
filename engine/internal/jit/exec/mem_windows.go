package exec

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// protectName is what protectMemory does.
const protectName = "VirtualAlloc and VirtualProtect"

// protectMemory is private memory whose pages are writable or executable.
type protectMemory struct{}

func (protectMemory) reserve(size int) ([]byte, unsafe.Pointer, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, nil, fmt.Errorf("VirtualAlloc: %w", err)
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&addr)) // not Go memory; vet reports it wrongly
	return unsafe.Slice((*byte)(p), size), p, nil
}

func (protectMemory) free(_ []byte, exec unsafe.Pointer) error {
	return windows.VirtualFree(uintptr(exec), 0, windows.MEM_RELEASE)
}

func (protectMemory) begin(part []byte) error { return protect(part, windows.PAGE_READWRITE) }

// clean does nothing: the next begin takes the permission to run what is in the pages from
// all processors.
func (protectMemory) clean([][]byte) {}

func (protectMemory) end(part []byte) error {
	if err := protect(part, windows.PAGE_EXECUTE_READ); err != nil {
		return err
	}
	r, _, err := flushInstructionCache.Call(uintptr(windows.CurrentProcess()), address(part), uintptr(len(part)))
	if r == 0 {
		return fmt.Errorf("FlushInstructionCache: %w", err)
	}
	return nil
}

var flushInstructionCache = windows.NewLazySystemDLL("kernel32.dll").NewProc("FlushInstructionCache")

func protect(part []byte, access uint32) error {
	var old uint32
	if err := windows.VirtualProtect(address(part), uintptr(len(part)), access, &old); err != nil {
		return fmt.Errorf("VirtualProtect: %w", err)
	}
	return nil
}
