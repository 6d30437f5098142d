package cu

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/internal/lists"
)

var nvrtc = &library{
	Library: dl.Library{
		Name:     "libnvrtc",
		Env:      "ONELOOP_LIBNVRTC",
		Names:    both("libnvrtc.so.13", "libnvrtc.so.12", "nvrtc64_130_0.dll", "nvrtc64_120_0.dll"),
		Pattern:  named("libnvrtc.so*", "nvrtc64_*.dll"),
		Packages: []string{"cu13/lib", "cuda_nvrtc/lib", "cu13/bin/x86_64", "cuda_nvrtc/bin"},
		// NVRTC finds the library of its built-in functions only if that is open
		// already, or where the system's loader searches.
		With: []string{named("libnvrtc-builtins.so*", "nvrtc-builtins64_*.dll")},
	},
}

// The functions of NVRTC that this package calls.
var (
	nvrtcVersion              = nvrtc.need("nvrtcVersion")
	nvrtcGetErrorString       = nvrtc.need("nvrtcGetErrorString")
	nvrtcGetNumSupportedArchs = nvrtc.need("nvrtcGetNumSupportedArchs")
	nvrtcGetSupportedArchs    = nvrtc.need("nvrtcGetSupportedArchs")
	nvrtcCreateProgram        = nvrtc.need("nvrtcCreateProgram")
	nvrtcDestroyProgram       = nvrtc.need("nvrtcDestroyProgram")
	nvrtcCompileProgram       = nvrtc.need("nvrtcCompileProgram")
	nvrtcGetCUBINSize         = nvrtc.need("nvrtcGetCUBINSize")
	nvrtcGetCUBIN             = nvrtc.need("nvrtcGetCUBIN")
	nvrtcGetPTXSize           = nvrtc.need("nvrtcGetPTXSize")
	nvrtcGetPTX               = nvrtc.need("nvrtcGetPTX")
	nvrtcGetProgramLogSize    = nvrtc.need("nvrtcGetProgramLogSize")
	nvrtcGetProgramLog        = nvrtc.need("nvrtcGetProgramLog")
)

// both returns the two names for the platform.
func both(linux1, linux2, windows1, windows2 string) []string {
	return []string{named(linux1, windows1), named(linux2, windows2)}
}

// The oldest and newest supported major versions of NVRTC.
const (
	oldestNvrtc = 12
	newestNvrtc = 13
)

// A VersionError is the error of a library whose version is not supported.
type VersionError struct {
	Library      string // NVRTC, cuBLAS or cuBLASLt
	Major, Minor int
	Driver       int // the newest CUDA that the driver supports; 0 if it does not matter
}

func (e *VersionError) Error() string {
	if e.Driver != 0 {
		return fmt.Sprintf("%s %d.%d makes code that the driver, for CUDA %s, does not load", e.Library, e.Major, e.Minor, versionText(e.Driver))
	}
	return fmt.Sprintf("%s %d.%d is not of the versions %d to %d", e.Library, e.Major, e.Minor, oldestNvrtc, newestNvrtc)
}

// tooNew returns a *VersionError if the library has a newer major version than
// the driver supports. A driver runs the code of every minor version of its major
// version.
func tooNew(library string, major, minor int) error {
	if v, err := DriverGetVersion(); err == nil && major > v/1000 {
		return &VersionError{library, major, minor, v}
	}
	return nil
}

// checkNvrtc returns an error if NVRTC is too old, newer than known, or too new
// for the driver. It does not compare with the driver if there is none.
func checkNvrtc(fn []uintptr) error {
	var major, minor int32
	if r := dl.Call(fn[nvrtcVersion], uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor))); r != 0 {
		return &NvrtcError{Call: "nvrtcVersion", Result: int(r)}
	}
	if major < oldestNvrtc || major > newestNvrtc {
		return &VersionError{"NVRTC", int(major), int(minor), 0}
	}
	return tooNew("NVRTC", int(major), int(minor))
}

// An NvrtcError is a failed call of NVRTC.
type NvrtcError struct {
	Call   string
	Result int
	Text   string // NVRTC's name of the result
	Log    string // the log of a compilation
}

