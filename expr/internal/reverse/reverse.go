// Package reverse differentiates untyped trees in reverse mode. Package grad is its public form, which
// can run what it makes; this package does not know package engine.
package reverse

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// Of returns the gradient of loss with respect to each of wrt.
func Of(loss *tree.Node, wrt ...*tree.Node) (grads []*tree.Node, err error) {
	defer failure.Catch(&err)
	loss, split, join := parts(loss, wrt)
	check(append([]*tree.Node{loss}, split...))
	if len(loss.Shape()) != 0 {
		return nil, tree.NewError(tree.ErrShape, "grad.Of", "the loss has shape %v and is no scalar", loss.Shape())
	}
	return join(pull(loss, tree.ConstFloat(loss.DType(), 1), split)), nil
}

// pull returns the derivatives of sum(out*y) with respect to each of wrt, with out as a constant that broadcasts
// to the shape of y.
func pull(y, out *tree.Node, wrt []*tree.Node) []*tree.Node {
	if y.HasComplex() {
		var s untyped.Splitter
		y = s.Split(y).Re
		wrt = lists.Map(wrt, func(x *tree.Node) *tree.Node { return s.Split(x).Re })
	}
	t := tape{variable: map[*tree.Node]*tree.Node{}, needed: map[*tree.Node]bool{}, adjoint: map[*tree.Node]*tree.Node{}}
	t.record(y, wrt)
	t.adjoint[t.key(y)] = out
	t.play()
	grads := make([]*tree.Node, len(wrt))
	for i, x := range wrt {
		d := cmp.Or(t.adjoint[t.variable[x]], tree.ConstFloat(x.DType(), 0))
		grads[i] = adjoint(x, d).Full()
	}
	return grads
}

// fail ends the differentiation with an error.
func fail(kind error, in, format string, args ...any) {
	failure.Check(tree.NewError(kind, in, format, args...))
}

// check fails unless all nodes are trees of floats.
func check(nodes []*tree.Node) {
	seen := tree.Seen{}
	for _, n := range nodes {
		switch {
		case n == nil:
			fail(tree.ErrType, "", "the loss or a variable is nil")
		case n.Err() != nil:
			failure.Check(n.Err())
		case !n.DType().IsFloat():
			fail(tree.ErrType, "", "%v has elements of type %v, which have no gradient", n, n.DType())
		}
		failure.Check(seen.Verify(n, nil))
	}
}

// A tape holds the nodes of a loss and the adjoints found so far.
type tape struct {
	order    []*tree.Node              // operands before the nodes that use them
	variable map[*tree.Node]*tree.Node // of a node that is a variable: the first of wrt that is the same variable
	needed   map[*tree.Node]bool       // nodes of floats that depend on a variable
	adjoint  map[*tree.Node]*tree.Node
}

// record lists the nodes of the loss, and finds the nodes between it and wrt.
func (t *tape) record(loss *tree.Node, wrt []*tree.Node) {
	for i, x := range wrt {
		t.variable[x] = x
		if k := slices.IndexFunc(wrt[:i], func(y *tree.Node) bool { return same(x, y) }); k >= 0 {
			t.variable[x] = t.variable[wrt[k]]
		}
	}
	tree.Walk(loss, func(n *tree.Node) {
		t.order = append(t.order, n)
		if t.variable[n] == nil && len(n.Args) == 0 {
			t.find(n, wrt)
		}
		t.needed[n] = (t.variable[n] != nil || t.needsOperand(n)) && n.DType().IsFloat()
	})
}

// find records which variable the leaf n is. It fails if n is none, but shares elements with one.
func (t *tape) find(n *tree.Node, wrt []*tree.Node) {
	if k := slices.IndexFunc(wrt, func(x *tree.Node) bool { return same(n, x) }); k >= 0 {
		t.variable[n] = t.variable[wrt[k]]
		return
	}
	for _, x := range wrt {
		if tree.Overlap(n, x) {
			fail(tree.ErrValue, "", "the loss reads elements of the variable %v%v through another view of its memory, %v%v; make the view with package op", x, x.Shape(), n, n.Shape())
		}
	}
}

// play computes adjoints from the last node to the variables.
func (t *tape) play() {
	for _, n := range slices.Backward(t.order) {
		if out := t.adjoint[t.key(n)]; out != nil && t.needed[n] && len(n.Args) > 0 {
			t.operands(n, out)
		}
	}
}

// key returns the node under which the adjoint of n is kept.
func (t *tape) key(n *tree.Node) *tree.Node { return cmp.Or(t.variable[n], n) }

