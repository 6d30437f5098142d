package numpy

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has functions that are formulas themselves, and functions of positions.

// evaluate is scope.eval, which looks into the table of functions. That table names functions of this file.
var evaluate func(s *scope, n *syntax.Node) value

func init() { evaluate = (*scope).eval }

// written returns the function that a formula of the parameters is.
func written(text string) func(c *call) value {
	statements, err := syntax.Parse(text)
	if err != nil {
		panic("numpy: " + text + " is no formula")
	}
	return func(c *call) value {
		s := &scope{vars: map[string]*variable{}}
		for i, p := range c.f.params {
			s.vars[p.name] = &variable{value: c.args[i].value}
			if p.kind == pOperand { // a list has no attributes
				s.vars[p.name].value = valueOf(c.array(i))
			}
		}
		err := s.assignAll(statements)
		if e := (*syntax.Error)(nil); errors.As(err, &e) { // its place is one in text
			panic(fail(c.at, e.Err, "%s", e.Msg))
		}
		check(c.at, err)
		for _, p := range s.parts {
			c.scope.parts = append(c.scope.parts, part{p.n, c.at})
		}
		return s.vars[statements[len(statements)-1].Name()].value
	}
}

// ofVector returns f for a first argument that is a vector.
func ofVector(f func(c *call) value) func(c *call) value {
	return func(c *call) value {
		stopIf(len(c.array(0).Shape()) != 1, c.args[0].at, tree.ErrShape, "%s takes a vector", c.at.Text)
		return f(c)
	}
}

// assignAll gives the names of statements their values.
func (s *scope) assignAll(statements []*syntax.Statement) (err error) {
	defer failure.Catch(&err)
	for _, st := range statements {
		s.vars[st.Name()] = &variable{value: evaluate(s, st.Value)}
	}
	return nil
}

// callVander has the powers of a vector as columns, as products of neighbours.
func callVander(c *call) value {
	x := valueOf(c.array(0))
	rows, n := x.n.Shape()[0], x.n.Shape()[0]
	if !c.isNone(1) {
		n = c.integer(1)
	}
	t := promoted(x, valueOf(tree.ConstInt(dtype.I64, 0)))
	factors := untyped.BroadcastTo(newAxis(x.as(t), 1), []int{rows, max(n-1, 0)})
	y := untyped.Concat(1, []*tree.Node{
		untyped.BroadcastTo(tree.ConstInt(t, 1), []int{rows, min(n, 1)}),
		untyped.Compose("cumprod", untyped.Options{Axes: []int{1}}, factors),
	})
	if !c.args[2].s.Truth() {
		y = untyped.Compose("flip", untyped.Options{Axes: []int{1}}, y)
	}
	return valueOf(y)
}

// callMatrixPower multiplies squares, as NumPy does.
func callMatrixPower(c *call) *tree.Node {
	a, n := c.array(0), c.integer(1)
	s := a.Shape()
	stopIf(len(s) < 2 || s[len(s)-1] != s[len(s)-2], c.args[0].at, tree.ErrShape, "matrix_power takes square matrices")
	stopIf(n < 0, c.args[1].at, tree.ErrUnsupported, "there are no inverse matrices")
	if n == 0 {
		size := a.Shape()[len(a.Shape())-1]
		return untyped.BroadcastTo(untyped.Compose("eye", untyped.Options{Ints: []int{size, size, 0}, To: a.DType()}), a.Shape())
	}
	var y *tree.Node
	for left := range bits.Len(uint(n)) {
		switch {
		case n>>left&1 == 0:
		case y == nil:
			y = a
		default:
			y = matmul(valueOf(y), valueOf(a))
		}
		if n>>left > 1 {
			a = matmul(valueOf(a), valueOf(a))
		}
	}
	return y
}

// callLexsort sorts by the last key, then equal ones by the key before, and so on.
func callLexsort(c *call) *tree.Node {
	axis := untyped.Options{Axes: []int{c.integer(1)}}
	keys := c.arrays()
	order := untyped.Compose("argsort", axis, keys[0])
	for _, k := range keys[1:] {
		switch {
		case order.Err() != nil:
			return order
		case !slices.Equal(k.Shape(), order.Shape()):
			panic(fail(c.at, tree.ErrShape, "keys of shapes %v and %v do not sort together", order.Shape(), k.Shape()))
		}
		next := untyped.Compose("argsort", axis, untyped.TakeAlongAxis(k, order, axis.Axes[0]))
		order = untyped.TakeAlongAxis(order, next, axis.Axes[0])
	}
	return order
}

