package numpy

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// This file has functions of NumPy that are others with other arguments.

// choosing are the methods of quantiles whose result is an element.
var choosing = []string{"lower", "higher", "nearest", "inverted_cdf", "closest_observation"}

// chooses reports whether the result of a call is an element.
func chooses(c *call) bool {
	m := c.f.parameter("method")
	return m >= 0 && slices.Contains(choosing, c.args[m].str)
}

// each returns the results of f for the numbers in the list that is argument i,
// along a new first axis. NumPy's list is an array of float64, which promotes what is
// computed with it; methods that choose an element do not compute. A list of integers
// promotes no floats, unless it is divided by 100.
func (c *call) each(i int, f func(c *call) *tree.Node) *tree.Node {
	list := c.args[i]
	if len(list.seq) == 0 {
		return c.fail(list.at, tree.ErrShape, "%s takes a number or a list of at least one", c.at.Text)
	}
	a := valueOf(c.array(0))
	floats := func(v value) bool { return v.kind != vScalar || v.s.Class == syntax.Float }
	if !chooses(c) && (!fractional(a.n.DType()) || strings.HasSuffix(c.f.Name, "percentile") || slices.ContainsFunc(list.seq, floats)) {
		a = valueOf(cast(a.n, promoted(a, valueOf(tree.ConstFloat(dtype.F64, 0)))))
	}
	nodes := make([]*tree.Node, len(list.seq))
	return c.with(0, a, func(c *call) *tree.Node {
		for k, v := range list.seq {
			if v.kind != vScalar {
				return c.fail(list.at, tree.ErrType, "%s must be a number or a list of numbers, not %s", c.f.params[i].name, list.describe())
			}
			if nodes[k] = c.with(i, v, f); nodes[k].Err() != nil {
				return nodes[k]
			}
		}
		return untyped.Compose("stack", untyped.Options{Axes: []int{0}}, nodes...)
	})
}

// compositionNamed returns the function of a row of the table of compositions.
func compositionNamed(name string) func(c *call) *tree.Node {
	all := untyped.Compositions()
	return composition(all[slices.IndexFunc(all, func(o *untyped.Composition) bool { return o.Name == name })])
}

// cumulative returns the Array API's form of a scan: an array of more than one axis
// needs the argument axis, and first may stand before the results.
func cumulative(name string, first int64) func(c *call) *tree.Node {
	scan := compositionNamed(name)
	return func(c *call) *tree.Node {
		const axis, initial = 1, 3
		if n := c.array(0); n.Err() != nil || len(n.Shape()) < 2 || !c.isNone(axis) {
			n = scan(c)
			if n.Err() != nil || !c.args[initial].s.Truth() {
				return n
			}
			along := 0
			if !c.isNone(axis) {
				along = c.integer(axis)
			}
			if along < 0 {
				along += len(n.Shape())
			}
			dims := slices.Clone(n.Shape())
			dims[along] = 1
			return untyped.Concat(along, []*tree.Node{untyped.BroadcastTo(tree.ConstInt(n.DType(), first), dims), n})
		}
		return c.fail(c.at, tree.ErrShape, "%s of an array with several axes takes the argument axis", c.at.Text)
	}
}

// callBincount needs the number of bins, which in NumPy follows from the elements.
func callBincount(c *call) *tree.Node {
	x, n := c.array(0), c.integer(2)
	switch {
	case x.Err() != nil:
		return x
	case n > 1<<27:
		return c.fail(c.at, tree.ErrShape, "bincount has at most 2**27 bins, not %d", n)
	case n == 0 && x.Shape().Size() > 0:
		return c.fail(c.at, tree.ErrShape, "bincount needs minlength, a number above all elements: the shape of a result does not depend on elements")
	case x.DType() == dtype.Bool:
		x = cast(x, dtype.U8)
	}
	if c.isNone(1) {
		return untyped.Compose("bincount", untyped.Options{Ints: []int{n}}, x)
	}
	return untyped.Scatter("bincount", x, c.as(1, dtype.F64), nil, 0, []int{n})
}

