package jit

import (
	"syscall"
	"testing"
)

// guarded returns memory that begins or ends at an inaccessible page, and a function
// that frees it.
func guarded(t testing.TB, bytes int, atEnd bool) ([]byte, func()) {
	const page = 4096
	n := (bytes + page - 1) &^ (page - 1)
	m, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][]byte{m[:page], m[n+page:]} {
		if err := syscall.Mprotect(p, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	at := page
	if atEnd {
		at += n - bytes
	}
	return m[at:][:bytes:bytes], func() { _ = syscall.Munmap(m) }
}
