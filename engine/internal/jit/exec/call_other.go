//go:build !amd64 && !(linux && arm64)

package exec

import "unsafe"

// Other systems on arm64 are missing: darwin has executable memory of another kind (MAP_JIT).
const callable = false

const breakpoint = 0

func synchronize(_, _, _ uintptr) {}

// call is never reached: Probe fails.
func call(uintptr, unsafe.Pointer) { panic("exec: no machine code here") }

var probeCodes [][]byte
