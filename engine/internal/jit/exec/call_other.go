//go:build !amd64

package exec

import "unsafe"

const callable = false

// call is never reached: Probe fails.
func call(uintptr, unsafe.Pointer) { panic("exec: no machine code here") }

var probeCode []byte