func (e *NvrtcError) Error() string {
	s := fmt.Sprintf("%s: %s (%d)", e.Call, e.Text, e.Result)
	if e.Log != "" {
		s += "\n" + e.Log
	}
	return s
}

//go:uintptrescapes
func callNvrtc(s symbol, args ...uintptr) error {
	fn, err := nvrtc.function(s)
	if err != nil {
		return err
	}
	r := dl.Call(fn, args...)
	if r == 0 {
		return nil
	}
	return &NvrtcError{Call: nvrtc.names[s], Result: int(r), Text: cmp.Or(dl.Text(nvrtc.fn[nvrtcGetErrorString], r), "NVRTC error")}
}

// NvrtcVersion returns the version of NVRTC, such as 13 and 0.
func NvrtcVersion() (major, minor int, err error) {
	var a, b int32
	err = callNvrtc(nvrtcVersion, uintptr(unsafe.Pointer(&a)), uintptr(unsafe.Pointer(&b)))
	return int(a), int(b), err
}

// NvrtcArchs returns the architectures for which NVRTC makes machine code: 90 for
// sm_90.
func NvrtcArchs() ([]int, error) {
	var n int32
	if err := callNvrtc(nvrtcGetNumSupportedArchs, uintptr(unsafe.Pointer(&n))); err != nil || n <= 0 {
		return nil, err
	}
	list := make([]int32, n)
	if err := callNvrtc(nvrtcGetSupportedArchs, uintptr(unsafe.Pointer(unsafe.SliceData(list)))); err != nil {
		return nil, err
	}
	return lists.Map(list, func(a int32) int { return int(a) }), nil
}

// A Compiled is the result of a compilation.
type Compiled struct {
	Cubin []byte // machine code; nil with -arch=compute_XX
	PTX   []byte // without the zero byte at its end; nil if there is none
	Log   string // warnings, and the report of ptxas with -Xptxas=-v
}

// NvrtcCompile compiles CUDA C++. With -arch=sm_XX the result has machine code,
// with -arch=compute_XX only PTX. If the source does not compile, the error is an
// *NvrtcError with the log.
func NvrtcCompile(source, name string, options ...string) (*Compiled, error) {
	var prog uintptr
	if err := callNvrtc(nvrtcCreateProgram, uintptr(unsafe.Pointer(&prog)), uintptr(unsafe.Pointer(cString(source))),
		uintptr(unsafe.Pointer(cString(name))), 0, 0, 0); err != nil {
		return nil, err
	}
	defer func() { _ = callNvrtc(nvrtcDestroyProgram, uintptr(unsafe.Pointer(&prog))) }()
	opts := make([]*byte, len(options)+1)
	for i, o := range options {
		opts[i] = cString(o)
	}
	err := callNvrtc(nvrtcCompileProgram, prog, uintptr(len(options)), uintptr(unsafe.Pointer(unsafe.SliceData(opts))))
	runtime.KeepAlive(opts)
	c := &Compiled{}
	if log, e := fetch(prog, nvrtcGetProgramLogSize, nvrtcGetProgramLog); e == nil {
		c.Log = strings.TrimSpace(string(bytes.TrimRight(log, "\x00")))
	}
	if e, ok := err.(*NvrtcError); ok {
		e.Log = c.Log
	}
	if err != nil {
		return nil, err
	}
	real := false
	for _, o := range options {
		real = real || strings.HasPrefix(o, "-arch=sm_")
	}
	if real {
		if c.Cubin, err = fetch(prog, nvrtcGetCUBINSize, nvrtcGetCUBIN); err != nil {
			return nil, err
		}
	}
	if c.PTX, err = fetch(prog, nvrtcGetPTXSize, nvrtcGetPTX); err != nil && !real {
		return nil, err
	}
	c.PTX = bytes.TrimRight(c.PTX, "\x00")
	return c, nil
}

// fetch returns one of the results of a compilation.
func fetch(prog uintptr, size, get symbol) ([]byte, error) {
	var n uintptr
	if err := callNvrtc(size, prog, uintptr(unsafe.Pointer(&n))); err != nil || n == 0 {
		return nil, err
	}
	b := make([]byte, n)
	return b, callNvrtc(get, prog, uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}
