package formula

import (
	"math/big"
	"sync"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// bySymbol are the rows of the table that have a symbol.
var bySymbol = sync.OnceValue(func() map[string]*expr.Operator {
	out := map[string]*expr.Operator{}
	for _, o := range op.Table() {
		if o.Symbol != "" {
			out[o.Symbol] = o
		}
	}
	return out
})

// row applies an element-wise row. A half result is rounded, as NumPy rounds
// after every operation.
func (b *builder) row(a *ast, name string, args ...*expr.Node) (value, error) {
	o, ok := op.Lookup(name)
	if !ok {
		return value{}, b.fail(a, expr.ErrUnsupported, "the operator table has no %q", name)
	}
	return b.check(a, rounded(op.Apply(o, args...)), nil)
}

// rounded rounds a result of half type.
func rounded(n *expr.Node) *expr.Node {
	if n.Err() == nil && n.DType().IsHalf() {
		return op.CastNode(n, n.DType())
	}
	return n
}

// unary is -x, +x or ~x.
func (b *builder) unary(a *ast, sign string, x value) (value, error) {
	if x.kind == vScalar {
		s, err := unaryScalar(sign, x.s)
		if err != nil {
			return value{}, b.fail(a, expr.ErrType, "%s is not defined for %s", sign, x.describe())
		}
		return literal(s), nil
	}
	x, err := b.operand(a.args[0], x)
	if err != nil || x.kind == vUnknown {
		return x, err
	}
	t := x.n.DType()
	if x.weak == kBool {
		t = dtype.I64
		x.n, x.weak = cast(x.n, t), kInt
	}
	name := map[string]string{"-": "neg", "~": "invert", "+": ""}[sign]
	if t == dtype.Bool && sign != "~" {
		return value{}, b.fail(a, expr.ErrType, "%s is not defined for bool; use ~, or convert with astype", sign)
	}
	if t.IsFloat() && sign == "~" {
		return value{}, b.fail(a, expr.ErrType, "~ is not defined for %v", t)
	}
	if name == "" {
		return x, nil
	}
	r, err := b.row(a, name, x.n)
	r.weak = x.weak
	return r, err
}

// binary is x op y by NumPy's rules.
func (b *builder) binary(a *ast, sign string, x, y value) (value, error) {
	if x.kind == vScalar && y.kind == vScalar && sign != "@" {
		s, err := binaryScalar(sign, x.s, y.s)
		if err != nil {
			return value{}, b.fail(a, expr.ErrValue, "%s: %s", sign, err)
		}
		return literal(s), nil
	}
	x, err := b.operand(a, x)
	if err != nil {
		return value{}, err
	}
	if y, err = b.operand(a, y); err != nil {
		return value{}, err
	}
	if x.kind == vUnknown || y.kind == vUnknown {
		return unknown, nil
	}
	if sign == "@" {
		return b.matmul(a, x, y)
	}
	if comparisonOps[sign] {
		return b.compare(a, sign, x, y)
	}
	t := promoteValues(x, y)
	if sign == "**" && a.kind == aBinary && y.kind == vScalar && y.s.kind == kInt && x.weakKind() == kNone && x.n.DType() == dtype.Bool && len(x.n.Shape()) > 0 && y.s.i.IsInt64() && y.s.i.Int64() == 2 {
		t = dtype.I8 // NumPy takes the square
	}
	weak := kNone
	if x.weakKind() != kNone && y.weakKind() != kNone {
		if weak = max(x.weakKind(), y.weakKind()); sign == "/" {
			weak = kFloat
		}
		if t == dtype.Bool {
			t, weak = dtype.I64, max(weak, kInt)
		}
	}
	r, err := b.arithmetic(a, sign, t, x, y)
	r.weak = weak
	return r, err
}

// arithmetic is x op y of common type t.
func (b *builder) arithmetic(a *ast, sign string, t dtype.Type, x, y value) (value, error) {
	undefined := func(hint string) (value, error) {
		return value{}, b.fail(a, expr.ErrType, "%s is not defined for %v%s", sign, t, hint)
	}
	row := bySymbol()[sign]
	switch sign {
	case "+", "*":
		if t == dtype.Bool { // or, and
			row = bySymbol()[map[string]string{"+": "|", "*": "&"}[sign]]
		}
	case "-":
		if t == dtype.Bool {
			return undefined("; use ^")
		}
	case "/":
		if !t.IsFloat() {
			t = dtype.F64
		}
	case "//", "%":
		if t == dtype.Bool {
			t = dtype.I8
		}
	case "**":
		return b.power(a, t, x, y)
	case "&", "|", "^":
		if t.IsFloat() {
			return undefined("")
		}
	case "<<", ">>":
		if t.IsFloat() {
			return undefined("")
		}
		if t == dtype.Bool {
			t = dtype.I8
		}
	}
	m, n, err := b.both(a, t, x, y)
	if err != nil {
		return value{}, err
	}
	return b.row(a, row.Name, m, n)
}

// both converts x and y to t.
func (b *builder) both(a *ast, t dtype.Type, x, y value) (m, n *expr.Node, err error) {
	if m, err = x.as(t); err == nil {
		n, err = y.as(t)
	}
	if err != nil {
		_, err = b.check(a, nil, err)
	}
	return m, n, err
}

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

// compare is a comparison. Integers compare by value, whatever their types: a
// Python integer outside the range of an array's type and uint64 with a signed
// type too.
func (b *builder) compare(a *ast, sign string, x, y value) (value, error) {
	if x.kind == vScalar {
		x, y, sign = y, x, mirrored[sign]
	}
	t := promoteValues(x, y)
	row := bySymbol()[sign]
	xt := x.n.DType()
	if y.kind == vScalar && y.s.kind == kInt && xt.IsInt() {
		lo, hi := limits(xt)
		if y.s.i.Cmp(lo) < 0 {
			return b.everywhere(a, x.n, sign == ">" || sign == ">=" || sign == "!=")
		}
		if y.s.i.Cmp(hi) > 0 {
			return b.everywhere(a, x.n, sign == "<" || sign == "<=" || sign == "!=")
		}
	}
	if y.kind == vTree && y.weak == kNone && x.weak == kNone {
		yt := y.n.DType()
		if xt == dtype.U64 && yt.IsSigned() {
			return b.compareMixed(a, mirrored[sign], y.n, x.n)
		}
		if yt == dtype.U64 && xt.IsSigned() {
			return b.compareMixed(a, sign, x.n, y.n)
		}
	}
	m, n, err := b.both(a, t, x, y)
	if err != nil {
		return value{}, err
	}
	r, err := b.row(a, row.Name, m, n)
	if x.weakKind() != kNone && y.weakKind() != kNone {
		r.weak = kBool
	}
	return r, err
}

// everywhere returns a constant in the shape of x.
func (b *builder) everywhere(a *ast, x *expr.Node, v bool) (value, error) {
	return b.check(a, op.BroadcastToNode(expr.ConstInt(dtype.Bool, int64(b2i(v))), x.Shape()), nil)
}

// compareMixed compares a signed integer with a uint64.
func (b *builder) compareMixed(a *ast, sign string, signed, u *expr.Node) (value, error) {
	negative, err := b.row(a, "less", signed, expr.ConstInt(signed.DType(), 0))
	if err != nil {
		return value{}, err
	}
	r, err := b.row(a, bySymbol()[sign].Name, cast(signed, dtype.U64), u)
	if err != nil {
		return value{}, err
	}
	below := sign == "<" || sign == "<=" || sign == "!="
	return b.row(a, "where", negative.n, expr.ConstInt(dtype.Bool, int64(b2i(below))), r.n)
}

// matmul is x @ y; of halves in float32, rounded once; of bools whether any
// product of a row and a column holds.
func (b *builder) matmul(a *ast, x, y value) (value, error) {
	t := promoteValues(x, y)
	wide := t.Register()
	if t == dtype.Bool {
		wide = dtype.I64
	}
	m, n, err := b.both(a, wide, x, y)
	if err != nil {
		return value{}, err
	}
	r := op.MatMulNode(m, n)
	return b.check(a, cast(r, t), nil)
}

// fastPowers are the exponents that NumPy computes without power.
var fastPowers = map[float64]string{2: "square", .5: "sqrt", -1: "reciprocal"}

// power is x ** y of common type t.
func (b *builder) power(a *ast, t dtype.Type, x, y value) (value, error) {
	if t == dtype.Bool {
		t = dtype.I8
	}
	if !t.IsFloat() {
		return b.intPower(a, t, x, y)
	}
	m, err := x.as(t)
	if err != nil {
		return b.check(a, nil, err)
	}
	if y.kind == vScalar {
		f, err := y.s.float()
		if err != nil {
			return b.check(a, nil, expr.NewError(expr.ErrValue, "", "%s", err))
		}
		if f == 1 {
			return tree(m), nil
		}
		if name, ok := fastPowers[f]; ok && (f != .5 || a.kind == aCall || len(m.Shape()) > 0) { // NumPy's scalars go through pow
			return b.row(a, name, m)
		}
	}
	n, err := y.as(t)
	if err != nil {
		return b.check(a, nil, err)
	}
	row := bySymbol()["**"]
	for _, name := range []string{"power", "pow"} {
		if o, ok := op.Lookup(name); ok && row == nil {
			row = o
		}
	}
	if row == nil {
		return value{}, b.fail(a, expr.ErrUnsupported, "the operator table has no power")
	}
	return b.row(a, row.Name, m, n)
}

// intPower returns x ** y of integers, by squaring. It wraps. A negative exponent
// is an error; where only the run knows the exponent, it is a division by zero.
func (b *builder) intPower(a *ast, t dtype.Type, x, y value) (value, error) {
	if y.kind == vScalar && y.s.i.Sign() < 0 {
		return value{}, b.fail(a, expr.ErrValue, "integers to negative integer powers are not allowed; make one of them a float")
	}
	base, err := x.as(t)
	if err != nil {
		return b.check(a, nil, err)
	}
	e, err := y.as(t)
	if err != nil {
		return b.check(a, nil, err)
	}
	if y.kind == vScalar {
		return b.constPower(a, base, y.s.i)
	}
	one := expr.ConstInt(t, 1)
	var result *expr.Node
	step := func(name string, args ...*expr.Node) *expr.Node {
		if err != nil {
			return one
		}
		var v value
		v, err = b.row(a, name, args...)
		if err != nil {
			return one
		}
		return v.n
	}
	bits := 8*t.Size() - b2i(t.IsSigned())
	for i := range bits {
		bit := step("not_equal", step("bitwise_and", e, scalarBit(t, i)), expr.ConstInt(t, 0))
		factor := step("where", bit, base, one)
		if result == nil {
			result = factor
		} else {
			result = step("mul", result, factor)
		}
		if i+1 < bits {
			base = step("square", base)
		}
	}
	if t.IsSigned() {
		valid := cast(step("greater_equal", e, expr.ConstInt(t, 0)), t)
		result = step("mul", result, step("floor_divide", one, valid))
	}
	return b.check(a, result, err)
}

func scalarBit(t dtype.Type, i int) *expr.Node {
	n, _ := scalarNode(scalar{kind: kInt, i: new(big.Int).Lsh(big.NewInt(1), uint(i))}, t)
	return n
}

// constPower is base ** e for a known e.
func (b *builder) constPower(a *ast, base *expr.Node, e *big.Int) (value, error) {
	if e.Sign() == 0 {
		return b.check(a, op.BroadcastToNode(expr.ConstInt(base.DType(), 1), base.Shape()), nil)
	}
	result := base
	for i := e.BitLen() - 2; i >= 0; i-- {
		v, err := b.row(a, "square", result)
		if err == nil && e.Bit(i) == 1 {
			v, err = b.row(a, "mul", v.n, base)
		}
		if err != nil {
			return value{}, err
		}
		result = v.n
	}
	return tree(result), nil
}
