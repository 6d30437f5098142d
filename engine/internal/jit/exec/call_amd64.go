package exec

import "unsafe"

// callable says that call works.
const callable = true

// breakpoint is int3.
const breakpoint = 0xcc

// synchronize does nothing: the caches of instructions see what is written.
func synchronize(_, _, _ uintptr) {}

// call runs the code at entry with args in RDI. The compiler's wrapper around
// functions in assembly restores R14 (g) and X15 (zero) after it.
//
//go:noescape
func call(entry uintptr, args unsafe.Pointer)

// probeCodes is mov rax, [rdi]; inc rax; mov [rdi+8], rax; ret.
var probeCodes = [][]byte{{0x48, 0x8b, 0x07, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x47, 0x08, 0xc3}}
