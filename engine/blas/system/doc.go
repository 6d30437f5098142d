// Package system lets BLAS libraries of the machine compute matrix products of
// float32 and float64: OpenBLAS, MKL, BLIS, Accelerate, or another library that has the C
// interface. A program imports it for its effect:
//
//	import _ "github.com/oneloop/oneloop/engine/blas/system"
//
// Then Options.Products of package engine, and the environment variable ONELOOP_BLAS,
// take the name of a library or the path of its file. The library is opened at the first
// program that names it, without cgo, and stays open. No program uses it unasked, and a
// library that is missing or broken is an error.
//
// The bits of products are those of the library. They can depend on the number of
// threads, on the layout of operands and on the processor.
package system
