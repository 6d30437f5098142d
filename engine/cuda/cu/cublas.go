package cu

import (
	"cmp"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
)

var cublas = &library{
	Library: dl.Library{
		Name:     "libcublas",
		Env:      "ONELOOP_LIBCUBLAS",
		Names:    both("libcublas.so.13", "libcublas.so.12", "cublas64_13.dll", "cublas64_12.dll"),
		Pattern:  named("libcublas.so*", "cublas64_*.dll"),
		Packages: []string{"cu13/lib", "cublas/lib", "cu13/bin/x86_64", "cublas/bin"},
		With:     []string{named("libcublasLt.so*", "cublasLt64_*.dll")},
	},
}

// The functions of cuBLAS that this package calls.
var (
	cublasCreate              = cublas.need("cublasCreate_v2")
	cublasDestroy             = cublas.need("cublasDestroy_v2")
	cublasSetStream           = cublas.need("cublasSetStream_v2")
	cublasSetWorkspace        = cublas.need("cublasSetWorkspace_v2")
	cublasSetMathMode         = cublas.need("cublasSetMathMode")
	cublasSgemm               = cublas.need("cublasSgemm_v2")
	cublasDgemm               = cublas.need("cublasDgemm_v2")
	cublasSgemmStridedBatched = cublas.need("cublasSgemmStridedBatched")
	cublasDgemmStridedBatched = cublas.need("cublasDgemmStridedBatched")
	cublasGetProperty         = cublas.need("cublasGetProperty")
	cublasGetStatusName       = cublas.may("cublasGetStatusName")
)

// checkCublas returns an error if cuBLAS is too new for the driver. It accepts
// any version without a driver.
func checkCublas(fn []uintptr) error {
	var version [2]int32
	for part := range version {
		if r := dl.Call(fn[cublasGetProperty], uintptr(part), uintptr(unsafe.Pointer(&version[part]))); r != 0 {
			return &CublasError{Call: "cublasGetProperty", Result: int(r)}
		}
	}
	return tooNew("cuBLAS", int(version[0]), int(version[1]))
}

// A CublasError is a failed call of cuBLAS or cuBLASLt.
type CublasError struct {
	Call   string
	Result int
	Text   string // the library's name of the result
}

func (e *CublasError) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Text, e.Result) }

//go:uintptrescapes
func callCublas(s symbol, args ...uintptr) error {
	fn, err := cublas.function(s)
	if err != nil {
		return err
	}
	return cublas.status(s, cublasGetStatusName, dl.Call(fn, args...))
}

// status returns the result r of function s as an error, nil for success.
// Function text gives its name.
func (l *library) status(s, text symbol, r int32) error {
	if r == 0 {
		return nil
	}
	return &CublasError{l.names[s], int(r), cmp.Or(dl.Text(l.fn[text], r), "cuBLAS error")}
}

// CublasVersion returns the version of cuBLAS: 130100 is 13.1.0.
func CublasVersion() (int, error) {
	v := 0
	for part := range uintptr(3) {
		var n int32
		if err := callCublas(cublasGetProperty, part, uintptr(unsafe.Pointer(&n))); err != nil {
			return 0, err
		}
		v = v*100 + int(n)
	}
	return v, nil
}

// A Blas is a cuBLAS handle. It belongs to the context that was current when it
// was created. One goroutine uses it at a time.
type Blas struct {
	handle      uintptr
	alpha, beta float64 // or a float32 in the low half of the bits
	args        [18]uintptr
}

// BlasCreate returns a handle for the current context.
func BlasCreate() (*Blas, error) {
	b := &Blas{}
	return b, callCublas(cublasCreate, uintptr(unsafe.Pointer(&b.handle)))
}

// Destroy releases the handle.
func (b *Blas) Destroy() error { return callCublas(cublasDestroy, b.handle) }

// On sets the stream of later calls and a workspace of the caller. With a
// workspace of its own, a call can be captured and gives the same result each
// time.
func (b *Blas) On(s Stream, workspace DevicePtr, bytes int64) error {
	if err := callCublas(cublasSetStream, append(b.args[:0], b.handle, uintptr(s))...); err != nil {
		return err
	}
	return callCublas(cublasSetWorkspace, append(b.args[:0], b.handle, uintptr(workspace), uintptr(bytes))...)
}

// TF32 allows products of float32 to round their operands to 10 bits, or forbids
// it.
func (b *Blas) TF32(on bool) error {
	const defaultMath, tf32Math = 0, 3
	mode := uintptr(defaultMath)
	if on {
		mode = tf32Math
	}
	return callCublas(cublasSetMathMode, b.handle, mode)
}

// A Transpose tells how cuBLAS reads a stored matrix.
type Transpose uintptr

// As stored, or transposed.
const (
	NoTrans Transpose = 0
	Trans   Transpose = 1
)

// A Gemm is C = Alpha op(A) op(B) + Beta C, column-major as in cuBLAS: op(A) is M by K,
// op(B) K by N. If Beta is 0, C is not read. The strides are the distances between the products of a batch, in
// elements. With Batch 1 they do not matter.
type Gemm struct {
	TransA, TransB            Transpose
	M, N, K                   int
	A, B, C                   DevicePtr
	LdA, LdB, LdC             int
	StrideA, StrideB, StrideC int64
	Batch                     int
	Alpha, Beta               float64 // rounded to the element type
}

// Sgemm multiplies matrices of float32.
func (b *Blas) Sgemm(g *Gemm) error {
	*(*float32)(unsafe.Pointer(&b.alpha)) = float32(g.Alpha)
	*(*float32)(unsafe.Pointer(&b.beta)) = float32(g.Beta)
	return b.gemm(cublasSgemm, cublasSgemmStridedBatched, g)
}

// Dgemm multiplies matrices of float64.
func (b *Blas) Dgemm(g *Gemm) error {
	b.alpha, b.beta = g.Alpha, g.Beta
	return b.gemm(cublasDgemm, cublasDgemmStridedBatched, g)
}

func (b *Blas) gemm(one, batched symbol, g *Gemm) error {
	alpha, beta := uintptr(unsafe.Pointer(&b.alpha)), uintptr(unsafe.Pointer(&b.beta))
	args := append(b.args[:0], b.handle, uintptr(g.TransA), uintptr(g.TransB), uintptr(g.M), uintptr(g.N), uintptr(g.K), alpha)
	if g.Batch == 1 {
		args = append(args, uintptr(g.A), uintptr(g.LdA), uintptr(g.B), uintptr(g.LdB), beta, uintptr(g.C), uintptr(g.LdC))
		err := callCublas(one, args...)
		runtime.KeepAlive(b)
		return err
	}
	args = append(args, uintptr(g.A), uintptr(g.LdA), uintptr(g.StrideA), uintptr(g.B), uintptr(g.LdB), uintptr(g.StrideB),
		beta, uintptr(g.C), uintptr(g.LdC), uintptr(g.StrideC), uintptr(g.Batch))
	err := callCublas(batched, args...)
	runtime.KeepAlive(b)
	return err
}
