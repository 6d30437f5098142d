package formula

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// A Function is one that formulas can call.
type Function struct {
	Name      string
	Arguments string // as NumPy's documentation writes them: "a, axis=None, *, keepdims=False"
	Doc       string // one line
	Group     string // "reductions", "views" ...
	Method    bool   // whether x.name() works too
	Aliases   []string

	params     []parameter
	required   int // the first parameters have no default
	positional int // the first parameters have no name that a call can use
	named      int // from here on parameters are given by name only
	call       func(b *builder, c *call) (value, error)
}

// A parameter of a function.
type parameter struct {
	name     string
	kind     paramKind
	none     bool // whether None is an argument
	optional bool
}

type paramKind uint8

const (
	pOperand paramKind = iota // a number, an array, or a list that stands for one
	pArrays                   // a list of operands
	pInt                      // an integer
	pInts                     // an integer or a sequence of them
	pNumber                   // a number written in the formula
	pTruth                    // True or False
	pType                     // an element type
	pAny                      // what the function checks
)

// kinds are the parameters that take no operand. A name means the same wherever
// it is used.
var kinds = map[string]paramKind{
	"arrays": pArrays, "shape": pInts, "axis": pInts, "axes": pInts, "source": pInts, "destination": pInts,
	"axis1": pInt, "axis2": pInt, "decimals": pInt, "num": pInt, "N": pInt, "M": pInt, "k": pInt, "depth": pInt,
	"shift": pInt, "ddof": pInt, "correction": pInt, "start": pNumber, "stop": pNumber, "step": pNumber,
	"eps": pNumber, "nan": pNumber, "keepdims": pTruth, "endpoint": pTruth, "copy": pTruth, "dtype": pType,
	"pad_width": pAny, "mode": pAny,
}

// parse reads the parameters from Arguments. A default None admits None, and so
// does the mark ? after another default, which is removed.
func (f *Function) parse() {
	f.named = -1
	for p := range strings.SplitSeq(f.Arguments, ", ") {
		switch p {
		case "*":
			f.named = len(f.params)
			continue
		case "/":
			f.positional = len(f.params)
			continue
		}
		name, value, optional := strings.Cut(p, "=")
		if !optional {
			f.required++
		}
		f.params = append(f.params, parameter{name, kinds[name], value == "None" || strings.HasSuffix(value, "?"), optional})
	}
	f.Arguments = strings.ReplaceAll(f.Arguments, "?", "")
	if f.named < 0 {
		f.named = len(f.params)
	}
}

const (
	folding   = "a, axis=None, *, keepdims=False"
	foldingTo = folding + ", dtype=None"
	variance  = folding + ", ddof=0, correction=0, dtype=None"
)

// functions are all of them by name, aliases too. They are filled in by init:
// the functions evaluate formulas, which need the table.
var (
	functions = map[string]*Function{}
	sorted    []Function
)

func init() {
	for _, g := range sections() {
		for _, f := range g.functions {
			f.Group = g.name
			f.parse()
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				functions[name] = &f
			}
			sorted = append(sorted, f)
		}
	}
}

// Functions returns what formulas can call, but for the element types, in the
// order of the documentation.
func Functions() []Function { return slices.Clone(sorted) }

type section struct {
	name      string
	functions []Function
}

