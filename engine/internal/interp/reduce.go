package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reducer is what a reduction does with one type of operand.
type reducer struct {
	lanes   kernel                          // in a vec loop: accumulates lanes
	close   func(f *frame, r int32) partial // the result of a block of positions
	combine func(x, y partial) partial
	empty   partial

	runs    kernel // in a seq loop: accumulates one position
	step    kernel // accumulator, operand -> accumulator
	ordered bool
}

// A partial is the result of one block. The position is that of an extreme.
type partial struct {
	bits uint64
	idx  int64
}

// A lanesState is a reduction of a vec loop at work: the lanes of the current
// block, or one partial where the order is free, and the tree of the blocks
// before.
type lanesState struct {
	acc    [ir.MaxLanes]uint64
	lanes  int // of acc in use: 0 at the start of a block
	part   partial
	body   []ins // of a program
	blocks pairwise.Tree[partial]
}

// result is the value of the reduction in its register.
func (info *redInfo) result(p partial) uint64 {
	if info.row.Position && p.idx >= 0 {
		return uint64(p.idx)
	}
	return p.bits
}

// number is the constraint of arithmetic in registers.
type number interface {
	dtype.Int | float32 | float64
}

// bitsOf and fromBits move a value into the low bytes of a partial.
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

// A form is a reduction that has kernels of its own here: a primitive, or what
// the columns of a native row make of one.
type form struct {
	op              prim.Op
	quiet, position bool
	t               dtype.Type
}

// reducers holds the forms. Other reductions run their programs: see
// reduce_program.go.
var reducers = map[form]reducer{}

// reducerOf returns the kernels of a reduction, for a row that has some.
func reducerOf(r *ir.Reducer) (*reducer, bool) {
	kern, ok := reducers[form{r.Op, r.Quiet(r.Type), r.Position, r.Type}]
	kern.ordered = r.Ordered()
	kern.empty.bits = r.Nothing(r.Type)
	return &kern, ok && r.Native()
}

func init() {
	forNumber[int8](dtype.I8)
	forNumber[int32](dtype.I32)
	forNumber[int64](dtype.I64)
	forNumber[uint8](dtype.U8)
	forNumber[uint32](dtype.U32)
	forNumber[uint64](dtype.U64)
	forFloat[float32](dtype.F32)
	forFloat[float64](dtype.F64)
	reducers[form{op: prim.Or, t: dtype.Bool}] = reducer{
		lanes: anyLanes, close: closePart, combine: func(x, y partial) partial { return partial{bits: x.bits | y.bits} },
		runs: runsKernel, step: kernels[prim.Or][dtype.Bool][0],
	}
	reducers[form{op: prim.And, t: dtype.Bool}] = reducer{
		lanes: allLanes, close: closePart, combine: func(x, y partial) partial { return partial{bits: x.bits & y.bits} },
		runs: runsKernel, step: kernels[prim.And][dtype.Bool][0],
	}
}

func forNumber[T number](t dtype.Type) {
	reducers[form{op: prim.Add, t: t}] = reducer{
		lanes: sumLanes[T], close: closeSum[T],
		combine: func(x, y partial) partial { return partial{bits: bitsOf(fromBits[T](x.bits) + fromBits[T](y.bits))} },
		runs:    runsKernel, step: kernels[prim.Add][t][0],
	}
	reducers[form{op: prim.Mul, t: t}] = reducer{
		lanes: prodLanes[T], close: closeProd[T],
		combine: func(x, y partial) partial { return partial{bits: bitsOf(fromBits[T](x.bits) * fromBits[T](y.bits))} },
		runs:    runsKernel, step: kernels[prim.Mul][t][0],
	}
	reducers[form{op: prim.Min, t: t}] = reducer{
		lanes: minLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(min(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		runs: runsKernel, step: kernels[prim.Min][t][0],
	}
	reducers[form{op: prim.Max, t: t}] = reducer{
		lanes: maxLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(max(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		runs: runsKernel, step: kernels[prim.Max][t][0],
	}
	reducers[form{op: prim.Min, position: true, t: t}] = reducer{
		lanes: argMinLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			if a, b := fromBits[T](x.bits), fromBits[T](y.bits); a != a || b >= a {
				return x
			}
			return y
		},
		runs: argRuns[T], step: argMinStep[T],
	}
	reducers[form{op: prim.Max, position: true, t: t}] = reducer{
		lanes: argMaxLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			if a, b := fromBits[T](x.bits), fromBits[T](y.bits); a != a || b <= a {
				return x
			}
			return y
		},
		runs: argRuns[T], step: argMaxStep[T],
	}
}

func forFloat[T float32 | float64](t dtype.Type) {
	forNumber[T](t)
	reducers[form{op: prim.Min, quiet: true, t: t}] = reducer{
		lanes: fminLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(fmin(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		runs: runsKernel, step: fminStep[T],
	}
	reducers[form{op: prim.Max, quiet: true, t: t}] = reducer{
		lanes: fmaxLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(fmax(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		runs: runsKernel, step: fmaxStep[T],
	}
}

// fmin is the lesser number, NaN only if there is none.
func fmin[T float32 | float64](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

// fmax is the greater number, NaN only if there is none.
func fmax[T float32 | float64](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}
