package autograd

import (
	"context"
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Graph is the tree of a loss with the gradients of some variables.
type Graph[T Float] struct {
	tree     expr.Exp[T]
	loss     *engine.Tensor[T]
	vars     []*Variable[T]
	grads    []expr.Exp[T]
	users    map[*tree.Node][]*tree.Node
	needed   map[*tree.Node]bool
	backward *engine.Program
}

// Record differentiates a loss, a scalar, with respect to the variables that
// require a gradient. A variable that is given twice counts once. Without a variable
// the error is [expr.ErrValue]. The other errors are those of [grad.Of].
func Record[T Float](loss expr.Exp[T], vars ...*Variable[T]) (*Graph[T], error) {
	g := &Graph[T]{tree: loss, users: map[*tree.Node][]*tree.Node{}, needed: map[*tree.Node]bool{}}
	var wrt []expr.Exp[T]
	for _, v := range vars {
		if v == nil {
			return nil, tree.NewError(tree.ErrType, "", "a variable is nil")
		}
		if v.RequiresGrad() && !slices.Contains(g.vars, v) {
			g.vars, wrt = append(g.vars, v), append(wrt, v.value)
		}
	}
	if len(wrt) == 0 {
		return nil, tree.NewError(tree.ErrValue, "", "no variable requires a gradient")
	}
	var err error
	if g.grads, err = grad.Of(loss, wrt...); err != nil {
		return nil, err
	}
	for i, v := range g.vars {
		if g.grads[i], err = v.gradient(g.grads[i]); err != nil {
			return nil, err
		}
	}
	g.index()
	if g.loss, err = g.vars[0].value.NewZeros(); err != nil {
		return nil, err
	}
	g.loss = g.loss.Named("loss")
	return g, nil
}

// index finds what uses each node, and the nodes that pass a gradient on.
func (g *Graph[T]) index() {
	own := map[*tree.Node]bool{}
	stop, _ := untyped.Lookup("stop_gradient")
	for _, v := range g.vars {
		own[v.value.Node()] = true
	}
	tree.Walk(g.tree.Node(), func(n *tree.Node) {
		needed := own[n]
		for _, a := range n.Args {
			if !slices.Contains(g.users[a], n) {
				g.users[a] = append(g.users[a], n)
			}
			needed = needed || g.needed[a]
		}
		g.needed[n] = needed && n.DType().IsFloat() && n.Op != stop
	})
}

// Backward computes the loss and adds the gradients to those of the variables. The
// first call compiles; later calls do not allocate.
func (g *Graph[T]) Backward(ctx context.Context) error {
	g = zero.IfNil(g)
	p, err := g.Program(ctx)
	if err != nil {
		return err
	}
	return p.Run(ctx)
}

// Program returns the program of Backward. Its plan has the loops and the bytes.
func (g *Graph[T]) Program(ctx context.Context) (*engine.Program, error) {
	g = zero.IfNil(g)
	if g.backward == nil {
		p, err := engine.Compile(ctx, g.Statements(expr.Plus)...)
		if err != nil {
			return nil, err
		}
		g.backward = p
	}
	return g.backward, nil
}

// Loss returns the tensor of the loss, a scalar. Backward computes it.
func (g *Graph[T]) Loss() *engine.Tensor[T] { return zero.IfNil(g).loss }

// Statements returns the statements that compute the loss and all gradients, for
// a program that uses them further. The saver is expr.Set to store gradients and
// expr.Plus to add them.
//
//	s := g.Statements(expr.Set)
//	s = append(s, expr.LetSub(w.Value(), op.Mul(rate, w.Grad())))
//	step, err := engine.Compile(ctx, s...)  // the loss, the gradient and the update
func (g *Graph[T]) Statements(s expr.Saver) []expr.Statement {
	g = zero.IfNil(g)
	stmts := []expr.Statement{expr.Let(g.loss, g.tree)}
	for i, v := range g.vars {
		stmts = append(stmts, expr.Statement{Saver: s, Target: v.grad.Node(), Value: g.grads[i].Node()})
	}
	return stmts
}

// Gradient returns the gradient with respect to v as a tree, after the hooks. It
// is nil if v required no gradient. The tree can be differentiated again.
func (g *Graph[T]) Gradient(v *Variable[T]) expr.Exp[T] {
	g = zero.IfNil(g)
	if i := slices.Index(g.vars, v); i >= 0 {
		return g.grads[i]
	}
	return nil
}

// Operator returns the operator that computed e, or nil for a leaf.
func (g *Graph[T]) Operator(e expr.Exp[T]) *tree.Operator {
	if n := expr.NodeOf(e); len(n.Args) > 0 {
		return n.Op
	}
	return nil
}

// Parents returns the operands of e.
func (g *Graph[T]) Parents(e expr.Exp[T]) []*tree.Node { return expr.NodeOf(e).Args }

// Children returns the nodes of the loss that have e as an operand, in the order
// in which they are computed. A constructor may make several nodes: op.Mean is a
// sum and a division.
func (g *Graph[T]) Children(e expr.Exp[T]) []*tree.Node { return zero.IfNil(g).users[expr.NodeOf(e)] }

// RequiresGrad reports whether e is part of the loss and a gradient flows through
// it to a variable.
func (g *Graph[T]) RequiresGrad(e expr.Exp[T]) bool { return zero.IfNil(g).needed[expr.NodeOf(e)] }