func sections() []section {
	return []section{
		{"element by element", elementwiseFunctions()},
		{"reductions", reductions()},
		{"selection and rounding", []Function{
			{Name: "where", Arguments: "condition, x, y", Doc: "x where the condition holds, else y", call: where},
			{Name: "clip", Arguments: "a, a_min=None, a_max=None, *, min=None, max=None", Doc: "a brought into the range a_min..a_max", Method: true, call: clip},
			{Name: "round", Aliases: []string{"around"}, Arguments: "a, decimals=0", Doc: "the nearest integer, ties to even; decimals must be 0", Method: true, call: round},
			{Name: "nan_to_num", Arguments: "x, copy=True, nan=0.0", Doc: "x with NaN replaced and infinities made finite", call: nanToNum},
			{Name: "signbit", Arguments: "x", Doc: "whether the sign of x is set, that of -0 too", call: signBit},
		}},
		{"products", []Function{
			{Name: "matmul", Arguments: "x1, x2", Doc: "the matrix product x1 @ x2", call: product},
			{Name: "dot", Arguments: "a, b", Doc: "the product of vectors, matrices or numbers", Method: true, call: dot},
			{Name: "inner", Arguments: "a, b", Doc: "the sums of products over the last axes", call: inner},
			{Name: "outer", Arguments: "a, b", Doc: "the products of all pairs of elements", call: outer},
		}},
		{"views", views()},
		{"making arrays", makers()},
		{"networks", []Function{
			{Name: "softmax", Arguments: "x, axis=-1", Doc: "exp(x) divided by its sum over an axis", call: softmax},
			{Name: "layernorm", Aliases: []string{"layer_norm"}, Arguments: "x, gamma=None, beta=None, eps=1e-5", Doc: "x normalised over its last axis, times gamma, plus beta", call: layerNorm},
			{Name: "one_hot", Arguments: "indices, depth, *, dtype=None", Doc: "rows of zeros with a one at each index", call: oneHot},
		}},
	}
}

// reductions returns the rows of the operator table that reduce, and the
// compositions of them.
func reductions() []Function {
	var out []Function
	for _, o := range op.Table() {
		if o.Class != expr.Reduction {
			continue
		}
		f := Function{Name: o.Name, Doc: strings.TrimSuffix(o.Doc, "."), Method: !strings.HasPrefix(o.Name, "nan"), Arguments: folding, call: reduced(o)}
		switch o.Name {
		case "sum", "prod":
			f.Arguments = foldingTo
		case "max", "min":
			f.Aliases = []string{"a" + o.Name}
		}
		out = append(out, f)
	}
	return append(out,
		Function{Name: "mean", Arguments: foldingTo, Doc: "the arithmetic mean", Method: true, call: averaged(op.MeanNode)},
		Function{Name: "var", Arguments: variance, Doc: "the variance; the divisor is the count less ddof", Method: true, call: averaged(op.VarNode)},
		Function{Name: "std", Arguments: variance, Doc: "the square root of the variance", Method: true, call: averaged(op.StdNode)},
		Function{Name: "logsumexp", Arguments: folding, Doc: "log(sum(exp(a))) without overflow", call: averaged(op.LogSumExpNode)},
		Function{Name: "nansum", Arguments: foldingTo, Doc: "the sum of what is not NaN", call: nanSum},
		Function{Name: "count_nonzero", Arguments: folding, Doc: "the number of elements that are not 0", call: countNonzero},
		Function{Name: "ptp", Arguments: folding, Doc: "the maximum less the minimum", call: peakToPeak},
	)
}

func views() []Function {
	return []Function{
		{Name: "reshape", Arguments: "a, shape", Doc: "the same elements in another shape; one extent may be -1", Method: true, call: reshape},
		{Name: "ravel", Aliases: []string{"flatten"}, Arguments: "a", Doc: "the elements as a vector", Method: true, call: flatten},
		{Name: "transpose", Aliases: []string{"permute_dims"}, Arguments: "a, axes=None", Doc: "the axes in another order, reversed by default", Method: true, call: transpose},
		{Name: "swapaxes", Arguments: "a, axis1, axis2", Doc: "two axes exchanged", Method: true, call: swapaxes},
		{Name: "moveaxis", Arguments: "a, source, destination", Doc: "axes moved to other places", call: moveaxis},
		{Name: "expand_dims", Arguments: "a, axis", Doc: "with new axes of size 1", call: expandDims},
		{Name: "squeeze", Arguments: "a, axis=None", Doc: "without axes of size 1", Method: true, call: squeeze},
		{Name: "flip", Arguments: "m, axis=None", Doc: "with axes reversed", call: flip},
		{Name: "roll", Arguments: "a, shift, axis=None", Doc: "with elements moved around an axis", call: roll},
		{Name: "broadcast_to", Arguments: "array, shape", Doc: "repeated to a shape", call: broadcastTo},
		{Name: "take", Arguments: "a, indices, axis=None", Doc: "elements of an axis by index", Method: true, call: take},
		{Name: "pad", Arguments: "array, pad_width, mode='constant', *, constant_values=0", Doc: "surrounded by a number", call: pad},
		{Name: "concatenate", Aliases: []string{"concat"}, Arguments: "arrays, axis=0?", Doc: "arrays one after the other along an axis", call: concatenate},
		{Name: "stack", Arguments: "arrays, axis=0", Doc: "arrays along a new axis", call: stack},
		{Name: "astype", Arguments: "x, dtype", Doc: "x converted to an element type", Method: true, call: astype},
		{Name: "copy", Arguments: "a", Doc: "a itself: formulas have values, not references", Method: true, call: itself},
		{Name: "len", Arguments: "x", Doc: "the extent of the first axis", call: length},
	}
}

