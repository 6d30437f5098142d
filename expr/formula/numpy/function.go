package numpy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Function is one that formulas can call.
type Function struct {
	Name      string
	Arguments string // as NumPy's documentation writes them: "a, axis=None, *, keepdims=False"
	Doc       string // one line
	Group     string // "reductions", "views" ...
	Method    bool   // whether x.name() works too
	Aliases   []string
	Bound     string // of the error for floats, such as "at most 1.5 ULP" or "no error bound"; "" where none is stated

	params     []parameter
	required   int // the first parameters have no default
	positional int // the first parameters have no name that a call can use
	named      int // from here on parameters are given by name only
	rest       int // the parameter that takes all further arguments as a list, or -1

	pairs bool // see untyped.Composition
	// One of both makes the result.
	tree  func(c *call) *tree.Node
	value func(c *call) value
}

// A parameter of a function.
type parameter struct {
	name  string
	kind  paramKind
	none  bool  // whether None is an argument
	value value // the default
}

type paramKind uint8

const (
	pOperand paramKind = iota // a number, an array, or a list that stands for one
	pArrays                   // a list of operands, or an array, which is the list of its parts along the first axis
	pInt                      // an integer
	pInts                     // an integer or a sequence of them
	pNumber                   // a number written in the formula
	pNumbers                  // such a number, or a list of them
	pTruth                    // True or False
	pType                     // an element type
	pText                     // a string
	pAny                      // what the function checks
)

// parse reads the parameters from Arguments. A default None admits None, and so
// does the mark ? after a parameter, which is removed.
func (f *Function) parse() {
	f.named, f.rest = -1, -1
	for p := range strings.SplitSeq(f.Arguments, ", ") {
		switch p {
		case "*":
			f.named = len(f.params)
			continue
		case "/":
			f.positional = len(f.params)
			continue
		}
		p, mark := strings.CutSuffix(p, "?")
		name, text, optional := strings.Cut(p, "=")
		if name[0] == '*' {
			name, f.rest = name[1:], len(f.params)
		}
		x := parameter{name: name, kind: kindOf(f.Name, name), none: mark || text == "None"}
		switch {
		case name == "varargs": // there may be none
			x.value, x.none = none, true
		case optional:
			x.value = parseDefault(text)
		default:
			f.required++
		}
		f.params = append(f.params, x)
	}
	f.Arguments = strings.ReplaceAll(f.Arguments, "?", "")
	if f.named < 0 {
		f.named = len(f.params)
	}
}

// kinds has the parameters that have another kind in one function than in all others.
var kinds = map[string]paramKind{"block arrays": pAny, "digitize right": pTruth, "kaiser beta": pNumber, "linspace start": pOperand, "linspace stop": pOperand, "random_bernoulli p": pNumber, "random_gamma a": pNumber, "cov ddof": pInt}

// alongOne are the functions that take one axis, not a tuple.
var alongOne = strings.Fields(`argmax argmin nanargmax nanargmin cumsum cumprod nancumsum nancumprod
	cummax cummin unwrap sort argsort partition argpartition diff trapezoid insert delete append repeat take take_along_axis
	put_along_axis concatenate linspace stack split array_split unstack rollaxis cross vecdot fft ifft rfft irfft hfft ihfft`)

func kindOf(function, name string) paramKind {
	if k, ok := kinds[function+" "+name]; ok {
		return k
	}
	if name == "axis" && slices.Contains(alongOne, function) {
		return pInt
	}
	return parameters[name].kind
}

// parseDefault returns the value of a default: None, a number, a string or a tuple.
func parseDefault(text string) value {
	st, err := syntax.Parse(text)
	if err != nil {
		panic("numpy: the default " + text + " is no formula")
	}
	return defaultOf(st[0].Value)
}

func defaultOf(n *syntax.Node) value {
	switch n.Kind {
	case syntax.Literal:
		return literal(n.Number)
	case syntax.Tuple:
		return sequence(lists.Map(n.Args, defaultOf))
	case syntax.Unary:
		s, _ := unaryScalar(n.Text, n.Args[0].Number)
		return literal(s)
	case syntax.String:
		return value{kind: vString, str: n.Text}
	}
	return none
}