// callChoose takes each element from the array that its index names.
func callChoose(c *call) *tree.Node {
	choices := c.listed(1, true)
	at := c.array(0)
	if at.DType() == dtype.Bool {
		at = cast(at, dtype.U8)
	}
	nodes := broadcast(append(c.converted(1, choices, promoted(choices...)), at))
	n := len(choices)
	stack := untyped.Compose("stack", untyped.Options{Axes: []int{0}}, nodes[:n]...)
	return untyped.Index(untyped.TakeAlongAxis(stack, newAxis(nodes[n], 0), 0), 0, 0)
}

func newAxis(n *tree.Node, axis int) *tree.Node {
	return untyped.Compose("expand_dims", untyped.Options{Axes: []int{axis}}, n)
}

// steps returns how far apart neighbours along each axis are in row-major order.
func (c *call) steps(dims []int) []*tree.Node {
	s := shape.Shape(dims)
	stopIf(s.Check() != nil || s.Size() == 0, c.args[1].at, tree.ErrShape, "%v is no shape with elements", s)
	return lists.Map(s.Strides(), func(step int) *tree.Node { return tree.ConstInt(dtype.I64, int64(step)) })
}

// callUnravelIndex gives the positions on the axes of a shape. An index that is outside is an error.
func callUnravelIndex(c *call) value {
	dims := c.integers(1)
	steps, at := c.steps(dims), c.array(0)
	if len(dims) == 0 && len(at.Shape()) > 0 { // nothing would look at the indices
		panic(fail(c.args[1].at, tree.ErrShape, "unravel_index takes one index for the shape of a number, not an array"))
	}
	at = untyped.Position(at, shape.Shape(dims).Size(), 0)
	for i, step := range steps {
		if steps[i] = apply("floor_divide", at, step); i > 0 {
			steps[i] = apply("mod", steps[i], tree.ConstInt(dtype.I64, int64(dims[i])))
		}
	}
	return c.several(steps...)
}

func callRavelMultiIndex(c *call) *tree.Node {
	steps, at := c.steps(c.integers(1)), c.arrays()
	stopIf(len(at) != len(steps), c.at, tree.ErrShape, "%d lists of positions do not fit %d axes", len(at), len(steps))
	y := tree.ConstInt(dtype.I64, 0)
	for i, n := range at {
		y = apply("add", y, apply("mul", untyped.Position(n, c.integers(1)[i], 0), steps[i]))
	}
	return y
}

// callIndices has the position on each axis, along a new first axis.
func callIndices(c *call) *tree.Node {
	dims := c.integers(0)
	stopIf(len(dims) == 0, c.at, tree.ErrShape, "indices takes a shape of at least one axis")
	nodes := untyped.Meshgrid(lists.Map(dims, untyped.Iota), false, false)
	return cast(untyped.Compose("stack", untyped.Options{Axes: []int{0}}, nodes...), c.dtype(1, dtype.I64))
}

// callGridOf puts each vector along an axis of its own.
func callGridOf(c *call) value {
	nodes := c.arrays()
	for i, n := range nodes {
		switch {
		case len(n.Shape()) != 1:
			panic(fail(c.at, tree.ErrShape, "ix_ takes vectors"))
		case n.Shape()[0] == 0 && (n.DType() == dtype.Bool || c.args[0].seq[i].kind == vSeq): // integers in NumPy
			nodes[i] = cast(n, dtype.I64)
		case n.DType() == dtype.Bool:
			panic(fail(c.at, tree.ErrUnsupported, "ix_ takes no mask: %s", lengthOfMask))
		}
	}
	return c.several(untyped.Meshgrid(nodes, false, true)...)
}

func callDiagIndices(c *call) value {
	n, rank := untyped.Iota(max(c.integer(0), 0)), c.integer(1)
	stopIf(rank < 1 || rank > shape.MaxRank, c.at, tree.ErrShape, "there are no arrays of %d axes", rank)
	return c.several(slices.Repeat([]*tree.Node{n}, rank)...)
}
