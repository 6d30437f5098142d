package formula

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// aliases are NumPy's names for rows that the table calls differently, or that
// an operator stands for.
var aliases = map[string]string{
	"absolute": "abs", "fabs": "abs", "subtract": "sub", "multiply": "mul",
	"remainder": "mod", "bitwise_not": "invert", "bitwise_invert": "invert",
	"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
	"arctan2": "atan2", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
	"arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "fix": "trunc",
	"amax": "max", "amin": "min", "concatenate": "concat",
}

// operatorNames are functions that are operators.
var operatorNames = map[string]string{"divide": "/", "true_divide": "/", "power": "**", "pow": "**"}

// A function is one that is not simply a row applied to its arguments.
type function struct {
	params   []string
	required int // the first parameters, which have no default
	named    int // from here on parameters are given by name only
	call     func(b *builder, c *call) (value, error)
}

// A call is a function with its arguments.
type call struct {
	a    *ast
	name string
	args []value // one for each parameter; an argument not given has kind vNone
	pos  []*ast  // where each argument stands, or the call
	set  []bool  // whether it was given
}

// define makes a function from its signature, such as "x, axis=, *, keepdims=":
// = marks a default.
func define(signature string, f func(b *builder, c *call) (value, error)) *function {
	out := &function{call: f, named: -1}
	for p := range strings.SplitSeq(signature, ", ") {
		name, optional := strings.CutSuffix(p, "=")
		switch {
		case p == "*":
			out.named = len(out.params)
			continue
		case !optional:
			out.required++
		}
		out.params = append(out.params, name)
	}
	if out.named < 0 {
		out.named = len(out.params)
	}
	return out
}

// functions are all of them by name; filled in by init, since they evaluate
// their arguments.
var functions = map[string]*function{}

func init() {
	for _, family := range []map[string]*function{reductions, arrayFunctions, makers, compositions} {
		for name, f := range family {
			functions[name] = f
		}
	}
}

// methods are the functions that NumPy's arrays have as methods.
var methods = map[string]bool{
	"sum": true, "prod": true, "max": true, "min": true, "mean": true, "var": true, "std": true, "any": true, "all": true,
	"argmax": true, "argmin": true, "reshape": true, "astype": true, "transpose": true, "swapaxes": true, "squeeze": true,
	"ravel": true, "flatten": true, "take": true, "clip": true, "dot": true, "round": true, "copy": true,
}

