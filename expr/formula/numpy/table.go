package numpy

import (
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// The table of functions comes from three sources: the rows of the operator
// table, the rows of the table of compositions, and the functions below, which
// have meanings of NumPy's own.

// The groups of functions, in the order of the documentation.
var groups = []string{"element by element", "reductions", "selection and rounding", "products", "statistics", "views", "making arrays", "networks", "derivatives", "Fourier transforms"}

// noBound is said of functions that round the results of floats more than once.
const noBound = "no error bound"

var (
	sorted    = collect()
	functions = byName(sorted)
)

// Functions returns what formulas can call, but for the element types, in the
// order of the documentation.
func Functions() []Function { return slices.Clone(sorted) }

func collect() []Function {
	all := slices.Concat(elementwiseRows(), reductions(), compositions(), own)
	slices.SortStableFunc(all, func(a, b Function) int { return slices.Index(groups, a.Group) - slices.Index(groups, b.Group) })
	for i := range all {
		f := &all[i]
		f.Aliases = aliases[f.Name]
		f.Method = slices.Contains(methods, f.Name)
		f.Doc = strings.TrimSuffix(f.Doc, ".")
		if f.Group == groups[8] || f.Group == groups[9] {
			f.Bound = noBound
		}
		f.parse()
	}
	return all
}

func byName(all []Function) map[string]*Function {
	out := map[string]*Function{}
	for i := range all {
		out[all[i].Name] = &all[i]
		for _, name := range all[i].Aliases {
			out[name] = &all[i]
		}
	}
	return out
}

// methods are the functions that NumPy's arrays have as methods.
var methods = strings.Fields(`all any argmax argmin max min prod sum mean var std clip round dot reshape ravel transpose
	swapaxes squeeze take astype copy repeat diagonal trace cumsum cumprod argsort argpartition searchsorted conj
	flatten conjugate`)

// aliases are NumPy's other names.
var aliases = map[string][]string{
	"abs": {"absolute", "fabs"}, "sub": {"subtract"}, "mul": {"multiply"}, "div": {"divide", "true_divide"},
	"mod": {"remainder"}, "pow": {"power"}, "neg": {"negative"}, "invert": {"bitwise_not", "bitwise_invert"},
	"left_shift": {"bitwise_left_shift"}, "right_shift": {"bitwise_right_shift"}, "atan2": {"arctan2"},
	"asin": {"arcsin"}, "acos": {"arccos"}, "atan": {"arctan"}, "asinh": {"arcsinh"}, "acosh": {"arccosh"}, "atanh": {"arctanh"}, "trunc": {"fix"}, "max": {"amax"}, "min": {"amin"},
	"round": {"around"}, "ravel": {"flatten"}, "transpose": {"permute_dims"}, "concatenate": {"concat"},
	"gammaln": {"lgamma"}, "digamma": {"psi"},
	"deg2rad": {"radians"}, "rad2deg": {"degrees"},
	"array": {"asarray", "asanyarray"}, "zeros": {"empty"}, "zeros_like": {"empty_like"}, "conjugate": {"conj"}, "layernorm": {"layer_norm"},
}

// elementwiseRows are the element-wise rows of the operator table that no
// function of another group stands for.
func elementwiseRows() []Function {
	out := []Function{{Name: "positive", Group: groups[0], Arguments: "x, /", Doc: "+x", tree: operatorFunction("+")}}
	for _, o := range untyped.Table() {
		if o.Class() != tree.Elementwise || o.Result() == tree.ResultTo || isOwn(o.Name()) {
			continue
		}
		f := Function{Name: o.Name(), Group: groups[0], Doc: o.Doc(), Bound: o.Bound(), Arguments: [...]string{1: "x, /", 2: "x1, x2, /", 3: "x1, x2, x3, /"}[o.Arity()]}
		switch {
		case o.Symbol() != "":
			f.tree = operatorFunction(o.Symbol())
		case o.Name() == "neg":
			f.tree = operatorFunction("-")
		default:
			f.tree = elementwise(o)
		}
		out = append(out, f)
	}
	return out
}

func reductions() (out []Function) {
	for _, o := range untyped.Table() {
		if o.Class() == tree.Reduction {
			f := Function{Name: o.Name(), Group: groups[1], Doc: o.Doc(), Arguments: "a, axis=None, *, keepdims=False", tree: reduction(o)}
			if sums(o) {
				f.Arguments = "a, axis=None, dtype=None, *, keepdims=False"
				f.Bound = noBound
			}
			if neutral, ok := masked[o.Name()]; ok {
				if !neutral.bools {
					f.Arguments += ", initial=None"
				}
				f.Arguments += ", where=None"
			}
			out = append(out, f)
		}
	}
	return out
}

func compositions() (out []Function) {
	for _, c := range untyped.Compositions() {
		if isOwn(c.Name) {
			continue
		}
		f := Function{Name: c.Name, Group: c.Group, Doc: c.Doc, Arguments: c.Arguments, pairs: c.Pairs, tree: composition(c)}
		if c.Name == "nancumprod" { // a NaN that becomes an integer is 0, which nancumsum puts in its place
			f.tree = callWithoutNaN(compositionNamed("cumprod"), 1)
		}
		if c.Wide || c.Rounds {
			f.Bound = noBound
		}
		out = append(out, f)
	}
	return out
}

// isOwn reports whether formulas have their own function of a name.
func isOwn(name string) bool {
	return slices.ContainsFunc(own, func(f Function) bool { return f.Name == name })
}

// The arguments of own functions that several have.
const (
	masking       = "a, axis=None, dtype=None, *, keepdims=False, where=None"
	moments       = "a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None, mean=None, correction=0"
	nanSums       = "a, axis=None, dtype=None, *, keepdims=False, initial=None, where=None"
	quantiles     = "a, q, axis=None, *, overwrite_input=False, method='linear', keepdims=False, weights=None"
	middles       = "a, axis=None, *, overwrite_input=False, keepdims=False"
	joining       = ", *, dtype=None, casting='same_kind'"
	histogramming = "a, bins=10, range=None, density=None, weights=None"
	weighing      = "; with weights the method 'inverted_cdf' lets elements count as much as these say"
)

// own are the functions that formulas alone have.
var own = []Function{
	{Name: "mean", Group: groups[1], Bound: noBound, Arguments: masking, Doc: "the arithmetic mean over axes, of elements where a mask holds; an empty axis is an error", tree: callMoment("mean", false)},
	{Name: "var", Group: groups[1], Bound: noBound, Arguments: moments, Doc: "the mean squared distance from the mean over axes, in two passes; the divisor is the count less ddof, at least 0", tree: callMoment("var", false)},
	{Name: "std", Group: groups[1], Bound: noBound, Arguments: moments, Doc: "the square root of var", tree: callMoment("std", false)},
	{Name: "nanmean", Group: groups[1], Bound: noBound, Arguments: masking, Doc: "the mean over axes of what is not NaN; NaN if there is nothing", tree: callMoment("nanmean", true)},
	{Name: "nanvar", Group: groups[1], Bound: noBound, Arguments: moments, Doc: "the variance over axes of what is not NaN", tree: callMoment("nanvar", true)},
	{Name: "nanstd", Group: groups[1], Bound: noBound, Arguments: moments, Doc: "the square root of nanvar", tree: callMoment("nanstd", true)},
	{Name: "nansum", Group: groups[1], Bound: noBound, Arguments: nanSums, Doc: "the sum over axes of what is not NaN", tree: callWithoutNaN(reduction(untyped.Row("sum")), 0)},
	{Name: "nanprod", Group: groups[1], Bound: noBound, Arguments: nanSums, Doc: "the product over axes of what is not NaN", tree: callWithoutNaN(reduction(untyped.Row("prod")), 1)},
	{Name: "median", Group: groups[1], Bound: noBound, Arguments: middles, Doc: "the middle of the sorted elements over axes, or the mean of the two in the middle; NaN if an element is", tree: compositionNamed("median")},
	{Name: "nanmedian", Group: groups[1], Bound: noBound, Arguments: middles, Doc: "the median over axes of what is not NaN; NaN if there is nothing", tree: compositionNamed("nanmedian")},
	{Name: "quantile", Group: groups[1], Bound: noBound, Arguments: quantiles, Doc: "the quantile q, from 0 to 1, over axes, by one of NumPy's methods; NaN if an element is" + weighing, tree: callQuantile("quantile", 1, false)},
	{Name: "percentile", Group: groups[1], Bound: noBound, Arguments: quantiles, Doc: "the quantile q/100 over axes", tree: callQuantile("percentile", 100, false)},
	{Name: "nanquantile", Group: groups[1], Bound: noBound, Arguments: quantiles, Doc: "the quantile q, from 0 to 1, over axes of what is not NaN", tree: callQuantile("nanquantile", 1, true)},
	{Name: "nanpercentile", Group: groups[1], Bound: noBound, Arguments: quantiles, Doc: "the quantile q/100 over axes of what is not NaN", tree: callQuantile("nanpercentile", 100, true)},
	{Name: "average", Group: groups[1], Bound: noBound, Arguments: "a, axis=None, weights=None, returned=False, *, keepdims=False", Doc: "the mean over axes with weights, of the shape of a or of the axes; if returned, a pair with the sums of the weights", value: callAverage},

	{Name: "norm", Group: groups[1], Bound: noBound, Arguments: "x, ord=None, axis=None, keepdims=False", Doc: "np.linalg.norm: the norm of vectors along an axis, of order 2 by default, or of matrices in two axes: of order 1, -1, inf or -inf, or by default 'fro'", tree: callNorm},
	{Name: "nanargmax", Group: groups[1], Arguments: "a, axis=None, *, keepdims=False", Doc: "the position of the first maximum of what is not NaN; 0 if there is nothing", tree: callWithoutNaN(reduction(untyped.Row("argmax")), math.Inf(-1))},
	{Name: "nanargmin", Group: groups[1], Arguments: "a, axis=None, *, keepdims=False", Doc: "the position of the first minimum of what is not NaN; 0 if there is nothing", tree: callWithoutNaN(reduction(untyped.Row("argmin")), math.Inf(1))},
	{Name: "select", Group: groups[2], Arguments: "condlist, choicelist, default=0", Doc: "each element from the first array of a list whose condition holds, or else default", tree: callSelect},
	{Name: "choose", Group: groups[2], Arguments: "a, choices", Doc: "each element from the array of a list that the index a names", tree: callChoose},
	{Name: "isin", Group: groups[2], Arguments: "element, test_elements, assume_unique=False, invert=False, *, kind=None", Doc: "whether each element is among others, or if invert, whether it is not", tree: callIsIn},
	{Name: "polyder", Group: groups[0], Arguments: "p", Doc: "the derivative of the polynomial with the coefficients p, of the highest power first", value: ofVector(written("p[:-1]*arange(len(p) - 1, 0, -1)"))},
	{Name: "polyint", Group: groups[0], Arguments: "p", Doc: "the integral from 0 on of the polynomial with the coefficients p", value: ofVector(written("append(p/arange(len(p), 0, -1), 0.0)"))},
	{Name: "polyval", Group: groups[0], Bound: noBound, Arguments: "p, x", Doc: "the polynomial with the coefficients p, of the highest power first, at x", tree: callPolyval},
	{Name: "linspace", Group: groups[6], Arguments: "start, stop, num=50, endpoint=True, *, dtype=None, axis=0", Doc: "num numbers from start to stop; if these are arrays, along a new axis", tree: callLinspace},
	{Name: "logspace", Group: groups[6], Bound: noBound, Arguments: "start, stop, num=50, endpoint=True, base=10.0, dtype=None", Doc: "base to the power of num numbers from start to stop", value: written("array(base**linspace(start, stop, num, endpoint), dtype)")},
	{Name: "geomspace", Group: groups[6], Bound: noBound, Arguments: "start, stop, num=50, endpoint=True, dtype=None", Doc: "num numbers from start to stop, each the same multiple of the one before", tree: callGeomspace},

	{Name: "angle", Group: groups[0], Bound: noBound, Arguments: "z, deg=False", Doc: "the angle of a complex number, in radians or degrees", tree: callAngle},
	{Name: "unwrap", Group: "scans", Bound: noBound, Arguments: "p, discont=None, axis=-1, *, period=6.283185307179586", Doc: "p with multiples of the period added, so that neighbours along an axis differ by at most half of it where they differ by discont or more", tree: callUnwrap},
	{Name: "divmod", Group: groups[0], Arguments: "x1, x2, /", Doc: "the pair x1 // x2 and x1 % x2", value: callDivmod},
	{Name: "i0", Group: groups[0], Bound: untyped.Row("i0").Bound(), Arguments: "x", Doc: "the modified Bessel function of the first kind of order 0", tree: callI0},
	{Name: "frexp", Group: groups[0], Arguments: "x, /", Doc: "the pair m, e of x = m * 2**e with 0.5 <= |m| < 1, e as int32; x and 0 for 0, infinity and NaN", value: callFrexp},
	{Name: "ldexp", Group: groups[0], Arguments: "x1, x2, /", Bound: "correctly rounded", Doc: "x1 * 2**x2 for integers x2, in the type of x1", tree: callLdexp},
	{Name: "modf", Group: groups[0], Arguments: "x, /", Doc: "the pair of the part after the point and the integer part, both with the sign of x", value: callModf},

	{Name: "gradient", Group: groups[4], Bound: noBound, Arguments: "f, *varargs, axis=None, edge_order=1", Doc: "central differences along axes, one-sided at both ends, there of edge_order 1 or 2, for samples at one distance, at a distance for each axis, or at coordinates; along several axes a tuple", value: callGradient},
	{Name: "searchsorted", Group: groups[4], Arguments: "a, v, side='left', sorter=None", Doc: "for each element of v the number of elements of the vector a below it, as int64, or for the side right not above it; a is sorted, or the indices sorter sort it", tree: callSearchSorted},
	{Name: "histogram", Group: groups[4], Bound: noBound, Arguments: histogramming, Doc: "the pair of how many elements each bin has, and the edges of the bins", value: callHistogram},
	{Name: "histogram2d", Group: groups[4], Bound: noBound, Arguments: "x, y, bins=10, range=None, density=None, weights=None", Doc: "the counts in a grid of bins, the edges along x, and those along y", value: callHistogramND},
	{Name: "histogramdd", Group: groups[4], Bound: noBound, Arguments: "sample, bins=10, range=None, density=None, weights=None", Doc: "the counts in a grid of bins for a matrix with a sample in each row, and a tuple of the edges along each axis", value: callHistogramND},
	{Name: "histogram_bin_edges", Group: groups[4], Bound: noBound, Arguments: "a, bins=10, range=None, weights=None", Doc: "the edges of the bins of histogram", value: func(c *call) value { return valueOf(c.edges(c.args[1].value, c.args[2].value, c.array(0))) }},

	{Name: "ravel", Group: groups[5], Arguments: "a, order='C'", Doc: "the elements as a vector, row-major or column-major", tree: callRavel},
	{Name: "insert", Group: groups[5], Arguments: "arr, obj, values, axis=None", Doc: "with values before a position of an axis, or before several, of which each takes one", tree: callInsert},
	{Name: "stack", Group: groups[5], Arguments: "arrays, axis=0" + joining, Doc: "arrays of equal shapes along a new axis", tree: callJoin("stack")},
	{Name: "hstack", Group: groups[5], Arguments: "tup" + joining, Doc: "arrays one beside the other: along the second axis, or the first of vectors", tree: callJoin("hstack")},
	{Name: "vstack", Group: groups[5], Arguments: "tup" + joining, Doc: "arrays one below the other; vectors are rows", tree: callJoin("vstack")},
	{Name: "block", Group: groups[5], Arguments: "arrays", Doc: "the arrays of nested lists, joined along the last axis, those lists along the axis before, and so on", value: callBlock},
	{Name: "rollaxis", Group: groups[5], Arguments: "a, axis, start=0", Doc: "an axis moved before another one", tree: callRollAxis},
	{Name: "atleast_1d", Group: groups[5], Arguments: "*arys", Doc: "with at least one axis; of several arrays a tuple", value: callEach("atleast_1d")},
	{Name: "atleast_2d", Group: groups[5], Arguments: "*arys", Doc: "with at least two axes; a vector is a row", value: callEach("atleast_2d")},
	{Name: "atleast_3d", Group: groups[5], Arguments: "*arys", Doc: "with at least three axes; a vector of n elements has the shape (1, n, 1)", value: callEach("atleast_3d")},
	{Name: "split", Group: groups[5], Arguments: "ary, indices_or_sections, axis=0", Doc: "a tuple of equal parts of an axis, or of those between positions", value: callSplit(0, 1, true)},
	{Name: "array_split", Group: groups[5], Arguments: "ary, indices_or_sections, axis=0", Doc: "a tuple of parts of an axis, of which the first may be longer by one", value: callSplit(0, 1, false)},
	{Name: "hsplit", Group: groups[5], Arguments: "ary, indices_or_sections", Doc: "split along the second axis, or the first of a vector", value: callSplit(1, 1, true)},
	{Name: "vsplit", Group: groups[5], Arguments: "ary, indices_or_sections", Doc: "split along the first axis", value: callSplit(0, 2, true)},
	{Name: "dsplit", Group: groups[5], Arguments: "ary, indices_or_sections", Doc: "split along the third axis", value: callSplit(2, 3, true)},
	{Name: "unstack", Group: groups[5], Arguments: "x, /, *, axis=0", Doc: "a tuple of the parts at each position of an axis", value: callUnstack},
	{Name: "broadcast_arrays", Group: groups[5], Arguments: "*args", Doc: "a tuple of the arrays, each repeated to their common shape", value: func(c *call) value { return c.several(broadcast(c.arrays())...) }},
	{Name: "meshgrid", Group: groups[6], Arguments: "*xi, copy=True, sparse=False, indexing='xy'", Doc: "a tuple of the coordinates of a grid", value: callMeshgrid},
	{Name: "ndim", Group: groups[5], Arguments: "a", Doc: "the number of axes", value: func(c *call) value { return integer(len(c.array(0).Shape())) }},
	{Name: "shape", Group: groups[5], Arguments: "a", Doc: "the extents of the axes", value: func(c *call) value { return sequence(lists.Map(c.array(0).Shape(), integer)) }},
	{Name: "size", Group: groups[5], Arguments: "a, axis=None", Doc: "the number of elements, or the product of the extents of axes", value: callSize},
	{Name: "where", Group: groups[2], Arguments: "condition, x, y", Doc: "x where the condition holds, else y", tree: callWhere},
	{Name: "clip", Group: groups[2], Arguments: "a, a_min=None, a_max=None, *, min=None, max=None", Doc: "a brought into the range a_min..a_max", tree: callClip},
	{Name: "round", Group: groups[2], Arguments: "a, decimals=0", Doc: "the nearest number of that many decimals, ties to even", tree: callRound},
	{Name: "iscomplexobj", Group: groups[2], Arguments: "x", Doc: "whether the elements of x are of a complex type", tree: callIsComplex(true)},
	{Name: "isrealobj", Group: groups[2], Arguments: "x", Doc: "whether the elements of x are of a type that is not complex", tree: callIsComplex(false)},
	{Name: "iscomplex", Group: groups[2], Arguments: "x", Doc: "whether the imaginary part is not 0", value: written("imag(x) != 0")},
	{Name: "isreal", Group: groups[2], Arguments: "x", Doc: "whether the imaginary part is 0", value: written("imag(x) == 0")},

	{Name: "float_power", Group: groups[0], Bound: noBound, Arguments: "x1, x2, /", Doc: "x1 ** x2 in float64, or complex128", tree: callFloatPower},
	{Name: "cumulative_sum", Group: "scans", Bound: noBound, Arguments: "x, /, *, axis=None, dtype=None, include_initial=False", Doc: "cumsum along the axis that a vector has, or that is named; with a first 0 if include_initial", tree: cumulative("cumsum", 0)},
	{Name: "cumulative_prod", Group: "scans", Bound: noBound, Arguments: "x, /, *, axis=None, dtype=None, include_initial=False", Doc: "cumprod along the axis that a vector has, or that is named; with a first 1 if include_initial", tree: cumulative("cumprod", 1)},
	{Name: "bincount", Group: groups[4], Arguments: "x, /, weights=None, minlength=0", Doc: "how often each integer below minlength occurs in a vector, as int64, or the sum of its weights; an integer outside is an error", tree: callBincount},
	{Name: "digitize", Group: groups[4], Arguments: "x, bins, right=False", Doc: "for each element of x the number of increasing bins that are not above it, as int64; if right, of those below it; of decreasing bins the number of those above it", tree: callDigitize},
	{Name: "lexsort", Group: groups[4], Arguments: "keys, axis=-1", Doc: "the positions that sort by the last of several keys, equal ones by the key before, and so on", tree: callLexsort},
	{Name: "unravel_index", Group: groups[4], Arguments: "indices, shape", Doc: "a tuple of the positions on the axes of a shape, for positions in row-major order", value: callUnravelIndex},
	{Name: "ravel_multi_index", Group: groups[4], Arguments: "multi_index, dims", Doc: "the positions in row-major order, for a tuple of positions on the axes of a shape", tree: callRavelMultiIndex},
	{Name: "matrix_power", Group: groups[3], Bound: noBound, Arguments: "a, n", Doc: "np.linalg.matrix_power: the product of n square matrices a", tree: callMatrixPower},
	{Name: "matmul", Group: groups[3], Bound: noBound, Arguments: "x1, x2", Doc: "the matrix product x1 @ x2", tree: func(c *call) *tree.Node { return matmul(valueOf(c.array(0)), valueOf(c.array(1))) }},
	{Name: "dot", Group: groups[3], Bound: noBound, Arguments: "a, b", Doc: "the product of vectors, matrices or numbers", tree: callDot},

	{Name: "reshape", Group: groups[5], Arguments: "a, shape, order='C', *, copy=None", Doc: "the same elements in another shape, row-major or column-major; one extent may be -1", tree: callReshape},
	{Name: "transpose", Group: groups[5], Arguments: "a, axes=None", Doc: "the axes in another order, reversed by default", tree: callTranspose},
	{Name: "matrix_transpose", Group: groups[5], Arguments: "x, /", Doc: "the last two axes exchanged", value: written("swapaxes(x, -1, -2)")},
	{Name: "broadcast_to", Group: groups[5], Arguments: "array, shape", Doc: "repeated to a shape", tree: func(c *call) *tree.Node { return untyped.BroadcastTo(c.array(0), c.integers(1)) }},
	{Name: "take", Group: groups[5], Arguments: "a, indices, axis=None, *, mode='raise'", Doc: "elements of an axis by index; an index outside is an error, or in the modes 'clip' and 'wrap' the nearest or modulo the size", tree: callTake},
	{Name: "take_along_axis", Group: groups[5], Arguments: "arr, indices, axis=-1?", Doc: "elements of an axis at positions, in the shape of the indices; without an axis, of all elements", tree: func(c *call) *tree.Node { return c.alongAxis(c.along(2)) }},
	{Name: "put_along_axis", Group: groups[5], Arguments: "arr, indices, values, axis?", Doc: "arr with values at positions of an axis; as a statement it writes them into arr", tree: callPutAlong},
	{Name: "pad", Group: groups[5], Arguments: "array, pad_width, mode='constant', *, constant_values=0, end_values=0, stat_length=None, reflect_type='even'", Doc: "surrounded by numbers, in the modes 'edge', 'wrap', 'reflect' and 'symmetric' by its own elements, in 'linear_ramp' by steps to end_values, in 'maximum', 'minimum', 'mean' and 'median' by this statistic of stat_length elements", tree: callPad},
	{Name: "concatenate", Group: groups[5], Arguments: "arrays, axis=0?" + joining, Doc: "arrays one after the other along an axis", tree: callConcatenate},
	{Name: "astype", Group: groups[5], Arguments: "x, dtype", Doc: "x converted to an element type", tree: func(c *call) *tree.Node { return cast(c.array(0), c.dtype(1, dtype.Invalid)) }},
	{Name: "copy", Group: groups[5], Arguments: "a", Doc: "a itself: formulas have values, not references", tree: func(c *call) *tree.Node { return c.array(0) }},
	{Name: "len", Group: groups[5], Arguments: "x", Doc: "the extent of the first axis", value: callLength},

	{Name: "identity", Group: groups[6], Arguments: "n, dtype=None", Doc: "1 on the diagonal of n rows and columns, else 0", value: written("eye(n, dtype=dtype)")},
	{Name: "zeros", Group: groups[6], Arguments: "shape, dtype=None", Doc: "zeros, of float64 by default", value: written("broadcast_to(array(0.0, dtype), shape)")},
	{Name: "ones", Group: groups[6], Arguments: "shape, dtype=None", Doc: "ones, of float64 by default", value: written("broadcast_to(array(1.0, dtype), shape)")},
	{Name: "full", Group: groups[6], Arguments: "shape, fill_value, dtype=None", Doc: "a value in a shape", tree: callFull},
	{Name: "zeros_like", Group: groups[6], Arguments: "a, dtype=None, *, shape=None", Doc: "zeros in the shape of a", value: written("full_like(a, 0, dtype, shape=shape)")},
	{Name: "ones_like", Group: groups[6], Arguments: "a, dtype=None, *, shape=None", Doc: "ones in the shape of a", value: written("full_like(a, 1, dtype, shape=shape)")},
	{Name: "full_like", Group: groups[6], Arguments: "a, fill_value, dtype=None, *, shape=None", Doc: "a value in the shape of a", tree: callFullLike},
	{Name: "vander", Group: groups[6], Bound: noBound, Arguments: "x, N=None, increasing=False", Doc: "the powers of a vector as N columns, the highest first", value: ofVector(callVander)},
	{Name: "diagflat", Group: groups[6], Arguments: "v, k=0", Doc: "a matrix with all elements on a diagonal", value: written("diag(ravel(v), k)")},
	{Name: "indices", Group: groups[6], Arguments: "dimensions, dtype=None", Doc: "the position on each axis, along a new first axis", tree: callIndices},
	{Name: "ix_", Group: groups[6], Arguments: "*args", Doc: "a tuple of vectors of positions that together choose a grid, x[ix_(i, j)]", value: callGridOf},
	{Name: "diag_indices", Group: groups[6], Arguments: "n, ndim=2", Doc: "a tuple of the positions of a diagonal of n elements, for each of ndim axes", value: callDiagIndices},
	{Name: "bartlett", Group: groups[6], Bound: noBound, Arguments: "M", Doc: "the window of M points that rises and falls evenly", value: written("n = arange(1 - M, M, 2); d = maximum(M - 1, 1); where(n <= 0, 1 + n/d, 1 - n/d)")},
	{Name: "blackman", Group: groups[6], Bound: noBound, Arguments: "M", Doc: "Blackman's window of M points", value: written("t = pi*arange(1 - M, M, 2); d = maximum(M - 1, 1); 0.42 + 0.5*cos(t/d) + 0.08*cos(2*t/d)")},
	{Name: "hamming", Group: groups[6], Bound: noBound, Arguments: "M", Doc: "Hamming's window of M points", value: written("0.54 + 0.46*cos(pi*arange(1 - M, M, 2)/maximum(M - 1, 1))")},
	{Name: "hanning", Group: groups[6], Bound: noBound, Arguments: "M", Doc: "the window of M points that is one wave of the cosine", value: written("0.5 + 0.5*cos(pi*arange(1 - M, M, 2)/maximum(M - 1, 1))")},
	{Name: "kaiser", Group: groups[6], Bound: noBound, Arguments: "M, beta", Doc: "Kaiser's window of M points", value: written("a = (M - 1)/2; i0(beta*sqrt(1 - ((arange(0, M) - a)/maximum(a, 0.5))**2))/i0(float(beta))")},
	{Name: "arange", Group: groups[6], Arguments: "start, stop=None, step=None, *, dtype=None", Doc: "start, start + step ... before stop", tree: callArange},
	{Name: "random_uniform", Group: groups[6], Arguments: "key, shape, dtype=None", Doc: "numbers of [0, 1), evenly distributed, which follow from an integer, the key", tree: random(op.Uniform[float64], op.Uniform[float32])},
	{Name: "random_normal", Group: groups[6], Arguments: "key, shape, dtype=None", Doc: "numbers of the normal distribution with mean 0 and variance 1", tree: random(op.Normal[float64], op.Normal[float32])},
	{Name: "random_exponential", Group: groups[6], Arguments: "key, shape, dtype=None", Doc: "numbers of the exponential distribution with mean 1", tree: random(op.Exponential[float64], op.Exponential[float32])},
	{Name: "random_gamma", Group: groups[6], Arguments: "key, a, shape", Doc: "numbers of the gamma distribution of shape a and scale 1", tree: callGamma},
	{Name: "random_integers", Group: groups[6], Arguments: "key, n, shape", Doc: "integers from 0 to n - 1, evenly distributed", tree: callRandomIntegers},
	{Name: "random_bernoulli", Group: groups[6], Arguments: "key, p, shape", Doc: "true with probability p", tree: func(c *call) *tree.Node { return expr.NodeOf(op.Bernoulli(c.key(), c.float(1), c.integers(2)...)) }},
	{Name: "random_poisson", Group: groups[6], Arguments: "key, lam, shape", Doc: "numbers of the Poisson distribution with mean lam, as int64", tree: func(c *call) *tree.Node { return expr.NodeOf(op.Poisson(c.key(), c.float(1), c.integers(2)...)) }},
	{Name: "random_permutation", Group: groups[6], Arguments: "key, n", Doc: "the integers from 0 to n - 1 in a random order", tree: func(c *call) *tree.Node { return expr.NodeOf(op.Permutation(c.key(), c.integer(1))) }},
	{Name: "random_fold", Group: groups[6], Arguments: "key, n", Doc: "a key made of a key and an integer, whose numbers are independent of those of other keys", tree: func(c *call) *tree.Node { return expr.NodeOf(op.Fold(c.key(), uint64(c.integer(1)))) }},
	{Name: "grad", Group: groups[8], Arguments: "y, x", Doc: "the gradient of the number y by x; x is a name, and y depends on it", tree: callGrad},
	{Name: "vjp", Group: groups[8], Arguments: "y, v, x", Doc: "the gradient of sum(v*y) by x: the vector v times the Jacobian of y", tree: callVJP},
	{Name: "jvp", Group: groups[8], Arguments: "y, x, v", Doc: "the derivative of y as x moves by v: the Jacobian of y times the vector v", tree: callJVP},
	{Name: "hvp", Group: groups[8], Arguments: "y, x, v", Doc: "the derivative of grad(y, x) as x moves by v: the Hessian of the number y times the vector v", tree: callHVP},

	{Name: "fft", Group: groups[9], Arguments: fourierArguments, Doc: "the discrete Fourier transform along an axis, cut or padded to n points; np.fft.fft", tree: callFourier("fft")},
	{Name: "ifft", Group: groups[9], Arguments: fourierArguments, Doc: "the inverse of fft", tree: callFourier("ifft")},
	{Name: "rfft", Group: groups[9], Arguments: fourierArguments, Doc: "the first n//2 + 1 numbers of the transform of real numbers", tree: callFourier("rfft")},
	{Name: "irfft", Group: groups[9], Arguments: fourierArguments, Doc: "the inverse of rfft, of n results", tree: callFourier("irfft")},
	{Name: "hfft", Group: groups[9], Arguments: fourierArguments, Doc: "the transform, which is real, of n numbers of which the last are the conjugates of the first", tree: callFourier("hfft")},
	{Name: "ihfft", Group: groups[9], Arguments: fourierArguments, Doc: "the inverse of hfft", tree: callFourier("ihfft")},
	{Name: "fft2", Group: groups[9], Arguments: fourier2Arguments, Doc: "fft along two axes", tree: callFourier("fftn")},
	{Name: "ifft2", Group: groups[9], Arguments: fourier2Arguments, Doc: "the inverse of fft2", tree: callFourier("ifftn")},
	{Name: "rfft2", Group: groups[9], Arguments: fourier2Arguments, Doc: "rfft along the last of two axes, then fft along the other", tree: callFourier("rfftn")},
	{Name: "irfft2", Group: groups[9], Arguments: fourier2Arguments, Doc: "the inverse of rfft2, of s[-1] results along the last axis", tree: callFourier("irfftn")},
	{Name: "fftn", Group: groups[9], Arguments: fourierNArguments, Doc: "fft along axes, by default all, the last first", tree: callFourier("fftn")},
	{Name: "ifftn", Group: groups[9], Arguments: fourierNArguments, Doc: "the inverse of fftn", tree: callFourier("ifftn")},
	{Name: "rfftn", Group: groups[9], Arguments: fourierNArguments, Doc: "rfft along the last of the axes, then fft along the others", tree: callFourier("rfftn")},
	{Name: "irfftn", Group: groups[9], Arguments: fourierNArguments, Doc: "the inverse of rfftn, of s[-1] results along the last axis", tree: callFourier("irfftn")},
	{Name: "fftfreq", Group: groups[9], Arguments: "n, d=1.0", Doc: "the frequencies of the points of fft at distances d", tree: callFrequencies(false)},
	{Name: "rfftfreq", Group: groups[9], Arguments: "n, d=1.0", Doc: "the frequencies of the points of rfft at distances d", tree: callFrequencies(true)},

	{Name: "array", Group: groups[6], Arguments: "a, dtype=None, *, copy=None", Doc: "a list or an array as an array", tree: func(c *call) *tree.Node { return c.as(0, c.dtype(1, c.args[0].dtype())) }},
}
