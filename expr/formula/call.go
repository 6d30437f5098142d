package formula

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// A call is a function with its arguments.
type call struct {
	a    *ast
	f    *Function
	name string
	args []value // one for each parameter; an argument not given has kind vNone
	pos  []*ast  // where each argument stands, or the call
	set  []bool  // whether it was given
}

// get returns the argument for a parameter, if it was given and is not None.
func (c *call) get(name string) (value, *ast, bool) {
	i := slices.IndexFunc(c.f.params, func(p parameter) bool { return p.name == name })
	if i < 0 || c.args[i].kind == vNone {
		return none, c.a, false
	}
	return c.args[i], c.pos[i], true
}

func (b *builder) call(a *ast) (value, error) {
	values, err := b.evalAll(a.args)
	if err != nil {
		return value{}, err
	}
	f := functions[a.text]
	if f == nil {
		if t, err := typeNamed(a.text); err == nil && len(values) == 1 && a.keys[0] == "" {
			return b.convert(a, a.text, t, values[0])
		}
		return value{}, b.fail(a, nil, "there is no function %s%s", quote(a.text), nearest(a.text))
	}
	return b.apply(a, f, a.args, a.keys, values)
}

// isMethod reports whether NumPy's arrays have f as a method of a name.
func (f *Function) isMethod(name string) bool {
	return f != nil && f.Method && (f.Name == name || name == "flatten")
}

// modules are names that Python programs give to libraries of functions. A
// formula may use them for variables.
var modules = map[string]bool{"cp": true, "jax": true, "jnp": true, "math": true, "ne": true, "onp": true, "scipy": true, "tf": true, "torch": true, "xp": true}

// method is x.f(...), where f is a function of x.
func (b *builder) method(a *ast) (value, error) {
	if x := a.args[0]; x.kind == aName && modules[x.text] && b.vars[x.text] == nil && !(b.checking && functions[a.text].isMethod(a.text)) {
		return value{}, b.fail(x, nil, "%s is no module here; write %s(x) or np.%s(x)", x.text, a.text, a.text)
	}
	values, err := b.evalAll(a.args)
	if err != nil {
		return value{}, err
	}
	f := functions[a.text]
	switch {
	case f == nil:
		return value{}, b.fail(a, nil, "arrays have no method %s%s", quote(a.text), nearest(a.text))
	case !f.isMethod(a.text):
		return value{}, b.fail(a, nil, "arrays have no method %s; write %s(x)", quote(a.text), a.text)
	case values[0].kind != vTree && !values[0].unknown():
		return value{}, b.fail(a, expr.ErrType, "%s has no methods", values[0].describe())
	}
	args, keys := a.args, append([]string{""}, a.keys...)
	if f.Name == "reshape" || f.Name == "transpose" {
		args, keys, values = gather(args, keys, values)
	}
	return b.apply(a, f, args, keys, values)
}

