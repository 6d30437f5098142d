//go:build linux && (amd64 || arm64) && !android && !faketime

package dl

import "github.com/ebitengine/purego"

func open(path string, global bool) (Handle, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if global {
		mode = purego.RTLD_NOW | purego.RTLD_GLOBAL
	}
	h, err := purego.Dlopen(path, mode)
	return Handle(h), err
}

func symbol(h Handle, name string) (uintptr, error) { return purego.Dlsym(uintptr(h), name) }
