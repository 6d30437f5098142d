package jit

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A partial is the result of one block. For ArgMin and ArgMax, idx is the position.
type partial struct {
	bits uint64
	idx  int64
}

// A redKern describes a reduction of one operand type, and combines partial results
// outside machine code. Narrow integers have 32-bit lanes. The lanes of predicates
// are masks.
type redKern struct {
	name     string
	op       prim.Op    // of a reduction with instructions of its own
	quiet    bool       // NaN is ignored
	arg      bool       // the result is a position
	prog     *phase     // program of a reduction without instructions of its own, or nil
	typ      dtype.Type // of the operand
	lane     dtype.Type // of the accumulators
	identity uint64     // of a lane
	empty    partial    // result of no elements
	combine  func(x, y partial) partial
	merge    func(acc, level unsafe.Pointer, n int) // acc = level op acc
	ordered  bool
}

// all reports whether the reduction is a conjunction of predicates.
func (k *redKern) all() bool { return k.op == prim.And && k.typ == dtype.Bool }

// A redState is the tree of the blocks of a vec loop.
type redState = pairwise.Tree[partial]

// A boundRed is a reduction of a vec loop in an instance.
type boundRed struct {
	*red
	area int // offset in the frame
}

// result returns what the cell of the reduction holds for p.
func (r *boundRed) result(p partial) uint64 {
	if r.kern.arg {
		return uint64(p.idx)
	}
	return p.bits
}

