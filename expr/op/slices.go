package op

import (
	"fmt"
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Span selects elements of an axis as Python's start:stop:step does. The zero
// value selects all. See Range, From, Until and By.
type Span = shape.Slice

// Range returns the span start:stop. Negative positions count from the end.
func Range(start, stop int) Span {
	return Span{Start: shape.At(start), Stop: shape.At(stop)}
}

// From returns the span from start to the end.
func From(start int) Span { return Span{Start: shape.At(start)} }

// Until returns the span from the beginning to stop, without stop.
func Until(stop int) Span { return Span{Stop: shape.At(stop)} }

// By returns s with a step, which may be negative: By(Span{}, -1) reverses an
// axis. A step of 0 makes the slice an error.
func By(s Span, step int) Span {
	s.Step = shape.At(step)
	return s
}

func sliceShape(n *tree.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	if len(n.Ints) != 3*len(in) {
		return nil, fmt.Errorf("%d spans given for rank %d", len(n.Ints)/3, len(in))
	}
	out := make(shape.Shape, len(in))
	for i, d := range in {
		start, step, count := n.Ints[3*i], n.Ints[3*i+1], n.Ints[3*i+2]
		if err := inSpan(start, step, count, d); err != nil {
			return nil, err
		}
		out[i] = count
	}
	return out, nil
}

// inSpan returns an error unless count elements from start by step are inside
// an axis of size d.
func inSpan(start, step, count, d int) error {
	if count < 0 || count > 0 && (step == 0 || step == math.MinInt || start < 0 || start >= d ||
		step > 0 && reach(count, step, d) >= d-start || step < 0 && reach(count, -step, d) > start) {
		return fmt.Errorf("%d elements from %d by %d leave an axis of size %d", count, start, step, d)
	}
	return nil
}

func sliceGather(g *tree.Gather) V {
	coords := make([]prim.Ix, len(g.Out))
	for i, o := range g.Out {
		start, step := g.Node.Ints[3*i], g.Node.Ints[3*i+1]
		coords[i] = g.Add(g.Mul(o, g.Int(step)), g.Int(start))
	}
	return g.At(0, coords)
}

// SliceNode returns Slice for untyped trees.
func SliceNode(a *tree.Node, spans []Span) *tree.Node {
	if a = given(a, "Slice"); a.Err() != nil {
		return a
	}
	s := a.Shape()
	if len(spans) > len(s) {
		return tree.Errorf(tree.ErrShape, "Slice", "%d spans given for rank %d", len(spans), len(s))
	}
	ints := make([]int, 0, 3*len(s))
	for i, d := range s {
		start, step, count := 0, 1, d
		if i < len(spans) {
			var err error
			if start, count, step, err = spans[i].Resolve(d); err != nil {
				return tree.Errorf(tree.ErrShape, "Slice", "%s", err)
			}
		}
		ints = append(ints, start, step, count)
	}
	return tree.ApplyWith(row("slice"), tree.Attributes{Ints: ints}, a)
}

// Slice returns elements of the leading axes of a, selected by one span for
// each. Positions outside are clamped as in Python.
func Slice[T expr.Elem](a expr.Exp[T], spans ...Span) expr.Exp[T] {
	return expr.Of[T](SliceNode(expr.NodeOf(a), spans))
}

// IndexNode returns Index for untyped trees.
func IndexNode(a *tree.Node, axis, i int) *tree.Node {
	if a = given(a, "Index"); a.Err() != nil {
		return a
	}
	at, err := shape.Axis(axis, len(a.Shape()))
	if err != nil {
		return tree.Errorf(tree.ErrShape, "Index", "%s", err)
	}
	d := a.Shape()[at]
	if i < -d || i >= d {
		return tree.Errorf(tree.ErrIndex, "Index", "index %d is out of range for an axis of size %d", i, d)
	}
	if i < 0 {
		i += d
	}
	spans := make([]Span, at+1)
	spans[at] = Range(i, i+1)
	return dropAxes(SliceNode(a, spans), []int{at})
}

// Index returns part i of a along an axis, which is dropped. A negative i
// counts from the end.
func Index[T expr.Elem](a expr.Exp[T], axis, i int) expr.Exp[T] {
	return expr.Of[T](IndexNode(expr.NodeOf(a), axis, i))
}

// oneAxis returns the only axis of a node's attributes. It returns an error if
// there is not exactly one, or if it is out of range.
func oneAxis(axes []int, rank int) (int, error) {
	if len(axes) != 1 || axes[0] < 0 || axes[0] >= rank {
		return 0, fmt.Errorf("axes %v are no axis of rank %d", axes, rank)
	}
	return axes[0], nil
}

// axisOf returns the canonical number of an axis, or a node with an error of
// the operator called name.
func axisOf(name string, a *tree.Node, axis int) (int, *tree.Node) {
	if a == nil || a.Err() != nil {
		return 0, nil // the operator reports the error of a
	}
	at, err := shape.Axis(axis, len(a.Shape()))
	if err != nil {
		return 0, tree.Errorf(tree.ErrShape, name, "%s", err)
	}
	return at, nil
}

func concatShape(n *tree.Node) (shape.Shape, error) {
	out := n.Args[0].Shape().Clone()
	axis, err := oneAxis(n.Axes, len(out))
	if err != nil {
		return nil, err
	}
	for _, a := range n.Args[1:] {
		s := a.Shape()
		if a.DType() != n.Args[0].DType() {
			return nil, fmt.Errorf("operands of types %v and %v differ", n.Args[0].DType(), a.DType())
		}
		if len(s) != len(out) {
			return nil, fmt.Errorf("operands of ranks %d and %d differ", len(out), len(s))
		}
		for i, d := range s {
			if i != axis && d != out[i] {
				return nil, fmt.Errorf("shapes %v and %v differ outside axis %d", n.Args[0].Shape(), s, axis)
			}
		}
		if out[axis] > math.MaxInt-s[axis] {
			return nil, fmt.Errorf("the result is too large")
		}
		out[axis] += s[axis]
	}
	return out, nil
}

func concatGather(g *tree.Gather) V {
	axis := g.Node.Axes[0]
	b := g.B
	at := g.Value(g.Out[axis])
	type part struct {
		value V
		end   V
	}
	var parts []part
	begin := 0
	for i, a := range g.Node.Args {
		coords := append([]prim.Ix(nil), g.Out...)
		coords[axis] = g.Add(g.Out[axis], g.Int(-begin))
		begin += a.Shape()[axis]
		t := a.DType().Register()
		parts = append(parts, part{g.Guarded(i, coords, b.Bits(t, 0)), g.Value(g.Int(begin))})
	}
	v := parts[len(parts)-1].value
	for i := len(parts) - 2; i >= 0; i-- {
		v = b.Select(b.Lt(at, parts[i].end), parts[i].value, v)
	}
	return v
}

// ConcatNode returns Concat for untyped trees.
func ConcatNode(axis int, args []*tree.Node) *tree.Node {
	if len(args) == 0 {
		return tree.Errorf(tree.ErrShape, "Concat", "needs at least one operand")
	}
	at, bad := axisOf("Concat", args[0], axis)
	if bad != nil {
		return bad
	}
	return tree.ApplyWith(row("concat"), tree.Attributes{Axes: []int{at}}, args...)
}

// Concat returns the expressions joined along an axis. Their shapes are equal
// apart from that axis.
func Concat[T expr.Elem](axis int, args ...expr.Exp[T]) expr.Exp[T] {
	return expr.Of[T](ConcatNode(axis, nodes(args)))
}

func nodes[T expr.Elem](args []expr.Exp[T]) []*tree.Node {
	out := make([]*tree.Node, len(args))
	for i, a := range args {
		out[i] = expr.NodeOf(a)
	}
	return out
}

// Into returns the concatenation of targets as a target. An assignment cuts the
// value along the axis and stores each part in its target.
func Into[T expr.Elem](axis int, targets ...expr.Assignable[T]) expr.Assignable[T] {
	args := make([]*tree.Node, len(targets))
	for i, t := range targets {
		args[i] = expr.NodeOf(expr.Exp[T](t))
	}
	return expr.TargetOf[T](ConcatNode(axis, args).As("Into", args...))
}

// IntoView returns a view of a tensor as a target: slices, flips and transpositions of it, in any
// order. An assignment stores to the elements of the tensor that the view has.
//
//	expr.LetAdd(op.IntoView(op.Flip(op.Slice(x, op.Range(1, 3)), 0)), y)
func IntoView[T expr.Elem](view expr.Exp[T]) expr.Assignable[T] {
	n := expr.NodeOf(view)
	return expr.TargetOf[T](viewLeaf(n).As("IntoView", n))
}

// viewLeaf returns a view of an array as an array.
func viewLeaf(n *tree.Node) *tree.Node {
	if n.Err() != nil || n.Leaf != nil {
		return n
	}
	if len(n.Args) != 1 || n.Op != row("slice") && n.Op != row("transpose") {
		return tree.Errorf(tree.ErrUnsupported, "IntoView", "%s is no slice, flip or transposition of an array", n.Op.Name())
	}
	a := viewLeaf(n.Args[0])
	if a.Err() != nil {
		return a
	}
	out := &tree.Leaf{Mem: a.Leaf.Mem, Name: a.Leaf.Name, Offset: a.Leaf.Offset, Strides: make(shape.Strides, len(n.Shape()))}
	for i := range out.Strides {
		if n.Op == row("transpose") {
			out.Strides[i] = a.Leaf.Strides[n.Axes[i]]
			continue
		}
		start, step := n.Ints[3*i], n.Ints[3*i+1]
		if n.Shape().Size() > 0 {
			out.Offset += start * a.Leaf.Strides[i]
		}
		out.Strides[i] = step * a.Leaf.Strides[i]
	}
	return tree.NewLeaf(n.DType(), n.Shape(), out)
}

func padShape(n *tree.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	if len(n.Ints) != 2*len(in) {
		return nil, fmt.Errorf("%d paddings given for rank %d", len(n.Ints)/2, len(in))
	}
	if n.Args[1].Shape().Size() != 1 || n.Args[1].DType() != n.Args[0].DType() {
		return nil, fmt.Errorf("the fill must be a scalar of type %v", n.Args[0].DType())
	}
	out := in.Clone()
	for i := range out {
		before, after := n.Ints[2*i], n.Ints[2*i+1]
		if before < 0 || after < 0 {
			return nil, fmt.Errorf("a padding is negative")
		}
		if before > math.MaxInt-out[i] || after > math.MaxInt-out[i]-before {
			return nil, fmt.Errorf("the result is too large")
		}
		out[i] += before + after
	}
	return out, nil
}

func padGather(g *tree.Gather) V {
	coords := make([]prim.Ix, len(g.Out))
	for i, o := range g.Out {
		coords[i] = g.Add(o, g.Int(-g.Node.Ints[2*i]))
	}
	zeros := make([]prim.Ix, len(g.Node.Args[1].Shape()))
	for i := range zeros {
		zeros[i] = g.Const(0)
	}
	return g.Guarded(0, coords, g.At(1, zeros))
}

// PadNode returns Pad for untyped trees. widths holds the elements before and
// after for each axis.
func PadNode(a *tree.Node, widths []int, fill *tree.Node) *tree.Node {
	return tree.ApplyWith(row("pad"), tree.Attributes{Ints: widths}, a, fill)
}

// Pad returns a surrounded by a scalar. widths[i] is the number of elements
// before and after along axis i.
func Pad[T expr.Elem](a expr.Exp[T], widths [][2]int, fill T) expr.Exp[T] {
	return expr.Of[T](PadNode(expr.NodeOf(a), flatPairs(widths), expr.Const(fill).Node()))
}

func flatPairs(pairs [][2]int) (flat []int) {
	for _, w := range pairs {
		flat = append(flat, w[0], w[1])
	}
	return flat
}

func windowsShape(n *tree.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	if len(n.Ints) != 3*len(in) {
		return nil, fmt.Errorf("%d windows given for rank %d", len(n.Ints)/3, len(in))
	}
	out := make(shape.Shape, 2*len(in))
	for i, d := range in {
		size, stride, dilation := n.Ints[3*i], n.Ints[3*i+1], n.Ints[3*i+2]
		if size < 1 || stride < 1 || dilation < 1 || size > 1 && (dilation > (d-1)/(size-1) || size > d) {
			return nil, fmt.Errorf("a window of size %d, stride %d, dilation %d does not fit an axis of size %d", size, stride, dilation, d)
		}
		out[i] = (d-(dilation*(size-1)+1))/stride + 1
		if d == 0 {
			out[i] = 0
		}
		out[len(in)+i] = size
	}
	return out, nil
}

func windowsGather(g *tree.Gather) V {
	rank := len(g.Out) / 2
	coords := make([]prim.Ix, rank)
	for i := range coords {
		stride, dilation := g.Node.Ints[3*i+1], g.Node.Ints[3*i+2]
		coords[i] = g.Add(g.Mul(g.Out[i], g.Int(stride)), g.Mul(g.Out[rank+i], g.Int(dilation)))
	}
	return g.At(0, coords)
}

// A Window is a sliding window along one axis. Zero fields mean 1.
type Window struct{ Size, Stride, Dilation int }

// Windows returns all positions of a sliding window, with one Window for each
// axis. The axes of the result are the positions, then the elements of the
// window. The number of positions is floor((n - (dilation*(size-1)+1)) /
// stride) + 1.
func Windows[T expr.Elem](a expr.Exp[T], w ...Window) expr.Exp[T] {
	ints := make([]int, 0, 3*len(w))
	for _, x := range w {
		for _, v := range []int{x.Size, x.Stride, x.Dilation} {
			if v == 0 {
				v = 1
			}
			ints = append(ints, v)
		}
	}
	return expr.Of[T](tree.ApplyWith(row("windows"), tree.Attributes{Ints: ints}, expr.NodeOf(a)))
}

func takeShape(n *tree.Node) (shape.Shape, error) {
	in, idx := n.Args[0].Shape(), n.Args[1].Shape()
	axis, err := oneAxis(n.Axes, len(in))
	if err != nil {
		return nil, err
	}
	if !n.Args[1].DType().IsInt() {
		return nil, fmt.Errorf("indices are integers, not %v", n.Args[1].DType())
	}
	if in[axis] == 0 && idx.Size() > 0 {
		return nil, fmt.Errorf("nothing can be taken from an empty axis")
	}
	out := append(shape.Shape{}, in[:axis]...)
	return append(append(out, idx...), in[axis+1:]...), nil
}

func takeGather(g *tree.Gather) V {
	axis := g.Node.Axes[0]
	rank := len(g.Node.Args[1].Shape())
	n := g.Value(g.Int(g.Node.Args[0].Shape()[axis]))
	b := g.B
	i := b.Cvt(dtype.I64, g.At(1, g.Out[axis:axis+rank]))
	if g.Node.Args[1].DType().IsSigned() {
		i = b.Select(b.Lt(i, b.Int(dtype.I64, 0)), b.Add(i, n), i)
	}
	coords := append([]prim.Ix{}, g.Out[:axis]...)
	coords = append(coords, g.IxTable.Value(i))
	coords = append(coords, g.Out[axis+rank:]...)
	return g.Checked(0, coords)
}

// TakeNode returns Take for untyped trees.
func TakeNode(a, index *tree.Node, axis int) *tree.Node {
	at, bad := axisOf("Take", a, axis)
	if bad != nil {
		return bad
	}
	return tree.ApplyWith(row("take"), tree.Attributes{Axes: []int{at}}, a, index)
}

// Take returns elements of an axis selected by index. The axes of the index
// replace the axis. Negative indices count from the end. If an index is
// outside, the assignment returns ErrIndex.
func Take[T expr.Elem, I expr.Integer](a expr.Exp[T], index expr.Exp[I], axis int) expr.Exp[T] {
	return expr.Of[T](TakeNode(expr.NodeOf(a), expr.NodeOf(index), axis))
}

// IotaNode returns 0, 1, ..., n-1 as int64.
func IotaNode(n int) *tree.Node {
	return tree.ApplyWith(row("iota"), tree.Attributes{Ints: []int{n}})
}

// ArangeNode returns Arange for untyped trees of element type t.
func ArangeNode(t dtype.Type, start, stop, step float64) *tree.Node {
	n := math.Ceil((stop - start) / step)
	if step == 0 || math.IsNaN(n) || n > math.MaxInt/8 {
		return tree.Errorf(tree.ErrShape, "Arange", "%v:%v:%v has no length", start, stop, step)
	}
	if t.IsInt() && n > 0 {
		if tree.ConstFloat(dtype.I64, step).Err() != nil {
			return tree.Errorf(tree.ErrType, "Arange", "the step %v is no %v", step, t)
		}
		for _, end := range []float64{start, start + step*(n-1)} {
			if tree.ConstFloat(t, end).Err() != nil {
				return tree.Errorf(tree.ErrType, "Arange", "the element %v is no %v", end, t)
			}
		}
		if tree.ConstFloat(t, step).Err() != nil { // such as a negative step of bytes
			return CastNode(ArangeNode(dtype.I64, start, stop, step), t).As("Arange")
		}
	}
	i := CastNode(IotaNode(int(max(n, 0))), t)
	return call("add", call("mul", i, tree.ConstFloat(t, step)), tree.ConstFloat(t, start)).As("Arange")
}

// Arange returns start, start+step, ... up to stop, without stop. step may be
// negative.
func Arange[T expr.Number](start, stop, step float64) expr.Exp[T] {
	return expr.Of[T](ArangeNode(dtype.Of[T](), start, stop, step))
}
