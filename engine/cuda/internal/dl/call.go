//go:build (linux && (amd64 || arm64) && !android && !faketime) || (windows && amd64)

package dl

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

const supported = true

// Call calls a function. Its result is 32 bits wide; arguments that are
// converted pointers are kept alive, on the heap, until it returns.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}

// callPointer calls a function that returns a pointer to memory of C.
func callPointer(fn, arg uintptr) *byte {
	r, _, _ := purego.SyscallN(fn, arg)
	return *(**byte)(unsafe.Pointer(&r))
}
