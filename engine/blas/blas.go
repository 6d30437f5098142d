// Package blas is a BLAS for gonum. It makes gonum's packages mat and lapack
// several times faster, without cgo:
//
//	blas64.Use(blas.Implementation{})
//	blas32.Use(blas.Implementation{})
//
// Products of matrices, triangular solves and simple operations on vectors are
// machine code for AVX-512 or AVX2. All else is gonum's own implementation: complex
// numbers, band and packed matrices, vectors with gaps, small operands, and machines
// without these instructions. Arguments that BLAS does not allow panic as gonum's do.
// A NaN or an infinity in the right factor is lost in a product of gonum's where the
// left factor is 0, and so in small products here. Larger products keep it.
//
// Products of matrices use up to GOMAXPROCS threads. No bit of a result depends
// on their number. Sums have another order than gonum's, and terms are added by
// fused multiply-adds, so the last bits differ from gonum's.
package blas

import (
	"runtime"
	"sync"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/oneloop/oneloop/engine/internal/gemm"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/expr/dtype"
)

// Implementation implements gonum's blas.Float32, blas.Float64, blas.Complex64 and
// blas.Complex128.
type Implementation struct{ gonum.Implementation }

var (
	_ blas.Float32    = Implementation{}
	_ blas.Float64    = Implementation{}
	_ blas.Complex64  = Implementation{}
	_ blas.Complex128 = Implementation{}
)

// isa returns the instruction set of the kernels, or "" if there is none. They exist for amd64.
var isa = sync.OnceValue(func() string {
	if runtime.GOARCH != "amd64" {
		return ""
	}
	for _, name := range jit.ISAs {
		if _, err := jit.New(name); err == nil {
			return name
		}
	}
	return ""
})

type float interface{ float32 | float64 }

// A matrix is a part of a slice: element i, j is i*row + j*col elements behind at.
// The zero matrix stands for arguments that BLAS does not allow, or that are empty.
type matrix[T float] struct {
	at         *T
	rows, cols int
	row, col   int
}

// stored returns op(X) with the given rows and columns, where X is stored by rows
// that are ld elements apart. It returns the zero matrix if X does not fit.
func stored[T float](op blas.Transpose, rows, cols int, x []T, ld int) matrix[T] {
	switch op {
	case blas.NoTrans:
	case blas.Trans, blas.ConjTrans:
		return stored(blas.NoTrans, cols, rows, x, ld).transposed()
	default:
		return matrix[T]{}
	}
	if rows <= 0 || cols <= 0 || ld < cols || len(x) < cols || (len(x)-cols)/ld < rows-1 {
		return matrix[T]{}
	}
	return matrix[T]{&x[0], rows, cols, ld, 1}
}

// column returns a vector as a matrix of one column. It returns the zero matrix if
// the vector does not fit.
func column[T float](n int, x []T, inc int) matrix[T] {
	if step := max(inc, -inc); n <= 0 || step <= 0 || len(x) == 0 || (len(x)-1)/step < n-1 {
		return matrix[T]{}
	}
	first := 0
	if inc < 0 { // the first element is the last one in memory
		first = (1 - n) * inc
	}
	return matrix[T]{&x[first], n, 1, inc, 1}
}

func (m matrix[T]) transposed() matrix[T] { return matrix[T]{m.at, m.cols, m.rows, m.col, m.row} }

func (m matrix[T]) element(i, j int) *T {
	var x T
	return (*T)(unsafe.Add(unsafe.Pointer(m.at), (i*m.row+j*m.col)*int(unsafe.Sizeof(x))))
}

// part returns rows i to i+rows and columns j to j+cols.
func (m matrix[T]) part(i, j, rows, cols int) matrix[T] {
	return matrix[T]{m.element(i, j), rows, cols, m.row, m.col}
}

// slice returns row i, whose elements are contiguous.
func (m matrix[T]) slice(i int) []T { return unsafe.Slice(m.element(i, 0), m.cols) }

// half returns the number of rows of the first of two parts of a matrix with n > 1
// rows. It is a multiple of the lanes of a vector if there are enough rows.
func half(n int) int {
	const unit = 16
	if n <= unit {
		return n / 2
	}
	return (n/2 + unit - 1) / unit * unit
}

// multiply sets c to alpha*a*b + beta*c. It does not read c if beta is 0.
func multiply[T float](alpha T, a, b matrix[T], beta T, c matrix[T]) {
	typ := dtype.F64
	if unsafe.Sizeof(alpha) == 4 {
		typ = dtype.F32
	}
	s := gemm.Single{
		ISA: isa(), Type: typ, M: a.rows, N: b.cols, K: a.cols, Threads: gemm.Threads(a.rows, b.cols, a.cols),
		A: gemm.Matrix{Row: a.row, Col: a.col}, B: gemm.Matrix{Row: b.row, Col: b.col}, C: gemm.Matrix{Row: c.row, Col: c.col},
		Save: gemm.Add, Scaled: true, Vector: a.rows == 1 || b.cols == 1,
	}
	if beta == 0 {
		s.Save, s.Scaled = gemm.Set, alpha != 1
	}
	gemm.Multiply(s, [3]unsafe.Pointer{unsafe.Pointer(a.at), unsafe.Pointer(b.at), unsafe.Pointer(c.at)}, [2]uint64{bits(alpha), bits(beta)})
}

// bits returns the bits of a number.
func bits[T float](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&x)))
	}
	return *(*uint64)(unsafe.Pointer(&x))
}
