package untyped

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// reductions are the operators made from the table of reductions.
var reductions = reductionRows()

// reductionGrads are the derivatives of reductions of floats, by the primitive
// that combines.
var reductionGrads = map[prim.Op]tree.Rule{prim.Add: func(g *tree.Adjoint, _ int) *tree.Node { return g.Out }, prim.Mul: gradProd, prim.Min: gradBest, prim.Max: gradBest}

func reductionRows() (rows []tree.Row) {
	for _, r := range ir.Reductions() {
		row := r.Row()
		o := tree.Row{
			Name: cmp.Or(row.Operator, row.Name), GoName: row.GoName, Doc: row.Doc, Class: tree.Reduction, Arity: 1,
			Types: typesOf(row.Types), Reduce: r, Pair: PairOf(r),
		}
		switch {
		case r.Position():
			o.Result = tree.ResultInt64
		case r.Types() == prim.Pred:
			o.Result = tree.ResultBool
		default:
			o.Grad = reductionGrads[row.Op]
		}
		rows = append(rows, o)
	}
	return rows
}

// PairOf returns the operator that combines two values of r. It is nil for positions.
func PairOf(r *prim.Reduction) *tree.Operator {
	if r == nil || r.Position() {
		return nil
	}
	name := r.Name()
	if r.Native() {
		name = r.Op().String()
	}
	return tree.NewOperator(tree.Row{Name: name, Class: tree.Elementwise, Arity: 2, Types: typesOf(r.Types()), Lower: r.Lower})
}

// typesOf returns the element types that a class of registers holds.
func typesOf(c prim.Class) (s tree.Types) {
	for _, t := range dtype.Real() {
		if c.Has(t.Register()) {
			s |= tree.TypesOf(t)
		}
	}
	return s
}

// Reduce returns the reduction called name of an untyped tree. For axes
// that are not adjacent it returns one reduction for each group of adjacent
// axes, the innermost group first, in the order of docs/numerics.md. If any order
// gives the same bits, a short innermost group is last: the vectors of the others
// have neighbouring elements then.
func Reduce(name string, a *tree.Node, r Options) *tree.Node {
	o, ok := Lookup(name)
	if !ok || o.Class() != tree.Reduction {
		return tree.Errorf(tree.ErrValue, "", "there is no reduction %q", name)
	}
	return ReduceBy(o, a, r)
}

// ReduceBy returns the reduction o, built in or a user's, of an untyped tree.
func ReduceBy(o *tree.Operator, a *tree.Node, r Options) *tree.Node {
	if o == nil || o.Class() != tree.Reduction {
		return tree.Errorf(tree.ErrType, "Reduce", "the operator is no reduction")
	}
	if a == nil || a.Err() != nil || o.Err() != nil || o.Reduce() == nil {
		return tree.Apply(o, a)
	}
	if r.DDof != 0 {
		return tree.Errorf(tree.ErrValue, o.Constructor(), "ddof is an option of var and std")
	}
	if r.Ties && (o.Reduce().Position() || o.Reduce().Op() != prim.Max && o.Reduce().Op() != prim.Min) {
		return tree.Errorf(tree.ErrValue, o.Constructor(), "ties are of maxima and minima")
	}
	axes, err := shape.Axes(r.Axes, len(a.Shape()))
	if err != nil {
		return tree.Errorf(tree.ErrShape, o.Constructor(), "%s", err)
	}
	if r.Acc != dtype.Invalid && (r.Acc != dtype.F64 || !a.DType().IsFloat() || !o.Reduce().Ordered(dtype.F64) || !o.Types().Has(dtype.F64)) {
		return tree.Errorf(tree.ErrType, o.Constructor(), "no %v accumulator for %s of %v", r.Acc, o.Name(), a.DType())
	}
	if b := o.Bools(); b != nil && a.DType() == dtype.Bool {
		v := Cast(ReduceBy(b, Cast(a, dtype.U8), r), dtype.Bool)
		if o.Finish() != nil {
			v = Apply(o.Finish(), v)
		}
		return v.As(o.Constructor(), a)
	}
	if len(axes) == 0 { // each element is reduced alone
		a, axes = Reshape(a, append(a.Shape().Clone(), 1)), []int{len(a.Shape())}
		r.Keep = false
	}
	if o.Result() == tree.ResultInt64 && len(axes) > 1 {
		joined, kept := joinAxes(a, axes)
		return Reshape(reduce(o, joined, []int{len(kept)}, Options{}), a.Shape().Reduce(axes, r.Keep))
	}
	t, groups := a.DType(), axisGroups(axes)
	n := len(groups) - 1
	inner, others := groups[n], slices.Concat(groups[:n]...)
	switch last := axes[len(axes)-1] == len(a.Shape())-1; {
	case last && o.Reduce().Ordered(t.Part().Register()):
		groups = append(groups, longAxes(a.Shape(), inner)...)
	case last && n > 0 && lists.Product(a.Shape(), inner) <= shortInner && lists.Product(a.Shape(), others) >= shortInner:
		groups = slices.Insert(groups[:n], 0, inner)
	}
	for _, group := range slices.Backward(groups) {
		a = reduce(o, a, group, r)
	}
	if o.Finish() != nil {
		a = Apply(o.Finish(), a)
	}
	if r.Acc != dtype.Invalid {
		a = Cast(a, t)
	}
	if !r.Keep {
		a = dropAxes(a, axes)
	}
	return a
}

