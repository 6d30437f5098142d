package main

import (
	_ "embed"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

//go:embed c/products.c
var source string

// A job is the argument of the loop in c/products.c.
type job struct {
	m, n, k, ldA, ldB, ldC, transA, transB int64
	batch, strideA, strideB, strideC       int64
	wide                                   int64
	a, b, c, bias                          unsafe.Pointer
	gemm, gemv                             uintptr
}

// A shim has the loops of products.c by element type.
type shim map[dtype.Type]func(reps uint, j *job)

// buildShim compiles c/products.c.
func buildShim() shim {
	h, out := paired.Compile("gcc", source, "-O3", "-march=native"), shim{}
	for typ, name := range map[dtype.Type]string{dtype.F32: "run_f32", dtype.F64: "run_f64"} {
		var f func(reps uint, j *job)
		purego.RegisterLibFunc(&f, h, name)
		out[typ] = f
	}
	return out
}

// A library is a BLAS that has the C interface.
type library struct {
	wide       bool
	gemm       map[dtype.Type]uintptr
	gemv       map[dtype.Type]uintptr // 0 where the library has none
	setThreads func(n int32)
	config     func() string
}

// open opens a library. Libraries in wheels of Python have names with affixes and
// take integers of 64 bits.
func open(path string) *library {
	h := failure.Must(purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL))
	l := &library{gemm: map[dtype.Type]uintptr{}, gemv: map[dtype.Type]uintptr{}, config: func() string { return path }}
	for typ, letter := range map[dtype.Type]string{dtype.F32: "s", dtype.F64: "d"} {
		at, wide := find(h, "cblas_"+letter+"gemm")
		if at == 0 {
			failure.Check(fmt.Errorf("%s has no cblas_%sgemm", path, letter))
		}
		l.gemm[typ], l.wide = at, wide
		l.gemv[typ], _ = find(h, "cblas_"+letter+"gemv")
	}
	for _, name := range []string{"openblas_set_num_threads", "bli_thread_set_num_threads", "MKL_Set_Num_Threads"} {
		if at, _ := find(h, name); at != 0 {
			purego.RegisterFunc(&l.setThreads, at)
		}
	}
	if l.setThreads == nil {
		failure.Check(fmt.Errorf("%s has no function that sets the number of threads", path))
	}
	if at, _ := find(h, "openblas_get_config"); at != 0 {
		purego.RegisterFunc(&l.config, at)
	}
	return l
}

// find returns the address of a symbol, or 0.
func find(h uintptr, name string) (at uintptr, wide bool) {
	if at, err := purego.Dlsym(h, "scipy_"+name+"64_"); err == nil {
		return at, true
	}
	at, err := purego.Dlsym(h, name)
	if err != nil {
		return 0, false
	}
	return at, false
}
