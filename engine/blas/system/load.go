//go:build ((linux || darwin) && (amd64 || arm64) && !android && !ios && !faketime) || (windows && amd64)

package system

import (
	"errors"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/shlib"
)

// The values of CBLAS_ORDER and CBLAS_TRANSPOSE.
const (
	rowMajor = 101
	noTrans  = 111
	trans    = 112
)

// load opens a file, finds its functions and tries them.
func load(file string) (*Library, error) {
	h, err := shlib.Open(file, false)
	if err != nil {
		return nil, err
	}
	l := &Library{file: file}
	var s, d uintptr
	if s, l.narrow = function(h, "cblas_sgemm"); s == 0 {
		return nil, errors.New("it has no function cblas_sgemm")
	}
	if d, _ = function(h, "cblas_dgemm"); d == 0 {
		return nil, errors.New("it has no function cblas_dgemm")
	}
	if l.narrow {
		l.sgemm, l.dgemm = gemm[int32, float32](s), gemm[int32, float64](d)
	} else {
		l.sgemm, l.dgemm = gemm[int64, float32](s), gemm[int64, float64](d)
	}
	for _, name := range []string{"openblas_set_num_threads", "MKL_Set_Num_Threads"} {
		if f, _ := function(h, name); f != 0 {
			var set func(n int32)
			purego.RegisterFunc(&set, f)
			l.setThreads = func(n int) { set(int32(n)) }
		}
	}
	if f, _ := function(h, "bli_thread_set_num_threads"); f != 0 {
		var set func(n int64)
		purego.RegisterFunc(&set, f)
		l.setThreads = func(n int) { set(int64(n)) }
	}
	for prefix, name := range map[string]string{"": "openblas_get_config", "BLIS ": "bli_info_get_version_str"} {
		if f, _ := function(h, name); f != 0 {
			var config func() string
			purego.RegisterFunc(&config, f)
			l.config = prefix + config()
		}
	}
	return l, l.try()
}

// function returns the address of a function, or 0, and whether its integers have 32
// bits. OpenBLAS for integers of 64 bits adds a suffix to names, and the one in wheels
// of Python a prefix.
func function(h uintptr, name string) (at uintptr, narrow bool) {
	for _, prefix := range []string{"", "scipy_"} {
		if at, err := shlib.Symbol(h, prefix+name); err == nil && at != 0 {
			return at, true
		}
		for _, suffix := range []string{"64_", "_64_", "_64"} {
			if at, err := shlib.Symbol(h, prefix+name+suffix); err == nil && at != 0 {
				return at, false
			}
		}
	}
	return 0, false
}

// gemm returns a function that calls the C function at an address, with integers of
// type I.
func gemm[I int32 | int64, T float32 | float64](at uintptr) func(*driver.Product[T]) {
	type pointer = unsafe.Pointer
	var f func(order, tA, tB int32, m, n, k I, alpha T, a pointer, lda I, b pointer, ldb I, beta T, c pointer, ldc I)
	purego.RegisterFunc(&f, at)
	flag := func(transposed bool) int32 {
		if transposed {
			return trans
		}
		return noTrans
	}
	data := func(s []T) pointer { return pointer(unsafe.SliceData(s)) }
	return func(p *driver.Product[T]) {
		f(rowMajor, flag(p.TransA), flag(p.TransB), I(p.M), I(p.N), I(p.K), 1, data(p.A), I(p.LdA), data(p.B), I(p.LdB), 0, data(p.C), I(p.LdC))
	}
}
