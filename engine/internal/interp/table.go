package interp

import (
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

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
