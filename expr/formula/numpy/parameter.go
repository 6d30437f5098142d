package numpy

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
)

// A parameterRow is a parameter that takes no operand: what it admits, and how
// its argument becomes an option of a reduction or a composition.
type parameterRow struct {
	kind paramKind
	set  setter // nil if only functions of this package have the parameter
}

// A setter sets an option to argument i.
type setter = func(c *call, i int, o *untyped.Options)

// parameters are the parameters that take no operand, by name. A name means the
// same wherever it is used.
var parameters = map[string]parameterRow{
	"arrays": {pArrays, nil}, "tup": {pArrays, nil}, "operands": {pArrays, nil}, "arys": {pArrays, nil}, "args": {pArrays, nil}, "xi": {pArrays, nil},
	"varargs": {pArrays, nil}, "keys": {pArrays, nil}, "choices": {pArrays, nil}, "multi_index": {pArrays, nil},
	"dims": {pInts, nil}, "dimensions": {pInts, nil}, "increasing": {pTruth, nil}, "lam": {pNumber, nil}, "ndim": {pInt, nil},
	"ord": {pAny, nil}, "condlist": {pArrays, nil}, "choicelist": {pArrays, nil}, "assume_unique": {pTruth, nil}, "invert": {pTruth, nil}, "base": {pNumber, nil},
	"pad_width": {pAny, nil}, "constant_values": {pAny, nil}, "end_values": {pAny, nil}, "stat_length": {pAny, nil}, "reflect_type": {pText, nil},
	"step": {pNumber, nil}, "copy": {pTruth, nil}, "order": {pText, nil}, "casting": {pText, nil}, "overwrite_input": {pTruth, nil},
	"indices_or_sections": {pInts, nil}, "sparse": {pTruth, nil}, "indexing": {pText, nil}, "returned": {pTruth, nil},
	"bins": {pAny, nil}, "range": {pAny, nil}, "density": {pTruth, nil}, "deg": {pTruth, nil}, "sample": {pAny, nil},

	"axis":   {pInts, ifGiven(setAxes)}, // cross has other axes too
	"source": {pInts, setAxes}, "corner": {pInts, setAxes},
	"axis1": {pInt, addAxis}, "axis2": {pInt, addAxis}, "axisa": {pInt, addAxis}, "axisb": {pInt, addAxis}, "axisc": {pInt, addAxis},
	"axes": {pAny, setAxesOrPairs},

	"s": {pInts, nil}, "shift": {pInts, setInts}, "destination": {pInts, setInts}, "reps": {pInts, setInts}, "kth": {pInts, setInts},
	"new_shape": {pInts, setInts}, "shape": {pInts, setInts}, "size": {pInts, setInts},

	"depth": {pInt, addInt}, "num": {pInt, addInt}, "N": {pInt, addInt}, "k": {pInt, addInt}, "n": {pInt, addInt},
	"repeats": {pInts, setInts}, "decimals": {pInt, addInt}, "offset": {pInt, addInt},
	"obj":   {pInts, func(c *call, i int, o *untyped.Options) { o.Ints = c.positions(i) }},
	"scale": {pInt, addInt}, "minlength": {pInt, addInt},
	"ignore_label": {pInt, ifGiven(addInt)}, "M": {pInt, addIntOrFirst}, "rowvar": {pTruth, addTruth}, "edge_order": {pInt, addInt},
	"bias": {pTruth, func(c *call, i int, o *untyped.Options) { o.DDof = 1 - scalar.FromBool[float64](c.args[i].s.Truth()) }}, "equal_nan": {pTruth, addTruth},
	"kind": {pText, checkKind}, "stable": {pTruth, checkStable}, // every sort is stable
	"include_initial": {pTruth, nil},

	"eps": {pNumber, addNumber}, "nan": {pNumber, addNumber}, "start": {pNumber, addNumber}, "stop": {pNumber, addNumber},
	"rtol": {pNumber, addNumber}, "atol": {pNumber, addNumber}, "dx": {pNumber, addNumber}, "alpha": {pNumber, addNumber},
	"negative_slope": {pNumber, addNumber}, "discont": {pNumber, addNumberOr(math.NaN())},
	"period": {pNumber, ifGiven(addNumber)},
	"d":      {pNumber, nil}, "norm": {pText, nil},
	"q":      {pNumbers, addNumber}, // composition takes lists apart
	"posinf": {pNumber, addNumberOr(math.MaxFloat64)}, "neginf": {pNumber, addNumberOr(-math.MaxFloat64)},

	"subscripts": {pText, setText}, "mode": {pAny, setText}, "axes_from": {pText, setText}, "side": {pText, setText}, "method": {pText, setText},
	"axes_to": {pText, func(c *call, i int, o *untyped.Options) { o.Text += " " + c.text(i) }},

	"kernel_size": {pInts, func(c *call, i int, o *untyped.Options) { o.Slide.Kernel = c.integers(i) }},
	"stride":      {pInts, func(c *call, i int, o *untyped.Options) { o.Slide.Stride = c.integers(i) }},
	"padding":     {pInts, func(c *call, i int, o *untyped.Options) { o.Slide.Padding = c.integers(i) }},
	"dilation":    {pInts, func(c *call, i int, o *untyped.Options) { o.Slide.Dilation = c.integers(i) }},
	"groups":      {pInt, func(c *call, i int, o *untyped.Options) { o.Slide.Groups = c.integer(i) }},

	"keepdims": {pTruth, func(c *call, i int, o *untyped.Options) { o.Keep = c.args[i].s.Truth() }},
	"endpoint": {pTruth, func(c *call, i int, o *untyped.Options) { o.Open = !c.args[i].s.Truth() }},
	"dtype":    {pType, func(c *call, i int, o *untyped.Options) { o.To = c.dtype(i, dtype.Invalid) }},
	"ddof":     {pNumber, setDDof}, "correction": {pNumber, setDDof},
}