func makers() []Function {
	return []Function{
		{Name: "zeros", Arguments: "shape, dtype=None", Doc: "zeros, of float64 by default", call: filled(0)},
		{Name: "ones", Arguments: "shape, dtype=None", Doc: "ones, of float64 by default", call: filled(1)},
		{Name: "full", Arguments: "shape, fill_value, dtype=None", Doc: "a value in a shape", call: full},
		{Name: "zeros_like", Arguments: "a, dtype=None", Doc: "zeros in the shape of a", call: filledLike(0)},
		{Name: "ones_like", Arguments: "a, dtype=None", Doc: "ones in the shape of a", call: filledLike(1)},
		{Name: "full_like", Arguments: "a, fill_value, dtype=None", Doc: "a value in the shape of a", call: fullLike},
		{Name: "arange", Arguments: "start, stop=None, step=None, *, dtype=None", Doc: "start, start + step ... before stop", call: arange},
		{Name: "linspace", Arguments: "start, stop, num=50, endpoint=True, *, dtype=None", Doc: "num numbers from start to stop", call: linspace},
		{Name: "eye", Arguments: "N, M=None, k=0, *, dtype=None", Doc: "ones on the k-th diagonal, zeros elsewhere", call: eye},
		{Name: "array", Aliases: []string{"asarray"}, Arguments: "a, dtype=None", Doc: "a list or an array as an array", call: asArray},
	}
}

// aliases are NumPy's names for rows that the operator table calls differently.
var aliases = map[string][]string{
	"abs": {"absolute", "fabs"}, "add": nil, "sub": {"subtract"}, "mul": {"multiply"}, "div": {"divide", "true_divide"},
	"mod": {"remainder"}, "pow": {"power"}, "neg": {"negative"}, "invert": {"bitwise_not", "bitwise_invert"},
	"left_shift": {"bitwise_left_shift"}, "right_shift": {"bitwise_right_shift"}, "atan2": {"arctan2"},
	"asin": {"arcsin"}, "acos": {"arccos"}, "atan": {"arctan"}, "trunc": {"fix"},
}

var operandNames = [...]string{1: "x, /", 2: "x1, x2, /", 3: "x1, x2, x3, /"}

// elementwiseFunctions are the element-wise rows of the operator table that no
// function of another group stands for.
func elementwiseFunctions() []Function {
	out := []Function{{Name: "positive", Arguments: "x, /", Doc: "+x", call: func(b *builder, c *call) (value, error) { return b.operatorCall(c, "+") }}}
	for _, o := range op.Table() {
		if o.Class != expr.Elementwise || o.Result == expr.ResultTo || o.Name == "where" || o.Name == "clip" {
			continue
		}
		f := Function{Name: o.Name, Aliases: aliases[o.Name], Arguments: operandNames[o.Arity], Doc: strings.TrimSuffix(o.Doc, ".")}
		sign := o.Symbol
		if o.Name == "neg" {
			sign = "-"
		}
		if sign != "" {
			f.call = func(b *builder, c *call) (value, error) { return b.operatorCall(c, sign) }
		} else {
			f.call = func(b *builder, c *call) (value, error) { return b.elementwise(c.a, o, c.pos, c.args) }
		}
		out = append(out, f)
	}
	return out
}
