//go:build windows && amd64

package dl

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// open has no use for global: Windows binds symbols by library.
func open(path string, _ bool) (Handle, error) {
	flags := uintptr(0)
	if filepath.IsAbs(path) { // what it needs is beside it
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return Handle(h), err
}

func symbol(h Handle, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(h), name)
}