// isMethod reports whether NumPy's arrays have f as a method of a name.
func (f *Function) isMethod(name string) bool { return f != nil && slices.Contains(methods, name) }

// keywords lists the arguments of f that have names.
func (f *Function) keywords() string {
	var names []string
	for i, p := range f.params {
		if i >= f.positional && i != f.rest {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 {
		return "; it has none with names"
	}
	return "; it has " + strings.Join(names, ", ")
}

// operands returns the positions of the parameters that are operands.
func (f *Function) operands() []int {
	return lists.Where(lists.UpTo(len(f.params)), func(i int) bool { return f.params[i].kind == pOperand })
}

func (f *Function) parameter(name string) int {
	return slices.IndexFunc(f.params, func(p parameter) bool { return p.name == name })
}

// An argument is the value of a parameter.
type argument struct {
	item
	given bool // in the call; otherwise it is the default
}

// A call is a function with its arguments.
type call struct {
	at   *syntax.Node
	f    *Function
	args []argument // one for each parameter

	scope *scope
}

// bind gives every parameter of f its argument.
func (f *Function) bind(at *syntax.Node, items []item, keys []string) *call {
	n, name := len(f.params), at.Text
	if f.rest >= 0 {
		items, keys = f.gathered(items, keys)
	}
	c := &call{at: at, f: f, args: make([]argument, n)}
	for i, p := range f.params {
		c.args[i].item = item{p.value, at}
	}
	for i, x := range items {
		k := i
		switch {
		case keys[i] != "":
			if k = f.parameter(keys[i]); k < f.positional || k == f.rest {
				panic(fail(x.at, nil, "%s has no argument %s%s", name, syntax.Quote(keys[i]), cmp.Or(refusal(f, keys[i]), f.keywords())))
			}
		case i >= f.named && f.required == n:
			panic(fail(at, nil, "%s takes %s, not %d", name, plural(n, "argument"), len(items)))
		case i >= f.named:
			panic(fail(x.at, nil, "%s takes %s, not %d", name, plural(f.named, "positional argument"), len(items)))
		}
		if c.args[k].given {
			panic(fail(x.at, nil, "argument %q of %s is given twice", f.params[k].name, name))
		}
		c.args[k] = argument{x, true}
	}
	for i, p := range f.params {
		switch {
		case c.args[i].given:
			if x := c.args[i].value; p.kind == pArrays && x.kind == vTree && x.n.Err() == nil && len(x.n.Shape()) > 0 && x.n.Shape()[0] <= maxParts {
				c.args[i].value = partsOf(x.n, 0)
			}
			c.admit(c.args[i].item, p)
		case i < f.required:
			panic(fail(at, nil, "%s lacks the argument %q", name, p.name))
		}
	}
	return c
}

// gathered returns the arguments of a call in which the positional ones from the
// parameter f.rest on are one list. Arguments with names come last.
func (f *Function) gathered(items []item, keys []string) ([]item, []string) {
	positional := len(items)
	for positional > 0 && keys[positional-1] != "" {
		positional--
	}
	if positional <= f.rest {
		return items, keys
	}
	return together(items, keys, f.rest, positional)
}

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return integer(n).s.String() + " " + word
}

// admit checks the kind of an argument.
func (c *call) admit(x item, p parameter) {
	switch {
	case x.unknown() && x.kind != vSeq || x.kind == vNone && p.none || p.kind == pAny:
		return
	case x.kind == vNone:
		panic(x.mismatch("argument %q of %s cannot be None", p.name, c.at.Text))
	}
	switch p.kind {
	case pArrays:
		if x.kind != vSeq || len(x.seq) == 0 {
			panic(x.mismatch("%s takes a list of arrays, such as [a, b], or an array of 1 to %d parts", c.at.Text, maxParts))
		}
		for _, v := range x.seq {
			item{v, x.at}.operand()
		}
	case pInt:
		x.integer(p.name)
	case pInts:
		x.integers(p.name)
	case pNumber, pNumbers:
		if x.kind != vScalar && (p.kind == pNumber || x.kind != vSeq) {
			panic(x.mismatch("%s must be a number written in the formula, not %s", p.name, x.describe()))
		}
	case pTruth:
		if x.kind != vScalar || x.s.Class == syntax.Float {
			panic(x.mismatch("%s must be True or False, not %s", p.name, x.describe()))
		}
	case pText:
		if x.kind != vString {
			panic(x.mismatch("%s must be a string, not %s", p.name, x.describe()))
		}
	case pType:
		x.elemType()
	case pOperand:
		x.operand()
	}
}

// unknown reports whether an argument is not known yet.
func (c *call) unknown() bool {
	return slices.ContainsFunc(c.args, func(x argument) bool { return x.unknown() })
}

// sound returns n, or stops with its error at a place.
func sound(at *syntax.Node, n *tree.Node) *tree.Node {
	check(at, n.Err())
	return n
}

// with returns what f makes of the call with another value for argument i.
func (c *call) with(i int, v value, f func(c *call) *tree.Node) *tree.Node {
	other := *c
	other.args = slices.Clone(c.args)
	other.args[i].value = v
	return f(&other)
}

// The methods below return arguments that bind admitted.

// isNone reports whether argument i is None, given or by default.
func (c *call) isNone(i int) bool { return c.args[i].kind == vNone }

// operand returns argument i as a number or an array.
func (c *call) operand(i int) value {
	x := c.args[i]
	if x.kind == vSeq {
		return valueOf(sound(x.at, x.node()))
	}
	return x.value
}

// array returns argument i as an array.
func (c *call) array(i int) *tree.Node { return sound(c.args[i].at, c.args[i].node()) }

// as returns argument i as an array of type t.
func (c *call) as(i int, t dtype.Type) *tree.Node { return sound(c.args[i].at, c.args[i].as(t)) }

// common returns some arguments as arrays of their common type.
func (c *call) common(which ...int) []*tree.Node {
	values := lists.Map(which, c.operand)
	t := promoted(values...)
	return lists.Make(len(which), func(k int) *tree.Node { return sound(c.args[which[k]].at, values[k].as(t)) })
}

// integer returns argument i, an integer.
func (c *call) integer(i int) int {
	return c.args[i].integer(c.f.params[i].name)
}

// integers returns argument i, integers, or nil for None. Integers that are
// given are not nil.
func (c *call) integers(i int) []int {
	if c.isNone(i) {
		return nil
	}
	return c.args[i].integers(c.f.params[i].name)
}

// float returns argument i, a number.
func (c *call) float(i int) float64 {
	v, err := c.args[i].s.Float64()
	stopIf(err != nil, c.args[i].at, tree.ErrValue, "%s", err)
	return v
}

// dtype returns the element type that argument i names, or t for None.
func (c *call) dtype(i int, t dtype.Type) dtype.Type {
	if !c.isNone(i) {
		t = c.args[i].elemType()
	}
	return t
}

// all returns the arguments converted to type t.
func (c *call) all(values []value, t dtype.Type) []*tree.Node {
	return lists.Make(len(values), func(i int) *tree.Node { return sound(c.args[i].at, values[i].as(t)) })
}

// listed returns the arrays of the list that argument i is. Of a weak list the
// Python numbers stay as they are.
func (c *call) listed(i int, weak bool) []value {
	items := make([]value, len(c.args[i].seq))
	for k, x := range c.args[i].seq {
		if items[k] = x; x.weakClass() == syntax.NoNumber || !weak {
			items[k] = valueOf(sound(c.args[i].at, x.node()))
		}
	}
	return items
}

// converted returns the arrays of the list that argument i is, in type t.
func (c *call) converted(i int, items []value, t dtype.Type) []*tree.Node {
	return lists.Map(items, func(x value) *tree.Node { return sound(c.args[i].at, x.as(t)) })
}
