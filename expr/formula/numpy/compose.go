package numpy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// ofScalars are the functions that are no reductions of the table and that NumPy admits the axis 0 or -1 for
// where the first argument has no axes.
var ofScalars = strings.Fields("count_nonzero ptp nanmean nanvar nanstd squeeze repeat")

// optionsOf returns the options of a call. With scalars the axis 0 or -1 of an argument 0 without axes is none.
func (c *call) optionsOf(scalars bool) untyped.Options {
	r, i := c.options(), c.f.parameter("axis")
	if scalars && c.args[i].kind == vScalar && (r.Axes[0] == 0 || r.Axes[0] == -1) && len(c.array(0).Shape()) == 0 {
		r.Axes = nil
	}
	return r
}

// pairs returns the axes of two operands: n for the last and the first n, an axis
// of each, or a list of axes of each.
func (c *call) pairs(i int) (from, to []int) {
	x := c.args[i]
	if x.kind != vSeq {
		return nil, c.integers(i)
	}
	stopIf(len(x.seq) != 2, x.at, tree.ErrShape, "axes are a number, or a pair of axes or of lists of them")
	var lists [2][]int
	for k, v := range x.seq {
		lists[k] = item{v, x.at}.integers("axes")
	}
	return lists[0], lists[1]
}

// logical names the reduction of bools that a primitive of numbers is.
var logical = map[prim.Op]string{prim.Add: "any", prim.Max: "any", prim.Or: "any", prim.Mul: "all", prim.Min: "all", prim.And: "all"}

// masked are the reductions with the argument where, and, if they reduce numbers, initial. It has
// what stands for an element that does not count, if any number can, and the operator
// that adds the initial value.
var masked = map[string]struct {
	neutral, bools bool
	value          int64
	combine        string
}{
	"sum": {true, false, 0, "add"}, "prod": {true, false, 1, "mul"}, "max": {combine: "maximum"}, "min": {combine: "minimum"},
	"nansum": {true, false, 0, "add"}, "nanprod": {true, false, 1, "mul"}, "nanmax": {combine: "fmax"}, "nanmin": {combine: "fmin"},
	"any": {true, true, 0, ""}, "all": {true, true, 1, ""},
}

// initial returns the argument initial as type t, or nil. An array with an error has no type.
func (c *call) initial(t dtype.Type) *tree.Node {
	if i := c.f.parameter("initial"); i >= 0 && !c.isNone(i) && t != dtype.Invalid {
		return c.as(i, t)
	}
	return nil
}

// counting returns n with what leaves a reduction as it is where the argument where does
// not hold.
func (c *call) counting(n, initial *tree.Node) *tree.Node {
	i := c.f.parameter("where")
	if i < 0 || c.isNone(i) || c.args[i].isTrue() || n.Err() != nil {
		return n
	}
	other := initial
	if m := masked[c.f.Name]; m.neutral {
		other = tree.ConstInt(n.DType(), m.value)
	}
	stopIf(other == nil, c.args[i].at, tree.ErrValue, "%s with where needs the argument initial, the result where no element counts", c.at.Text)
	mask := c.mask(n.Shape())
	return apply("where", mask, n, other)
}

// reduction returns the function of a reduction of the table, with NumPy's
// types.
func reduction(o *tree.Operator) func(c *call) *tree.Node {
	return func(c *call) *tree.Node {
		n, r, row := c.array(0), c.optionsOf(true), o.Name()
		switch have := n.DType(); {
		case sums(o):
			r.To = cmp.Or(r.To, sumType(have))
			if n = cast(n, r.To); r.To == dtype.Bool {
				row = logical[o.Reduce().Op()]
			}
		case o.Takes(have):
		case o.Types().Has(dtype.Bool): // any, all
			n = cast(n, dtype.Bool)
		case have == dtype.Bool && o.Result() == tree.ResultInt64: // argmax
			n = cast(n, dtype.U8)
		case have == dtype.Bool && logical[o.Reduce().Op()] != "":
			if wide := untyped.Reduce(row, cast(n, dtype.U8), r); wide.Err() != nil && c.initial(have) == nil { // such as the maximum of nothing
				return wide
			}
			row = logical[o.Reduce().Op()]
		case have == dtype.Bool && o.Reduce().Op() == prim.Xor:
			return cast(untyped.Reduce(row, cast(n, dtype.U8), r), dtype.Bool)
		}
		stopIf(o.Result() == tree.ResultInt64 && r.Axes != nil && len(r.Axes) != 1, c.at, tree.ErrType, "%s takes one axis or none", c.at.Text)
		initial := c.initial(n.DType())
		combine := masked[c.f.Name].combine
		counting := c.counting(n, initial)
		switch {
		case initial == nil:
			return rounded(untyped.Reduce(row, counting, r))
		case n.Err() == nil && n.Shape().Size() == 0: // also where a maximum is not defined
			return rounded(untyped.BroadcastTo(initial, sound(c.at, untyped.Compose("count_nonzero", untyped.Options{Axes: r.Axes, Keep: r.Keep}, n)).Shape()))
		case n.DType() == dtype.Bool:
			combine = map[string]string{"any": "logical_or", "all": "logical_and"}[row]
		}
		n = counting
		if combine == "mul" && fractional(n.DType()) { // by 0 at first, so that a product does not overflow before
			one, none := tree.ConstInt(n.DType(), 1), apply("equal", initial, tree.ConstInt(n.DType(), 0))
			n, initial = apply("mul", n, apply("where", none, initial, one)), apply("where", none, one, initial)
		}
		return rounded(apply(combine, untyped.Reduce(row, n, r), initial))
	}
}

