package driver

import "sync"

// A Product is C = A B, of row-major matrices in the terms of BLAS. Before a
// transposition A has M rows and K columns, or K and M if TransA is set; B
// likewise. LdA, LdB and LdC are the distances of rows in elements. The slices may be
// longer than the matrices.
type Product[T float32 | float64] struct {
	M, N, K        int
	TransA, TransB bool
	A, B, C        []T
	LdA, LdB, LdC  int
}

// A BLAS multiplies matrices of floats on the host, in an order of its own.
type BLAS interface {
	// String returns one line that says which library it is.
	String() string
	// SetThreads limits the threads of the calls that follow.
	SetThreads(n int)
	Float32(p *Product[float32])
	Float64(p *Product[float64])
}

// libraries opens a BLAS by its name.
var libraries struct {
	sync.Mutex
	open func(name string) (BLAS, error)
}

// RegisterBLAS registers the function that opens libraries for Options.Products of
// package engine. It gets the name of a library, or the path of a file, and returns
// the same BLAS for the same name. A package with libraries, such as
// engine/blas/system, calls RegisterBLAS in an init function. It panics if the function
// is nil.
func RegisterBLAS(open func(name string) (BLAS, error)) {
	if open == nil {
		panic("driver.RegisterBLAS: the function is nil")
	}
	libraries.Lock()
	defer libraries.Unlock()
	libraries.open = open
}

// BLASOpener returns the function that opens libraries, or nil if none is registered.
func BLASOpener() func(name string) (BLAS, error) {
	libraries.Lock()
	defer libraries.Unlock()
	return libraries.open
}
