package numpy

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
)

// A scope gives names their values.
type scope struct {
	vars           map[string]*variable
	known          []string // the names that an error lists, or nil for those of vars
	checking       bool     // names have no values
	differentiated int      // how many nodes the derivatives so far had to visit
	parts          []part   // the trees of the formula, in the order in which they are made
}

// A variable is a name with its present value.
type variable struct {
	value value
	bound bool // an array of the environment: assignments write into it
	owned bool // an array made here, which subscripted assignments may write to
}

// eval returns the value of a syntax tree.
func (s *scope) eval(n *syntax.Node) value {
	v := s.evalNode(n)
	if n.Kind == syntax.Call { // of a tuple
		for _, x := range v.seq {
			if x.kind == vTree && x.n != nil {
				s.parts = append(s.parts, part{x.n, n})
			}
		}
	}
	if v.kind == vTree && v.n != nil && n.Kind != syntax.Name {
		s.parts = append(s.parts, part{v.n, n})
	}
	return v
}

func (s *scope) evalNode(n *syntax.Node) value {
	if n == nil {
		failure.Check(syntax.Errorf(0, tree.ErrType, "a part of the formula is nil"))
	}
	switch n.Kind {
	case syntax.Name:
		return s.name(n)
	case syntax.Literal:
		if x := n.Number; x.Class == syntax.Complex {
			return value{kind: vTree, n: tree.ConstComplex(dtype.C128, complex(0, x.F)), weak: x.Class}
		}
		return literal(n.Number)
	case syntax.String:
		return value{kind: vString, str: n.Text}
	case syntax.None:
		return none
	case syntax.Slice, syntax.Ellipsis:
		panic(fail(n, nil, "this has a meaning in subscripts only"))
	case syntax.Index:
		x := s.eval(n.Args[0])
		items := s.subscripts(n.Args[1:])
		if s.checking {
			checkSubscripts(items)
			return unknown
		}
		return index(n, x, items, false)
	case syntax.Method:
		s.noModule(n)
	}
	items := lists.Map(n.Args, func(a *syntax.Node) item { return item{s.eval(a), a} })
	switch n.Kind {
	case syntax.Unary:
		return operate(n, items[0].at, items)
	case syntax.Binary:
		return operate(n, n, items)
	case syntax.Call:
		return s.callFunction(n, items)
	case syntax.Method:
		return s.callMethod(n, items)
	case syntax.Attr:
		return attribute(n, items[0].value)
	}
	out := tupleOf(items)
	out.list = n.Kind == syntax.List
	stopIf(out.size > maxSequence, n, tree.ErrUnsupported, "a list has more than %d elements", maxSequence)
	return out
}

// maxSequence bounds how many elements a list can have, with the lists in it.
const maxSequence = 4096

// subscripts are values, slices and ellipses.
func (s *scope) subscripts(nodes []*syntax.Node) []item {
	items := make([]item, len(nodes))
	for i, n := range nodes {
		var v value
		switch n.Kind {
		case syntax.Ellipsis:
			v.kind = vEllipsis
		case syntax.Slice:
			var parts [3]item
			for k, p := range n.Args {
				if parts[k] = (item{none, n}); p == nil {
					continue
				}
				v = s.eval(p)
				parts[k] = item{v, p}
			}
			v = sliceOf(parts)
		default:
			v = s.eval(n)
		}
		items[i] = item{v, n}
	}
	if len(items) == 1 && items[0].kind == vSeq && !items[0].list {
		return expand(items[0])
	}
	return items
}

// expand returns the values of a tuple.
func expand(x item) []item { return lists.Map(x.seq, func(v value) item { return item{v, x.at} }) }

func (s *scope) name(n *syntax.Node) value {
	if s.checking {
		return unknown
	}
	if v := s.vars[n.Text]; v != nil {
		return v.value
	}
	if f, ok := constants[n.Text]; ok {
		return literal(syntax.FloatNumber(f))
	}
	if t := typeNamed(n.Text); t != dtype.Invalid {
		return value{kind: vType, t: t}
	}
	panic(s.unbound(n))
}