// shortInner is the most elements of an innermost group of axes that is reduced after the other groups: rows of more elements
// fill vectors. The other groups together have at least as many: with fewer, the results would take as long as the operands.
const shortInner = 16

// longAxis is the fewest elements of a last axis that is reduced before the others of its group.
const longAxis = 256

// longAxes returns the axes of a group with the last axis that are groups of their own, the last one to be reduced first. Each
// follows the axes of the others that are left, and has longAxis elements or more. Axes of one element may follow it.
func longAxes(s shape.Shape, group []int) (long [][]int) {
	for i, axis := range slices.Backward(group) {
		switch n := s[axis]; {
		case n == 1:
		case n < longAxis || lists.Product(s, group[:i]) <= 1:
			return long
		default:
			long = append([][]int{group[i:]}, long...)
		}
	}
	return long
}

// axisGroups returns the groups of adjacent axes.
func axisGroups(axes []int) (groups [][]int) {
	for i, axis := range axes {
		if i == 0 || axes[i-1] != axis-1 {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, axis)
	}
	return groups
}

// joinAxes moves axes to the end and joins them, so that positions along the last
// axis are row-major. It also returns the other extents.
func joinAxes(a *tree.Node, axes []int) (joined *tree.Node, kept shape.Shape) {
	kept = a.Shape().Reduce(axes, false)
	moved := Transpose(a, append(othersThan(axes, a), axes...))
	return Reshape(moved, append(kept.Clone(), moved.Shape()[len(kept):].Size())), kept
}

// reduce returns the reduction over one group of adjacent axes, which keep size
// 1. If r has an accumulator, the operand is converted to it first.
func reduce(o *tree.Operator, a *tree.Node, axes []int, r Options) *tree.Node {
	if r.Acc != dtype.Invalid {
		a = Cast(a, r.Acc)
	}
	at := tree.Attributes{Axes: axes}
	if r.Ties {
		at.Ints = wholeTies
	}
	return tree.ApplyWith(o, at, a)
}

// wholeTies are the integers of a reduction whose ties are not shared.
var wholeTies = []int{1}

// gradProd multiplies by the product of all other elements: if none of them is
// 0, the product of all elements that are not 0, divided by this one if it is
// not 0.
func gradProd(g *tree.Adjoint, _ int) *tree.Node {
	x := g.Arg(0)
	zero, one := g.Const(0), g.Const(1)
	isZero := g.Op("equal", x, zero)
	number := g.Where(isZero, one, x)
	zeros := g.Where(isZero, one, zero)
	product := g.Reduce("prod", number, g.Node.Axes)
	elsewhere := g.Op("greater", g.Reduce("sum", zeros, g.Node.Axes), zeros)
	return g.Mul(g.Out, g.Where(elsewhere, zero, g.Div(product, number)))
}

