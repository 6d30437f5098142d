package engine

import (
	"context"

	"github.com/oneloop/oneloop/expr/tree"
)

// Options say how the engine compiles and runs programs. The zero value is the
// default.
type Options struct {
	Backend string // one of Backends; "" is DefaultBackend
	Threads int    // largest number of threads; 0: one for each CPU; a negative number is an error
	// Products says what computes matrix products on the CPU. If it is empty, the
	// engine does, with the same bits everywhere. If it is [ProductsByBLAS], the
	// implementation registered with gonum's blas32 and blas64 computes products
	// of float32 and float64. Then the bits, NaN and infinity included, are those
	// of that library.
	Products string
	// Chains says where products, and the loops before and after them, run together,
	// one block of rows after the other. If it is empty, they do where that pays.
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

// ProductsByBLAS is the value of [Options.Products] for which the BLAS registered
// with gonum computes products of float32 and float64.
const ProductsByBLAS = "blas"

// The values of [Options.Chains].
const (
	ChainsNever  = "never"
	ChainsAlways = "always"
)

// check returns an error for options that no program can use.
func (o Options) check() error {
	if o.Threads < 0 {
		return tree.NewError(tree.ErrValue, "", "Options.Threads is %d; 0 means one thread for each CPU", o.Threads)
	}
	if o.Products != "" && o.Products != ProductsByBLAS {
		return tree.NewError(tree.ErrUnsupported, "", "Options.Products is %q; it can be empty or %q", o.Products, ProductsByBLAS)
	}
	if o.Chains != "" && o.Chains != ChainsNever && o.Chains != ChainsAlways {
		return tree.NewError(tree.ErrUnsupported, "", "Options.Chains is %q; it can be empty, %q or %q", o.Chains, ChainsNever, ChainsAlways)
	}
	return nil
}

// checkContext returns an error for a nil context and for one that is done.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return tree.NewError(tree.ErrValue, "", "the context is nil")
	}
	return ctx.Err()
}
