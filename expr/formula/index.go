package formula

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// A selection is what the subscripts of an array come to: a slice of every
// axis, then axes dropped and added, then elements taken by index.
type selection struct {
	spans  []op.Span
	axes   []int // of the result: the operand's axis, or -1 for a new one
	index  *expr.Node
	takeAt int // the axis of the result that index replaces
	sliced bool
}

// index is x[...]. A target is assigned to, so it has to be a view.
func (b *builder) index(a *ast, x value, target bool) (value, error) {
	items := a.args[1:]
	if b.checking {
		return unknown, b.checkSubscripts(x, items)
	}
	if x.kind == vSeq && len(items) == 1 {
		return b.element(a, x, items[0])
	}
	if x.kind != vTree {
		return value{}, b.fail(a, expr.ErrType, "%s has no elements", x.describe())
	}
	n := x.n
	s := &selection{spans: make([]op.Span, len(n.Shape()))}
	if err := b.selection(a, s, n, items); err != nil {
		return value{}, err
	}
	if target && s.index != nil {
		return value{}, b.fail(a, expr.ErrUnsupported, "assigning to elements chosen by an array of indices is not supported")
	}
	if target {
		n, err := s.view(n)
		return b.check(a, n, err)
	}
	if s.sliced {
		n = op.SliceNode(n, s.spans)
	}
	if !isIdentity(s.axes, len(s.spans)) {
		n = op.TransposeNode(n, s.axes)
	}
	if s.index != nil {
		n = op.TakeNode(n, s.index, s.takeAt)
	}
	return b.check(a, n, nil)
}