// gradBest is the rule of max and min: equal elements share the adjoint, or each
// has it whole. If the value is NaN, no element equals it, and what is shared is
// 0/0.
func gradBest(g *tree.Adjoint, _ int) *tree.Node {
	best := g.Op("equal", g.Arg(0), g.Node)
	each := g.Where(best, g.Out, g.Const(0))
	if len(g.Node.Ints) > 0 {
		return each
	}
	return g.Div(each, g.Reduce("sum", g.Cast(best, g.Out.DType()), g.Node.Axes))
}

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

	lanes int // of a block; 0: a block is combined in order
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

// fewestInLanes is the fewest elements of a block that has lanes. Many rows of fewer fill vectors without.
const fewestInLanes = 256

// fold returns the states of the elements along the last axis, or a node with an
// error. lift returns the states of one element.
func (f *Reducer) fold(first, elements []*tree.Node, lift func(x []*tree.Node) []*tree.Node) (states []*tree.Node, bad *tree.Node) {
	axis := len(elements[0].Shape()) - 1
	switch n := elements[len(elements)-1].Shape()[axis]; {
	case n <= ir.Block && n >= fewestInLanes && f.lanes > 0:
		return f.foldLanes(first, elements, lift)
	case n <= ir.Block:
		return f.scan(first, elements, axis, lift)
	}
	blocks, rest := pieces(elements, ir.Block)
	if states, bad = f.fold(first, blocks, lift); bad != nil {
		return nil, bad
	}
	if rest != nil {
		last, bad := f.fold(first, rest, lift)
		if bad != nil {
			return nil, bad
		}
		for i, s := range last {
			states[i] = Concat(axis, []*tree.Node{states[i], Reshape(s, append(s.Shape(), 1))})
		}
	}
	return f.fold(first, states, func(x []*tree.Node) []*tree.Node { return x })
}

// foldLanes returns the states of a block: element i is combined with lane i mod f.lanes, in order, then lane j with lane
// j + f.lanes/2, and so on down to one.
func (f *Reducer) foldLanes(first, elements []*tree.Node, lift func(x []*tree.Node) []*tree.Node) (states []*tree.Node, bad *tree.Node) {
	steps, rest := pieces(elements, f.lanes)
	axis := len(elements[0].Shape()) - 1
	if states, bad = f.scan(first, steps, axis, lift); bad != nil {
		return nil, bad
	}
	lanes := func(from, to int) []*tree.Node {
		return lists.Map(states, func(s *tree.Node) *tree.Node { return cut(s, axis, shape.Range(from, to)) })
	}
	if rest != nil {
		n := rest[0].Shape()[axis]
		more := f.Combine(lanes(0, n), lift(rest))
		for i, s := range lanes(n, f.lanes) {
			states[i] = Concat(axis, []*tree.Node{more[i], s})
		}
	}
	for half := f.lanes / 2; half > 0; half /= 2 {
		states = f.Combine(lanes(0, half), lanes(half, 2*half))
	}
	return lists.Map(states, func(s *tree.Node) *tree.Node { return Index(s, axis, 0) }), nil
}

// pieces returns the whole pieces of size elements along the last axis, as a further axis, and the rest, which is nil if it is empty.
func pieces(elements []*tree.Node, size int) (whole, rest []*tree.Node) {
	for _, x := range elements {
		d := x.Shape()
		axis := len(d) - 1
		end := d[axis] - d[axis]%size
		whole = append(whole, Reshape(cut(x, axis, shape.Until(end)), append(d[:axis:axis], end/size, size)))
		if end < d[axis] {
			rest = append(rest, cut(x, axis, shape.From(end)))
		}
	}
	return whole, rest
}

// scan returns the states of the elements along an axis, combined in order, or a node with an error.
func (f *Reducer) scan(first, elements []*tree.Node, axis int, lift func(x []*tree.Node) []*tree.Node) (states []*tree.Node, bad *tree.Node) {
	r := Scan(first, elements, ScanOptions{Axis: axis}, func(_ *tree.Node, s, x []*tree.Node) (next, out []*tree.Node) {
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
