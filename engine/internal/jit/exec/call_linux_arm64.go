package exec

import "unsafe"

// callable says that call works.
const callable = true

// breakpoint is a byte of UDF #0, which no processor runs.
const breakpoint = 0

// call runs the code at entry with args in R0. It synchronizes the instructions that the processor has
// fetched first, as another thread may have written the code.
//
//go:noescape
func call(entry uintptr, args unsafe.Pointer)

// synchronize makes size bytes that were written at write visible to fetches of instructions at
// exec.
//
//go:noescape
func synchronize(write, exec, size uintptr)

// probeCodes are ldr x1, [x0]; add x1, x1, #1; str x1, [x0, #8]; ret, and the same with #2.
var probeCodes = [][]byte{
	{0x01, 0x00, 0x40, 0xf9, 0x21, 0x04, 0x00, 0x91, 0x01, 0x04, 0x00, 0xf9, 0xc0, 0x03, 0x5f, 0xd6},
	{0x01, 0x00, 0x40, 0xf9, 0x21, 0x08, 0x00, 0x91, 0x01, 0x04, 0x00, 0xf9, 0xc0, 0x03, 0x5f, 0xd6},
}