// checkSubscripts checks subscripts without the shape of what they select from.
func (b *builder) checkSubscripts(x value, items []*ast) error {
	ellipses := 0
	for _, it := range items {
		if it.kind == aEllipsis {
			if ellipses++; ellipses > 1 {
				return b.fail(it, expr.ErrShape, "a subscript has only one ellipsis")
			}
			continue
		}
		if it.kind == aSlice {
			if _, err := b.span(it); err != nil {
				return err
			}
			continue
		}
		v, err := b.eval(it)
		switch {
		case err != nil:
			return err
		case v.kind == vScalar && v.s.kind == kFloat:
			return b.fail(it, expr.ErrType, "subscripts are integers, not %s", v.describe())
		case v.kind != vNone:
			if _, err := b.operand(it, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// view is the selection from an array as an array of its own, which can be
// assigned to.
func (s *selection) view(n *expr.Node) (*expr.Node, error) {
	leaf := *n.Leaf
	leaf.Strides = make(shape.Strides, len(s.axes))
	dims := make(shape.Shape, len(s.axes))
	counts, steps := make([]int, len(s.spans)), make([]int, len(s.spans))
	for i, d := range n.Shape() {
		start, count, step, err := s.spans[i].Resolve(d)
		if err != nil {
			return nil, err
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
	return expr.NewLeaf(n.DType(), dims, &leaf), nil
}

func isIdentity(axes []int, rank int) bool {
	for i, x := range axes {
		if i != x {
			return false
		}
	}
	return len(axes) == rank
}

// selection reads the subscripts one after the other.
func (b *builder) selection(a *ast, s *selection, n *expr.Node, items []*ast) error {
	values := make([]value, len(items))
	consuming, ellipses := 0, 0
	for i, it := range items {
		switch it.kind {
		case aEllipsis:
			if ellipses++; ellipses > 1 {
				return b.fail(it, expr.ErrShape, "a subscript has only one ellipsis")
			}
			continue
		case aSlice:
		default:
			v, err := b.eval(it)
			if err != nil {
				return err
			}
			if values[i] = v; v.kind == vNone {
				continue
			}
		}
		consuming++
	}
	rank := len(n.Shape())
	if consuming > rank {
		return b.fail(a, expr.ErrIndex, "%d subscripts are too many for an array of rank %d", consuming, rank)
	}
	axis := 0
	keep := func(count int) {
		for range count {
			s.axes = append(s.axes, axis)
			axis++
		}
	}
	var advanced []int // positions of integers and arrays among the subscripts
	for i, it := range items {
		switch {
		case it.kind == aEllipsis:
			keep(rank - consuming)
		case it.kind == aSlice:
			span, err := b.span(it)
			if err != nil {
				return err
			}
			s.spans[axis] = span
			s.sliced = s.sliced || span != (op.Span{})
			keep(1)
		case values[i].kind == vNone:
			s.axes = append(s.axes, -1)
		case values[i].kind == vScalar && values[i].s.kind == kInt:
			if err := b.position(it, s, values[i], axis, n.Shape()); err != nil {
				return err
			}
			advanced = append(advanced, i)
			axis++
		default:
			if err := b.taken(it, s, values[i]); err != nil {
				return err
			}
			advanced = append(advanced, i)
			keep(1)
		}
	}
	keep(rank - axis)
	if s.index != nil && advanced[len(advanced)-1]-advanced[0] >= len(advanced) {
		return b.fail(a, expr.ErrUnsupported, "an integer and an array of indices with other subscripts between them are not supported")
	}
	return nil
}

// position is an integer subscript: a slice of one element whose axis goes.
func (b *builder) position(it *ast, s *selection, v value, axis int, dims shape.Shape) error {
	i, err := b.integer(it, v, "a subscript")
	if err != nil {
		return err
	}
	d := dims[axis]
	if i < -d || i >= d {
		return b.fail(it, expr.ErrIndex, "index %d is out of range for axis %d of size %d", i, axis, d)
	}
	if i < 0 {
		i += d
	}
	s.spans[axis] = op.Range(i, i+1)
	s.sliced = true
	return nil
}

// taken is an array of indices.
func (b *builder) taken(it *ast, s *selection, v value) error {
	v, err := b.operand(it, v)
	if err != nil {
		return err
	}
	n, err := asTree(v)
	if err != nil {
		return fromTree(b.src.text, it.pos, err)
	}
	switch t := n.DType(); {
	case kindOf(t) == kBool:
		return b.fail(it, expr.ErrUnsupported, "selecting by a mask is not supported, its length is not known in advance; use where(mask, x, y)")
	case !t.IsInt():
		return b.fail(it, expr.ErrType, "subscripts are integers, not %v", t)
	case s.index != nil:
		return b.fail(it, expr.ErrUnsupported, "only one subscript can be an array of indices")
	}
	s.index, s.takeAt = n, len(s.axes)
	return nil
}

// span is start:stop:step.
func (b *builder) span(it *ast) (op.Span, error) {
	var s op.Span
	for i, part := range it.args {
		if part == nil {
			continue
		}
		v, err := b.eval(part)
		if err != nil {
			return s, err
		}
		if v.kind == vNone || v.unknown() {
			continue
		}
		x, err := b.integer(part, v, "a bound of a slice")
		if err != nil {
			return s, err
		}
		switch i {
		case 0:
			s.Start = shape.At(x)
		case 1:
			s.Stop = shape.At(x)
		case 2:
			if x == 0 {
				return s, b.fail(part, expr.ErrValue, "the step of a slice cannot be 0")
			}
			if x != 1 {
				s.Step = shape.At(x)
			}
		}
	}
	return s, nil
}

// element is a subscript of a tuple, such as x.shape[0].
func (b *builder) element(a *ast, x value, it *ast) (value, error) {
	if it.kind == aSlice {
		span, err := b.span(it)
		if err != nil {
			return value{}, err
		}
		start, count, step, err := span.Resolve(len(x.seq))
		if err != nil {
			return value{}, fromTree(b.src.text, a.pos, err)
		}
		out := value{kind: vSeq}
		for i := range count {
			out.seq = append(out.seq, x.seq[start+i*step])
		}
		return out, nil
	}
	v, err := b.eval(it)
	if err != nil {
		return value{}, err
	}
	i, err := b.integer(it, v, "a subscript")
	if err != nil {
		return value{}, err
	}
	if i < -len(x.seq) || i >= len(x.seq) {
		return value{}, b.fail(it, expr.ErrIndex, "index %d is out of range for %d elements", i, len(x.seq))
	}
	if i < 0 {
		i += len(x.seq)
	}
	return x.seq[i], nil
}
