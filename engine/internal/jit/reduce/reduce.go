// Package reduce describes the reductions of machine code, and combines their partial
// results: of blocks, and of the accumulators of columns.
package reduce

import (
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Partial is the result of one block. For ArgMin and ArgMax, idx is the position.
type Partial struct {
	Bits  uint64
	Index int64
}

// A Kern describes a reduction of one operand type, and combines partial results
// outside machine code. Narrow integers have 32-bit lanes. The lanes of predicates
// are masks.
type Kern struct {
	Name       string
	Op         prim.Op    // of a reduction with instructions of its own
	Quiet      bool       // NaN is ignored
	EitherZero bool       // the result may have either sign if it is zero
	Arg        bool       // the result is a position
	Type       dtype.Type // of the operand
	Lane       dtype.Type // of the accumulators
	Identity   uint64     // of a lane
	Empty      Partial    // result of no elements
	Combine    func(x, y Partial) Partial
	Merge      func(acc, level unsafe.Pointer, n int) // acc = level op acc
	Ordered    bool
}

// All reports whether the reduction is a conjunction of predicates.
func (k *Kern) All() bool { return k.Op == prim.And && k.Type == dtype.Bool }

type laneInt interface {
	int32 | uint32 | int64 | uint64
}

type laneType interface{ laneInt | float32 | float64 }

func bitsOf[T laneType](x T) (b uint64) {
	*(*T)(unsafe.Pointer(&b)) = x
	return b
}

func fromBits[T laneType](b uint64) T { return *(*T)(unsafe.Pointer(&b)) }

// native has the reductions with instructions of their own, by type.
var native = map[key]*Kern{}

type key struct {
	row *prim.Reduction
	t   dtype.Type
}

// Native returns a reduction that has instructions of its own, or nil.
func Native(row *prim.Reduction, t dtype.Type) *Kern { return native[key{row, t}] }

func init() {
	for _, row := range ir.Reductions() {
		for _, t := range dtype.Real() {
			if t == t.Register() && row.Types().Has(t) && stepped(row) {
				native[key{row, t}] = nativeKern(row, t)
			}
		}
	}
}

// stepped reports whether there are instructions that combine two vectors of
// accumulators.
func stepped(row *prim.Reduction) bool {
	switch row.Op() {
	case prim.Add, prim.Mul, prim.Min, prim.Max, prim.And, prim.Or, prim.Xor:
		return true
	}
	return false
}

// newKern returns the Kern of a reduction, without combine and merge.
func newKern(row *prim.Reduction, t dtype.Type) *Kern {
	k := &Kern{Name: row.Name(), Op: row.Op(), Quiet: row.Quiet(t), Arg: row.Position(), Type: t, Ordered: row.Ordered(t)}
	if k.Lane = frame.Lane32(t); t == dtype.Bool {
		k.Lane = dtype.I32
	}
	if t != dtype.Bool { // the mask of a predicate begins with 0
		k.Identity = frame.Canonical(t, row.Identity(t))
	}
	k.Empty.Bits = frame.Canonical(t, row.Nothing(t))
	return k
}

// OfProgram returns the Kern of a reduction that a program combines.
func OfProgram(r *ir.Reducer) (*Kern, error) {
	single, err := r.Scalar()
	if err != nil {
		return nil, err
	}
	t, mask := r.Type, r.Type.Mask()
	k := newKern(r.Reduction, t)
	pair := func(x, y uint64) uint64 { return frame.Canonical(t, single.Do(x&mask, y&mask)) }
	k.Combine = func(x, y Partial) Partial { return Partial{Bits: pair(x.Bits, y.Bits)} }
	k.Merge = func(acc, level unsafe.Pointer, n int) {
		if k.Lane.Size() == 4 {
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

// nativeKern returns the Kern of a reduction with instructions of its own.
func nativeKern(row *prim.Reduction, t dtype.Type) *Kern {
	k := newKern(row, t)
	switch k.Lane {
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

func intKern[T laneInt](k *Kern) { typedKern(k, intPair[T](k)) }

// typedKern sets combine and merge, which apply f to partial results and to arrays of
// lanes.
func typedKern[T laneType](k *Kern, f func(x, y T) T) {
	if k.Arg {
		k.Combine = better[T](k.Op == prim.Max)
		return
	}
	k.Combine = func(x, y Partial) Partial {
		return Partial{Bits: frame.Canonical(k.Type, bitsOf(f(fromBits[T](x.Bits), fromBits[T](y.Bits))))}
	}
	k.Merge = func(acc, level unsafe.Pointer, n int) {
		a, l := unsafe.Slice((*T)(acc), n), unsafe.Slice((*T)(level), n)
		for i := range a {
			a[i] = f(l[i], a[i])
		}
	}
	if k.Op == prim.Add { // most are sums; a call of f takes longer than its work
		k.Merge = addLanes[T]
	}
}

func addLanes[T laneType](acc, level unsafe.Pointer, n int) {
	a, l := unsafe.Slice((*T)(acc), n), unsafe.Slice((*T)(level), n)
	for len(a) >= 8 && len(l) >= 8 { // without checks of bounds
		x, y := (*[8]T)(a), (*[8]T)(l)
		for i := range x {
			x[i] += y[i]
		}
		a, l = a[8:], l[8:]
	}
	for i, x := range l {
		a[i] += x
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

func intPair[T laneInt](k *Kern) func(x, y T) T {
	switch k.Op {
	case prim.And:
		return func(x, y T) T { return x & y }
	case prim.Or:
		return func(x, y T) T { return x | y }
	case prim.Xor:
		return func(x, y T) T { return x ^ y }
	}
	return numberPair[T](k.Op)
}

func floatPair[T float32 | float64](k *Kern) func(x, y T) T {
	f := numberPair[T](k.Op)
	if !k.Quiet {
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

// better returns a function that chooses the greater or the lesser of two partial
// results. NaN wins. Of equal values the lower position wins, so x and y may be in
// either order. A lane that has seen no better value than the identity has noPosition.
func better[T laneType](greatest bool) func(x, y Partial) Partial {
	return func(x, y Partial) Partial {
		a, b := fromBits[T](x.Bits), fromBits[T](y.Bits)
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
		if y.Index < x.Index {
			return y
		}
		return x
	}
}

// Narrow returns the reduction of lanes of size bytes, 1 or 2. If wide is set, it is the sum of
// such lanes of type t in accumulators of 64 bits.
func (k *Kern) Narrow(t dtype.Type, size int, wide bool) *Kern {
	o := *k
	switch o.Type = t; {
	case wide:
		o.Lane, o.Identity = dtype.I64, 0
	default:
		o.Lane = frame.Lane(t, size)
	}
	return &o
}

// Sums reports whether the accumulators have wider lanes than the operands: see Narrow.
func (k *Kern) Sums() bool { return k.Type.Size() <= 2 && k.Lane == dtype.I64 }

// Counted returns the sum of predicates in lanes of 4 bytes. A call has too few elements to overflow one.
func (k *Kern) Counted() *Kern {
	o := *k
	o.Type, o.Lane, o.Identity = dtype.Bool, dtype.I32, 0
	return &o
}

// Counts reports whether the reduction is one that Counted returns.
func (k *Kern) Counts() bool { return k.Type == dtype.Bool && k.Op == prim.Add && k.Lane == dtype.I32 }

// Value returns the reduction to the value at the position that k finds, or to an equal one.
func (k *Kern) Value() *Kern {
	o := *k
	o.Arg, o.EitherZero = false, true
	return &o
}

// Pairs returns the reduction of two accumulators.
func (k *Kern) Pairs() *Kern {
	o := *k
	if k.Sums() || k.Counts() {
		o.Type = k.Lane
	}
	return &o
}

// Levels returns the depth of the tree for a number of rows, or 0 if the reduction
// has no fixed order.
func (k *Kern) Levels(rows int) int {
	if !k.Ordered {
		return 0
	}
	return bits.Len(uint(rows/ir.Run)) + 1
}