func (b *builder) evalAll(list []*ast) ([]value, error) {
	values := make([]value, len(list))
	for i, x := range list {
		var err error
		if values[i], err = b.eval(x); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// gather makes a tuple of the integers of x.reshape(2, -1).
func gather(args []*ast, keys []string, values []value) ([]*ast, []string, []value) {
	n := 1
	for n < len(values) && keys[n] == "" && (values[n].kind == vScalar || values[n].unknown()) {
		n++
	}
	if n == 1 || n == 2 && values[1].unknown() {
		return args, keys, values
	}
	seq := sequenceOf(values[1:n])
	return append([]*ast{args[0], args[1]}, args[n:]...), append([]string{"", ""}, keys[n:]...), append([]value{values[0], seq}, values[n:]...)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// apply calls f. Where an argument is not known yet, it only checks the others.
func (b *builder) apply(a *ast, f *Function, args []*ast, keys []string, values []value) (value, error) {
	c, err := b.bind(a, f, args, keys, values)
	if err != nil {
		return value{}, err
	}
	for i, p := range f.params {
		if c.set[i] {
			if err := b.admit(c, i, p); err != nil {
				return value{}, err
			}
		}
	}
	if slices.ContainsFunc(c.args, value.unknown) {
		return unknown, nil
	}
	return f.call(b, c)
}

// bind gives every parameter of f its argument.
func (b *builder) bind(a *ast, f *Function, args []*ast, keys []string, values []value) (*call, error) {
	n := len(f.params)
	c := &call{a: a, f: f, name: a.text, args: make([]value, n), pos: make([]*ast, n), set: make([]bool, n)}
	for i := range n {
		c.args[i], c.pos[i] = none, a
	}
	for i, v := range values {
		at := i
		switch {
		case keys[i] != "":
			at = slices.IndexFunc(f.params, func(p parameter) bool { return p.name == keys[i] })
			if at < f.positional {
				return nil, b.fail(args[i], nil, "%s has no argument %s%s", a.text, quote(keys[i]), f.keywords())
			}
		case i >= f.named && f.required == n:
			return nil, b.fail(a, nil, "%s takes %d %s, not %d", a.text, n, plural(n, "argument"), len(values))
		case i >= f.named:
			return nil, b.fail(args[i], nil, "%s takes %d positional %s, not %d", a.text, f.named, plural(f.named, "argument"), len(values))
		}
		if c.set[at] {
			return nil, b.fail(args[i], nil, "argument %q of %s is given twice", f.params[at].name, a.text)
		}
		c.args[at], c.pos[at], c.set[at] = v, args[i], true
	}
	for i := range f.required {
		if !c.set[i] {
			return nil, b.fail(a, nil, "%s lacks the argument %q", a.text, f.params[i].name)
		}
	}
	return c, nil
}

// keywords lists the arguments of f that have names.
func (f *Function) keywords() string {
	var names []string
	for _, p := range f.params[f.positional:] {
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return "; it has none with names"
	}
	return "; it has " + strings.Join(names, ", ")
}

// admit checks the kind of an argument.
func (b *builder) admit(c *call, i int, p parameter) (err error) {
	v, at := c.args[i], c.pos[i]
	switch {
	case v.unknown() && v.kind != vSeq || v.kind == vNone && p.none || p.kind == pAny:
		return nil
	case v.kind == vNone:
		return b.fail(at, expr.ErrType, "argument %q of %s cannot be None", p.name, c.name)
	}
	switch p.kind {
	case pArrays:
		if v.kind != vSeq || len(v.seq) == 0 {
			return b.fail(at, expr.ErrType, "%s takes a list of arrays, such as [a, b]", c.name)
		}
		for _, x := range v.seq {
			if err == nil {
				_, err = b.operand(at, x)
			}
		}
	case pInt:
		_, err = b.integer(at, v, p.name)
	case pInts:
		_, err = b.integers(at, v, p.name)
	case pNumber:
		if v.kind != vScalar {
			err = b.fail(at, expr.ErrType, "%s must be a number written in the formula, not %s", p.name, v.describe())
		}
	case pTruth:
		_, err = b.truth(at, v, p.name)
	case pType:
		_, err = b.typeOf(at, v)
	case pOperand:
		_, err = b.operand(at, v)
	}
	return err
}

// operatorCall is a function that stands for an operator.
func (b *builder) operatorCall(c *call, sign string) (value, error) {
	v := c.args
	if !slices.ContainsFunc(v, func(v value) bool { return v.kind != vScalar }) {
		for i, x := range v { // NumPy's numbers and not Python's: power(2, -1) is an error
			var err error
			if v[i], err = b.strong(c.a, x); err != nil {
				return value{}, err
			}
		}
	}
	var r value
	var err error
	if len(v) == 2 {
		r, err = b.binary(c.a, sign, v[0], v[1])
	} else {
		r, err = b.unary(c.a, sign, v[0])
	}
	if err != nil {
		return value{}, err
	}
	return b.strong(c.a, r)
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
	return b.row(a, o.Name, nodes...)
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
			r, err := b.row(a, "abs", n)
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
		r, err := b.row(a, o.Name, nodes...)
		return r, true, err
	case "sign":
		if t == dtype.Bool {
			return value{}, true, b.fail(a, expr.ErrType, "%s is not defined for bool", a.text)
		}
		if t.IsFloat() { // NumPy's sign of -0 is +0, which adding 0 makes of it
			n, err := v[0].as(t)
			if err != nil {
				r, err := b.check(a, nil, err)
				return r, true, err
			}
			r, err := b.row(a, "add", op.Apply(o, n), expr.ConstFloat(t, 0))
			return r, true, err
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
			r, err := b.row(a, "div", expr.ConstInt(t, 1), n)
			return r, true, err
		}
	}
	return value{}, false, nil
}
