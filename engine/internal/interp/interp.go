// Package interp is the portable CPU back end: a blocked interpreter in plain Go.
// It runs on machines without a machine-code back end. The tests of machine code
// and CUDA compare their results with the interpreter's. The definition of the
// loop IR is simpler: prim.Eval defines the primitives, and a reference in
// ref_test.go runs a kernel one element at a time. The tests compare the
// interpreter with both.
//
// The compiler translates each region of a kernel to a list of instructions. An
// instruction works on a block of up to 512 lanes. Blocks stay in the first-level
// cache, and all lanes share the cost of one dispatch. Each worker has an arena
// with the registers. A run allocates nothing.
//
// A vector register holds a block; other registers hold one lane. Values outside
// vec loops, and values that are the same in all lanes, have one lane. The
// compiler moves a value that does not change in a vec loop out of the loop.
//
// Element-wise results do not depend on blocks. Reductions have the order of
// docs/numerics.md, however workers divide a loop. So the bits depend on the
// kernel and its data alone.
package interp

import (
	"fmt"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

type interpreter struct{}

// New returns the back end "interp".
func New() backend.Backend { return interpreter{} }

func (interpreter) Name() string { return "interp" }

// Compile returns the code of k. k must pass [ir.Check] and must not change later.
// Compile returns an error if the interpreter cannot run an instruction of k.
func (interpreter) Compile(k *ir.Kernel) (backend.Code, error) {
	c := newCompiler(k)
	code, err := c.compile()
	if err != nil {
		return nil, fmt.Errorf("interp: %s: %w", k.Name, err)
	}
	return code, nil
}

const numTypes = int(dtype.F64) + 1

// A table has the kernels of each primitive by operand type and form. For Scale the
// first operand gives the type, for the others the last. Bit i of the form is set
// if operand i has one lane. Form 0 always exists.
type table [prim.NumOps][numTypes][8]kernel

var kernels = generated()

// cvtKernels has the conversions by source and result type. A conversion to the
// same type copies.
var cvtKernels [numTypes][numTypes]kernel

// lookupKernels has the table look-ups by index type and result type.
var lookupKernels [numTypes][numTypes]kernel

// splatKernels has, by size of an element, the kernels that fill a register with
// one value.
var splatKernels = [9]kernel{1: splat[uint8], 2: splat[uint16], 4: splat[uint32], 8: splat[uint64]}

func fill[T any](d []T, x T) { work.Fill(d, x) }

func splat[T any](f *frame, in *ins, n int) {
	fill(vec[T](f, in.d, n), one[T](f, in.a))
}
