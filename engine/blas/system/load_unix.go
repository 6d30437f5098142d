//go:build (linux || darwin) && (amd64 || arm64) && !android && !ios && !faketime

package system

import (
	"runtime"

	"github.com/ebitengine/purego"
)

func openFile(file string) (uintptr, error) {
	// The message of a failure belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(file, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(h uintptr, name string) (uintptr, error) { return purego.Dlsym(h, name) }