// needsOperand reports whether an operand of n depends on a variable.
func (t *tape) needsOperand(n *tree.Node) bool {
	return slices.ContainsFunc(n.Args, func(a *tree.Node) bool { return t.needed[a] })
}

// operands adds the adjoint contributions of n to its operands.
func (t *tape) operands(n, out *tree.Node) {
	if !t.needsOperand(n) {
		return // n is a variable, and no variable is below it
	}
	if n.Op.Class() == tree.Scan {
		t.scan(n, out)
		return
	}
	if n.Op.Grad() == nil {
		fail(tree.ErrUnsupported, n.Op.Constructor(), "has no derivative")
	}
	g := adjoint(n, out)
	for i, a := range n.Args {
		if !t.needed[a] {
			continue
		}
		if d := failure.Must(rule(g, i)); d != nil {
			t.add(g, a, fit(g, d, a))
		}
	}
}

// add adds d to the adjoint of a.
func (t *tape) add(g *tree.Adjoint, a, d *tree.Node) {
	if old := t.adjoint[t.key(a)]; old != nil {
		d = g.Add(old, d)
	}
	failure.Check(d.Err())
	t.adjoint[t.key(a)] = d
}

// rule calls the derivative of g's operation. A panic becomes an error.
func rule(g *tree.Adjoint, arg int) (d *tree.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = tree.NewError(tree.ErrValue, g.Node.Op.Constructor(), "the derivative panics: %v", r)
		}
	}()
	return g.Node.Op.Grad()(g, arg), nil
}

func adjoint(n, out *tree.Node) *tree.Adjoint {
	return &tree.Adjoint{Node: n, Out: out, Row: row, Reduce: reduce}
}

func row(name string) *tree.Operator {
	o, _ := untyped.Lookup(name)
	return o
}

func reduce(name string, a *tree.Node, axes []int) *tree.Node {
	return untyped.Reduce(name, a, untyped.Options{Axes: axes, Keep: true})
}

// fit checks the type and the shape of d, the result of a rule for operand a. For an element-wise operator it
// returns the sum of d over the axes along which a was broadcast.
func fit(g *tree.Adjoint, d, a *tree.Node) *tree.Node {
	failure.Check(d.Err())
	if d.DType() != a.DType() {
		fail(tree.ErrType, g.Node.Op.Constructor(), "the derivative by an operand of type %v has type %v", a.DType(), d.DType())
	}
	full := a.Shape()
	if g.Node.Op.Class() == tree.Elementwise || g.Node.Op.Class() == tree.Opaque && g.Node.Op.Shape() == nil {
		full = g.Node.Shape()
	}
	if s, err := shape.Broadcast(d.Shape(), full); err != nil || !s.Equal(full) {
		fail(tree.ErrShape, g.Node.Op.Constructor(), "the derivative has shape %v, not %v", d.Shape(), full)
	}
	return g.SumTo(d, full, a.Shape())
}

// same reports whether two nodes are one variable: the same node, the same
// parameter, or the same elements in the same order.
func same(a, b *tree.Node) bool {
	if a == b || a.Param != nil && a.Param == b.Param {
		return true
	}
	if a.Leaf == nil || b.Leaf == nil || a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) {
		return false
	}
	apart, near := tree.Distance(a.Leaf.Mem, b.Leaf.Mem)
	if !near || b.Leaf.Offset*b.DType().Size()+apart != a.Leaf.Offset*a.DType().Size() {
		return false
	}
	for i, d := range a.Shape() {
		if d > 1 && a.Leaf.Strides[i] != b.Leaf.Strides[i] {
			return false
		}
	}
	return true
}

// parts returns the loss and the variables as real trees. A complex variable becomes two, its real and its
// imaginary part. join makes the gradients of wrt from those of the returned variables.
func parts(loss *tree.Node, wrt []*tree.Node) (realLoss *tree.Node, variables []*tree.Node, join func([]*tree.Node) []*tree.Node) {
	var s untyped.Splitter
	for _, x := range wrt {
		p := s.Split(x)
		if variables = append(variables, p.Re); p.Im != nil {
			variables = append(variables, p.Im)
		}
	}
	join = func(grads []*tree.Node) (out []*tree.Node) {
		for _, x := range wrt {
			if !x.DType().IsComplex() {
				out, grads = append(out, grads[0]), grads[1:]
				continue
			}
			out, grads = append(out, tree.ComplexOf(grads[0], grads[1])), grads[2:]
		}
		return out
	}
	if p := s.Split(loss); p.Im == nil {
		loss = p.Re
	}
	return loss, variables, join
}
