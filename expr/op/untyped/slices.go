package untyped

import (
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// spansShape returns the function of the shape of a slice, or of an unslice. The last of the three Ints of an axis
// is its size in the result.
func spansShape(unslice bool) func(*tree.Node) (shape.Shape, error) {
	return func(n *tree.Node) (shape.Shape, error) {
		in := n.Args[0].Shape()
		if len(n.Ints) != 3*len(in) {
			return nil, fmt.Errorf("the number of spans is %d, the rank %d", len(n.Ints)/3, len(in))
		}
		out := make(shape.Shape, len(in))
		for i := range in {
			out[i] = n.Ints[3*i+2]
			count, d := out[i], in[i]
			if unslice {
				count, d = d, count
			}
			if err := inSpan(n.Ints[3*i], n.Ints[3*i+1], count, d); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
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

// Slice returns op.Slice of untyped trees.
func Slice(a *tree.Node, spans []shape.Slice) *tree.Node {
	if a = Given(a, "Slice"); a.Err() != nil {
		return a
	}
	s := a.Shape()
	if len(spans) > len(s) {
		return tree.Errorf(tree.ErrShape, "Slice", "the number of spans is %d, the rank %d", len(spans), len(s))
	}
	ints := make([]int, 0, 3*len(s))
	for i, span := range everyAxis(spans, len(s)) {
		start, count, step, err := span.Resolve(s[i])
		if err != nil {
			return tree.Errorf(tree.ErrShape, "Slice", "%s", err)
		}
		ints = append(ints, start, step, count)
	}
	return tree.ApplyWith(Row("slice"), tree.Attributes{Ints: ints}, a)
}

// everyAxis returns a span for each of rank axes. Those without one are whole.
func everyAxis(spans []shape.Slice, rank int) []shape.Slice {
	return append(slices.Clip(spans), make([]shape.Slice, rank-len(spans))...)
}

// cut returns a with the elements of an axis that a span selects.
func cut(a *tree.Node, axis int, s shape.Slice) *tree.Node {
	spans := make([]shape.Slice, axis+1)
	spans[axis] = s
	return Slice(a, spans)
}

// Index returns op.Index of untyped trees.
func Index(a *tree.Node, axis, i int) *tree.Node {
	if a = Given(a, "Index"); a.Err() != nil {
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
	return dropAxes(cut(a, at, shape.Range(i, i+1)), []int{at})
}

// oneAxis returns the only axis of a node's attributes. It returns an error if
// there is not exactly one, or if it is out of range.
func oneAxis(axes []int, rank int) (int, error) {
	if len(axes) != 1 || axes[0] < 0 || axes[0] >= rank {
		return 0, fmt.Errorf("axes %v are no axis of rank %d", axes, rank)
	}
	return axes[0], nil
}

// AxisOf returns the canonical number of an axis, or a node with an error of
// the operator called name.
func AxisOf(name string, a *tree.Node, axis int) (int, *tree.Node) {
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

// Concat returns op.Concat of untyped trees.
func Concat(axis int, args []*tree.Node) *tree.Node {
	if len(args) == 0 {
		return tree.Errorf(tree.ErrShape, "Concat", "needs at least one operand")
	}
	at, bad := AxisOf("Concat", args[0], axis)
	if bad != nil {
		return bad
	}
	return tree.ApplyWith(Row("concat"), tree.Attributes{Axes: []int{at}}, args...)
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
	coords := lists.Make(len(g.Out), func(i int) prim.Ix { return g.Add(g.Out[i], g.Int(-g.Node.Ints[2*i])) })
	zeros := slices.Repeat([]prim.Ix{g.Const(0)}, len(g.Node.Args[1].Shape()))
	return g.Guarded(0, coords, g.At(1, zeros))
}

// Pad returns op.Pad of untyped trees. widths holds the elements before and
// after for each axis.
func Pad(a *tree.Node, widths []int, fill *tree.Node) *tree.Node {
	return tree.ApplyWith(Row("pad"), tree.Attributes{Ints: widths}, a, fill)
}

func windowsShape(n *tree.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	if len(n.Ints) != 3*len(in) {
		return nil, fmt.Errorf("the number of windows is %d, the rank %d", len(n.Ints)/3, len(in))
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

// windowsGather returns the index map of windows, or of window_gather, whose operand has the axes of the elements
// too. The stride of each axis is integer number first of three, and the dilation follows it.
func windowsGather(first int) func(g *tree.Gather) V {
	return func(g *tree.Gather) V {
		r := len(g.Out) / 2
		coords := slices.Clone(g.Out[:len(g.Node.Args[0].Shape())])
		for i := range r {
			stride, dilation := g.Node.Ints[3*i+first], g.Node.Ints[3*i+first+1]
			coords[i] = g.Add(g.Mul(g.Out[i], g.Int(stride)), g.Mul(g.Out[r+i], g.Int(dilation)))
		}
		return g.At(0, coords)
	}
}

func takeShape(n *tree.Node) (shape.Shape, error) {
	axis, err := indexedAxis(n)
	if err != nil {
		return nil, err
	}
	return replaced(n.Args[0].Shape(), axis, n.Args[1].Shape()), nil
}

// indexedAxis returns the axis of a node whose second operand has positions of it.
func indexedAxis(n *tree.Node) (axis int, err error) {
	in, index := n.Args[0].Shape(), n.Args[1]
	switch axis, err = oneAxis(n.Axes, len(in)); {
	case err != nil:
		return 0, err
	case !index.DType().IsInt():
		return 0, fmt.Errorf("indices are integers, not %v", index.DType())
	case in[axis] == 0 && index.Shape().Size() > 0:
		return 0, fmt.Errorf("nothing can be taken from an empty axis")
	}
	return axis, nil
}

func takeGather(g *tree.Gather) V {
	axis := g.Node.Axes[0]
	rank := len(g.Node.Args[1].Shape())
	return g.Checked(0, slices.Concat(g.Out[:axis], []prim.Ix{indexed(g, g.Out[axis:axis+rank])}, g.Out[axis+rank:]))
}

// indexed returns the position on the axis of a node that its index selects at coordinates. Negative indices count from the end.
func indexed(g *tree.Gather, at []prim.Ix) prim.Ix {
	b := g.B
	n := g.Value(g.Int(g.Node.Args[0].Shape()[g.Node.Axes[0]]))
	i := b.Cvt(dtype.I64, g.At(1, at))
	if g.Node.Args[1].DType().IsSigned() {
		i = b.Select(b.Lt(i, b.Int(dtype.I64, 0)), b.Add(i, n), i)
	}
	return g.IxTable.Value(i)
}

func alongShape(n *tree.Node) (shape.Shape, error) {
	a, index := n.Args[0].Shape(), n.Args[1].Shape()
	axis, err := indexedAxis(n)
	if err == nil && (len(index) != len(a) || !slices.Equal(replaced(index, axis, nil), replaced(a, axis, nil))) {
		err = fmt.Errorf("indices of shape %v do not fit %v along axis %d", index, a, axis)
	}
	return index, err
}

func alongGather(g *tree.Gather) V {
	coords := slices.Clone(g.Out)
	coords[g.Node.Axes[0]] = indexed(g, g.Out)
	return g.Checked(0, coords)
}

// insideOp is take by indices that lie inside of the axis. Its index map brings them there, so
// that a run looks for no fault and stores none beside a value that is taken again.
var insideOp = tree.NewOperator(tree.Row{
	Name: "take_inside", Class: tree.View, Arity: 2, Result: tree.ResultFirst, Types: elems,
	Shape: takeShape, Gather: insideGather, Grad: gradTake,
	Doc: "elements of an axis by index, the nearest one for an index outside.",
})

func insideGather(g *tree.Gather) V {
	axis := g.Node.Axes[0]
	rank := len(g.Node.Args[1].Shape())
	n := g.Node.Args[0].Shape()[axis]
	i := g.B.Cvt(dtype.I64, g.At(1, g.Out[axis:axis+rank]))
	i = g.B.Min(g.B.Max(i, g.B.Int(dtype.I64, 0)), g.Value(g.Int(max(n-1, 0))))
	return g.At(0, slices.Concat(g.Out[:axis], []prim.Ix{g.IxTable.Value(i)}, g.Out[axis+rank:]))
}

// takeInside is [Take] along axis 0 or later by indices that lie inside of it.
func takeInside(a, index *tree.Node, axis int) *tree.Node {
	return tree.ApplyWith(insideOp, tree.Attributes{Axes: []int{axis}}, a, index)
}

// Take returns op.Take of untyped trees.
func Take(a, index *tree.Node, axis int) *tree.Node {
	at, bad := AxisOf("Take", a, axis)
	if bad != nil {
		return bad
	}
	return tree.ApplyWith(Row("take"), tree.Attributes{Axes: []int{at}}, a, index)
}

// Iota returns 0, 1, ..., n-1 as int64.
func Iota(n int) *tree.Node { return tree.ApplyWith(Row("iota"), tree.Attributes{Ints: []int{n}}) }

// Arange returns op.Arange of untyped trees of element type t.
func Arange(t dtype.Type, start, stop, step float64) *tree.Node {
	n := math.Ceil((stop - start) / step)
	if step == 0 || math.IsNaN(n) || n > math.MaxInt/8 {
		return tree.Errorf(tree.ErrShape, "Arange", "there is no number of elements from %v to %v by steps of %v", start, stop, step)
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
			return Cast(Arange(dtype.I64, start, stop, step), t).As("Arange")
		}
	}
	i := Cast(Iota(int(max(n, 0))), t)
	return Call("add", Call("mul", i, tree.ConstFloat(t, step)), tree.ConstFloat(t, start)).As("Arange")
}
