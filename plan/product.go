package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// inMemory returns an array that holds the value of n and that ok accepts. It
// appends the stage that computes the array, if there is none yet.
func (c *compiler) inMemory(n *node, reason string, ok func(*Array) bool) (*Array, error) {
	if a := strided(n); a != nil && ok(a) {
		return a, c.compute(n.base())
	}
	n = c.copied(n) // an array that ok rejects must be copied
	c.materialise(n, reason)
	return n.array, c.compute(n)
}

// product appends the matrix product that stores r.
func (c *compiler) product(r root) error {
	n := r.value
	const why = "an operand of a matrix product is read many times"
	ok := func(a *Array) bool { return a.Type == r.target.Type && matrix(a) }
	a, err := c.inMemory(n.args[0], why, ok)
	if err != nil {
		return err
	}
	b, err := c.inMemory(n.args[1], why, ok)
	if err != nil {
		return err
	}
	c.stages = append(c.stages, &Stage{Kind: Product, Why: "a matrix product has a schedule of its own", A: a, B: b, Out: r.target, Reads: []*Array{a, b}, Writes: []*Array{r.target}})
	return nil
}

// matrix reports whether the last two axes have a layout that BLAS takes,
// straight or transposed.
func matrix(a *Array) bool {
	r := len(a.Shape)
	if r < 2 {
		return r == 1 && (a.Strides[0] > 0 || a.Shape[0] <= 1)
	}
	rows, cols, si, sj := a.Shape[r-2], a.Shape[r-1], a.Strides[r-2], a.Strides[r-1]
	straight := (sj == 1 || cols <= 1) && (si >= cols || rows <= 1 && si >= 0)
	turned := (si == 1 || rows <= 1) && (sj >= rows || cols <= 1 && sj >= 0)
	return straight || turned
}

// call appends the call of a Go function that stores r.
func (c *compiler) call(r root) error {
	n := r.value
	s := &Stage{Kind: Call, Why: "a Go function cannot be fused", Func: n.src.Func, Out: r.target, Writes: []*Array{r.target}}
	for _, x := range n.args {
		if !x.shape.Equal(n.shape) {
			e := expr.NewView(broadcastRow, n.shape, x.typ, n.shape)
			x = c.g.make(e, []*node{x})
		}
		a, err := c.inMemory(x, "the operand of a Go function", func(a *Array) bool {
			return shape.IsContiguous(a.Shape, a.Strides) && a.Type != dtype.Invalid
		})
		if err != nil {
			return err
		}
		s.Args = append(s.Args, a)
		s.Reads = append(s.Reads, a)
	}
	c.stages = append(c.stages, s)
	return nil
}

// copied returns n, or if n is in memory a node that copies it.
func (c *compiler) copied(n *node) *node {
	if n.array == nil {
		return n
	}
	return c.g.intern(expr.NewView(&copyRow, n.shape, n.typ, nil), []*node{n}, n.shape)
}

// copyRow is the identity. It copies values whose layout in memory does not
// fit.
var copyRow = expr.Operator{
	Name: "copy", Class: expr.View, Arity: 1,
	Gather: func(g *expr.Gather) prim.V { return g.At(0, g.Out) },
}
