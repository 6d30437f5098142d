package untyped

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// views are the Chainers. A row has a result shape and the coordinates at which
// it reads its operands. The comment at each row states its attributes.
var views = family(tree.Row{Class: tree.View, Arity: 1, Types: elems}, []tree.Row{
	// Ints: the new shape.
	{
		Name: "reshape", Ints: "dims...", Shape: reshapeShape, Gather: reshapeGather, Grad: movesOnly(func(g *tree.Adjoint) *tree.Node { return g.Reshape(g.Full(), g.Arg(0).Shape()) }),
		Doc: "the same elements, row-major, in another shape, of which one extent may be -1.",
	},
	// Axes: for each axis of the result the operand's axis, or -1 for a new one.
	{
		Name: "transpose", Shape: transposeShape, Gather: transposeGather, Grad: movesOnly(gradTranspose),
		Doc: "axes permuted, added and (of size 1) dropped.",
	},
	// Ints: start, step and count for each axis.
	{
		Name: "slice", Shape: spansShape(false), Gather: sliceGather, Grad: gradSlice,
		Doc: "every step-th element of each axis, from a start; negative steps go backwards.",
	},
	// Ints: the new shape.
	{
		Name: "broadcast_to", Ints: "dims...", Shape: broadcastShape, Gather: broadcastGather, Grad: func(g *tree.Adjoint, _ int) *tree.Node { return g.SumTo(g.Out, g.Node.Shape(), g.Arg(0).Shape()) },
		Doc: "repeated along axes of size 1 and new leading axes.",
	},
	// Axes: the axis.
	{Name: "concat", Arity: -1, Shape: concatShape, Gather: concatGather, Grad: gradConcat, Doc: "operands one after the other along an axis."},
	// Ints: elements before and after, for each axis. The second operand is the fill.
	{Name: "pad", Arity: 2, Result: tree.ResultFirst, Shape: padShape, Gather: padGather, Grad: gradPad, Doc: "surrounded by a scalar."},
	// Axes: the axis. The second operand is the index.
	{
		Name: "take", Arity: 2, Result: tree.ResultFirst, Fails: true, Shape: takeShape, Gather: takeGather, Grad: gradTake,
		Doc: "elements of an axis by index; negative indices count from the end, others outside are an error.",
	},
	// Axes: the axis. The second operand is the index.
	{
		Name: "take_along", GoName: "TakeAlongAxis", Arity: 2, Result: tree.ResultFirst, Fails: true, Shape: alongShape, Gather: alongGather, Grad: gradAlong,
		Doc: "the element of an axis that each index selects, at its place on the other axes; negative indices count from the end, others outside are an error.",
	},
	// Ints: size, stride and dilation for each axis; the window axes come last.
	{Name: "windows", Shape: windowsShape, Gather: windowsGather(1), Grad: gradWindows, Doc: "sliding windows over all axes, as new trailing axes."},
})

// sources are the views without operands.
var sources = []tree.Row{
	// Ints: the length.
	{Name: "iota", GoName: "Arange", Class: tree.View, Arity: 0, Result: tree.ResultInt64, Shape: iotaShape, Gather: func(g *tree.Gather) V { return g.Value(g.Out[0]) }, Doc: "0, 1, 2 ..."},
}

func reshapeShape(n *tree.Node) (shape.Shape, error) {
	return shape.InferReshape(n.Args[0].Shape().Size(), n.Ints)
}

// reshapeGather matches runs of axes with equal products. If a run of the
// operand is one axis, its coordinate is a sum without divisions.
func reshapeGather(g *tree.Gather) V {
	in, out := g.Node.Args[0].Shape(), g.Node.Shape()
	coords := make([]prim.Ix, len(in))
	i, o := 0, 0
	for i < len(in) {
		i0, o0 := i, o
		pi, po := in[i], 1
		i++
		for po != pi || o == o0 && pi != 1 {
			if po < pi && o < len(out) {
				po *= out[o]
				o++
			} else if i < len(in) {
				pi *= in[i]
				i++
			} else {
				break // an empty array: no coordinate is used
			}
		}
		linear := g.Const(0)
		for k := o0; k < o; k++ {
			if out[k] != 1 {
				linear = g.Add(g.Mul(linear, g.Int(out[k])), g.Out[k])
			}
		}
		for k := i - 1; k >= i0; k-- {
			coords[k] = linear
			if rest := shape.Shape(in).Count(i0, k); rest == 1 {
				linear = g.Const(0)
			} else if in[k] == 1 {
				coords[k] = g.Const(0)
			} else {
				coords[k] = g.Mod(linear, g.Int(in[k]))
				linear = g.Div(linear, g.Int(in[k]))
			}
		}
	}
	return g.At(0, coords)
}

