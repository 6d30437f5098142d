package formula

import (
	"errors"
	"math"
	"math/big"
)

// A kind is the rank of a Python scalar type.
type kind uint8

const (
	kNone kind = iota // no scalar
	kBool
	kInt
	kFloat
)

func (k kind) String() string { return [...]string{"none", "bool", "int", "float"}[k] }

// A scalar is a Python scalar whose value is known: a literal or the result of
// an operator on literals. Such values are computed as Python does, in integers
// of any size and float64.
type scalar struct {
	kind kind
	i    *big.Int // of an int; 0 or 1 of a bool
	f    float64  // of a float
}

func pyBool(b bool) scalar {
	s := scalar{kind: kBool, i: new(big.Int)}
	if b {
		s.i.SetInt64(1)
	}
	return s
}

func pyInt(i int) scalar { return scalar{kind: kInt, i: big.NewInt(int64(i))} }

func pyFloat(f float64) scalar { return scalar{kind: kFloat, f: f} }

// truth is bool(s).
func (s scalar) truth() bool {
	if s.kind == kFloat {
		return s.f != 0
	}
	return s.i.Sign() != 0
}

var (
	errOverflow = errors.New("the integer is too large for a float")
	errHuge     = errors.New("the integer is too large")
	errZeroDiv  = errors.New("division by zero")
	errNoOp     = errors.New("the operator is not defined for these scalars")
)

// float is float(s).
func (s scalar) float() (float64, error) {
	if s.kind == kFloat {
		return s.f, nil
	}
	f, _ := new(big.Float).SetInt(s.i).Float64()
	if math.IsInf(f, 0) {
		return 0, errOverflow
	}
	return f, nil
}

// small is the value of an integer that fits an int.
func (s scalar) small() (int, bool) {
	if s.kind == kFloat || !s.i.IsInt64() {
		return 0, false
	}
	return int(s.i.Int64()), int64(int(s.i.Int64())) == s.i.Int64()
}

// unaryScalar is -s, +s or ~s.
func unaryScalar(op string, s scalar) (scalar, error) {
	switch {
	case s.kind != kFloat && op == "~":
		return scalar{kind: kInt, i: new(big.Int).Not(s.i)}, nil
	case op == "~":
		return s, errNoOp
	case s.kind == kFloat && op == "-":
		return pyFloat(-s.f), nil
	case op == "-":
		return scalar{kind: kInt, i: new(big.Int).Neg(s.i)}, nil
	case s.kind == kBool:
		return scalar{kind: kInt, i: s.i}, nil
	}
	return s, nil
}

// binaryScalar is a op b in Python.
func binaryScalar(op string, a, b scalar) (scalar, error) {
	if comparisonOps[op] {
		return compareScalars(op, a, b), nil
	}
	if a.kind != kFloat && b.kind != kFloat && (op != "**" || b.i.Sign() >= 0) {
		if op == "/" {
			return divideInts(a.i, b.i)
		}
		return intScalars(op, a, b)
	}
	x, err := a.float()
	if err != nil {
		return a, err
	}
	y, err := b.float()
	if err != nil {
		return a, err
	}
	return floatScalars(op, x, y)
}

func compareScalars(op string, a, b scalar) scalar {
	var c int
	x, y := a.f, b.f
	switch {
	case a.kind == kFloat && b.kind == kFloat:
	case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0):
		// an int compares as 0 does with these
	default: // exactly
		c, x, y = a.exact().Cmp(b.exact()), 0, 0
		x = float64(c)
	}
	switch op {
	case "<":
		return pyBool(x < y)
	case "<=":
		return pyBool(x <= y)
	case ">":
		return pyBool(x > y)
	case ">=":
		return pyBool(x >= y)
	case "==":
		return pyBool(x == y)
	}
	return pyBool(x != y)
}

// exact is a finite scalar without rounding.
func (s scalar) exact() *big.Float {
	if s.kind == kFloat {
		return new(big.Float).SetFloat64(s.f)
	}
	return new(big.Float).SetInt(s.i)
}

