//go:build windows && amd64

package shlib

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Open opens a library. It has no use for global: Windows binds symbols by library.
func Open(path string, _ bool) (uintptr, error) {
	flags := uintptr(0)
	if filepath.IsAbs(path) { // what it needs is beside it
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

// Symbol returns the address of a function.
func Symbol(h uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(h), name)
}
