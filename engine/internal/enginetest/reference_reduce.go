package enginetest

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// reduce folds one group of adjacent axes. The result keeps them with size 1 if
// the node says so.
func reduce(n *tree.Node, a *value) *value {
	var kept, folded shape.Shape
	var keptSt, foldedSt shape.Strides
	for i, st := range a.shape.Strides() {
		if slices.Contains(n.Axes, i) {
			folded, foldedSt = append(folded, a.shape[i]), append(foldedSt, st)
		} else {
			kept, keptSt = append(kept, a.shape[i]), append(keptSt, st)
		}
	}
	last := slices.Contains(n.Axes, len(a.shape)-1)
	out := newValue(n.DType(), n.Shape())
	out.reads(a)
	known := n.Op.Reduce().Position() && folded.Size() == 1 // the position is 0 for any element
	list := make([]uint64, folded.Size())
	inner := offsets(folded, foldedSt, 0)
	for i, base := range offsets(kept, keptSt, 0) {
		for k, at := range inner {
			list[k] = a.bits[base+at]
			if !known {
				out.addFault(i, a.faultAt(base+at))
			}
		}
		out.bits[i] = foldAll(n.Op.Reduce(), a.typ.Register(), list, last)
	}
	return out
}

// foldAll returns the reduction of a list of register values.
func foldAll(r *prim.Reduction, t dtype.Type, list []uint64, last bool) uint64 {
	switch {
	case r.Position():
		return position(t, list, r.Op() == prim.Max)
	case len(list) == 0:
		return r.Nothing(t)
	}
	f := combination(r, t)
	parts := slices.Collect(slices.Chunk(list, 64))
	if last {
		parts = slices.Collect(slices.Chunk(list, 4096))
	}
	results := lists.Map(parts, func(part []uint64) uint64 { return foldPart(part, r.Identity(t), f, lanesOf(t, last)) })
	for len(results) > 1 { // combine neighbouring pairs; an odd last one goes up unchanged
		var next []uint64
		for pair := range slices.Chunk(results, 2) {
			if len(pair) == 2 {
				pair[0] = f(pair[0], pair[1])
			}
			next = append(next, pair[0])
		}
		results = next
	}
	return results[0]
}

// lanesOf returns the number of accumulators: the lanes of a block, or 1 for a
// run.
func lanesOf(t dtype.Type, last bool) int {
	switch {
	case !last:
		return 1
	case t.Size() == 8:
		return 32
	}
	return 64
}

// foldPart combines element i with lane i mod lanes, then folds the upper half of
// the lanes into the lower half until one is left.
func foldPart(part []uint64, identity uint64, f func(a, b uint64) uint64, lanes int) uint64 {
	acc := slices.Repeat([]uint64{identity}, lanes)
	for i, x := range part {
		acc[i%lanes] = f(acc[i%lanes], x)
	}
	for half := lanes / 2; half > 0; half /= 2 {
		for j := range half {
			acc[j] = f(acc[j], acc[j+half])
		}
	}
	return acc[0]
}

// combination returns the function that combines two values. It runs the program
// of the row if the row has one, and uses Go's own arithmetic otherwise.
func combination(r *prim.Reduction, t dtype.Type) func(a, b uint64) uint64 {
	switch {
	case !r.Native():
		p := must((&ir.Reducer{Reduction: r, Type: t}).Scalar()) // the program takes the operator's types
		return func(a, b uint64) uint64 { return p.Call(a, b) }
	case t == dtype.F32:
		f := floats[float32](r)
		return func(a, b uint64) uint64 {
			return uint64(math.Float32bits(f(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))))
		}
	case t == dtype.F64:
		f := floats[float64](r)
		return func(a, b uint64) uint64 {
			return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
		}
	}
	return func(a, b uint64) uint64 { return integers(r.Op(), t, a, b) & t.Mask() }
}

func integers(op prim.Op, t dtype.Type, a, b uint64) uint64 {
	switch op {
	case prim.Add:
		return a + b
	case prim.Mul:
		return a * b
	case prim.And:
		return a & b
	case prim.Or:
		return a | b
	case prim.Xor:
		return a ^ b
	}
	if less(t, a, b) == (op == prim.Min) {
		return a
	}
	return b
}

func floats[T float32 | float64](r *prim.Reduction) func(a, b T) T {
	quiet := r.Row().IgnoreNaN
	return func(a, b T) T {
		switch {
		case quiet && a != a:
			return b
		case quiet && b != b:
			return a
		}
		switch r.Op() {
		case prim.Add:
			return a + b
		case prim.Mul:
			return a * b
		case prim.Min:
			return min(a, b)
		}
		return max(a, b)
	}
}

func less(t dtype.Type, a, b uint64) bool {
	switch t {
	case dtype.F32:
		return math.Float32frombits(uint32(a)) < math.Float32frombits(uint32(b))
	case dtype.F64:
		return math.Float64frombits(a) < math.Float64frombits(b)
	}
	if t.IsUnsigned() {
		return a < b
	}
	return int64(t.Extend(a)) < int64(t.Extend(b))
}

// position returns the position of the first extreme element, or of the first NaN
// if there is one.
func position(t dtype.Type, list []uint64, largest bool) uint64 {
	best := 0
	for i, x := range list {
		if isNaN(t, x) {
			return uint64(i)
		}
		if largest && less(t, list[best], x) || !largest && less(t, x, list[best]) {
			best = i
		}
	}
	return uint64(best)
}
