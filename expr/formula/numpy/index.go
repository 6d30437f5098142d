package numpy

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// A selection is what the subscripts of an array come to: a slice of every
// axis, then axes dropped and added, then elements taken by index.
type selection struct {
	spans   []op.Span
	axes    []int // of the result: the operand's axis, or -1 for a new one
	indices []*tree.Node
	takeAt  []int // the axes of the result that the indices replace
	apart   bool  // other subscripts are between indices: what they take comes first
	sliced  bool
}

// index returns x[subscripts]. A target is assigned to, so it has to be a view: its subscripts are no arrays.
func index(at *syntax.Node, x value, subscripts []item, target bool) value {
	if x.kind == vSeq && len(subscripts) == 1 {
		return elementOf(x, subscripts[0])
	}
	stopIf(x.kind != vTree, at, tree.ErrType, "%s has no elements", x.describe())
	n := x.n
	s := &selection{spans: make([]op.Span, len(n.Shape()))}
	s.read(at, n.Shape(), subscripts)
	if target {
		return result(at, valueOf(s.view(n)))
	}
	if s.sliced {
		n = untyped.Slice(n, s.spans)
	}
	if !slices.Equal(s.axes, lists.UpTo(len(s.spans))) {
		n = untyped.Transpose(n, s.axes)
	}
	if s.indices != nil {
		n = s.chosen(n)
	}
	return result(at, valueOf(n))
}

// places returns the positions in row-major order of the elements of n that subscripts choose.
func places(at *syntax.Node, n *tree.Node, subscripts []item) *tree.Node {
	return index(at, valueOf(positions(n.Shape())), subscripts, false).n
}

// positions returns the position of each element of an array in row-major order.
func positions(s shape.Shape) *tree.Node { return untyped.Reshape(untyped.Iota(s.Size()), s) }

// scattered returns n with values brought to places by a scatter.
func scattered(name string, n, places, values *tree.Node) *tree.Node {
	if first(n, places, values).Err() != nil {
		return first(n, places, values)
	}
	values = flat(untyped.BroadcastTo(values, places.Shape()))
	return untyped.Reshape(untyped.Scatter(name, flat(places), values, flat(n), 0, []int{n.Shape().Size()}), n.Shape())
}

// chosen returns the elements at the indices. Several indices are one of their axes together. Each is
// looked up among the positions of its axis, so that errors name that.
func (s *selection) chosen(n *tree.Node) *tree.Node {
	first, count := s.takeAt[0], len(s.takeAt)
	if s.apart {
		to := lists.UpTo(count)
		n, first = untyped.Compose("moveaxis", untyped.Options{Axes: s.takeAt, Ints: to}, n), 0
	}
	if count == 1 || n.Err() != nil {
		return untyped.Take(n, s.indices[0], first)
	}
	dims := n.Shape()
	all := dims[first : first+count].Size()
	at := zero(dtype.I64).n
	for i, x := range s.indices {
		d := dims[first+i]
		at = apply("add", apply("mul", at, tree.ConstInt(dtype.I64, int64(d))), untyped.Position(x, d, first+i))
	}
	return untyped.Take(untyped.Reshape(n, slices.Concat(dims[:first], shape.Shape{all}, dims[first+count:])), at, first)
}

// checkSubscripts checks subscripts without the shape of what they select from.
func checkSubscripts(subscripts []item) {
	ellipses := 0
	for _, x := range subscripts {
		switch {
		case x.kind == vEllipsis:
			ellipses++
			stopIf(ellipses > 1, x.at, tree.ErrShape, "a subscript has only one ellipsis")
		case x.kind == vSlice || x.kind == vNone:
		case x.kind == vScalar && x.s.Class == syntax.Float:
			panic(x.mismatch("subscripts are integers, not %s", x.describe()))
		default:
			x.operand()
		}
	}
}

