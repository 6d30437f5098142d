package interp

import (
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/expr/dtype"
)

const numTypes = int(dtype.F64) + 1

// kernels holds the kernel of each primitive by the type of its operands (the
// first operand of Scale, the last otherwise) and by form: bit i is set if
// operand i is one value for all lanes. The form 0 always exists.
var kernels = generated()

// cvtKernels holds conversions by source and result; the diagonal copies.
var cvtKernels [numTypes][numTypes]kernel

// lookupKernels holds table look-ups by index type and result type.
var lookupKernels [numTypes][numTypes]kernel

// splatKernels fills a register with one value.
var splatKernels = [9]kernel{1: splat[uint8], 4: splat[uint32], 8: splat[uint64]}

func fill[T any](d []T, x T) { work.Fill(d, x) }

func splat[T any](f *frame, in *ins, n int) {
	fill(vec[T](f, in.d, n), one[T](f, in.a))
}
