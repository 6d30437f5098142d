//go:build windows && amd64

package system

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

func openFile(file string) (uintptr, error) {
	flags := uintptr(0)
	if filepath.IsAbs(file) { // what it needs is beside it
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	h, err := windows.LoadLibraryEx(file, 0, flags)
	return uintptr(h), err
}

func symbol(h uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(h), name)
}
