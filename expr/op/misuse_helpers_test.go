package op_test

import (
	"context"
	"errors"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// typedErrors are the errors of which every misuse must give one.
var typedErrors = []error{expr.ErrShape, expr.ErrType, expr.ErrValue, expr.ErrIndex, expr.ErrUnsupported, expr.ErrDivide}

// err returns the error of a tree, or of running it, because a tree may be
// correct and fail at run time.
func err(n *tree.Node) error {
	if n == nil {
		return errors.New("the node is nil")
	}
	if n.Err() != nil {
		return n.Err()
	}
	a, err := engine.NewArray(n.DType(), n.Shape()...)
	if err != nil {
		return err
	}
	if err := engine.Run(context.Background(), expr.Statement{Target: a.Node(), Value: n}); err != nil {
		return err
	}
	_, err = grad.OfNodes(untyped.Reduce("sum", n, untyped.Options{}), vec.Node())
	return err
}

var (
	mat   = iota[float32](2, 3)
	vec   = iota[float32](3)
	grown = op.Exp(vec)
	null  *engine.Tensor[float32]
)

func node(name string, at tree.Attributes, args ...*tree.Node) *tree.Node {
	o, _ := untyped.Lookup(name)
	return tree.ApplyWith(o, at, args...)
}

// lowered returns a use of an operator whose lowering is f.
func lowered(f func(b *op.B, x ...op.V) op.V) *tree.Node {
	return op.Map1(op.Define("mine", 1, f, op.On(dtype.F32)), expr.Exp[float32](vec)).Node()
}

// viewed returns a use of a view of three elements with the index map f.
func viewed(s func(n *tree.Node) (shape.Shape, error), f func(g *tree.Gather) op.V) *tree.Node {
	return op.View(op.DefineView("mine", 1, s, f), nil, expr.Exp[float32](vec)).Node()
}

func same(n *tree.Node) (shape.Shape, error) { return n.Args[0].Shape(), nil }
func itself(g *tree.Gather) op.V             { return g.At(0, g.Out) }

// ruled returns a derivative of an operator whose rule is r.
func ruled(r tree.Rule) error {
	o := op.Define("mine", 1, func(b *op.B, x ...op.V) op.V { return b.Neg(x[0]) }, op.Derivative(r))
	_, err := grad.Of(op.Sum(op.Map1(o, expr.Exp[float32](vec))), expr.Exp[float32](vec))
	return err
}

// changed returns a tree that f changed by hand.
func changed(f func(n *tree.Node)) *tree.Node {
	n := op.Add(grown, expr.Exp[float32](vec)).Node()
	f(n)
	return n
}

func leaf(offset int, st shape.Strides, dims ...int) *tree.Node {
	return tree.NewLeaf(dtype.F32, dims, &tree.Leaf{Mem: vec.Array().Memory(), Offset: offset, Strides: st})
}