// options returns the arguments of a reduction or a composition that are no
// operands.
func (c *call) options() (o untyped.Options) {
	for i, p := range c.f.params {
		if row := parameters[p.name]; row.set != nil {
			row.set(c, i, &o)
		}
	}
	return o
}

// ifGiven leaves the options as they are if the argument is None.
func ifGiven(set setter) setter {
	return func(c *call, i int, o *untyped.Options) {
		if !c.isNone(i) {
			set(c, i, o)
		}
	}
}

func setAxes(c *call, i int, o *untyped.Options) { o.Axes = c.integers(i) }

func addAxis(c *call, i int, o *untyped.Options) { o.Axes = append(o.Axes, c.integer(i)) }

// setAxesOrPairs sets a list of axes, or for a row of pairs the axes of two operands.
func setAxesOrPairs(c *call, i int, o *untyped.Options) {
	if c.f.pairs {
		o.Axes, o.Ints = c.pairs(i)
	} else {
		o.Axes = c.integers(i)
	}
}

func setInts(c *call, i int, o *untyped.Options) { o.Ints = c.integers(i) }

func addInt(c *call, i int, o *untyped.Options) { o.Ints = append(o.Ints, c.integer(i)) }

// addIntOrFirst adds the argument, or the first argument if it is None.
func addIntOrFirst(c *call, i int, o *untyped.Options) {
	if c.isNone(i) {
		i = 0
	}
	addInt(c, i, o)
}

func addTruth(c *call, i int, o *untyped.Options) {
	o.Ints = append(o.Ints, scalar.FromBool[int](c.args[i].s.Truth()))
}

func addNumber(c *call, i int, o *untyped.Options) { o.Numbers = append(o.Numbers, c.float(i)) }

// addNumberOr adds the argument, or v if it is None.
func addNumberOr(v float64) setter {
	return func(c *call, i int, o *untyped.Options) {
		if c.isNone(i) {
			o.Numbers = append(o.Numbers, v)
		} else {
			addNumber(c, i, o)
		}
	}
}

// checkKind admits the names of NumPy's algorithms. Every sort here is stable.
func checkKind(c *call, i int, _ *untyped.Options) {
	stopIf(!c.isNone(i) && !slices.Contains([]string{"quicksort", "mergesort", "heapsort", "stable"}, c.text(i)), c.args[i].at, tree.ErrValue, "there is no kind %q; there are quicksort, mergesort, heapsort and stable", c.text(i))
}

// checkStable admits one of the arguments kind and stable.
func checkStable(c *call, i int, _ *untyped.Options) {
	kind := c.f.parameter("kind")
	stopIf(!c.isNone(i) && !c.isNone(kind), c.args[i].at, tree.ErrValue, "%s takes kind or stable, not both", c.at.Text)
}

func setText(c *call, i int, o *untyped.Options) { o.Text = c.text(i) }

func setDDof(c *call, i int, o *untyped.Options) {
	if c.isNone(i) { // cov has it from bias
		return
	}
	if c.f.parameter("bias") >= 0 {
		o.DDof = c.float(i)
		return
	}
	if d := c.float(i); c.args[i].given && o.DDof != 0 {
		panic(fail(c.args[i].at, nil, "%s takes ddof or correction, not both", c.at.Text))
	} else if d != 0 {
		o.DDof = d
	}
}

// text returns argument i, a string, or "" for None.
func (c *call) text(i int) string {
	x := c.args[i]
	stopIf(x.kind != vString && x.kind != vNone, x.at, tree.ErrType, "%s must be a string, not %s", c.f.params[i].name, x.describe())
	return c.args[i].str
}
