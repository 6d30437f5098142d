package cu

import (
	"os"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
)

// nvtx is the library of NVTX for programs that are not written in C: version 3, or
// version 2 of the toolkits up to CUDA 12.
var nvtx = &library{
	Library: dl.Library{
		Name:     "libnvtx3interop",
		Env:      "ONELOOP_LIBNVTX",
		Names:    both("libnvtx3interop.so.1", "libnvToolsExt.so.1", "nvtx3interop.dll", "nvToolsExt64_1.dll"),
		Pattern:  named("libnvtx3interop.so*", "nvtx3interop.dll"),
		Packages: []string{"cu13/lib", "nvtx/lib", "cu13/bin/x86_64", "nvtx/bin"},
	},
}

// The functions of NVTX that this package calls.
var (
	nvtxRangePush = nvtx.need("nvtxRangePushA")
	nvtxRangePop  = nvtx.need("nvtxRangePop")
)

// injection is the variable by which a profiler, such as Nsight Systems, names the library
// that gets the calls of NVTX.
const injection = "NVTX_INJECTION64_PATH"

// RangesWanted reports whether a profiler asks for ranges of NVTX, and the library for them
// is there. It looks for the library only if a profiler asks.
func RangesWanted() bool { return os.Getenv(injection) != "" && nvtx.open() == nil }

// A RangeName is the name of a range, as NVTX takes it.
type RangeName struct{ text *byte }

// NewRangeName returns the name of a range.
func NewRangeName(name string) RangeName { return RangeName{cString(name)} }

// Push begins a range of the calling thread, inside of those that have not ended. It calls
// nothing if there is no library.
func (n RangeName) Push() {
	if fn, err := nvtx.function(nvtxRangePush); err == nil {
		dl.Call4(fn, uintptr(unsafe.Pointer(n.text)), 0, 0, 0)
	}
}

// RangePop ends the last range of the calling thread that has not ended.
func RangePop() {
	if fn, err := nvtx.function(nvtxRangePop); err == nil {
		dl.Call4(fn, 0, 0, 0, 0)
	}
}
