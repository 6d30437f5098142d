package jit

import (
	"syscall"
	"testing"
)

// mappings are those that guarded can return again, by the size between their inaccessible
// pages: tests take thousands of the same few sizes.
var mappings = map[int][][]byte{}

// guarded returns zeroed memory that begins or ends at an inaccessible page, and a function
// that frees it.
func guarded(t testing.TB, bytes int, atEnd bool) ([]byte, func()) {
	const page = 4096
	n := (bytes + page - 1) &^ (page - 1)
	var m []byte
	if free := mappings[n]; len(free) > 0 {
		m, mappings[n] = free[len(free)-1], free[:len(free)-1]
	} else {
		m = mapping(t, n, page)
	}
	at := page
	if atEnd {
		at += n - bytes
	}
	clear(m[at:][:bytes])
	return m[at:][:bytes:bytes], func() { mappings[n] = append(mappings[n], m) }
}

// mapping maps n bytes between two inaccessible pages.
func mapping(t testing.TB, n, page int) []byte {
	m, err := syscall.Mmap(-1, 0, n+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][]byte{m[:page], m[n+page:]} {
		if err := syscall.Mprotect(p, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return m
}