// partial returns the result of the block from lo on.
func (w *worker) partial(r *boundRed, lo int) partial {
	area := unsafe.Add(w.frame, r.area)
	p := partial{bits: *(*uint64)(area)}
	switch {
	case r.typ == dtype.Bool:
		p.bits = boolBit((uint32(p.bits) != 0) != r.kern.all())
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

// canonical returns x in the form of a cell: integers of 8 bits are extended to 32
// bits.
func canonical(t dtype.Type, x uint64) uint64 {
	switch t {
	case dtype.I8:
		return uint64(uint32(int32(int8(x))))
	case dtype.U8:
		return x & math.MaxUint8
	}
	return x
}

type laneInt interface {
	int32 | uint32 | int64 | uint64
}

type laneType interface{ laneInt | float32 | float64 }

func bitsOf[T laneType](x T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = x
	return b
}

func fromBits[T laneType](b uint64) T { return *(*T)(unsafe.Pointer(&b)) }

// redKerns has the reductions with instructions of their own, by type.
var redKerns = map[kernKey]*redKern{}

type kernKey struct {
	row *prim.Reduction
	t   dtype.Type
}

func init() {
	for _, row := range ir.Reductions {
		for _, t := range append([]dtype.Type{dtype.Bool}, nums...) {
			if row.Types.Has(t) && stepped(row) {
				redKerns[kernKey{row, t}] = nativeKern(row, t)
			}
		}
	}
}

// stepped reports whether there are instructions that combine two vectors of
// accumulators.
func stepped(row *prim.Reduction) bool {
	switch row.Op {
	case prim.Add, prim.Mul, prim.Min, prim.Max, prim.And, prim.Or, prim.Xor:
		return true
	}
	return false
}

// newKern returns the redKern of a reduction, without combine and merge.
func newKern(row *prim.Reduction, t dtype.Type) *redKern {
	k := &redKern{name: row.Name, op: row.Op, quiet: row.Quiet(t), arg: row.Position, typ: t, lane: t, ordered: row.Ordered(t)}
	switch t {
	case dtype.I8, dtype.Bool:
		k.lane = dtype.I32
	case dtype.U8:
		k.lane = dtype.U32
	}
	if t != dtype.Bool { // the mask of a predicate begins with 0
		k.identity = canonical(t, row.Identity(t))
	}
	k.empty.bits = canonical(t, row.Nothing(t))
	return k
}

// programKern returns the redKern of a reduction that a program combines.
func programKern(r *ir.Reducer) (*redKern, error) {
	single, err := r.Scalar()
	if err != nil {
		return nil, err
	}
	t, mask := r.Type, ^uint64(0)>>(64-8*r.Type.Size())
	k := newKern(r.Reduction, t)
	pair := func(x, y uint64) uint64 { return canonical(t, single.Do(x&mask, y&mask)) }
	k.combine = func(x, y partial) partial { return partial{bits: pair(x.bits, y.bits)} }
	k.merge = func(acc, level unsafe.Pointer, n int) {
		if k.lane.Size() == 4 {
			a, l := unsafe.Slice((*uint32)(acc), n), unsafe.Slice((*uint32)(level), n)
			for i := range a {
				a[i] = uint32(pair(uint64(l[i]), uint64(a[i])))
			}
			return
		}
		a, l := unsafe.Slice((*uint64)(acc), n), unsafe.Slice((*uint64)(level), n)
		for i := range a {
			a[i] = pair(l[i], a[i])
		}
	}
	return k, nil
}

// nativeKern returns the redKern of a reduction with instructions of its own.
func nativeKern(row *prim.Reduction, t dtype.Type) *redKern {
	k := newKern(row, t)
	switch k.lane {
	case dtype.I32:
		intKern[int32](k)
	case dtype.I64:
		intKern[int64](k)
	case dtype.U32:
		intKern[uint32](k)
	case dtype.U64:
		intKern[uint64](k)
	case dtype.F32:
		typedKern(k, floatPair[float32](k))
	case dtype.F64:
		typedKern(k, floatPair[float64](k))
	}
	return k
}

func intKern[T laneInt](k *redKern) { typedKern(k, intPair[T](k)) }

// typedKern sets combine and merge, which apply f to partial results and to arrays of
// lanes.
func typedKern[T laneType](k *redKern, f func(x, y T) T) {
	if k.arg {
		k.combine = better[T](k.op == prim.Max)
		return
	}
	k.combine = func(x, y partial) partial {
		return partial{bits: canonical(k.typ, bitsOf(f(fromBits[T](x.bits), fromBits[T](y.bits))))}
	}
	k.merge = func(acc, level unsafe.Pointer, n int) {
		a, l := unsafe.Slice((*T)(acc), n), unsafe.Slice((*T)(level), n)
		for i := range a {
			a[i] = f(l[i], a[i])
		}
	}
}

// numberPair returns primitive op on two numbers, or nil.
func numberPair[T laneType](op prim.Op) func(x, y T) T {
	switch op {
	case prim.Add:
		return func(x, y T) T { return x + y }
	case prim.Mul:
		return func(x, y T) T { return x * y }
	case prim.Min:
		return func(x, y T) T { return min(x, y) }
	case prim.Max:
		return func(x, y T) T { return max(x, y) }
	}
	return nil
}

func intPair[T laneInt](k *redKern) func(x, y T) T {
	switch k.op {
	case prim.And:
		return func(x, y T) T { return x & y }
	case prim.Or:
		return func(x, y T) T { return x | y }
	case prim.Xor:
		return func(x, y T) T { return x ^ y }
	}
	return numberPair[T](k.op)
}

func floatPair[T float32 | float64](k *redKern) func(x, y T) T {
	f := numberPair[T](k.op)
	if !k.quiet {
		return f
	}
	return func(x, y T) T {
		switch {
		case x != x:
			return y
		case y != y:
			return x
		}
		return f(x, y)
	}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// better returns a function that chooses the greater or the lesser of two partial
// results. NaN wins. Of equal values the lower position wins, so x and y may be in
// either order. A lane that has seen no better value than the identity has noPosition.
func better[T laneType](greatest bool) func(x, y partial) partial {
	return func(x, y partial) partial {
		a, b := fromBits[T](x.bits), fromBits[T](y.bits)
		an, bn := a != a, b != b
		if an != bn {
			if an {
				return x
			}
			return y
		}
		if !an && a != b {
			if (a > b) == greatest {
				return x
			}
			return y
		}
		if y.idx < x.idx {
			return y
		}
		return x
	}
}

const noPosition = math.MaxInt32
