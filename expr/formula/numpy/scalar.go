package numpy

import (
	"errors"
	"math"
	"math/big"
	"strings"

	"github.com/oneloop/oneloop/expr/formula/syntax"
)

// Literals are computed as Python does, in integers of any size and float64.

var (
	errHuge    = errors.New("the integer is too large")
	errZeroDiv = errors.New("division by zero")
	errNoOp    = errors.New("the operator is not defined for these scalars")
)

// mirrored are the comparisons with exchanged operands.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

func isComparison(sign string) bool { return mirrored[sign] != "" }

// unaryScalar is -s, +s or ~s.
func unaryScalar(op string, s syntax.Number) (syntax.Number, error) {
	switch {
	case s.Class != syntax.Float && op == "~":
		return syntax.Number{Class: syntax.Int, I: new(big.Int).Not(s.I)}, nil
	case op == "~":
		return s, errNoOp
	case s.Class == syntax.Float && op == "-":
		return syntax.FloatNumber(-s.F), nil
	case op == "-":
		return syntax.Number{Class: syntax.Int, I: new(big.Int).Neg(s.I)}, nil
	case s.Class == syntax.Bool:
		return syntax.Number{Class: syntax.Int, I: s.I}, nil
	}
	return s, nil
}

// binaryScalar is a op b in Python.
func binaryScalar(op string, a, b syntax.Number) (syntax.Number, error) {
	if isComparison(op) {
		return compareScalars(op, a, b), nil
	}
	if a.Class != syntax.Float && b.Class != syntax.Float && (op != "**" || b.I.Sign() >= 0) {
		if op == "/" {
			return divideInts(a.I, b.I)
		}
		return intScalars(op, a, b)
	}
	x, err := a.Float64()
	if err != nil {
		return a, err
	}
	y, err := b.Float64()
	if err != nil {
		return a, err
	}
	return floatScalars(op, x, y)
}

func compareScalars(op string, a, b syntax.Number) syntax.Number {
	var c int
	x, y := a.F, b.F
	switch {
	case a.Class == syntax.Float && b.Class == syntax.Float:
	case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0):
		// an int compares as 0 does with these
	default: // exactly
		c, x, y = exact(a).Cmp(exact(b)), 0, 0
		x = float64(c)
	}
	holds := map[string]bool{"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}
	return syntax.BoolNumber(holds[op])
}

// exact is a finite syntax.Number without rounding.
func exact(s syntax.Number) *big.Float {
	if s.Class == syntax.Float {
		return new(big.Float).SetFloat64(s.F)
	}
	return new(big.Float).SetInt(s.I)
}

// divideInts is the quotient of two integers, rounded once.
func divideInts(a, b *big.Int) (syntax.Number, error) {
	if b.Sign() == 0 {
		return syntax.Number{}, errZeroDiv
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		return syntax.Number{}, errors.New("the quotient is too large for a float")
	}
	if f == 0 && (a.Sign() < 0) != (b.Sign() < 0) {
		f = math.Copysign(0, -1)
	}
	return syntax.FloatNumber(f), nil
}

// maxBits bounds the integers that literals may grow to.
const maxBits = 4096

// intOperators are the operators that are defined for all integers.
var intOperators = map[string]func(z, a, b *big.Int) *big.Int{
	"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul, "&": (*big.Int).And, "|": (*big.Int).Or, "^": (*big.Int).Xor,
}

func intScalars(op string, a, b syntax.Number) (syntax.Number, error) {
	z := new(big.Int)
	out := syntax.Number{Class: syntax.Int, I: z}
	switch op {
	case "+", "-", "*", "&", "|", "^":
		intOperators[op](z, a.I, b.I)
		if strings.Contains("&|^", op) && a.Class == syntax.Bool && b.Class == syntax.Bool {
			out.Class = syntax.Bool
		}
	case "//", "%":
		if b.I.Sign() == 0 {
			return out, errZeroDiv
		}
		q, r := new(big.Int).QuoRem(a.I, b.I, z)
		if r.Sign() != 0 && r.Sign() != b.I.Sign() { // floor, not truncation
			q.Sub(q, big.NewInt(1))
			r.Add(r, b.I)
		}
		if op == "//" {
			out.I = q
		}
	case "**":
		if n, ok := b.Small(); a.I.BitLen() > 1 && (!ok || n > maxBits || n*a.I.BitLen() > 2*maxBits) {
			return out, errHuge
		}
		z.Exp(a.I, b.I, nil)
	case "<<", ">>":
		n, ok := b.Small()
		switch {
		case b.I.Sign() < 0:
			return out, errors.New("negative shift count")
		case op == ">>" && (!ok || n > 2*maxBits):
			n = 2 * maxBits
		case a.I.Sign() == 0:
			return out, nil
		case op == "<<" && (!ok || n > maxBits):
			return out, errHuge
		}
		if op == ">>" {
			z.Rsh(a.I, uint(n))
		} else {
			z.Lsh(a.I, uint(n))
		}
	default:
		return out, errNoOp
	}
	if out.I.BitLen() > maxBits {
		return out, errHuge
	}
	return out, nil
}

func floatScalars(op string, x, y float64) (syntax.Number, error) {
	var v float64
	switch op {
	case "+":
		v = x + y
	case "-":
		v = x - y
	case "*":
		v = x * y
	case "/", "//", "%":
		if y == 0 {
			return syntax.Number{}, errZeroDiv
		}
		q, r := divmod(x, y)
		v = map[string]float64{"/": x / y, "//": q, "%": r}[op]
	case "**":
		switch {
		case x == 0 && y < 0 && !math.IsInf(y, 0):
			return syntax.Number{}, errors.New("0.0 cannot be raised to a negative power")
		case x < 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0) && y != math.Trunc(y):
			return syntax.Number{}, errors.New("the power is a complex number")
		}
		if v = pow(x, y); math.IsInf(v, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			return syntax.Number{}, errors.New("the power is too large for a float")
		}
	default:
		return syntax.Number{}, errNoOp
	}
	return syntax.FloatNumber(v), nil
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
