//go:build (linux || darwin) && (amd64 || arm64) && !android && !ios && !faketime

package shlib

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// Open opens a library. With global, libraries that are opened later find its symbols.
// Open stays on one thread: the C library keeps the text of an error for the thread whose
// call failed.
func Open(path string, global bool) (uintptr, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if global {
		mode = purego.RTLD_NOW | purego.RTLD_GLOBAL
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, mode)
}

// Symbol returns the address of a function.
func Symbol(h uintptr, name string) (uintptr, error) { return purego.Dlsym(h, name) }
