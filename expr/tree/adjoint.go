package tree

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// A Rule is the derivative of an operator. It returns the adjoint of operand
// arg: the derivative of the loss with respect to that operand, computed from
// g.Out, the adjoint of the value. nil means that the derivative is zero.
//
// The rule of an element-wise operator returns a node with the shape of the
// value; where operands were broadcast, the caller sums it. Any other rule
// returns a node with the shape of the operand. In both cases the result may be
// smaller and broadcast to that shape.
type Rule func(g *Adjoint, arg int) *Node

// An Adjoint holds what a Rule needs: the operation, the adjoint of its value,
// and functions that build nodes. Rules name rows by strings, because the rows
// that hold the rules exist before the table can be searched.
type Adjoint struct {
	Node *Node // the operation; as a node it is also the value
	Out  *Node // the adjoint of the value; its shape broadcasts to that of the value

	// Row returns a row of the table, or nil if there is none.
	Row func(name string) *Operator
	// Reduce returns a reduction over axes, which keep size 1.
	Reduce func(name string, a *Node, axes []int) *Node
}

// Arg returns operand i, or a node with an error if there is none.
func (g *Adjoint) Arg(i int) *Node {
	if i < 0 || i >= len(g.Node.Args) {
		return Errorf(ErrValue, g.Node.Op.Constructor(), "the derivative reads operand %d of %d", i, len(g.Node.Args))
	}
	return g.Node.Args[i]
}

// Full returns Out with the shape of the value. Element-wise rules do not need
// it: a node fuses better if it is broadcast late, or not at all.
func (g *Adjoint) Full() *Node { return g.Expand(g.Out, g.Node.shape) }

// Op returns an operation without attributes on args.
func (g *Adjoint) Op(name string, args ...*Node) *Node { return g.apply(name, none, args) }

// With returns an operation on args with the attributes axes and ints.
func (g *Adjoint) With(name string, axes, ints []int, args ...*Node) *Node {
	return g.apply(name, Attributes{Axes: axes, Ints: ints}, args)
}

func (g *Adjoint) apply(name string, at Attributes, args []*Node) *Node {
	o := g.Row(name)
	if o == nil {
		return Errorf(ErrUnsupported, g.Node.Op.Constructor(), "the derivative names the row %q, which does not exist", name)
	}
	return ApplyWith(o, at, args...)
}

// Cast returns a with elements of type t.
func (g *Adjoint) Cast(a *Node, t dtype.Type) *Node {
	if a != nil && a.dtype == t {
		return a
	}
	return g.apply("cast", Attributes{To: t}, []*Node{a})
}

// Const returns the scalar v in the element type of the value. It is not
// rounded to a half, because halves inside a tree are float32.
func (g *Adjoint) Const(v float64) *Node {
	t := g.Out.dtype
	return NewConst(t, prim.FromFloat(t.Register(), v))
}

// Add returns a + b.
func (g *Adjoint) Add(a, b *Node) *Node { return g.Op("add", a, b) }

// Sub returns a - b.
func (g *Adjoint) Sub(a, b *Node) *Node { return g.Op("sub", a, b) }

// Mul returns a * b, or one of them if the other is the constant 1.
func (g *Adjoint) Mul(a, b *Node) *Node {
	n := g.Op("mul", a, b)
	switch {
	case n.err != nil:
	case g.IsConst(a, 1) && b.shape.Equal(n.shape):
		return b
	case g.IsConst(b, 1) && a.shape.Equal(n.shape):
		return a
	}
	return n
}

// Div returns a / b.
func (g *Adjoint) Div(a, b *Node) *Node { return g.Op("div", a, b) }

// Where returns a where cond holds, else b.
func (g *Adjoint) Where(cond, a, b *Node) *Node { return g.Op("where", cond, a, b) }

// Reshape returns a in the shape to, of equal size.
func (g *Adjoint) Reshape(a *Node, to shape.Shape) *Node {
	if a.shape.Equal(to) {
		return a
	}
	return g.With("reshape", nil, to, a)
}

// SumTo returns the adjoint before a broadcast from shape to to shape from. a
// stands for itself repeated to shape from; SumTo sums it over the axes that
// the broadcast repeated. The result broadcasts to shape to.
func (g *Adjoint) SumTo(a *Node, from, to shape.Shape) *Node {
	if a.err != nil || from.Equal(to) {
		return a
	}
	lead := len(from) - len(to)
	missing := len(from) - len(a.shape) // axes along which a is repeated
	var axes []int
	times := 1
	for i, d := range from {
		switch {
		case d == 1 || i >= lead && to[i-lead] != 1: // not repeated
		case i < missing || a.shape[i-missing] != d:
			times *= d
		default:
			axes = append(axes, i-missing)
		}
	}
	if axes != nil {
		a = g.Reduce("sum", a, axes)
	}
	if more := len(a.shape) - len(to); more > 0 {
		a = g.Reshape(a, a.shape[more:])
	}
	if times != 1 {
		a = g.Mul(a, g.Const(float64(times)))
	}
	return a
}

// Expand returns a broadcast to the shape to.
func (g *Adjoint) Expand(a *Node, to shape.Shape) *Node {
	if a.err != nil || a.shape.Equal(to) {
		return a
	}
	return g.With("broadcast_to", nil, slices.Clone(to), a)
}

// IsConst reports whether n is the scalar v, or a broadcast or reshape of it.
func (g *Adjoint) IsConst(n *Node, v float64) bool {
	for n.Op == g.Row("broadcast_to") || n.Op == g.Row("reshape") {
		n = n.Args[0]
	}
	return n.Op.Class() == Constant && n.Bits == prim.FromFloat(n.dtype.Register(), v)
}
