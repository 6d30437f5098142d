package cu

import (
	"fmt"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
)

// A Result is the return value of a function of the driver.
type Result int32

// The results that callers distinguish.
const (
	SUCCESS                           Result = 0
	ERROR_INVALID_VALUE               Result = 1
	ERROR_OUT_OF_MEMORY               Result = 2
	ERROR_NOT_INITIALIZED             Result = 3
	ERROR_DEINITIALIZED               Result = 4
	ERROR_NO_DEVICE                   Result = 100
	ERROR_INVALID_DEVICE              Result = 101
	ERROR_INVALID_IMAGE               Result = 200
	ERROR_INVALID_CONTEXT             Result = 201
	ERROR_NO_BINARY_FOR_GPU           Result = 209
	ERROR_ECC_UNCORRECTABLE           Result = 214
	ERROR_NVLINK_UNCORRECTABLE        Result = 220
	ERROR_UNSUPPORTED_PTX_VERSION     Result = 222
	ERROR_CONTAINED                   Result = 226
	ERROR_NOT_FOUND                   Result = 500
	ERROR_NOT_READY                   Result = 600
	ERROR_ILLEGAL_ADDRESS             Result = 700
	ERROR_LAUNCH_OUT_OF_RESOURCES     Result = 701
	ERROR_LAUNCH_TIMEOUT              Result = 702
	ERROR_PEER_ACCESS_ALREADY_ENABLED Result = 704
	ERROR_CONTEXT_IS_DESTROYED        Result = 709
	ERROR_ASSERT                      Result = 710
	ERROR_HARDWARE_STACK_ERROR        Result = 714
	ERROR_ILLEGAL_INSTRUCTION         Result = 715
	ERROR_MISALIGNED_ADDRESS          Result = 716
	ERROR_INVALID_ADDRESS_SPACE       Result = 717
	ERROR_INVALID_PC                  Result = 718
	ERROR_LAUNCH_FAILED               Result = 719
	ERROR_TENSOR_MEMORY_LEAK          Result = 721
	ERROR_NOT_SUPPORTED               Result = 801
	ERROR_MPS_CLIENT_TERMINATED       Result = 810
	ERROR_EXTERNAL_DEVICE             Result = 911
)

// Error returns the name and the text of r, as the driver has them.
func (r Result) Error() string {
	name, text := r.String(), ""
	if s, ok := r.ask(cuGetErrorString); ok {
		text = ": " + s
	}
	return fmt.Sprintf("%s (%d)%s", name, int32(r), text)
}

// String returns the driver's name of r, such as CUDA_ERROR_NO_DEVICE.
func (r Result) String() string {
	if s, ok := r.ask(cuGetErrorName); ok {
		return s
	}
	return fmt.Sprintf("CUresult %d", int32(r))
}

func (r Result) ask(s symbol) (string, bool) {
	if driver.fn == nil { // this function must not open a library
		return "", false
	}
	text := dl.TextOf(driver.fn[s], int32(r))
	return text, text != ""
}

// Sticky reports whether r makes its context unusable: every later call returns
// it. These are the results after which, by cuda.h, the process must be
// relaunched, errors of memory and of NVLink that cannot be corrected, and destroyed
// contexts.
func (r Result) Sticky() bool {
	switch r {
	case ERROR_ECC_UNCORRECTABLE, ERROR_NVLINK_UNCORRECTABLE, ERROR_CONTAINED, ERROR_ILLEGAL_ADDRESS, ERROR_LAUNCH_TIMEOUT, ERROR_CONTEXT_IS_DESTROYED,
		ERROR_ASSERT, ERROR_HARDWARE_STACK_ERROR, ERROR_ILLEGAL_INSTRUCTION, ERROR_MISALIGNED_ADDRESS,
		ERROR_INVALID_ADDRESS_SPACE, ERROR_INVALID_PC, ERROR_LAUNCH_FAILED, ERROR_TENSOR_MEMORY_LEAK,
		ERROR_MPS_CLIENT_TERMINATED, ERROR_EXTERNAL_DEVICE:
		return true
	}
	return false
}

// An Error is a failed call. It matches its Result in errors.Is.
type Error struct {
	Call   string
	Result Result
}

func (e *Error) Error() string { return e.Call + ": " + e.Result.Error() }

// Unwrap returns the result.
func (e *Error) Unwrap() error { return e.Result }

// call calls a function of the driver. If an argument is converted from a
// pointer, its object does not move and stays alive until the call returns.
//
//go:uintptrescapes
func call(s symbol, args ...uintptr) error {
	fn, err := driver.function(s)
	if err != nil {
		return err
	}
	return result(driver.names[s], dl.Call(fn, args...))
}

// call4 calls a function of at most 4 parameters and allocates nothing. It is
// for functions that every run of a program calls.
//
//go:uintptrescapes
func call4(s symbol, a, b, c, d uintptr) error {
	fn, err := driver.function(s)
	if err != nil {
		return err
	}
	return result(driver.names[s], dl.Call4(fn, a, b, c, d))
}

// get calls a function of the driver that stores a result at the address in its first parameter, and
// returns the result. The function has at most 3 other parameters. None of them may be a pointer,
// because only the result is kept alive.
func get[T any](s symbol, args ...uintptr) (v T, err error) {
	var a [3]uintptr
	copy(a[:], args)
	err = call4(s, uintptr(unsafe.Pointer(&v)), a[0], a[1], a[2])
	return v, err
}

func result(name string, r int32) error {
	if r == 0 {
		return nil
	}
	return &Error{name, Result(r)}
}

// cString returns s with a zero byte at its end.
func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
