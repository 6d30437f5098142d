package untyped

import (
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// complexRows are the operators on the parts of complex numbers. Of a real number
// the imaginary part is 0.
var complexRows = family(tree.Row{Class: tree.Elementwise, Arity: 1, Types: numbers}, []tree.Row{
	{Name: "real", GoName: "RealPart", Types: elems, Result: tree.ResultPart, Lower: identity, Grad: gradSame, Doc: "the real part of x."},
	{Name: "imag", GoName: "ImagPart", Types: elems, Result: tree.ResultPart, Lower: func(b *B, x ...V) V { return b.Like(x[0], 0) }, Grad: flat, Doc: "the imaginary part of x."},
	{
		Name: "angle", Types: floats, Result: tree.ResultPart, Grad: flat, ULP: 1,
		Lower: onFloats(func(b builder, x ...V) V { return lowerAtan2(b, b.c(0), x[0]) }),
		Doc:   "the angle of x in the complex plane, from -pi to pi.",
	},
	{Name: "conjugate", GoName: "Conj", Lower: identity, Grad: gradSame, Doc: "x with the other sign of the imaginary part."},
})

func gradSame(g *tree.Adjoint, _ int) *tree.Node { return g.Out }

// Complex returns the complex tree with the given parts; see [Complex].
func Complex(re, im *tree.Node) *tree.Node { return tree.ComplexOf(re, im) }

// A Splitter turns trees with complex values into trees of their parts. Equal
// nodes of several trees become equal nodes.
type Splitter struct{ made map[*tree.Node]tree.Parts }

// Split returns the parts of a tree, which have its shape. The trees of the parts
// have no complex values. If an operator of the tree takes no complex operands, Re
// carries an error.
func (s *Splitter) Split(root *tree.Node) tree.Parts {
	if !root.HasComplex() {
		return tree.Parts{Re: root}
	}
	if s.made == nil {
		s.made = map[*tree.Node]tree.Parts{}
	}
	tree.Walk(root, func(n *tree.Node) {
		if _, ok := s.made[n]; !ok {
			s.made[n] = s.split(n)
		}
	})
	return s.made[root]
}

// split returns the parts of a node, from the parts of its operands.
func (s *Splitter) split(n *tree.Node) tree.Parts {
	if !n.HasComplex() {
		return tree.Parts{Re: n}
	}
	if n.Leaf != nil {
		p, _ := tree.PartsOf(n)
		return p
	}
	involved := n.DType().IsComplex()
	x := make([]tree.Parts, len(n.Args))
	for i, a := range n.Args {
		x[i] = s.made[a]
		involved = involved || a.DType().IsComplex()
	}
	if !involved {
		return tree.Parts{Re: withPart(n, x, false)}
	}
	if n.Op.Parts() == nil {
		return tree.Parts{Re: tree.Errorf(tree.ErrType, n.Op.Constructor(), "elements of type %v are not supported", n.DType())}
	}
	p := n.Op.Parts()(n, x)
	p.Re = filled(p.Re, n)
	if p.Im != nil {
		p.Im = filled(p.Im, n)
	}
	return p
}

// filled returns a part broadcast to the shape of n.
func filled(part, n *tree.Node) *tree.Node {
	if part.Err() != nil || part.Shape().Equal(n.Shape()) {
		return part
	}
	return tree.ApplyWith(Row("broadcast_to"), tree.Attributes{Ints: n.Shape()}, part)
}

// withPart returns n with the real or the imaginary parts of its operands in their
// place. A real operand stays.
func withPart(n *tree.Node, x []tree.Parts, imaginary bool) *tree.Node {
	args := make([]*tree.Node, len(x))
	for i, p := range x {
		if args[i] = p.Re; imaginary && p.Im != nil {
			args[i] = p.Im
		}
	}
	return n.WithArgs(args...)
}

// apart applies an operator to the real parts and to the imaginary parts.
func apart(n *tree.Node, x []tree.Parts) tree.Parts {
	return tree.Parts{Re: withPart(n, x, false), Im: withPart(n, x, true)}
}

// partsOf returns how a row splits complex values, or nil if it takes none. Every
// built-in view moves elements, or adds them, so it works on the parts.
func partsOf(row tree.Row) func(*tree.Node, []tree.Parts) tree.Parts {
	switch name := row.Name; {
	case row.Class == tree.View:
		return apart
	case slices.Contains(complexNames, name):
		return func(n *tree.Node, x []tree.Parts) tree.Parts { return splits[name](n, x) }
	}
	return nil
}

// complexNames are the names in complexParts. The table needs them before the
// functions, which look rows up, can exist.
var complexNames = strings.Fields(`add sub neg where sum stop_gradient mul matmul square prod div cast real imag conjugate abs angle
	equal not_equal isnan isinf isfinite exp log sqrt sin cos tan sinh cosh tanh pow
	reciprocal rint sign asin acos atan asinh acosh atanh log2 log10 log1p expm1 exp2`)

// splits is complexParts, once the table exists.
var splits map[string]func(n *tree.Node, x []tree.Parts) tree.Parts

func init() {
	splits = complexParts
	for i := range compositions {
		if c := &compositions[i]; c.Group == "views" || slices.Contains(complexCompositions, c.Name) {
			c.Types |= complexes
		}
	}
}

// complexCompositions has the compositions that take complex operands, beside all
// views.
var complexCompositions = []string{
	"allclose", "array_equal", "array_equiv", "average", "convolve", "corrcoef", "correlate", "count_nonzero", "cov", "cross", "cumprod", "cumsum", "einsum", "gradient", "inner", "isclose", "kron",
	"matvec", "mean", "nan_to_num", "nancumprod", "nancumsum", "outer", "round", "std", "tensordot", "trace", "trapezoid", "var", "vdot", "vecdot", "vecmat",
}

// complexParts has the operators that take complex operands.
var complexParts = map[string]func(n *tree.Node, x []tree.Parts) tree.Parts{
	"add": apart, "sub": apart, "neg": apart, "where": apart, "sum": apart, "stop_gradient": apart, "rint": apart,
	"mul":        func(_ *tree.Node, x []tree.Parts) tree.Parts { return mulComplex("mul", x[0], x[1]) },
	"matmul":     matmulComplex,
	"square":     func(_ *tree.Node, x []tree.Parts) tree.Parts { return mulComplex("mul", x[0], x[0]) },
	"prod":       prodComplex,
	"div":        func(_ *tree.Node, x []tree.Parts) tree.Parts { return divComplex(x[0], x[1]) },
	"reciprocal": func(_ *tree.Node, x []tree.Parts) tree.Parts { return reciprocalComplex(x[0]) },
	"cast":       castComplex,
	"real":       func(_ *tree.Node, x []tree.Parts) tree.Parts { return tree.Parts{Re: x[0].Re} },
	"imag":       func(_ *tree.Node, x []tree.Parts) tree.Parts { return tree.Parts{Re: x[0].Im} },
	"conjugate": func(_ *tree.Node, x []tree.Parts) tree.Parts {
		return tree.Parts{Re: x[0].Re, Im: Call("neg", x[0].Im)}
	},
	"abs":       modulus,
	"angle":     func(_ *tree.Node, x []tree.Parts) tree.Parts { return tree.Parts{Re: Call("atan2", x[0].Im, x[0].Re)} },
	"equal":     onBoth("equal", "logical_and"),
	"not_equal": onBoth("not_equal", "logical_or"),
	"isnan":     onBoth("isnan", "logical_or"),
	"isinf":     onBoth("isinf", "logical_or"),
	"isfinite":  onBoth("isfinite", "logical_and"),

	"exp": analytic("exp", expComplex), "log": analytic("log", logComplex), "sqrt": analytic("sqrt", sqrtComplex),
	"sinh": analytic("sinh", sinhComplex), "cosh": analytic("cosh", coshComplex), "tanh": analytic("tanh", tanhComplex),
	"sin":  analytic("sin", func(z tree.Parts) tree.Parts { return overI(sinhComplex(timesI(z))) }),
	"cos":  analytic("cos", func(z tree.Parts) tree.Parts { return coshComplex(timesI(z)) }),
	"tan":  analytic("tan", func(z tree.Parts) tree.Parts { return overI(tanhComplex(timesI(z))) }),
	"asin": analytic("asin", func(z tree.Parts) tree.Parts { return overI(asinhComplex(timesI(z))) }), "acos": analytic("acos", acosComplex),
	"atan":  analytic("atan", func(z tree.Parts) tree.Parts { return overI(atanhComplex(timesI(z))) }),
	"asinh": analytic("asinh", asinhComplex), "acosh": analytic("acosh", acoshComplex), "atanh": analytic("atanh", atanhComplex),
	"log2":  analytic("log2", func(z tree.Parts) tree.Parts { return times(math.Log2E, logComplex(z)) }),
	"log10": analytic("log10", func(z tree.Parts) tree.Parts { return times(math.Log10E, logComplex(z)) }),
	"log1p": analytic("log1p", log1pComplex), "expm1": analytic("expm1", expm1Complex),
	"exp2": analytic("exp2", func(z tree.Parts) tree.Parts { return expComplex(times(math.Ln2, z)) }),
	"sign": func(_ *tree.Node, x []tree.Parts) tree.Parts { return signComplex(x[0]) },
	"pow":  func(_ *tree.Node, x []tree.Parts) tree.Parts { return marked("pow", powComplex(x[0], x[1]), x) },
}

// onBoth returns the parts of an operator whose result is a bool. The operator is applied
// to the real parts and to the imaginary parts, and both results are joined.
func onBoth(name, join string) func(*tree.Node, []tree.Parts) tree.Parts {
	return func(_ *tree.Node, x []tree.Parts) tree.Parts {
		re := lists.Map(x, func(p tree.Parts) *tree.Node { return p.Re })
		im := lists.Map(x, func(p tree.Parts) *tree.Node { return p.Im })
		return tree.Parts{Re: Call(join, Call(name, re...), Call(name, im...))}
	}
}

// mulComplex returns x*y by four products of the parts, as NumPy does.
func mulComplex(product string, x, y tree.Parts) tree.Parts {
	mul := func(a, b *tree.Node) *tree.Node { return tree.Apply(Row(product), a, b) }
	return tree.Parts{
		Re: Call("sub", mul(x.Re, y.Re), mul(x.Im, y.Im)),
		Im: Call("add", mul(x.Re, y.Im), mul(x.Im, y.Re)),
	}
}

// Complex products of at most fewTerms, or of matrices of at most smallMatrix rows, terms and columns, are sums: one loop, which reads
// both parts of each element, where a real product of the parts would pack its operands.
const fewTerms, smallMatrix = 6, 12

// matmulComplex returns the matrix product by one real product of the parts. Small ones, and those with a vector, are sums of complex
// products.
func matmulComplex(n *tree.Node, x []tree.Parts) tree.Parts {
	a, b := n.Args[0].Shape(), n.Args[1].Shape()
	as := func(i int, s shape.Shape, matrix ...int) {
		to := append(s[:max(len(s)-2, 0)].Clone(), matrix...)
		x[i] = tree.Parts{Re: reshaped(x[i].Re, to), Im: reshaped(x[i].Im, to)}
	}
	rows, terms, columns, axis := 1, a[len(a)-1], 1, -1
	if len(a) > 1 {
		rows = a[len(a)-2]
	}
	if len(b) > 1 {
		columns = b[len(b)-1]
	}
	switch {
	case columns == 1:
		as(1, b, 1, terms)
	case max(len(a), len(b)) < shape.MaxRank && (rows == 1 || terms <= fewTerms || max(rows, terms, columns) <= smallMatrix):
		as(0, a, rows, terms, 1)
		as(1, b, 1, terms, columns)
		axis = -2
	case max(len(a), len(b)) > shape.MaxRank-2:
		return mulComplex("matmul", x[0], x[1])
	default:
		return fourProducts(n, x)
	}
	sum := func(part *tree.Node) *tree.Node {
		return reshaped(Reduce("sum", part, Options{Axes: []int{axis}}), n.Shape())
	}
	p := mulComplex("mul", x[0], x[1])
	return tree.Parts{Re: sum(p.Re), Im: sum(p.Im)}
}

// fourProducts returns the matrix product of n. One real product of the parts of the rows, one after the other, and of the joined parts of
// the columns has all four products of parts.
func fourProducts(n *tree.Node, x []tree.Parts) tree.Parts {
	join := func(i int) *tree.Node {
		if j := rewritten(n.Args[i], pairs); j != nil {
			return j
		}
		return Concat(-1, []*tree.Node{withAxis(x[i].Re, -1), withAxis(x[i].Im, -1)})
	}
	a, b := join(0), join(1)
	r, s, t := len(n.Args[0].Shape()), n.Args[0].Shape(), n.Args[1].Shape()
	a = Transpose(a, append(lists.UpTo(r-1), r, r-1))
	a = Reshape(a, append(s[:r-2].Clone(), 2*s[r-2], s[r-1]))
	b = Reshape(b, append(t[:len(t)-1].Clone(), 2*t[len(t)-1]))
	p := tree.Apply(Row("matmul"), a, b)
	r = len(n.Shape())
	p = Reshape(p, append(n.Shape()[:r-1].Clone(), 2, n.Shape()[r-1], 2))
	part := func(i, j int) *tree.Node { return Index(Index(p, r+1, j), r-1, i) }
	return tree.Parts{Re: Call("sub", part(0, 0), part(1, 1)), Im: Call("add", part(0, 1), part(1, 0))}
}

// divComplex returns x/y by Smith's method, in the order of NumPy: it divides by the
// part of y with the greater magnitude, so that no square overflows. For y = 0 it
// divides both parts of x by 0.
func divComplex(x, y tree.Parts) tree.Parts {
	ar, ai := Call("abs", y.Re), Call("abs", y.Im)
	swap := Call("less", ar, ai)
	zero := Call("equal", Call("maximum", ar, ai), like(ar, 0))
	p, q := Call("where", swap, y.Im, y.Re), Call("where", swap, y.Re, y.Im)
	p = Call("where", zero, ar, p)
	ratio := Call("where", zero, like(ar, 0), Call("div", q, p))
	scale := Call("div", like(ar, 1), Call("add", p, Call("mul", q, ratio)))
	u, v := Call("where", swap, x.Im, x.Re), Call("where", swap, x.Re, x.Im)
	term := func(a *tree.Node) *tree.Node { // a number times the ratio, which is nothing for y = 0
		return Call("where", zero, like(a, 0), Call("mul", a, ratio))
	}
	vr, ur := term(v), term(u)
	im := Call("where", swap, Call("sub", ur, v), Call("sub", v, ur))
	return tree.Parts{Re: Call("mul", Call("add", u, vr), scale), Im: Call("mul", im, scale)}
}

// reciprocalComplex returns 1/z by Smith's method. It is NaN for 0. Its zeros have the signs of
// NumPy's reciprocal, which differ from the signs of the quotient of 1.
func reciprocalComplex(z tree.Parts) tree.Parts {
	swap := Call("less", Call("abs", z.Re), Call("abs", z.Im))
	p, q := Call("where", swap, z.Im, z.Re), Call("where", swap, z.Re, z.Im)
	ratio := Call("div", q, p)
	by := Call("add", p, Call("mul", q, ratio))
	one := like(by, 1)
	return tree.Parts{
		Re: Call("div", Call("where", swap, ratio, one), by),
		Im: Call("div", Call("where", swap, like(by, -1), Call("neg", ratio)), by),
	}
}

// prodComplex returns the products over axes. Over the last axis it has half as many lanes as real products, because an element has two
// parts. Over others the elements are multiplied in order.
func prodComplex(n *tree.Node, x []tree.Parts) tree.Parts {
	re, kept := joinAxes(x[0].Re, n.Axes)
	im, _ := joinAxes(x[0].Im, n.Axes)
	f := Reducer{Combine: func(x, y []*tree.Node) []*tree.Node {
		p := mulComplex("mul", tree.Parts{Re: x[0], Im: x[1]}, tree.Parts{Re: y[0], Im: y[1]})
		return []*tree.Node{p.Re, p.Im}
	}}
	first, parts := []*tree.Node{like(re, 1), like(re, 0)}, []*tree.Node{re, im}
	same := func(x []*tree.Node) []*tree.Node { return x }
	var s []*tree.Node
	var bad *tree.Node
	if n.Axes[len(n.Axes)-1] == len(x[0].Re.Shape())-1 {
		f.lanes = ir.Lanes(re.DType()) / 2
		s, bad = f.fold(first, parts, same)
	} else {
		s, bad = f.scan(first, parts, len(kept), same)
	}
	if bad != nil {
		return tree.Parts{Re: bad}
	}
	return tree.Parts{Re: Reshape(s[0], n.Shape()), Im: Reshape(s[1], n.Shape())}
}

// accumulateComplex returns the running sums or products of complex numbers along an axis, as their parts. The first product is the
// first element: a product with 1 loses infinities and signs of zeros.
func accumulateComplex(name string, re, im *tree.Node, axis int) *ScanResult {
	first := []*tree.Node{like(re, math.Copysign(0, -1)), like(re, math.Copysign(0, -1))}
	return Scan(first, []*tree.Node{re, im}, ScanOptions{Axis: axis}, func(index *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
		p := tree.Parts{Re: Call(name, state[0], x[0]), Im: Call(name, state[1], x[1])}
		if name == "mul" {
			p = mulComplex("mul", tree.Parts{Re: state[0], Im: state[1]}, tree.Parts{Re: x[0], Im: x[1]})
			start := Call("equal", index, like(index, 0))
			p = tree.Parts{Re: either(start, x[0], p.Re), Im: either(start, x[1], p.Im)}
		}
		return []*tree.Node{p.Re, p.Im}, []*tree.Node{p.Re, p.Im}
	})
}

// castComplex returns the parts of a conversion to or from a complex type.
func castComplex(n *tree.Node, x []tree.Parts) tree.Parts {
	z, to := x[0], n.To
	switch {
	case to == dtype.Bool:
		return tree.Parts{Re: Call("logical_or", Cast(z.Re, to), Cast(z.Im, to))}
	case !to.IsComplex():
		return tree.Parts{Re: tree.Errorf(tree.ErrType, "Cast", "%v to %v loses the imaginary part; RealPart and Modulus are real", n.Args[0].DType(), to)}
	case z.Im == nil:
		return tree.Parts{Re: Cast(z.Re, to.Part()), Im: tree.ConstFloat(to.Part(), 0)}
	}
	return tree.Parts{Re: Cast(z.Re, to.Part()), Im: Cast(z.Im, to.Part())}
}
