package jit

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// A partial is the result of one block. idx is the position of an extreme.
type partial struct {
	bits uint64
	idx  int64
}

// A redKern is what a reduction does with one type of operand outside machine
// code. Narrow integers have 32-bit lanes, predicates masks.
type redKern struct {
	op       ir.Reduction
	typ      dtype.Type // of the operand
	lane     dtype.Type // of the accumulators
	identity uint64     // of a lane
	empty    partial    // of no block
	combine  func(x, y partial) partial
	merge    func(acc, level unsafe.Pointer, n int) // acc = level op acc
	ordered  bool
	arg      bool
}

// A redState is the tree of the blocks of a vec loop.
type redState = pairwise.Tree[partial]

// A boundRed is a reduction of a vec loop in an instance.
type boundRed struct {
	*red
	kern *redKern
	area int // in the frame
}

// result is the value of the reduction in its cell.
func (r *boundRed) result(p partial) uint64 {
	if r.kern.arg {
		return uint64(p.idx)
	}
	return p.bits
}

// partial is the result of the block from lo on.
func (w *worker) partial(r *boundRed, lo int) partial {
	area := unsafe.Add(w.frame, r.area)
	p := partial{bits: *(*uint64)(area)}
	switch {
	case r.typ == dtype.Bool:
		p.bits = boolBit((uint32(p.bits) != 0) != (r.op == ir.All))
	case r.kern.lane.Size() == 4:
		p.bits = canonical(r.typ, uint64(uint32(p.bits)))
	}
	if r.kern.arg {
		p.idx = int64(*(*int32)(unsafe.Add(area, redBytes/2)))
		if p.idx == noPosition {
			p.idx = 0 // every element is the identity
		}
		p.idx += int64(lo)
	}
	return p
}

// canonical is the form of a scalar in its cell: narrow signed integers are
// extended to 32 bits.
func canonical(t dtype.Type, x uint64) uint64 {
	switch t {
	case dtype.I8:
		return uint64(uint32(int32(int8(x))))
	case dtype.U8:
		return x & math.MaxUint8
	}
	return x
}

type laneType interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

func bitsOf[T laneType](x T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = x
	return b
}

func fromBits[T laneType](b uint64) T { return *(*T)(unsafe.Pointer(&b)) }

var redKerns = map[ir.Reduction]map[dtype.Type]*redKern{}

func init() {
	for op := ir.Sum; op <= ir.All; op++ {
		redKerns[op] = map[dtype.Type]*redKern{}
	}
	addNumber[int32](dtype.I8, math.MinInt8, math.MaxInt8)
	addNumber[int32](dtype.I32, math.MinInt32, math.MaxInt32)
	addNumber[int64](dtype.I64, math.MinInt64, math.MaxInt64)
	addNumber[uint32](dtype.U8, 0, math.MaxUint8)
	addNumber[uint32](dtype.U32, 0, math.MaxUint32)
	addNumber[uint64](dtype.U64, 0, math.MaxUint64)
	addNumber(dtype.F32, float32(math.Inf(-1)), float32(math.Inf(1)))
	addNumber(dtype.F64, math.Inf(-1), math.Inf(1))
	addFloat[float32](dtype.F32)
	addFloat[float64](dtype.F64)
	for _, op := range []ir.Reduction{ir.Any, ir.All} {
		k := &redKern{op: op, typ: dtype.Bool, lane: dtype.I32, merge: func(_, _ unsafe.Pointer, _ int) {}}
		all := op == ir.All
		if all {
			k.empty.bits = 1
		}
		k.combine = func(x, y partial) partial {
			if all {
				return partial{bits: x.bits & y.bits}
			}
			return partial{bits: x.bits | y.bits}
		}
		redKerns[op][dtype.Bool] = k
	}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// addKern adds a reduction that is a binary operation.
func addKern[T laneType](op ir.Reduction, t, lane dtype.Type, identity, empty T, f func(x, y T) T) {
	k := &redKern{op: op, typ: t, lane: lane, identity: bitsOf(identity), empty: partial{bits: canonical(t, bitsOf(empty))}}
	k.ordered = op.Ordered(t)
	k.combine = func(x, y partial) partial {
		return partial{bits: canonical(t, bitsOf(f(fromBits[T](x.bits), fromBits[T](y.bits))))}
	}
	k.merge = func(acc, level unsafe.Pointer, n int) {
		a, l := unsafe.Slice((*T)(acc), n), unsafe.Slice((*T)(level), n)
		for i := range a {
			a[i] = f(l[i], a[i])
		}
	}
	redKerns[op][t] = k
}

func addNumber[T laneType](t dtype.Type, low, high T) {
	var zero T
	lane := t
	switch t {
	case dtype.I8:
		lane = dtype.I32
	case dtype.U8:
		lane = dtype.U32
	}
	neg0 := zero
	if t.IsFloat() {
		neg0 = -neg0
		switch p := any(&neg0).(type) {
		case *float32:
			*p = math.Float32frombits(1 << 31)
		case *float64:
			*p = math.Float64frombits(1 << 63)
		}
	}
	addKern(ir.Sum, t, lane, neg0, zero, func(x, y T) T { return x + y })
	addKern(ir.Prod, t, lane, 1, 1, func(x, y T) T { return x * y })
	addKern(ir.Min, t, lane, high, high, func(x, y T) T { return min(x, y) })
	addKern(ir.Max, t, lane, low, low, func(x, y T) T { return max(x, y) })
	addArg(ir.ArgMin, t, lane, high, func(a, b T) bool { return a < b })
	addArg(ir.ArgMax, t, lane, low, func(a, b T) bool { return a > b })
}

// addArg adds the search for an extreme: lanes hold the best value and its
// position, or the identity and noPosition.
func addArg[T laneType](op ir.Reduction, t, lane dtype.Type, identity T, better func(a, b T) bool) {
	pick := func(x, y partial) partial { // x and y in no order
		a, b := fromBits[T](x.bits), fromBits[T](y.bits)
		an, bn := a != a, b != b
		if an != bn {
			if an {
				return x
			}
			return y
		}
		if !an && a != b {
			if better(a, b) {
				return x
			}
			return y
		}
		if y.idx < x.idx {
			return y
		}
		return x
	}
	k := &redKern{op: op, typ: t, lane: lane, identity: bitsOf(identity), arg: true, combine: pick}
	redKerns[op][t] = k
}

const noPosition = math.MaxInt32

func addFloat[T float32 | float64](t dtype.Type) {
	nan := T(math.NaN())
	addKern(ir.FMin, t, t, nan, nan, func(x, y T) T {
		switch {
		case x != x:
			return y
		case y != y:
			return x
		}
		return min(x, y)
	})
	addKern(ir.FMax, t, t, nan, nan, func(x, y T) T {
		switch {
		case x != x:
			return y
		case y != y:
			return x
		}
		return max(x, y)
	})
}