// callDigitize searches the bins, which increase or decrease, for the elements of argument 0.
func callDigitize(c *call) *tree.Node {
	if b := c.args[1]; !b.isOperand() {
		return c.fail(b.at, tree.ErrType, "%s is no operand", b.describe())
	}
	x, side := c.common(0, 1), "right"
	if c.args[2].s.Truth() {
		side = "left"
	}
	bins := x[1]
	if x[0].Err() != nil || bins.Err() != nil || len(bins.Shape()) != 1 || bins.Shape()[0] == 0 {
		return untyped.Compose("searchsorted", untyped.Options{Text: side}, bins, x[0])
	}
	count := tree.ConstInt(dtype.I64, int64(bins.Shape()[0]))
	falls := apply("greater", untyped.Index(bins, 0, 0), untyped.Index(bins, 0, -1))
	bins = apply("where", falls, untyped.Compose("flip", untyped.Options{}, bins), bins)
	n := untyped.Compose("searchsorted", untyped.Options{Text: side}, bins, x[0])
	return apply("where", falls, apply("sub", count, n), n)
}

// callSearchSorted searches a vector, or one that the indices sorter bring into order.
func callSearchSorted(c *call) *tree.Node {
	const sorter = 3
	if c.isNone(sorter) {
		return compositionNamed("searchsorted")(c)
	}
	return c.with(0, valueOf(untyped.Take(c.array(0), c.array(sorter), 0)), func(c *call) *tree.Node {
		return c.with(sorter, none, compositionNamed("searchsorted"))
	})
}

// positions returns argument i: an integer, a list of integers, or a list of bools that says
// which positions are meant.
func (c *call) positions(i int) []int {
	x := c.args[i]
	if x.kind != vSeq || len(x.seq) == 0 {
		return c.integers(i)
	}
	var out []int
	for k, v := range x.seq {
		if v.kind != vScalar || v.s.Class != syntax.Bool {
			return c.integers(i)
		}
		if v.s.Truth() {
			out = append(out, k)
		}
	}
	return append([]int{}, out...)
}

// callInsert brings the first axis of the values of one position to the axis, as NumPy does.
func callInsert(c *call) *tree.Node {
	const obj, values, axis = 1, 2, 3
	a, v := c.array(0), c.array(values)
	o := untyped.Options{Ints: c.positions(obj), Axes: c.integers(axis)}
	if a.Err() != nil || v.Err() != nil || len(o.Axes) > 1 {
		return untyped.Compose("insert", o, a, v)
	}
	v = cast(v, a.DType())
	if rank := len(a.Shape()); c.args[obj].kind != vSeq && o.Axes != nil && len(v.Shape()) <= rank {
		dims := append(slices.Repeat([]int{1}, rank-len(v.Shape())), v.Shape()...)
		v = untyped.Compose("moveaxis", untyped.Options{Axes: []int{0}, Ints: o.Axes}, untyped.Reshape(v, dims))
	}
	return untyped.Compose("insert", o, a, v)
}

func callFloatPower(c *call) *tree.Node {
	x, y := c.operand(0), c.operand(1)
	t := dtype.F64
	if promoted(x, y).IsComplex() {
		t = dtype.C128
	}
	return binary("**", valueOf(c.as(0, t)), y, true).node()
}

func callIdentity(c *call) *tree.Node {
	n := c.integer(0)
	return untyped.Compose("eye", untyped.Options{Ints: []int{n, n, 0}, To: c.dtype(1, dtype.F64)})
}

func callMatrixTranspose(c *call) *tree.Node {
	n := c.array(0)
	if len(n.Shape()) < 2 {
		return tree.Errorf(tree.ErrShape, "", "a value of rank %d has no two last axes", len(n.Shape()))
	}
	return untyped.Compose("swapaxes", untyped.Options{Axes: []int{-1, -2}}, n)
}
