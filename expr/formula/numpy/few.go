package numpy

import (
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// This file has functions of NumPy that are a few operators, or others with other arguments.

// callNorm is a norm of vectors along an axis, or of matrices in two axes. Without an order it is
// the root of the sum of the squares of all elements.
func callNorm(c *call) *tree.Node {
	n, axes, o := c.array(0), c.integers(2), c.options()
	n = sound(c.at, apply("abs", cast(n, quotientType(n.DType()))))
	plain := c.isNone(1)
	if axes == nil && !plain {
		axes = lists.UpTo(len(n.Shape()))
	}
	o.Axes = axes
	p, number, euclidean := 2.0, true, plain
	switch x := c.args[1]; {
	case plain:
	case x.kind == vString:
		number, euclidean = false, x.str == "fro" && len(axes) == 2
	case x.kind == vScalar:
		p = c.float(1)
		euclidean = p == 2 && len(axes) == 1
	default:
		panic(fail(x.at, tree.ErrType, "ord must be a number or a string, not %s", x.describe()))
	}
	switch {
	case axes != nil && !c.isNone(2) && (len(axes) == 0 || len(axes) > 2):
		panic(fail(c.at, tree.ErrShape, "the argument axis has one axis or two, not %v", axes))
	case euclidean:
		return apply("sqrt", rounded(untyped.Reduce("sum", apply("square", n), o)))
	case len(axes) == 1 && number:
		return vectorNorm(n, p, o)
	case len(axes) == 2 && (math.Abs(p) == 1 || math.IsInf(p, 0)):
		return matrixNorm(n, p, o)
	case len(axes) > 2:
		panic(fail(c.at, tree.ErrShape, "%s of an array with several axes takes the argument axis", c.at.Text))
	}
	panic(fail(c.args[1].at, tree.ErrUnsupported, "orders of vectors are numbers, and those of matrices 1, -1, inf, -inf and 'fro'; there are no singular values, of which the orders 2, -2 and 'nuc' are made"))
}

// vectorNorm returns the norm of order p of the magnitudes n.
func vectorNorm(n *tree.Node, p float64, o untyped.Options) *tree.Node {
	switch {
	case p == 0:
		return rounded(cast(untyped.Compose("count_nonzero", o, n), n.DType()))
	case math.IsInf(p, 1):
		return untyped.Reduce(greatest(n), n, o)
	case math.IsInf(p, -1):
		return untyped.Reduce("min", n, o)
	case p == 1:
		return rounded(untyped.Reduce("sum", n, o))
	}
	sum := rounded(untyped.Reduce("sum", apply("pow", n, tree.ConstFloat(n.DType(), p)), o))
	return apply("pow", sum, tree.ConstFloat(n.DType(), 1/p))
}

// greatest returns the reduction for the greatest of magnitudes, which is 0 of none.
func greatest(n *tree.Node) string {
	if n.Shape().Size() == 0 {
		return "sum"
	}
	return "max"
}

// matrixNorm returns the extreme sum of the magnitudes n in a column, or for an infinite order in a
// row: the greatest, or for a negative order the least.
func matrixNorm(n *tree.Node, p float64, o untyped.Options) *tree.Node {
	row, column := o.Axes[0], o.Axes[1]
	if math.IsInf(p, 0) {
		row, column = column, row
	}
	extreme := greatest(n)
	if p < 0 {
		extreme = "min"
	}
	sums := rounded(untyped.Reduce("sum", n, untyped.Options{Axes: []int{row}, Keep: true}))
	all := untyped.Reduce(extreme, sums, untyped.Options{Axes: []int{column}, Keep: true})
	if o.Keep {
		return all
	}
	return untyped.Compose("squeeze", untyped.Options{Axes: o.Axes}, all)
}

// callSelect takes each element from the first choice whose condition holds.
func callSelect(c *call) *tree.Node {
	conditions, choices := c.listed(0, false), c.listed(1, true)
	stopIf(len(conditions) != len(choices), c.at, tree.ErrShape, "%d conditions do not fit %d choices", len(conditions), len(choices))
	all := append(choices, c.operand(2))
	t := promoted(all...)
	n := c.as(2, t)
	values := c.converted(1, choices, t)
	for i := len(conditions) - 1; i >= 0; i-- {
		m := conditions[i].n
		stopIf(m.DType() != dtype.Bool, c.args[0].at, tree.ErrType, "condition %d is an array of %v, not of bools", i, m.DType())
		n = untyped.Apply(untyped.Row("where"), conditions[i].n, values[i], n)
	}
	return n
}

const (
	fewOthers = 64 // isin compares each element with so many others, each of which takes a cycle of a vector; it searches more
	manyTerms = 16 // of a reduction, which a loop has without one of its own
)

// callIsIn compares each element with a few others, or looks for it among many in their order.
func callIsIn(c *call) *tree.Node {
	a, others := c.array(0), c.array(1) // NumPy makes arrays of both
	kind := c.args[4]
	stopIf(kind.kind == vString && kind.str != "sort" && kind.str != "table", kind.at, tree.ErrValue, "there is no kind %q of isin; there are sort and table", kind.str)
	t := promote(a.DType(), others.DType())
	a, others = cast(a, t), cast(others, t)
	size, last := others.Shape().Size(), untyped.Options{Axes: []int{-1}}
	others = flat(others)
	found := untyped.BroadcastTo(truth(false), a.Shape())
	if size <= fewOthers {
		each := untyped.Compose("expand_dims", last, a)
		for i := 0; i < size; i += manyTerms {
			some := untyped.Slice(others, []shape.Slice{shape.Range(i, min(i+manyTerms, size))})
			found = apply("logical_or", found, untyped.Reduce("any", apply("equal", each, some), last))
		}
	} else {
		others = untyped.Compose("sort", untyped.Options{Axes: []int{0}}, others)
		at := untyped.Compose("searchsorted", untyped.Options{Text: "left"}, others, a)
		found = apply("equal", untyped.Take(others, apply("minimum", at, tree.ConstInt(dtype.I64, int64(size-1))), 0), a)
	}
	if c.args[3].s.Truth() {
		return apply("logical_not", found)
	}
	return found
}

// callPolyval is Horner's rule, as NumPy computes it.
func callPolyval(c *call) *tree.Node {
	p, x := c.array(0), c.operand(1)
	stopIf(len(p.Shape()) != 1, c.args[0].at, tree.ErrShape, "the coefficients are a vector")
	const most = 256
	stopIf(p.Shape()[0] > most, c.args[0].at, tree.ErrUnsupported, "a polynomial of more than %d coefficients is not supported", most)
	x = valueOf(sound(c.at, x.node()))
	y := valueOf(untyped.BroadcastTo(zero(x.n.DType()).n, x.n.Shape()))
	for i := range p.Shape()[0] {
		k := valueOf(untyped.Index(p, 0, i))
		if list := c.args[0]; list.kind == vSeq && list.seq[i].kind == vScalar {
			k = valueOf(list.seq[i].as(p.DType()))
		}
		y = binary("+", binary("*", y, x, true), k, true)
	}
	return y.n
}

// callGeomspace has its ends as they are given. Between ends of opposite signs it has NaN.
func callGeomspace(c *call) *tree.Node {
	start, stop := c.float(0), c.float(1)
	stopIf(start == 0 || stop == 0, c.at, tree.ErrValue, "a geometric sequence from %v to %v does not exist", start, stop)
	n := c.integer(2)
	o := c.options()
	o.Numbers, o.To = []float64{math.Log10(math.Abs(start)), math.Log10(math.Copysign(1, start) * stop)}, dtype.F64
	y := sound(c.at, apply("pow", tree.ConstFloat(dtype.F64, 10), untyped.Compose("linspace", o))) // of opposite signs NaN between the ends
	y = apply("copysign", y, tree.ConstFloat(dtype.F64, start))
	end := func(at int, v float64) {
		y = apply("where", apply("equal", untyped.Iota(n), tree.ConstInt(dtype.I64, int64(at))), tree.ConstFloat(dtype.F64, v), y)
	}
	if c.args[3].s.Truth() {
		end(n-1, stop)
	}
	end(0, start)
	return cast(y, c.dtype(4, dtype.F64))
}

// folds are the reductions and the scans of functions of two operands.
var folds = map[string]map[string]string{
	"reduce": {
		"add": "sum", "mul": "prod", "maximum": "max", "minimum": "min", "fmax": "nanmax", "fmin": "nanmin", "logical_and": "all",
		"logical_or": "any", "bitwise_and": "reduce_and", "bitwise_or": "reduce_or", "bitwise_xor": "reduce_xor",
	},
	"accumulate": {"add": "cumsum", "mul": "cumprod", "maximum": "cummax", "minimum": "cummin"},
}

// scatters are the functions of two operands whose method at is a scatter.
var scatters = map[string]string{"add": "scatter_add", "sub": "scatter_add", "maximum": "scatter_max", "minimum": "scatter_min"}

// at returns what f.at makes of an array: f of the elements that subscripts choose and of values, one after
// the other where an element is chosen more than once.
func (f *Function) at(n *syntax.Node, items []item) value {
	for _, x := range items {
		if x.unknown() {
			return unknown
		}
	}
	stopIf(len(items) != 3 || items[0].kind != vTree || slices.ContainsFunc(n.Keys, func(k string) bool { return k != "" }), n, tree.ErrType, "%s takes an array, subscripts and values, without names", n.Text)
	a, subscripts := items[0].n, items[1:2]
	if x := items[1]; x.kind == vSeq && !x.list {
		subscripts = expand(x)
	}
	at := places(n, a, subscripts)
	t := promoted(items[2].value, items[0].value)
	stopIf(!sameKind(t, a.DType()) && !(t.IsInt() && a.DType().IsInt()), items[2].at, tree.ErrType, "values of type %v cannot be stored in an array of %v", t, a.DType())
	v := items[2].as(a.DType())
	if f.Name == "sub" {
		v = apply("neg", v)
	}
	return result(n, valueOf(scattered(scatters[f.Name], a, at, v)))
}

// callMethodOf returns what NumPy's ufuncs of two operands have as methods: reduce and accumulate,
// along the first axis by default, outer, of all pairs of elements, and at.
func (s *scope) callMethodOf(n *syntax.Node, name, method string, items []item) value {
	f, keys := functions[name], n.Keys
	switch {
	case f == nil:
		panic(fail(n, nil, "there is no function %s%s", syntax.Quote(name), suggestion(name)))
	case method == "at" && scatters[f.Name] != "":
		return f.at(n, items)
	case method == "outer" && f.positional == 2 && len(f.params) == 2:
		if len(items) == 2 && !items[0].unknown() && !items[1].unknown() {
			if x, y := items[0].node(), items[1].node(); x.Err() == nil && y.Err() == nil {
				items[0].value = valueOf(untyped.Reshape(x, append(x.Shape().Clone(), slices.Repeat([]int{1}, len(y.Shape()))...)))
				items[1].value = valueOf(y) // NumPy makes arrays of both
			}
		}
		return f.apply(s, n, items, keys)
	}
	fold := functions[folds[method][f.Name]]
	stopIf(fold == nil, n, tree.ErrUnsupported, "%s has no method %s here", name, method)
	x := append(items, item{})[0]
	stopIf(method == "accumulate" && x.isOperand() && x.kind != vSeq && (x.kind == vScalar || len(x.n.Shape()) == 0), n, tree.ErrShape, "%s.accumulate takes an array with axes", name)
	if (len(keys) < 2 || keys[1] != "") && !slices.Contains(keys, "axis") {
		items, keys = append(items, item{integer(0), n}), append(slices.Clip(keys), "axis")
	}
	return fold.apply(s, n, items, keys)
}

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
// promotes no floats, unless it is divided by 100. A list of lists adds an axis for each level.
func (c *call) each(i int, f func(c *call) *tree.Node) *tree.Node {
	list := c.args[i]
	a := valueOf(c.array(0))
	var floats func(v value) bool
	floats = func(v value) bool {
		return v.kind == vScalar && v.s.Class == syntax.Float || v.kind == vSeq && (len(v.seq) == 0 || slices.ContainsFunc(v.seq, floats))
	}
	if !chooses(c) && (!fractional(a.n.DType()) || strings.HasSuffix(c.f.Name, "percentile") || floats(list.value)) {
		a = valueOf(cast(a.n, promoted(a, valueOf(tree.ConstFloat(dtype.F64, 0)))))
	}
	return c.with(0, a, func(c *call) *tree.Node {
		if len(list.seq) == 0 { // the shape and the type are those for any number
			one := c.with(i, integer(0), f)
			return untyped.Slice(newAxis(one, 0), []op.Span{op.Until(0)})
		}
		nodes := make([]*tree.Node, len(list.seq))
		for k, v := range list.seq {
			switch v.kind {
			case vScalar:
				nodes[k] = c.with(i, v, f)
			case vSeq:
				nodes[k] = c.with(i, v, func(c *call) *tree.Node { return c.each(i, f) })
			default:
				panic(fail(list.at, tree.ErrType, "%s must be a number or a list of numbers, not %s", c.f.params[i].name, v.describe()))
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
		if n := c.array(0); len(n.Shape()) < 2 || !c.isNone(axis) {
			n = sound(c.at, scan(c))
			if !c.args[initial].s.Truth() {
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
		panic(fail(c.at, tree.ErrShape, "%s of an array with several axes takes the argument axis", c.at.Text))
	}
}

// callBincount needs the number of bins, which in NumPy follows from the elements.
func callBincount(c *call) *tree.Node {
	x, n := c.array(0), c.integer(2)
	switch {
	case n > 1<<27:
		panic(fail(c.at, tree.ErrShape, "bincount has at most 2**27 bins, not %d", n))
	case n == 0 && x.Shape().Size() > 0:
		panic(fail(c.at, tree.ErrShape, "bincount needs minlength, a number above all elements: the shape of a result does not depend on elements"))
	case len(x.Shape()) != 1:
		panic(fail(c.at, tree.ErrShape, "bincount counts the integers of a vector, not of an array of shape %v", x.Shape()))
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
	stopIf(!c.args[1].isOperand(), c.args[1].at, tree.ErrType, "%s is no operand", c.args[1].describe())
	x, side := c.common(0, 1), "right"
	if c.args[2].s.Truth() {
		side = "left"
	}
	bins := x[1]
	if len(bins.Shape()) != 1 || bins.Shape()[0] == 0 {
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
	if len(o.Axes) > 1 {
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