// view returns the selection from an array as an array of its own, which can be
// assigned to.
func (s *selection) view(n *tree.Node) *tree.Node {
	leaf := *n.Leaf
	leaf.Strides = make(shape.Strides, len(s.axes))
	dims := make(shape.Shape, len(s.axes))
	counts, steps := make([]int, len(s.spans)), make([]int, len(s.spans))
	for i, d := range n.Shape() {
		start, count, step, err := s.spans[i].Resolve(d)
		if err != nil {
			return tree.Failed(err)
		}
		if count > 0 {
			leaf.Offset += start * n.Leaf.Strides[i]
		}
		counts[i], steps[i] = count, step*n.Leaf.Strides[i]
	}
	for i, x := range s.axes {
		if dims[i] = 1; x >= 0 {
			dims[i], leaf.Strides[i] = counts[x], steps[x]
		}
	}
	return tree.NewLeaf(n.DType(), dims, &leaf)
}

// read reads the subscripts one after the other.
func (s *selection) read(at *syntax.Node, dims shape.Shape, subscripts []item) {
	checkSubscripts(subscripts)
	consuming := lists.Count(subscripts, func(x item) bool { return x.kind != vEllipsis && x.kind != vNone })
	rank := len(dims)
	stopIf(consuming > rank, at, tree.ErrIndex, "%d subscripts are too many for an array of rank %d", consuming, rank)
	axis := 0
	keep := func(count int) {
		for range count {
			s.axes = append(s.axes, axis)
			axis++
		}
	}
	var advanced []int // positions of integers and arrays among the subscripts
	for i, x := range subscripts {
		switch {
		case x.kind == vEllipsis:
			keep(rank - consuming)
		case x.kind == vSlice:
			s.spans[axis] = x.span
			s.sliced = s.sliced || x.span != (op.Span{})
			keep(1)
		case x.kind == vNone:
			s.axes = append(s.axes, -1)
		case x.kind == vScalar && x.s.Class == syntax.Int:
			s.position(x, axis, dims[axis])
			advanced = append(advanced, i)
			axis++
		default:
			s.take(x)
			advanced = append(advanced, i)
			keep(1)
		}
	}
	keep(rank - axis)
	s.apart = s.indices != nil && advanced[len(advanced)-1]-advanced[0] >= len(advanced)
}

// position reads an integer: a slice of one element whose axis goes.
func (s *selection) position(x item, axis, size int) {
	i := x.integer("a subscript")
	stopIf(i < -size || i >= size, x.at, tree.ErrIndex, "index %d is out of range for axis %d of size %d", i, axis, size)
	if i < 0 {
		i += size
	}
	s.spans[axis] = op.Range(i, i+1)
	s.sliced = true
}

// take reads an array of indices.
func (s *selection) take(x item) {
	v := x.operand()
	n := v.node()
	if x.kind == vSeq && x.seq != nil && len(x.seq) == 0 {
		n = cast(n, dtype.I64)
	}
	switch t := sound(x.at, n).DType(); {
	case t == dtype.Bool:
		panic(fail(x.at, tree.ErrUnsupported, "x[mask] is not supported: %s; there are where(mask, x, y), sum(x, where=mask), and in Go engine.Compress(mask, x)", lengthOfMask))
	case !t.IsInt():
		panic(x.mismatch("subscripts are integers, not %v", t))
	}
	s.indices, s.takeAt = append(s.indices, n), append(s.takeAt, len(s.axes))
}

// sliceOf returns start:stop:step. Unknown parts do not count.
func sliceOf(parts [3]item) value {
	s := value{kind: vSlice}
	for i, p := range parts {
		if p.kind == vNone || p.unknown() {
			continue
		}
		x := p.integer("a bound of a slice")
		switch i {
		case 0:
			s.span.Start = shape.At(x)
		case 1:
			s.span.Stop = shape.At(x)
		case 2:
			stopIf(x == 0, p.at, tree.ErrValue, "the step of a slice cannot be 0")
			if x != 1 {
				s.span.Step = shape.At(x)
			}
		}
	}
	return s
}

// elementOf returns an element or a part of a tuple, such as x.shape[0].
func elementOf(x value, at item) value {
	if at.kind == vSlice {
		start, count, step, err := at.span.Resolve(len(x.seq))
		check(at.at, err)
		out := sequence(lists.Make(count, func(i int) value { return x.seq[start+i*step] }))
		out.list = x.list
		return out
	}
	i := at.integer("a subscript")
	stopIf(i < -len(x.seq) || i >= len(x.seq), at.at, tree.ErrIndex, "index %d is out of range for %d elements", i, len(x.seq))
	if i < 0 {
		i += len(x.seq)
	}
	return x.seq[i]
}