// unbound returns the panic for a name that means nothing.
func (s *scope) unbound(n *syntax.Node) failure.Stop {
	known := slices.Clone(s.known)
	for name := range s.vars {
		if !slices.Contains(known, name) && !syntax.Made(name) {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	list := "no name is bound"
	if len(known) > 0 {
		const most = 20
		if len(known) > most {
			known = append(known[:most], "...")
		}
		list = "known names: " + strings.Join(known, ", ")
	}
	return fail(n, tree.ErrValue, "name %s is not bound; %s", syntax.Quote(n.Text), list)
}

// operate returns the value of a sign and its operands. An operand that is none
// is an error at wrong.
func operate(n, wrong *syntax.Node, items []item) value {
	x := lists.Map(items, func(x item) value { return item{x.value, wrong}.operand() })
	switch {
	case slices.ContainsFunc(x, func(v value) bool { return v.kind == vUnknown }):
		return unknown
	case n.Kind == syntax.Unary:
		return result(n, unary(n.Text, x[0]))
	}
	return result(n, binary(n.Text, x[0], x[1], false))
}

func (s *scope) callFunction(n *syntax.Node, items []item) value {
	if name, method, ok := strings.Cut(n.Text, "."); ok {
		return s.callMethodOf(n, name, method, items)
	}
	f := functions[n.Text]
	if f == nil {
		if t := typeNamed(n.Text); t != dtype.Invalid && len(items) == 1 && n.Keys[0] == "" {
			return convertTo(n, t, items[0])
		}
		panic(fail(n, nil, "there is no function %s%s", syntax.Quote(n.Text), suggestion(n.Text)))
	}
	return f.apply(s, n, items, n.Keys)
}

// apply calls f. Where an argument is not known yet, it only checks the others.
func (f *Function) apply(s *scope, n *syntax.Node, items []item, keys []string) value {
	c := f.bind(n, items, keys)
	c.scope = s
	if c.unknown() {
		return unknown
	}
	if f.value != nil {
		return result(n, f.value(c))
	}
	return result(n, valueOf(f.tree(c)))
}

// modules are names that Python programs give to libraries of functions. A
// formula may use them for variables. The value is the module of np that has
// the functions, with a dot, or empty for np itself.
var modules = map[string]string{
	"cp": "", "fft": "fft.", "jax": "", "jnp": "", "linalg": "linalg.", "math": "", "ne": "", "onp": "", "scipy": "", "tf": "", "torch": "", "xp": "",
}

// noModule reports a method of a module that is no variable.
func (s *scope) noModule(n *syntax.Node) {
	x := n.Args[0]
	in, ok := modules[x.Text]
	if !ok || x.Kind != syntax.Name || s.vars[x.Text] != nil || s.checking && functions[n.Text].isMethod(n.Text) {
		return
	}
	stopIf(functions[n.Text] == nil && typeNamed(n.Text) == dtype.Invalid, x, nil, "%s is no module here, and there is no function %s%s", x.Text, syntax.Quote(n.Text), suggestion(n.Text))
	panic(fail(x, nil, "%s is no module here; write %s(x) or np.%s%s(x)", x.Text, n.Text, in, n.Text))
}

// callMethod returns x.f(...), where f is a function of x.
func (s *scope) callMethod(n *syntax.Node, items []item) value {
	f := functions[n.Text]
	switch x := items[0]; {
	case slices.Contains(attributes, n.Text):
		panic(fail(n, nil, "%q is an attribute; write it without parentheses", n.Text))
	case f == nil:
		panic(fail(n, nil, "arrays have no method %s%s", syntax.Quote(n.Text), suggestion(n.Text)))
	case !f.isMethod(n.Text):
		panic(fail(n, nil, "arrays have no method %s; write %s(x)", syntax.Quote(n.Text), n.Text))
	case x.kind != vTree && !x.unknown():
		panic(fail(n, tree.ErrType, "%s has no methods", x.describe()))
	}
	keys := append([]string{""}, n.Keys...)
	if f.Name == "reshape" || f.Name == "transpose" {
		items, keys = gather(items, keys)
	}
	return f.apply(s, n, items, keys)
}

// gather makes a tuple of the integers of x.reshape(2, -1).
func gather(items []item, keys []string) ([]item, []string) {
	n := 1
	for n < len(items) && keys[n] == "" && (items[n].kind == vScalar || items[n].unknown()) {
		n++
	}
	if n == 1 || n == 2 && items[1].unknown() {
		return items, keys
	}
	return together(items, keys, 1, n)
}

// together returns the arguments with the ones from number from on, before number to, as one tuple without a name.
func together(items []item, keys []string, from, to int) ([]item, []string) {
	tuple := item{tupleOf(items[from:to]), items[from].at}
	return slices.Concat(items[:from], []item{tuple}, items[to:]), slices.Concat(keys[:from], []string{""}, keys[to:])
}

func tupleOf(items []item) value {
	return sequence(lists.Map(items, func(x item) value { return x.value }))
}

var attributes = []string{"T", "mT", "shape", "ndim", "size", "dtype", "itemsize", "nbytes", "real", "imag"}

// attribute returns x.T, x.shape and the like.
func attribute(at *syntax.Node, x value) value {
	switch {
	case functions[at.Text].isMethod(at.Text):
		panic(fail(at, nil, "%q is a method; call it with parentheses", at.Text))
	case !slices.Contains(attributes, at.Text):
		panic(fail(at, nil, "there is no attribute %s; there are %s", syntax.Quote(at.Text), strings.Join(attributes, ", ")))
	case x.unknown():
		return unknown
	case x.kind != vTree:
		panic(fail(at, tree.ErrType, "%s has no attributes", x.describe()))
	}
	n := x.n
	switch at.Text {
	case "T":
		return result(at, valueOf(untyped.Permute(n, nil)))
	case "mT":
		return result(at, valueOf(untyped.Compose("swapaxes", untyped.Options{Axes: []int{-1, -2}}, n)))
	case "real", "imag":
		return result(at, valueOf(apply(at.Text, n)))
	case "ndim":
		return integer(len(n.Shape()))
	case "size":
		return integer(n.Shape().Size())
	case "dtype":
		return value{kind: vType, t: n.DType()}
	case "itemsize":
		return integer(n.DType().Size())
	case "nbytes":
		return integer(n.DType().Size() * n.Shape().Size())
	}
	return sequence(lists.Map(n.Shape(), integer))
}

// convertTo returns int(x), float(x) or bool(x) of a Python scalar, and otherwise
// the conversion to an element type.
func convertTo(at *syntax.Node, t dtype.Type, x item) value {
	x.at = at
	if x.kind == vScalar {
		switch at.Text {
		case "bool":
			return literal(syntax.BoolNumber(x.s.Truth()))
		case "float":
			f, err := x.s.Float64()
			stopIf(err != nil, at, tree.ErrValue, "%s", err)
			return literal(syntax.FloatNumber(f))
		case "int":
			i := x.s.I
			if x.s.Class == syntax.Float {
				var ok bool
				i, ok = truncated(x.s.F)
				stopIf(!ok, at, tree.ErrValue, "%s is no integer", x.describe())
			}
			return literal(syntax.Number{Class: syntax.Int, I: i})
		}
	}
	v := x.operand()
	if v.kind == vUnknown {
		return v
	}
	return result(at, valueOf(v.as(t)))
}