// A departure says where NumPy treats a composition in another way than the others of its group.
type departure struct {
	bools  dtype.Type // in which bools compute, of a composition of numbers; Invalid: they do not
	truth  bool       // the result of bools is the truth of what they compute
	plain  string     // the composition for types without NaN
	double bool       // numbers are float64 or complex128
	vector bool       // operands of rank 0 are vectors
	arrays bool       // numbers are arrays, also beside optional operands
	first  bool       // all operands have the type of the first one
	rounds bool       // the result is rounded, also of a view
}

var departures = map[string]departure{
	"inner": {bools: dtype.I64, truth: true}, "vecdot": {bools: dtype.I64, truth: true}, "vdot": {bools: dtype.I64, truth: true},
	"matvec": {bools: dtype.I64, truth: true}, "vecmat": {bools: dtype.I64, truth: true}, "einsum": {bools: dtype.I64, truth: true},
	"tensordot": {bools: dtype.I64, truth: true}, "convolve": {bools: dtype.I64, truth: true, vector: true}, "correlate": {bools: dtype.I64, truth: true},
	"cummax": {bools: dtype.U8, truth: true}, "cummin": {bools: dtype.U8, truth: true},
	"isclose": {bools: dtype.F64}, "allclose": {bools: dtype.F64}, "bitwise_count": {bools: dtype.U8},
	"nanvar": {plain: "var"}, "nanstd": {plain: "std"}, "cov": {double: true}, "corrcoef": {double: true},
	"argsort": {vector: true}, "argpartition": {vector: true}, "ediff1d": {first: true}, "diff": {arrays: true, rounds: true},
}

// vector returns n, or a number as a vector.
func vector(n *tree.Node) *tree.Node {
	if len(n.Shape()) == 0 {
		return flat(n)
	}
	return n
}

// sums reports whether NumPy's reduction o has an argument dtype.
func sums(o *tree.Operator) bool { return o.Reduce().Op() == prim.Add || o.Reduce().Op() == prim.Mul }

// composition returns the function of a row of the table of compositions. One
// of floats computes in the type that dtype= names, or in the common type of its
// operands, or for integers in float64.
func composition(o *untyped.Composition) func(c *call) *tree.Node {
	own := departures[o.Name]
	return func(c *call) *tree.Node {
		if q := c.f.parameter("q"); q >= 0 && c.args[q].kind == vSeq {
			return c.each(q, composition(o))
		}
		r := c.optionsOf(slices.Contains(ofScalars, o.Name))
		if o.Name == "diff" && slices.Equal(r.Ints, []int{0}) {
			return c.array(0) // what stands before and after it does not count, nor its type
		}
		var values []value
		nodes, at := make([]*tree.Node, max(o.Operands, 0)), c.f.operands()
		for k, i := range at[:len(nodes)] {
			if !c.isNone(i) && (k == 0 || k != o.Index && !own.first) {
				v := c.operand(i)
				if (o.Optional == 0 || own.arrays) && o.Group != groups[0] { // NumPy makes arrays of its arguments first
					v = valueOf(c.array(i))
				}
				values = append(values, v)
			}
		}
		list := max(c.f.rest, 0)
		if o.Operands < 0 {
			values = c.listed(list, false)
		}
		t, floats := promoted(values...), o.Types.Has(dtype.F64)
		in, truth := own.bools, own.truth
		if chooses(c) {
			in, truth = dtype.U8, true
		}
		if truth = truth && t == dtype.Bool; t == dtype.Bool && in != dtype.Invalid {
			t = in
		}
		switch typed := c.f.parameter("dtype") >= 0; {
		case floats && typed && r.To != dtype.Invalid:
			t = r.To
		case chooses(c) && !fractional(t):
		case own.double:
			t = promoted(append(values, zero(dtype.F64))...)
		case o.Wide && !fractional(t): // NumPy has these in float64
			t = dtype.F64
		case o.Group == groups[0] && floats && !fractional(t):
			t = floatLoop(t, values)
		case !o.Wide && floats && typed:
			t = sumType(t)
		}
		for k, i := range at[:len(nodes)] {
			switch {
			case c.isNone(i):
			case k > 0 && k == o.Index:
				nodes[k] = c.array(i)
			case k > 0 && own.first && !sameKind(c.array(i).DType(), t):
				panic(fail(c.args[i].at, tree.ErrType, "%s of %v cannot be put beside differences of %v", c.f.params[i].name, c.array(i).DType(), t))
			default:
				nodes[k] = c.as(i, t)
			}
		}
		if o.Group == "scans" || own.vector { // a number is a vector in NumPy
			nodes = lists.Map(nodes, vector)
		}
		if o.Operands < 0 {
			nodes = c.converted(list, values, t)
		}
		name := o.Name
		if own.plain != "" && !fractional(promoted(values...)) {
			name = own.plain
		}
		n := untyped.Compose(name, r, nodes...)
		if o.Wide && r.To.IsComplex() { // also a variance of complex numbers, which is real
			n = cast(n, r.To)
		}
		if truth {
			n = cast(n, dtype.Bool)
		}
		if o.Group == "views" && !own.rounds {
			return n
		}
		return rounded(n)
	}
}
