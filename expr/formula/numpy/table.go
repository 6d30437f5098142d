package numpy

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
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
	"array": {"asarray"}, "conjugate": {"conj"}, "layernorm": {"layer_norm"},
}

// elementwiseRows are the element-wise rows of the operator table that no
// function of another group stands for.
func elementwiseRows() []Function {
	out := []Function{{Name: "positive", Group: groups[0], Arguments: "x, /", Doc: "+x", tree: operatorFunction("+")}}
	for _, o := range op.Table() {
		if o.Class() != tree.Elementwise || o.Result() == tree.ResultTo || o.Name() == "where" || o.Name() == "clip" {
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
	for _, o := range op.Table() {
		if o.Class() == tree.Reduction {
			f := Function{Name: o.Name(), Group: groups[1], Doc: o.Doc(), Arguments: "a, axis=None, *, keepdims=False", tree: reduction(o)}
			if sums(o) {
				f.Arguments += ", dtype=None"
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
	for _, c := range op.Compositions() {
		if slices.ContainsFunc(own, func(f Function) bool { return f.Name == c.Name }) {
			continue
		}
		f := Function{Name: c.Name, Group: c.Group, Doc: c.Doc, Arguments: c.Arguments, pairs: c.Pairs, tree: composition(c)}
		if c.Wide || c.Rounds {
			f.Bound = noBound
		}
		out = append(out, f)
	}
	return out
}

// own are the functions that formulas alone have.
var own = []Function{
	{Name: "where", Group: groups[2], Arguments: "condition, x, y", Doc: "x where the condition holds, else y", tree: callWhere},
	{Name: "clip", Group: groups[2], Arguments: "a, a_min=None, a_max=None, *, min=None, max=None", Doc: "a brought into the range a_min..a_max", tree: callClip},
	{Name: "round", Group: groups[2], Arguments: "a, decimals=0", Doc: "the nearest number of that many decimals, ties to even", tree: callRound},
	{Name: "iscomplexobj", Group: groups[2], Arguments: "x", Doc: "whether the elements of x are of a complex type", tree: callIsComplex(true)},
	{Name: "isrealobj", Group: groups[2], Arguments: "x", Doc: "whether the elements of x are of a type that is not complex", tree: callIsComplex(false)},
	{Name: "iscomplex", Group: groups[2], Arguments: "x", Doc: "whether the imaginary part is not 0", tree: callImaginary("not_equal")},
	{Name: "isreal", Group: groups[2], Arguments: "x", Doc: "whether the imaginary part is 0", tree: callImaginary("equal")},

	{Name: "float_power", Group: groups[0], Bound: noBound, Arguments: "x1, x2, /", Doc: "x1 ** x2 in float64, or complex128", tree: callFloatPower},
	{Name: "cumulative_sum", Group: "scans", Bound: noBound, Arguments: "x, /, *, axis=None, dtype=None, include_initial=False", Doc: "cumsum along the axis that a vector has, or that is named; with a first 0 if include_initial", tree: cumulative("cumsum", 0)},
	{Name: "cumulative_prod", Group: "scans", Bound: noBound, Arguments: "x, /, *, axis=None, dtype=None, include_initial=False", Doc: "cumprod along the axis that a vector has, or that is named; with a first 1 if include_initial", tree: cumulative("cumprod", 1)},
	{Name: "bincount", Group: groups[4], Arguments: "x, weights=None, *, minlength=0", Doc: "how often each integer below minlength occurs in a vector, as int64, or the sum of its weights; an integer outside is an error", tree: callBincount},
	{Name: "digitize", Group: groups[4], Arguments: "x, bins, right=False", Doc: "for each element of x the number of increasing bins that are not above it, as int64; if right, of those below it", tree: callDigitize},
	{Name: "matmul", Group: groups[3], Bound: noBound, Arguments: "x1, x2", Doc: "the matrix product x1 @ x2", tree: callProduct},
	{Name: "dot", Group: groups[3], Bound: noBound, Arguments: "a, b", Doc: "the product of vectors, matrices or numbers", tree: callDot},

	{Name: "reshape", Group: groups[5], Arguments: "a, shape", Doc: "the same elements in another shape; one extent may be -1", tree: toShape(op.ReshapeNode)},
	{Name: "transpose", Group: groups[5], Arguments: "a, axes=None", Doc: "the axes in another order, reversed by default", tree: callTranspose},
	{Name: "matrix_transpose", Group: groups[5], Arguments: "x, /", Doc: "the last two axes exchanged", tree: callMatrixTranspose},
	{Name: "broadcast_to", Group: groups[5], Arguments: "array, shape", Doc: "repeated to a shape", tree: toShape(op.BroadcastToNode)},
	{Name: "take", Group: groups[5], Arguments: "a, indices, axis=None", Doc: "elements of an axis by index", tree: callTake},
	{Name: "take_along_axis", Group: groups[5], Arguments: "arr, indices, axis=-1?", Doc: "elements of an axis at positions, in the shape of the indices; without an axis, of all elements", tree: callTakeAlong},
	{Name: "pad", Group: groups[5], Arguments: "array, pad_width, mode='constant', *, constant_values=0", Doc: "surrounded by a number, or in the modes 'edge', 'wrap', 'reflect' and 'symmetric' by its own elements", tree: callPad},
	{Name: "concatenate", Group: groups[5], Arguments: "arrays, axis=0?", Doc: "arrays one after the other along an axis", tree: callConcatenate},
	{Name: "astype", Group: groups[5], Arguments: "x, dtype", Doc: "x converted to an element type", tree: callAstype},
	{Name: "copy", Group: groups[5], Arguments: "a", Doc: "a itself: formulas have values, not references", tree: callItself},
	{Name: "len", Group: groups[5], Arguments: "x", Doc: "the extent of the first axis"},

	{Name: "identity", Group: groups[6], Arguments: "n, dtype=None", Doc: "1 on the diagonal of n rows and columns, else 0", tree: callIdentity},
	{Name: "zeros", Group: groups[6], Arguments: "shape, dtype=None", Doc: "zeros, of float64 by default", tree: callFilled(0)},
	{Name: "ones", Group: groups[6], Arguments: "shape, dtype=None", Doc: "ones, of float64 by default", tree: callFilled(1)},
	{Name: "full", Group: groups[6], Arguments: "shape, fill_value, dtype=None", Doc: "a value in a shape", tree: callFull},
	{Name: "zeros_like", Group: groups[6], Arguments: "a, dtype=None", Doc: "zeros in the shape of a", tree: callFilledLike(0)},
	{Name: "ones_like", Group: groups[6], Arguments: "a, dtype=None", Doc: "ones in the shape of a", tree: callFilledLike(1)},
	{Name: "full_like", Group: groups[6], Arguments: "a, fill_value, dtype=None", Doc: "a value in the shape of a", tree: callFullLike},
	{Name: "arange", Group: groups[6], Arguments: "start, stop=None, step=None, *, dtype=None", Doc: "start, start + step ... before stop", tree: callArange},
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

	{Name: "array", Group: groups[6], Arguments: "a, dtype=None", Doc: "a list or an array as an array", tree: callAsArray},
}
