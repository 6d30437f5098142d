//go:build (linux && (amd64 || arm64) && !android && !faketime) || (windows && amd64)

package dl

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

const supported = true

// maxArgs is what purego passes at most.
const maxArgs = 32

// frames are argument lists that are used again, because purego's parameter
// escapes.
var frames = sync.Pool{New: func() any { return new([maxArgs]uintptr) }}

// Call calls a function. Its result is 32 bits wide; arguments that are
// converted pointers are kept alive, on the heap, until it returns. The list of
// arguments is allocated, unless the caller has it as a slice.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}

// Call4 calls a function of at most 4 parameters, without an allocation. A function
// of fewer parameters ignores the rest.
//
//go:uintptrescapes
func Call4(fn, a, b, c, d uintptr) int32 {
	f := frames.Get().(*[maxArgs]uintptr)
	f[0], f[1], f[2], f[3] = a, b, c, d
	r, _, _ := purego.SyscallN(fn, f[:4]...)
	frames.Put(f)
	return int32(r)
}

// callPointer calls a function that returns a pointer to memory of C.
func callPointer(fn, arg uintptr) *byte {
	r, _, _ := purego.SyscallN(fn, arg)
	return *(**byte)(unsafe.Pointer(&r))
}