// Functions lists the names that can be called, sorted, without the types.
func Functions() []string {
	var out []string
	for name := range functions {
		out = append(out, name)
	}
	for name := range operatorNames {
		out = append(out, name)
	}
	for name, row := range aliases {
		if o, ok := op.Lookup(row); ok && callable(o) {
			out = append(out, name)
		}
	}
	for _, o := range op.Table() {
		if callable(o) {
			out = append(out, o.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// callable reports whether a row is a function by itself.
func callable(o *expr.Operator) bool {
	return o.Class == expr.Elementwise && o.Result != expr.To || functions[o.Name] != nil
}

func (b *builder) call(a *ast) (value, error) { return b.callWith(a, a.args, false) }

// method is x.f(...), where f is a function of x.
func (b *builder) method(a *ast) (value, error) {
	if !methods[a.text] {
		if _, ok := b.lookup(a.text); ok {
			return value{}, b.fail(a, nil, "arrays have no method %q; write %s(x)", a.text, a.text)
		}
		return value{}, b.fail(a, nil, "arrays have no method %q", a.text)
	}
	return b.callWith(a, a.args, true)
}

// lookup finds what a name calls: a function, or a row of the table.
func (b *builder) lookup(name string) (any, bool) {
	if f := functions[name]; f != nil {
		return f, true
	}
	if s, ok := operatorNames[name]; ok {
		return s, true
	}
	row := rowName(name)
	if f := functions[row]; f != nil {
		return f, true
	}
	if o, ok := op.Lookup(row); ok && callable(o) {
		return o, true
	}
	return nil, false
}

// rowName is the name in the table of what NumPy calls name.
func rowName(name string) string {
	if r, ok := aliases[name]; ok {
		return r
	}
	return name
}

func (b *builder) callWith(a *ast, args []*ast, method bool) (value, error) {
	keys := a.keys
	if method {
		keys = append([]string{""}, keys...)
	}
	values := make([]value, len(args))
	for i, x := range args {
		var err error
		if values[i], err = b.eval(x); err != nil {
			return value{}, err
		}
	}
	if method && values[0].kind != vTree {
		return value{}, b.fail(a, expr.ErrType, "%s has no methods", values[0].describe())
	}
	what, ok := b.lookup(a.text)
	if !ok {
		if t, err := typeNamed(a.text); err == nil && len(args) == 1 && keys[0] == "" {
			return b.convert(a, a.text, t, values[0])
		}
		return value{}, b.fail(a, nil, "there is no function %q%s", a.text, nearest(a.text))
	}
	if method && (a.text == "reshape" || a.text == "transpose") {
		args, keys, values = gather(args, keys, values)
	}
	switch f := what.(type) {
	case *function:
		c, err := b.bind(a, f, args, keys, values)
		if err != nil {
			return value{}, err
		}
		return f.call(b, c)
	case string:
		return b.operatorCall(a, f, 2, keys, values)
	case *expr.Operator:
		if f.Symbol != "" {
			return b.operatorCall(a, f.Symbol, f.Arity, keys, values)
		}
		if err := b.positional(a, f.Arity, keys); err != nil {
			return value{}, err
		}
		return b.elementwise(a, f, args, values)
	}
	return value{}, nil
}

// gather makes a tuple of the integers of x.reshape(2, -1).
func gather(args []*ast, keys []string, values []value) ([]*ast, []string, []value) {
	n := 1
	for n < len(values) && keys[n] == "" && values[n].kind == vScalar {
		n++
	}
	if n == 1 {
		return args, keys, values
	}
	seq := value{kind: vSeq, seq: values[1:n]}
	return append([]*ast{args[0], args[1]}, args[n:]...), append([]string{"", ""}, keys[n:]...), append([]value{values[0], seq}, values[n:]...)
}

func (b *builder) positional(a *ast, arity int, keys []string) error {
	for _, k := range keys {
		if k != "" {
			return b.fail(a, nil, "%s has no argument %q", a.text, k)
		}
	}
	if len(keys) != arity {
		return b.fail(a, nil, "%s takes %d %s, not %d", a.text, arity, plural(arity, "argument"), len(keys))
	}
	return nil
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func (b *builder) operatorCall(a *ast, sign string, arity int, keys []string, values []value) (value, error) {
	if err := b.positional(a, arity, keys); err != nil {
		return value{}, err
	}
	var r value
	var err error
	if !slices.ContainsFunc(values, func(v value) bool { return v.kind != vScalar }) {
		for i, v := range values { // NumPy's numbers and not Python's: power(2, -1) is an error
			if values[i], err = b.strong(a, v); err != nil {
				return value{}, err
			}
		}
	}
	if arity == 2 {
		r, err = b.binary(a, sign, values[0], values[1])
	} else {
		r, err = b.unary(a, sign, values[0])
	}
	if err != nil {
		return value{}, err
	}
	return b.strong(a, r)
}

// strong is the result of a function: no Python scalar, but an array of rank 0.
func (b *builder) strong(a *ast, v value) (value, error) {
	if v.kind == vScalar {
		n, err := scalarNode(v.s, v.naturalType())
		return b.check(a, n, err)
	}
	v.weak = kNone
	return v, nil
}

// bind gives every parameter of f its argument.
func (b *builder) bind(a *ast, f *function, args []*ast, keys []string, values []value) (*call, error) {
	n := len(f.params)
	c := &call{a: a, name: a.text, args: make([]value, n), pos: make([]*ast, n), set: make([]bool, n)}
	for i := range n {
		c.args[i], c.pos[i] = none, a
	}
	for i, v := range values {
		at := i
		if keys[i] != "" {
			at = slices.Index(f.params, keys[i])
			if at < 0 {
				return nil, b.fail(args[i], nil, "%s has no argument %q; it has %s", a.text, keys[i], strings.Join(f.params, ", "))
			}
		} else if i >= f.named {
			return nil, b.fail(args[i], nil, "%s takes %d positional %s, not %d", a.text, f.named, plural(f.named, "argument"), len(values))
		}
		if c.set[at] {
			return nil, b.fail(args[i], nil, "argument %q of %s is given twice", f.params[at], a.text)
		}
		c.args[at], c.pos[at], c.set[at] = v, args[i], true
	}
	for i := range f.required {
		if !c.set[i] {
			return nil, b.fail(a, nil, "%s lacks the argument %q", a.text, f.params[i])
		}
	}
	return c, nil
}

// elementwise applies a row to arguments, converted to a type that it takes.
func (b *builder) elementwise(a *ast, o *expr.Operator, args []*ast, values []value) (value, error) {
	for i, v := range values {
		var err error
		if values[i], err = b.operand(args[i], v); err != nil {
			return value{}, err
		}
	}
	t := promoteValues(values...)
	if r, ok, err := b.special(a, o, t, values); ok {
		return r, err
	}
	if t == dtype.Bool && !o.Types.Has(t) && o.Types.Has(dtype.I8) {
		t = dtype.I8
	}
	if !o.Types.Has(t) && !t.IsFloat() {
		t = floatLoop(t, values)
	}
	if !o.Types.Has(t) {
		return value{}, b.fail(a, expr.ErrType, "%s is not defined for %v", a.text, t)
	}
	nodes := make([]*expr.Node, len(values))
	for i, v := range values {
		n, err := v.as(t)
		if err != nil {
			return b.check(args[i], nil, err)
		}
		nodes[i] = n
	}
	return b.apply(a, o.Name, nodes...)
}

// floatLoop is the type in which a function of floats computes for arguments of
// common type t: one to which each argument converts safely.
func floatLoop(t dtype.Type, values []value) dtype.Type {
	loop := dtype.Invalid
	for _, v := range values {
		if v.weakKind() != kNone {
			return floatFor(t)
		}
		loop = promoteInto(loop, floatFor(v.n.DType()))
	}
	return loop
}

// special are the rows whose treatment of bools and integers in NumPy follows
// no general rule.
func (b *builder) special(a *ast, o *expr.Operator, t dtype.Type, v []value) (value, bool, error) {
	same := func() (value, bool, error) {
		n, err := v[0].as(t)
		r, err := b.check(a, n, err)
		return r, true, err
	}
	both := func(sign string) (value, bool, error) {
		r, err := b.arithmetic(a, sign, t, v[0], v[1])
		return r, true, err
	}
	switch o.Name {
	case "floor", "ceil", "trunc":
		if !t.IsFloat() && a.text != "fabs" {
			return same()
		}
	case "abs":
		if a.text == "fabs" && !t.IsFloat() {
			t = floatFor(t)
			n, err := v[0].as(t)
			if err != nil {
				r, err := b.check(a, nil, err)
				return r, true, err
			}
			r, err := b.apply(a, "abs", n)
			return r, true, err
		}
		if t == dtype.Bool {
			return same()
		}
	case "logical_and", "logical_or", "logical_xor", "logical_not":
		nodes := make([]*expr.Node, len(v))
		for i, x := range v {
			n, err := x.as(dtype.Bool)
			if err != nil {
				r, err := b.check(a, nil, err)
				return r, true, err
			}
			nodes[i] = n
		}
		r, err := b.apply(a, o.Name, nodes...)
		return r, true, err
	case "neg", "sign":
		if t == dtype.Bool {
			return value{}, true, b.fail(a, expr.ErrType, "%s is not defined for bool", a.text)
		}
	case "maximum", "fmax":
		if t == dtype.Bool {
			return both("|")
		}
	case "minimum", "fmin":
		if t == dtype.Bool {
			return both("&")
		}
	case "reciprocal":
		if t == dtype.Bool {
			t = dtype.I8
		}
		if !t.IsFloat() { // the quotient of integers, truncated
			n, err := v[0].as(t)
			if err != nil {
				r, err := b.check(a, nil, err)
				return r, true, err
			}
			r, err := b.apply(a, "div", expr.ConstInt(t, 1), n)
			return r, true, err
		}
	}
	return value{}, false, nil
}
