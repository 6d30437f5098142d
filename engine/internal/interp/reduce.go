package interp

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// reduceBlock is the number of positions of a vec loop that are accumulated in
// lanes; the blocks are combined in a tree.
const reduceBlock = 4096

// A reducer is what a reduction does with one type of operand.
type reducer struct {
	lanes   kernel                    // in a vec loop: accumulates lanes
	close   func(*lanesState) partial // the result of a block of positions
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
	acc    [64]uint64
	lanes  int // of acc in use: 0 at the start of a block
	part   partial
	blocks pairwise.Tree[partial]
}

// result is the value of the reduction in its register.
func (info *redInfo) result(p partial) uint64 {
	if (info.op == ir.ArgMin || info.op == ir.ArgMax) && p.idx >= 0 {
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

// reducers holds every reduction by the type of its operand.
var reducers [ir.All + 1][numTypes]*reducer

func init() {
	forInt[int8](dtype.I8, math.MinInt8, math.MaxInt8)
	forInt[int32](dtype.I32, math.MinInt32, math.MaxInt32)
	forInt[int64](dtype.I64, math.MinInt64, math.MaxInt64)
	forInt[uint8](dtype.U8, 0, math.MaxUint8)
	forInt[uint32](dtype.U32, 0, math.MaxUint32)
	forInt[uint64](dtype.U64, 0, math.MaxUint64)
	forFloat[float32](dtype.F32)
	forFloat[float64](dtype.F64)
	reducers[ir.Any][dtype.Bool] = &reducer{
		lanes: anyLanes, close: closePart, combine: func(x, y partial) partial { return partial{bits: x.bits | y.bits} },
		runs: runsKernel, step: kernels[prim.Or][dtype.Bool][0],
	}
	reducers[ir.All][dtype.Bool] = &reducer{
		lanes: allLanes, close: closePart, combine: func(x, y partial) partial { return partial{bits: x.bits & y.bits} },
		empty: partial{bits: 1},
		runs:  runsKernel, step: kernels[prim.And][dtype.Bool][0],
	}
}

func forNumber[T number](t dtype.Type, low, high T) {
	reducers[ir.Sum][t] = &reducer{
		lanes: sumLanes[T], close: closeSum[T],
		combine: func(x, y partial) partial { return partial{bits: bitsOf(fromBits[T](x.bits) + fromBits[T](y.bits))} },
		runs:    runsKernel, step: kernels[prim.Add][t][0], ordered: t.IsFloat(),
	}
	reducers[ir.Prod][t] = &reducer{
		lanes: prodLanes[T], close: closeProd[T],
		combine: func(x, y partial) partial { return partial{bits: bitsOf(fromBits[T](x.bits) * fromBits[T](y.bits))} },
		empty:   partial{bits: bitsOf(T(1))},
		runs:    runsKernel, step: kernels[prim.Mul][t][0], ordered: t.IsFloat(),
	}
	reducers[ir.Min][t] = &reducer{
		lanes: minLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(min(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		empty: partial{bits: bitsOf(high)},
		runs:  runsKernel, step: kernels[prim.Min][t][0],
	}
	reducers[ir.Max][t] = &reducer{
		lanes: maxLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(max(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		empty: partial{bits: bitsOf(low)},
		runs:  runsKernel, step: kernels[prim.Max][t][0],
	}
	reducers[ir.ArgMin][t] = &reducer{
		lanes: argMinLanes[T], close: closePart,
		combine: func(x, y partial) partial {
			if a, b := fromBits[T](x.bits), fromBits[T](y.bits); a != a || b >= a {
				return x
			}
			return y
		},
		runs: argRuns[T], step: argMinStep[T],
	}
	reducers[ir.ArgMax][t] = &reducer{
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

func forInt[T dtype.Int](t dtype.Type, low, high T) { forNumber(t, low, high) }

func forFloat[T float32 | float64](t dtype.Type) {
	inf := T(math.Inf(1))
	forNumber(t, -inf, inf)
	nan := partial{bits: bitsOf(T(math.NaN()))}
	reducers[ir.FMin][t] = &reducer{
		lanes: fminLanes[T], close: closePart, empty: nan,
		combine: func(x, y partial) partial {
			return partial{bits: bitsOf(fmin(fromBits[T](x.bits), fromBits[T](y.bits)))}
		},
		runs: runsKernel, step: fminStep[T],
	}
	reducers[ir.FMax][t] = &reducer{
		lanes: fmaxLanes[T], close: closePart, empty: nan,
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
