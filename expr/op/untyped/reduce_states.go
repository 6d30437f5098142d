package untyped

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A Reducer is a user's reduction whose state is several values, which may differ in
// type: the greatest element and its position, or a mean and a sum of squares. Its
// functions make trees. All but Result may apply element-wise operators only. They
// get float32 for halves.
type Reducer struct {
	Name string // in errors
	// First returns the states of no elements of type t, as scalars.
	First func(t dtype.Type) []*tree.Node
	// Element returns the states of the element x alone. at is its position, an
	// int64: the number of elements before it, in row-major order of the reduced
	// axes.
	Element func(at, x *tree.Node) []*tree.Node
	// Combine returns the states of two ranges of elements, of which y is the later
	// one.
	Combine func(x, y []*tree.Node) []*tree.Node
	// Result returns the result from the states of all elements. If it is nil, the
	// result is the first state.
	Result func(s []*tree.Node) *tree.Node
}

// ReduceStates returns the reduction f of an untyped tree over the axes of r. It has no
// accumulator of another type. The order depends on the shape alone: blocks of 4096
// elements are combined with First, one element after the other, and the states of
// the blocks in the same way. The scans that do this have a derivative if the
// operators in them have one.
func ReduceStates(f Reducer, a *tree.Node, r Options) *tree.Node {
	if a == nil || a.Err() != nil {
		return failed(a)
	}
	if f.First == nil || f.Element == nil || f.Combine == nil {
		return tree.Errorf(tree.ErrValue, f.Name, "it needs First, Element and Combine")
	}
	if r.Acc != dtype.Invalid || r.DDof != 0 || r.Ties {
		return tree.Errorf(tree.ErrValue, f.Name, "its only options are Axis and KeepDims")
	}
	axes, err := shape.Axes(r.Axes, len(a.Shape()))
	if err != nil {
		return tree.Errorf(tree.ErrShape, f.Name, "%s", err)
	}
	wide := a.DType().Register()
	x, kept := joinAxes(Cast(a, wide), axes)
	n := x.Shape()[len(kept)]
	at := vectorAlong(Iota(n), len(kept), len(kept)+1)
	states, bad := f.fold(f.First(wide), []*tree.Node{at, x}, func(x []*tree.Node) []*tree.Node { return f.Element(x[0], x[1]) })
	if bad != nil {
		return bad.As(f.Name, a)
	}
	out := states[0]
	if f.Result != nil {
		out = f.Result(states)
	}
	if out == nil || out.Err() != nil {
		return failed(out).As(f.Name, a)
	}
	if out.DType() == wide {
		out = Cast(out, a.DType())
	}
	return Reshape(out, a.Shape().Reduce(axes, r.Keep)).As(f.Name, a)
}

// fold returns the states of the elements along the last axis, or a node with an
// error. lift returns the states of one element.
func (f *Reducer) fold(first, elements []*tree.Node, lift func(x []*tree.Node) []*tree.Node) (states []*tree.Node, bad *tree.Node) {
	dims := elements[len(elements)-1].Shape()
	axis := len(dims) - 1
	n := dims[axis]
	if n > ir.Block {
		blocks, rest := n/ir.Block, n%ir.Block
		parts := make([]*tree.Node, len(elements))
		for i, x := range elements {
			d := x.Shape()
			parts[i] = Reshape(cut(x, axis, shape.Range(0, n-rest)), append(d[:axis:axis], blocks, ir.Block))
		}
		if states, bad = f.fold(first, parts, lift); bad != nil {
			return nil, bad
		}
		if rest > 0 {
			for i, x := range elements {
				parts[i] = cut(x, axis, shape.Range(n-rest, n))
			}
			last, bad := f.fold(first, parts, lift)
			if bad != nil {
				return nil, bad
			}
			for i, s := range last {
				states[i] = Concat(axis, []*tree.Node{states[i], Reshape(s, append(s.Shape(), 1))})
			}
		}
		return f.fold(first, states, func(x []*tree.Node) []*tree.Node { return x })
	}
	r := Scan(first, elements, ScanOptions{Axis: axis, Length: n}, func(_ *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
		return f.Combine(s, lift(x)), nil
	})
	for i := range first {
		if states = append(states, r.Last(i)); states[i].Err() != nil {
			return nil, states[i]
		}
	}
	if len(states) == 0 {
		return nil, tree.Errorf(tree.ErrValue, f.Name, "First returns no state")
	}
	return states, nil
}
