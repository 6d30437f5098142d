//go:build (linux && (amd64 || arm64) && !android && !faketime) || (windows && amd64)

package dl

import "github.com/oneloop/oneloop/engine/internal/shlib"

func open(path string, global bool) (Handle, error) {
	h, err := shlib.Open(path, global)
	return Handle(h), err
}

func symbol(h Handle, name string) (uintptr, error) { return shlib.Symbol(uintptr(h), name) }
