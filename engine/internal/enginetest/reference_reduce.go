package enginetest

import (
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
	case t.IsFloat(): // float64 has more than twice the digits of float32, so rounding twice gives the same bits
		return func(a, b uint64) uint64 { return stored(t, floats(r, float(t, a), float(t, b))) }
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

func floats(r *prim.Reduction, a, b float64) float64 {
	switch {
	case r.Row().IgnoreNaN && a != a:
		return b
	case r.Row().IgnoreNaN && b != b:
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

func less(t dtype.Type, a, b uint64) bool {
	switch {
	case t.IsFloat():
		return float(t, a) < float(t, b)
	case t.IsUnsigned():
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

// scan evaluates a scan step by step: the trees of the step on the states and on one
// position of all other trees.
func (r *reference) scan(n *tree.Node) *value {
	axis := n.Axes[0]
	states, next := n.ScanStates()
	out := newValue(n.DType(), n.Shape())
	now := map[*tree.Node]*value{}
	for _, s := range states {
		now[s] = r.known[s.Args[0]]
		out.reads(now[s]) // what a step needs is evaluated, whether or not it is used
	}
	like := map[*tree.Node]*tree.Node{}
	steps := states[0].Ints[0]
	full := states[0].Shape()
	inner, outer := full[axis+1:].Size(), full[:axis].Size()
	for k := range steps {
		t := k
		if states[0].Ints[1] == 1 {
			t = steps - 1 - k
		}
		s := step{r, axis, len(full), t, now, map[*tree.Node]*value{}, like}
		v := s.node(n.Args[0])
		out.may |= v.may
		at, width := t, steps
		if n.ScanIsLast() {
			at, width = 0, 1
			out.fault = nil
		}
		for i := range outer {
			for j := range inner {
				p := (i*width+at)*inner + j
				out.bits[p] = v.bits[i*inner+j]
				out.addFault(p, v.faultAt(i*inner+j))
			}
		}
		later := map[*tree.Node]*value{}
		for i, s1 := range states {
			later[s1] = s.node(next[i])
			out.reads(later[s1])
		}
		now = later
	}
	return out
}

// A step evaluates the trees of a scan at one position of its axis.
type step struct {
	r             *reference
	axis, rank, t int
	now           map[*tree.Node]*value
	made          map[*tree.Node]*value
	like          map[*tree.Node]*tree.Node // nodes with the shapes of one position, the same for all
}

func (s *step) node(n *tree.Node) *value {
	v := s.made[n]
	switch {
	case v != nil:
	case s.now[n] != nil:
		v = s.now[n]
	case s.r.known[n] != nil:
		v = s.slice(s.r.known[n])
	default:
		args := lists.Map(n.Args, s.node)
		if s.like[n] == nil {
			operands := lists.Make(len(args), func(i int) *tree.Node { return tree.Untyped(n.Op, args[i].shape, n.Args[i].DType()) })
			s.like[n] = tree.ApplyWith(n.Op, *n.Attributes, operands...)
		}
		v = elementwise(s.like[n], args)
	}
	s.made[n] = v
	return v
}

// slice returns the part of a value at the position, with size 1 along the axis. The
// axis of a value of fewer axes counts from the last.
func (s *step) slice(v *value) *value {
	axis := s.axis - (s.rank - len(v.shape))
	if axis < 0 || v.shape[axis] == 1 {
		return v
	}
	dims := v.shape.Clone()
	dims[axis] = 1
	out := newValue(v.typ, dims)
	out.may = v.may
	inner := dims[axis+1:].Size()
	for i := range out.bits {
		k := (i/inner*v.shape[axis]+s.t)*inner + i%inner
		out.bits[i] = v.bits[k]
		out.addFault(i, v.faultAt(k))
	}
	return out
}
