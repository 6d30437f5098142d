//go:build linux && (amd64 || arm64) && !android && !faketime

package dl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open stays on one thread: the C library keeps the text of an error for the thread whose call failed.
func open(path string, global bool) (Handle, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if global {
		mode = purego.RTLD_NOW | purego.RTLD_GLOBAL
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	h, err := purego.Dlopen(path, mode)
	return Handle(h), err
}

func symbol(h Handle, name string) (uintptr, error) { return purego.Dlsym(uintptr(h), name) }
