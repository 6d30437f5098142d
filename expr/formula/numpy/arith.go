package numpy

import (
	"math"
	"math/big"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// bySymbol has the rows of the table that have a symbol.
var bySymbol = sync.OnceValue(func() map[string]*tree.Operator {
	out := map[string]*tree.Operator{}
	for _, o := range untyped.Table() {
		if o.Symbol() != "" {
			out[o.Symbol()] = o
		}
	}
	return out
})

// unary returns -x, +x or ~x.
func unary(sign string, x value) value {
	if x.kind == vScalar {
		s, err := unaryScalar(sign, x.s)
		if err != nil {
			return failed(tree.ErrType, "%s is not defined for %s", sign, x.describe())
		}
		return literal(s)
	}
	if x.weak == syntax.Bool {
		x.n, x.weak = cast(x.n, dtype.I64), syntax.Int
	}
	switch t := x.n.DType(); {
	case t == dtype.Bool && sign != "~":
		return failed(tree.ErrType, "%s is not defined for bool; use ~, or convert with astype", sign)
	case fractional(t) && sign == "~":
		return failed(tree.ErrType, "~ is not defined for %v", t)
	case sign == "-":
		x.n = apply("neg", x.n)
	case sign == "~":
		x.n = apply("invert", x.n)
	}
	return x
}

// binary returns x op y by NumPy's rules. function says that a function was
// called, and not an operator written.
func binary(sign string, x, y value, function bool) value {
	if x.kind == vScalar && y.kind == vScalar && sign != "@" {
		s, err := binaryScalar(sign, x.s, y.s)
		if err != nil {
			return failed(tree.ErrValue, "%s: %s", sign, err)
		}
		return literal(s)
	}
	switch {
	case sign == "@":
		return valueOf(matmul(x, y))
	case isComparison(sign):
		return compare(sign, x, y)
	}
	t := promoted(x, y)
	two := y.kind == vScalar && y.s.Class == syntax.Int && y.s.I.IsInt64() && y.s.I.Int64() == 2
	if sign == "**" && !function && x.weakClass() == syntax.NoNumber && x.n.DType() == dtype.Bool && len(x.n.Shape()) > 0 && two {
		t = dtype.I8 // NumPy takes the square
	}
	weak := syntax.NoNumber
	if x.weakClass() != syntax.NoNumber && y.weakClass() != syntax.NoNumber {
		if weak = max(x.weakClass(), y.weakClass()); sign == "/" {
			weak = syntax.Float
		}
		if t == dtype.Bool {
			t, weak = dtype.I64, max(weak, syntax.Int)
		}
	}
	return value{kind: vTree, n: arithmetic(sign, t, x, y, function), weak: weak}
}

// arithmetic returns x op y of common type t.
func arithmetic(sign string, t dtype.Type, x, y value, function bool) *tree.Node {
	undefined := func(hint string) *tree.Node {
		return tree.Errorf(tree.ErrType, "", "%s is not defined for %v%s", sign, t, hint)
	}
	symbol := sign
	switch sign {
	case "+", "*":
		if t == dtype.Bool { // or, and
			symbol = map[string]string{"+": "|", "*": "&"}[sign]
		}
	case "-":
		if t == dtype.Bool {
			return undefined("; use ^")
		}
	case "/":
		t = quotientType(t)
	case "//", "%", "**":
		if t == dtype.Bool {
			t = dtype.I8
		}
	case "&", "|", "^":
		if fractional(t) {
			return undefined("")
		}
	case "<<", ">>":
		if fractional(t) {
			return undefined("")
		}
		if t == dtype.Bool {
			t = dtype.I8
		}
	}
	if n := byPowerOfTwo(sign, t, x, y); n != nil {
		return n
	}
	switch {
	case sign != "**":
		return apply(bySymbol()[symbol].Name(), x.as(t), y.as(t))
	case t.IsComplex():
		return complexPower(t, x, y)
	case fractional(t):
		return floatPower(t, x, y, function)
	}
	return intPower(t, x, y)
}

// byPowerOfTwo returns x // y or x % y of integers of type t, for a power of two that the formula states: a shift or a mask, which
// give the same. It returns nil for all others.
func byPowerOfTwo(sign string, t dtype.Type, x, y value) *tree.Node {
	if sign != "//" && sign != "%" || !t.IsInt() || y.kind != vScalar || y.s.I == nil || y.s.I.Sign() <= 0 {
		return nil
	}
	k := y.s.I.TrailingZeroBits()
	switch {
	case int(k) != y.s.I.BitLen()-1 || y.as(t).Err() != nil:
		return nil
	case sign == "//":
		return apply("right_shift", x.as(t), tree.ConstInt(t, int64(k)))
	}
	return apply("bitwise_and", x.as(t), tree.ConstInt(t, 1<<k-1))
}

// compare returns x op y. Integers compare by value, whatever their types: a
// Python integer outside the range of an array's type and uint64 with a signed
// type too.
func compare(sign string, x, y value) value {
	if x.kind == vScalar {
		x, y, sign = y, x, mirrored[sign]
	}
	xt := x.n.DType()
	if y.kind == vScalar && y.s.Class == syntax.Int && xt.IsInt() {
		lo, hi := limits(xt)
		if below, above := y.s.I.Cmp(lo) < 0, y.s.I.Cmp(hi) > 0; below || above {
			holds := sign == "!=" || below && sign[0] == '>' || above && sign[0] == '<'
			return valueOf(untyped.BroadcastTo(truth(holds), x.n.Shape()))
		}
	}
	if y.kind == vTree && y.weak == syntax.NoNumber && x.weak == syntax.NoNumber {
		yt := y.n.DType()
		if xt == dtype.U64 && yt.IsSigned() {
			return valueOf(compareMixed(mirrored[sign], y.n, x.n))
		}
		if yt == dtype.U64 && xt.IsSigned() {
			return valueOf(compareMixed(sign, x.n, y.n))
		}
	}
	t := promoted(x, y)
	r := valueOf(apply(bySymbol()[sign].Name(), x.as(t), y.as(t)))
	if x.weakClass() != syntax.NoNumber && y.weakClass() != syntax.NoNumber {
		r.weak = syntax.Bool
	}
	return r
}

// compareMixed compares a signed integer with a uint64.
func compareMixed(sign string, signed, u *tree.Node) *tree.Node {
	negative := apply("less", signed, tree.ConstInt(signed.DType(), 0))
	return apply("where", negative, truth(sign[0] == '<' || sign == "!="), apply(bySymbol()[sign].Name(), cast(signed, dtype.U64), u))
}

// matmul returns x @ y; of halves in float32, rounded once; of bools whether any
// product of a row and a column holds.
func matmul(x, y value) *tree.Node {
	t := promoted(x, y)
	wide := t.Register()
	if t == dtype.Bool {
		wide = dtype.I64
	}
	return cast(untyped.MatMul(x.as(wide), y.as(wide)), t)
}

// fastPowers are the exponents that have a row of their own; see ADR 0013.
var fastPowers = map[float64]string{2: "square", 3: "cube", .5: "sqrt", -1: "reciprocal", -2: "inverse_square"}

// floatPower returns x ** y of floats of type t.
func floatPower(t dtype.Type, x, y value, function bool) *tree.Node {
	m := x.as(t)
	if y.kind == vScalar {
		f, err := y.s.Float64()
		if err != nil {
			return tree.Errorf(tree.ErrValue, "", "%s", err)
		}
		if f == 1 {
			return m
		}
		if name, ok := fastPowers[f]; ok && (f != .5 || function || len(m.Shape()) > 0) { // NumPy's scalars go through pow
			return apply(name, m)
		}
		if f == -.5 { // -inf gives 0 and -0 gives inf; halves are rounded once
			wide := t.Register()
			m, inf := cast(m, wide), tree.ConstFloat(wide, math.Inf(1))
			m = apply("where", apply("equal", m, tree.ConstFloat(wide, math.Inf(-1))), inf, apply("add", m, tree.ConstFloat(wide, 0)))
			return cast(apply("rsqrt", m), t)
		}
	}
	return apply("pow", m, y.as(t))
}

// maxComplexPower bounds the integers that are powers of complex numbers by
// products, as in NumPy.
const maxComplexPower = 100

// complexPower returns x ** y of complex numbers of type t. A small integer that the
// formula states gives products.
func complexPower(t dtype.Type, x, y value) *tree.Node {
	m := x.as(t)
	if y.kind != vScalar || m.Err() != nil {
		return apply("pow", m, y.as(t))
	}
	f, err := y.s.Float64()
	switch {
	case err != nil:
		return tree.Errorf(tree.ErrValue, "", "%s", err)
	case f == .5:
		return apply("sqrt", m)
	case f != math.Trunc(f) || math.Abs(f) >= maxComplexPower:
		return apply("pow", m, y.as(t))
	}
	power := knownPower(m, big.NewInt(int64(math.Abs(f))))
	if f < 0 {
		return apply("div", number(syntax.IntNumber(1), t), power)
	}
	return power
}

// intPower returns x ** y of integers, by squaring. It wraps. A negative exponent
// is an error. Where the exponent is known at the run only, it is a division by zero.
func intPower(t dtype.Type, x, y value) *tree.Node {
	base, e := x.as(t), y.as(t)
	if y.kind == vScalar {
		if y.s.I.Sign() < 0 {
			return tree.Errorf(tree.ErrValue, "", "integers to negative integer powers are not allowed; make one of them a float")
		}
		if e.Err() != nil {
			return e
		}
		return knownPower(base, y.s.I)
	}
	one, zero := tree.ConstInt(t, 1), tree.ConstInt(t, 0)
	bits := 8 * t.Size()
	if t.IsSigned() {
		bits--
	}
	result := one
	for i := range bits {
		bit := number(syntax.Number{Class: syntax.Int, I: new(big.Int).Lsh(big.NewInt(1), uint(i))}, t)
		factor := apply("where", apply("not_equal", apply("bitwise_and", e, bit), zero), base, one)
		if i == 0 {
			result = factor
		} else {
			result = apply("mul", result, factor)
		}
		if i+1 < bits {
			base = apply("square", base)
		}
	}
	if t.IsSigned() {
		valid := cast(apply("greater_equal", e, zero), t)
		result = apply("mul", result, apply("floor_divide", one, valid))
	}
	return result
}

// knownPower returns base ** e for a known e.
func knownPower(base *tree.Node, e *big.Int) *tree.Node {
	if e.Sign() == 0 {
		return untyped.BroadcastTo(tree.ConstInt(base.DType(), 1), base.Shape())
	}
	result := base
	for i := e.BitLen() - 2; i >= 0; i-- {
		if result = apply("square", result); e.Bit(i) == 1 {
			result = apply("mul", result, base)
		}
	}
	return result
}
