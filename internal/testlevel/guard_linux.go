package testlevel

import (
	"syscall"
	"testing"
	"unsafe"
)

// Guarded returns n bytes of zeroed memory between two pages without access, right after the first one or, at the end, right before
// the second one. An access to one of them crashes the test. The memory is freed with the test. A test is skipped where there is none.
func Guarded(t testing.TB, n int, end bool) unsafe.Pointer {
	t.Helper()
	page := syscall.Getpagesize()
	size := (n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	for _, b := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(b, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	at := page
	if end {
		at += size - n
	}
	return unsafe.Pointer(unsafe.SliceData(mem[at:]))
}