// Reshape returns a in the shape dims, one of which may be -1.
func Reshape(a *tree.Node, dims []int) *tree.Node {
	return tree.ApplyWith(Row("reshape"), tree.Attributes{Ints: dims}, a)
}

func transposeShape(n *tree.Node) (shape.Shape, error) {
	in := n.Args[0].Shape()
	used := make([]bool, len(in))
	out := make(shape.Shape, len(n.Axes))
	for i, a := range n.Axes {
		switch {
		case a == -1:
			out[i] = 1
		case a < 0 || a >= len(in) || used[a]:
			return nil, fmt.Errorf("%v is no permutation of the axes of %v", n.Axes, in)
		default:
			used[a] = true
			out[i] = in[a]
		}
	}
	for a, u := range used {
		if !u && in[a] != 1 {
			return nil, fmt.Errorf("axis %d of %v must have size 1, has %d", a, in, in[a])
		}
	}
	return out, nil
}

func transposeGather(g *tree.Gather) V {
	coords := slices.Repeat([]prim.Ix{g.Const(0)}, len(g.Node.Args[0].Shape()))
	for i, a := range g.Node.Axes {
		if a >= 0 {
			coords[a] = g.Out[i]
		}
	}
	return g.At(0, coords)
}

// Transpose returns a with axis axes[i] of a as axis i; -1 makes a new axis
// of size 1. Axes of a that axes does not name must have size 1.
func Transpose(a *tree.Node, axes []int) *tree.Node {
	return tree.ApplyWith(Row("transpose"), tree.Attributes{Axes: axes}, a)
}

// Given returns a, or a node with an error in the name of op if a is nil.
func Given(a *tree.Node, op string) *tree.Node {
	if a == nil || a.Absent() {
		return tree.Errorf(tree.ErrType, op, "operand 0 is nil")
	}
	return a
}

// Permute returns op.Transpose of untyped trees. No axes mean all in reverse
// order.
func Permute(a *tree.Node, axes []int) *tree.Node {
	if a = Given(a, "Transpose"); a.Err() != nil {
		return a
	}
	rank := len(a.Shape())
	if len(axes) == 0 {
		perm := lists.UpTo(rank)
		slices.Reverse(perm)
		return Transpose(a, perm)
	}
	if len(axes) != rank {
		return tree.Errorf(tree.ErrShape, "Transpose", "%d axes given for rank %d", len(axes), rank)
	}
	perm, err := shape.Order(axes, rank)
	if err != nil {
		return tree.Errorf(tree.ErrShape, "Transpose", "%s", err)
	}
	return Transpose(a, perm)
}

// dropAxes returns a without axes, which must have size 1.
func dropAxes(a *tree.Node, axes []int) *tree.Node {
	if a.Err() != nil || len(axes) == 0 {
		return a
	}
	return Transpose(a, othersThan(axes, a))
}

// othersThan returns the axes of a apart from some.
func othersThan(axes []int, a *tree.Node) []int {
	return slices.DeleteFunc(lists.UpTo(len(a.Shape())), func(i int) bool { return slices.Contains(axes, i) })
}

func broadcastShape(n *tree.Node) (shape.Shape, error) {
	to, err := shape.New(n.Ints...)
	if err != nil {
		return nil, err
	}
	_, err = n.Args[0].Shape().Strides().BroadcastTo(n.Args[0].Shape(), to)
	return to, err
}

func broadcastGather(g *tree.Gather) V {
	in := g.Node.Args[0].Shape()
	coords := make([]prim.Ix, len(in))
	for i := range coords {
		if coords[i] = g.Out[len(g.Out)-len(in)+i]; in[i] == 1 {
			coords[i] = g.Const(0)
		}
	}
	return g.At(0, coords)
}

// BroadcastTo returns op.BroadcastTo of untyped trees.
func BroadcastTo(a *tree.Node, dims []int) *tree.Node {
	return tree.ApplyWith(Row("broadcast_to"), tree.Attributes{Ints: dims}, a)
}

func iotaShape(n *tree.Node) (shape.Shape, error) {
	if len(n.Ints) != 1 {
		return nil, fmt.Errorf("%d lengths given", len(n.Ints))
	}
	return shape.New(n.Ints...)
}