// divideInts is the quotient of two integers, rounded once.
func divideInts(a, b *big.Int) (scalar, error) {
	if b.Sign() == 0 {
		return scalar{}, errZeroDiv
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		return scalar{}, errors.New("the quotient is too large for a float")
	}
	if f == 0 && (a.Sign() < 0) != (b.Sign() < 0) {
		f = math.Copysign(0, -1)
	}
	return pyFloat(f), nil
}

// maxBits bounds the integers that literals may grow to.
const maxBits = 4096

func intScalars(op string, a, b scalar) (scalar, error) {
	z := new(big.Int)
	out := scalar{kind: kInt, i: z}
	switch op {
	case "+":
		z.Add(a.i, b.i)
	case "-":
		z.Sub(a.i, b.i)
	case "*":
		z.Mul(a.i, b.i)
	case "//", "%":
		if b.i.Sign() == 0 {
			return out, errZeroDiv
		}
		q, r := new(big.Int).QuoRem(a.i, b.i, z)
		if r.Sign() != 0 && r.Sign() != b.i.Sign() { // floor, not truncation
			q.Sub(q, big.NewInt(1))
			r.Add(r, b.i)
		}
		if op == "//" {
			out.i = q
		}
	case "**":
		n, ok := b.small()
		if a.i.BitLen() > 1 && (!ok || n > maxBits || n*a.i.BitLen() > 2*maxBits) {
			return out, errHuge
		}
		z.Exp(a.i, b.i, nil)
	case "<<", ">>":
		n, ok := b.small()
		switch {
		case b.i.Sign() < 0:
			return out, errors.New("negative shift count")
		case op == ">>" && (!ok || n > 2*maxBits):
			n = 2 * maxBits
		case a.i.Sign() == 0:
			return out, nil
		case op == "<<" && (!ok || n > maxBits):
			return out, errHuge
		}
		if op == ">>" {
			z.Rsh(a.i, uint(n))
		} else {
			z.Lsh(a.i, uint(n))
		}
	case "&", "|", "^":
		bitScalars(op, z, a.i, b.i)
		if a.kind == kBool && b.kind == kBool {
			out.kind = kBool
		}
	default:
		return out, errNoOp
	}
	if out.i.BitLen() > maxBits {
		return out, errHuge
	}
	return out, nil
}

func bitScalars(op string, z, a, b *big.Int) {
	switch op {
	case "&":
		z.And(a, b)
	case "|":
		z.Or(a, b)
	default:
		z.Xor(a, b)
	}
}

func floatScalars(op string, x, y float64) (scalar, error) {
	switch op {
	case "+":
		return pyFloat(x + y), nil
	case "-":
		return pyFloat(x - y), nil
	case "*":
		return pyFloat(x * y), nil
	case "/", "//", "%":
		if y == 0 {
			return scalar{}, errZeroDiv
		}
		if op == "/" {
			return pyFloat(x / y), nil
		}
		q, r := divmod(x, y)
		if op == "%" {
			q = r
		}
		return pyFloat(q), nil
	case "**":
		switch {
		case x == 0 && y < 0 && !math.IsInf(y, 0):
			return scalar{}, errors.New("0.0 cannot be raised to a negative power")
		case x < 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0) && y != math.Trunc(y):
			return scalar{}, errors.New("the power is a complex number")
		}
		v := pow(x, y)
		if math.IsInf(v, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			return scalar{}, errors.New("the power is too large for a float")
		}
		return pyFloat(v), nil
	}
	return scalar{}, errNoOp
}

// divmod is Python's: the remainder has the sign of y, and the quotient is the
// integer nearest to (x - r) / y.
func divmod(x, y float64) (q, r float64) {
	r = math.Mod(x, y)
	div := (x - r) / y
	if r == 0 {
		r = math.Copysign(0, y)
	} else if (y < 0) != (r < 0) {
		r += y
		div--
	}
	if div == 0 {
		return math.Copysign(0, x/y), r
	}
	q = math.Floor(div)
	if div-q > .5 {
		q++
	}
	return q, r
}
