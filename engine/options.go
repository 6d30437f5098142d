package engine

import (
	"context"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/expr/tree"
)

// Options say how the engine compiles and runs programs. The zero value is the
// default.
type Options struct {
	Backend string // one of Backends; "" is DefaultBackend
	Threads int    // largest number of threads; 0: one for each CPU; a negative number is an error
	// Products says what computes matrix products. [ProductsByEngine] has the same bits
	// everywhere, also on a GPU, where cuBLAS computes products of floats otherwise. With
	// any other value a library computes products of float32
	// and float64, and the bits, NaN and infinity included, are those of that library:
	// [ProductsByBLAS], or the name of a library of the machine ("openblas", "mkl",
	// "blis", "accelerate", "system" for the first of these that is there) or the path of
	// its file, in a program that imports engine/blas/system. If Products is empty, it
	// is the value that the environment variable ONELOOP_BLAS has at the first use of the
	// engine, or else ProductsByEngine. A library that is missing is an error.
	Products string
	// Chains says where stages that have the same rows (products, the loops before and after them, and
	// loops alone) run together, one block of rows after the other. If it is empty, they do where that is faster.
	// With [ChainsNever] products share no memory with the loops either. It and
	// [ChainsAlways] are for tests and measurements. The bits do not
	// depend on it.
	Chains string
	// Profile names the program's kernels for profilers. For perf, it lists the
	// machine code in /tmp/perf-PID.map. For pprof, it gives the goroutines that
	// run a kernel the label "kernel". perf finds only code made after the first
	// program with this option. ONELOOP_DEBUG=perf sets the option for all
	// programs.
	Profile bool
}

// The values of [Options.Products] that are no names of libraries.
const (
	ProductsByEngine = host.ProductsByEngine // kernels of the engine
	ProductsByBLAS   = host.ProductsByGonum  // what is registered with gonum's blas32 and blas64
)

// The values of [Options.Chains].
const (
	ChainsNever  = "never"
	ChainsAlways = "always"
)

// settle checks the options, and sets Products to the name of what computes products.
func (o *Options) settle() (err error) {
	if o.Threads < 0 {
		return tree.NewError(tree.ErrValue, "", "Options.Threads is %d; 0 means one thread for each CPU", o.Threads)
	}
	if o.Chains != "" && o.Chains != ChainsNever && o.Chains != ChainsAlways {
		return tree.NewError(tree.ErrUnsupported, "", "Options.Chains is %q; it can be empty, %q or %q", o.Chains, ChainsNever, ChainsAlways)
	}
	o.Products, _, err = host.Products(o.Products)
	return err
}

// checkContext returns an error of a function called name for a nil context, and one for a
// context that is done.
func checkContext(ctx context.Context, name string) error {
	if ctx == nil {
		return tree.NewError(tree.ErrValue, name, "the context is nil")
	}
	return ctx.Err()
}
