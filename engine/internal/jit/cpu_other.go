//go:build !amd64 && !arm64

package jit

import (
	"fmt"
	"runtime"
)

func supported(isa string) error {
	return fmt.Errorf("jit: no %s on %s", isa, runtime.GOARCH)
}
