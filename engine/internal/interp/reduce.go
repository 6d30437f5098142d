package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reducer has the kernels of a reduction for one type of operand.
type reducer struct {
	lanes   kernel                          // vec loop: accumulates lanes
	close   func(f *frame, r int32) partial // vec loop: ends a block of 4096 positions and returns its result
	combine func(x, y partial) partial      // nil in the table: the row's program
	empty   partial                         // result for no elements

	runs    kernel // seq loop: accumulates one position
	step    kernel // accumulator, operand -> accumulator
	ordered bool   // the bits depend on the order
}

// A partial is the result of one block.
type partial struct {
	bits uint64
	idx  int64 // position of an extreme
}

// A lanesState is the state of a reduction in a vec loop. It has the lanes of the
// current block, or one partial if the order is free. blocks combines the earlier
// blocks.
type lanesState struct {
	acc    [ir.MaxLanes]uint64
	lanes  int // number of accumulators in use; 0 at the start of a block
	part   partial
	body   []ins // the program of a reduction without kernels
	blocks pairwise.Tree[partial]
}

// result returns the value of the reduction: the bits of p, or the position of p.
func (info *redInfo) result(p partial) uint64 {
	if info.row.Position() && p.idx >= 0 {
		return uint64(p.idx)
	}
	return p.bits
}

// number is the constraint of the types that have arithmetic.
type number interface {
	dtype.Int | float32 | float64
}

// bitsOf returns the bits of x in the low bytes of a word. fromBits is its inverse.
func bitsOf[T any](x T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = x
	if littleEndian {
		return b
	}
	return b >> (64 - 8*unsafe.Sizeof(x))
}

func fromBits[T any](b uint64) (x T) {
	if !littleEndian {
		b <<= 64 - 8*unsafe.Sizeof(x)
	}
	return *(*T)(unsafe.Pointer(&b))
}

var littleEndian = func() bool {
	x := uint16(1)
	return *(*uint8)(unsafe.Pointer(&x)) == 1
}()

// A form is a reduction with kernels of its own: a primitive, its type, and the
// columns Quiet and Position of a native reducer.
type form struct {
	op              prim.Op
	quiet, position bool
	t               dtype.Type
}

// reducers has the kernels by form. Other reductions run their programs; see
// reduce_program.go.
var reducers = map[form]reducer{}

// reducerOf returns the kernels of a reduction. It returns false if the reduction
// has none of its own.
func reducerOf(r *ir.Reducer) (*reducer, bool) {
	kern, ok := reducers[form{r.Op(), r.Quiet(r.Type), r.Position(), r.Type}]
	kern.ordered = r.Ordered()
	kern.empty.bits = r.Nothing(r.Type)
	ok = ok && r.Native()
	if ok && kern.combine == nil {
		single, err := r.Scalar()
		kern.combine, ok = func(x, y partial) partial { return partial{bits: single.Do(x.bits, y.bits)} }, err == nil
	}
	return &kern, ok
}

// init sets the kernels of reductions, conversions and lookups.
func init() {
	forIntegers()
	forFloat[float32](dtype.F32)
	forFloat[float64](dtype.F64)
	cvtFromInt[uint8](dtype.Bool)
	cvtKernels[dtype.I64][dtype.F32], cvtKernels[dtype.U64][dtype.F32] = cvtToF32[int64], cvtToF32[uint64]
	accumulate(form{op: prim.Or, t: dtype.Bool}, anyLanes, closePart)
	accumulate(form{op: prim.And, t: dtype.Bool}, allLanes, closePart)
}

// accumulate sets the kernels of a form. The kernel of its primitive is the step in
// a seq loop.
func accumulate(f form, lanes kernel, end func(f *frame, r int32) partial) {
	reducers[f] = reducer{lanes: lanes, close: end, runs: runsKernel, step: kernels[f.op][f.t][0]}
}

func forNumber[T number](t dtype.Type) {
	accumulate(form{op: prim.Add, t: t}, sumLanes[T], closing(addTo[T]))
	accumulate(form{op: prim.Mul, t: t}, prodLanes[T], closing(multiplyBy[T]))
	accumulate(form{op: prim.Min, t: t}, minLanes[T], closePart)
	accumulate(form{op: prim.Max, t: t}, maxLanes[T], closePart)
	reducers[form{op: prim.Min, position: true, t: t}] = reducer{
		lanes: argMinLanes[T], close: closePart, runs: argRuns[T], step: argMinStep[T],
		combine: firstExtreme(func(x, y T) bool { return y >= x }),
	}
	reducers[form{op: prim.Max, position: true, t: t}] = reducer{
		lanes: argMaxLanes[T], close: closePart, runs: argRuns[T], step: argMaxStep[T],
		combine: firstExtreme(func(x, y T) bool { return y <= x }),
	}
}

func forInteger[T dtype.Int](t dtype.Type) {
	forNumber[T](t)
	cvtFromInt[T](t)
	lookupRow[T](t)
}

// firstExtreme returns the function that chooses one of two partials: x if it is NaN or if holds is true of both, else y.
func firstExtreme[T number](holds func(x, y T) bool) func(x, y partial) partial {
	return func(x, y partial) partial {
		if a, b := fromBits[T](x.bits), fromBits[T](y.bits); a != a || holds(a, b) {
			return x
		}
		return y
	}
}

func forFloat[T float32 | float64](t dtype.Type) {
	forNumber[T](t)
	cvtFromFloat[T](t)
	reducers[form{op: prim.Min, quiet: true, t: t}] = reducer{lanes: fminLanes[T], close: closePart, runs: runsKernel, step: fminStep[T]}
	reducers[form{op: prim.Max, quiet: true, t: t}] = reducer{lanes: fmaxLanes[T], close: closePart, runs: runsKernel, step: fmaxStep[T]}
}

// fmin returns the lesser number. It returns NaN only if both operands are NaN.
func fmin[T float32 | float64](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

// fmax returns the greater number. It returns NaN only if both operands are NaN.
func fmax[T float32 | float64](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}
