//go:build !(((linux || darwin) && (amd64 || arm64) && !android && !ios && !faketime) || (windows && amd64))

package system

import (
	"fmt"
	"runtime"
)

func load(string) (*Library, error) {
	return nil, fmt.Errorf("libraries are not opened on %s/%s", runtime.GOOS, runtime.GOARCH)
}
