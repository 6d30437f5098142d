package formula

import (
	"errors"
	"math"
	"math/big"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/prim"
)

type valueKind uint8

const (
	vScalar valueKind = iota // a Python scalar that is known
	vTree                    // a tree; weak if it stands for a Python scalar known at run time only
	vSeq                     // a tuple or list
	vType                    // an element type
	vString
	vNone
	vUnknown // what a name stands for, while a formula is checked without its variables
)

// A value is what an expression of the formula evaluates to while the tree is
// built.
type value struct {
	kind valueKind
	s    scalar
	n    *expr.Node
	weak kind // of a vTree: the Python type that it stands for, or kNone
	seq  []value
	size int  // of a vSeq: all the values in it, at all levels
	open bool // of a vSeq: some value in it is unknown
	t    dtype.Type
	str  string
}

var (
	none    = value{kind: vNone}
	unknown = value{kind: vUnknown}
)

// unknown reports whether v, or a value in it, is not known yet.
func (v value) unknown() bool { return v.kind == vUnknown || v.open }

func sequenceOf(list []value) value {
	out := value{kind: vSeq, seq: list}
	for _, x := range list {
		out.size += 1 + x.size
		out.open = out.open || x.unknown()
	}
	return out
}

func tree(n *expr.Node) value { return value{kind: vTree, n: n} }

func literal(s scalar) value { return value{kind: vScalar, s: s} }

// leafValue is what a bound name stands for. A constant is a number as if it
// were written in the formula. Parameters are weak as Python scalars are; arrays
// are not, of rank 0 neither.
func leafValue(n *expr.Node) value {
	v := tree(n)
	switch n.Op.Class {
	case expr.Constant:
		return literal(constant(n.DType(), n.Bits))
	case expr.Parameter:
		v.weak = kindOf(n.DType())
	}
	return v
}

// constant is the Python scalar that the bits of a constant stand for.
func constant(t dtype.Type, bits uint64) scalar {
	switch shift := 64 - 8*uint(t.Size()); {
	case t == dtype.Bool:
		return pyBool(bits != 0)
	case t == dtype.F64:
		return pyFloat(math.Float64frombits(bits))
	case t.IsFloat(): // a half is held as the float32
		return pyFloat(float64(math.Float32frombits(uint32(bits))))
	case t.IsSigned():
		return scalar{kind: kInt, i: big.NewInt(int64(bits<<shift) >> shift)}
	}
	return scalar{kind: kInt, i: new(big.Int).SetUint64(bits)}
}

func kindOf(t dtype.Type) kind {
	switch {
	case t.IsFloat():
		return kFloat
	case t.IsInt():
		return kInt
	}
	return kBool
}

// describe names the value in messages.
func (v value) describe() string {
	switch v.kind {
	case vScalar:
		return "the number " + shortNumber(v.s)
	case vTree:
		if v.weak != kNone {
			return "a number known at run time only"
		}
		return "an array"
	case vSeq:
		return "a sequence"
	case vType:
		return "the type " + v.t.String()
	case vString:
		return "a string"
	}
	return "None"
}

// constants are the names that NumPy has for numbers. They are Python floats.
var constants = map[string]float64{
	"pi": math.Pi, "e": math.E, "inf": math.Inf(1), "nan": math.NaN(), "euler_gamma": 0.57721566490153286060651209008240243,
}

var errNoType = errors.New("this is no element type")

// natural is the element type of NumPy's asarray of a Python scalar.
func (k kind) natural() dtype.Type {
	switch k {
	case kBool:
		return dtype.Bool
	case kInt:
		return dtype.I64
	case kFloat:
		return dtype.F64
	}
	return dtype.Invalid
}

// naturalType is the type of a value that meets no other.
func (v value) naturalType() dtype.Type {
	switch v.kind {
	case vTree:
		return v.n.DType()
	case vSeq:
		t, _ := typeOfList(v.seq)
		return t
	}
	return v.s.kind.natural()
}

// isOperand reports whether v is a number, an array or a list.
func (v value) isOperand() bool { return v.kind == vScalar || v.kind == vTree || v.kind == vSeq }

// as is the value as a tree with elements of type t. Trees are converted; a
// Python integer that t cannot hold is an error, as NumPy's OverflowError.
func (v value) as(t dtype.Type) (*expr.Node, error) {
	switch v.kind {
	case vTree:
		return cast(v.n, t), nil
	case vSeq: // number by number: none is rounded twice, and none wraps
		return stackOf(v.seq, t)
	}
	return scalarNode(v.s, t)
}

// cast converts a tree, if it has another type. (op.CastNode to a half rounds
// a half, too.)
func cast(n *expr.Node, t dtype.Type) *expr.Node {
	if n.Err() != nil || n.DType() == t {
		return n
	}
	return op.CastNode(n, t)
}

func scalarNode(s scalar, t dtype.Type) (*expr.Node, error) {
	switch {
	case t == dtype.Bool:
		return expr.ConstInt(t, int64(b2i(s.truth()))), nil
	case t.IsFloat():
		f, err := s.float()
		if err != nil {
			return nil, err
		}
		if t.IsHalf() {
			f = float64(roundToOdd(f))
		}
		return expr.ConstFloat(t, f), nil
	case s.kind == kFloat:
		i, ok := truncated(s.f)
		if !ok {
			return nil, expr.NewError(expr.ErrValue, "", "the number %s has no value in %v", formatNumber(s), t)
		}
		s = scalar{kind: kInt, i: i}
	}
	if lo, hi := limits(t); s.i.Cmp(lo) < 0 || s.i.Cmp(hi) > 0 {
		return nil, outOfBounds(s, t)
	}
	if t.IsUnsigned() {
		return expr.NewConst(t, s.i.Uint64()), nil
	}
	return expr.NewConst(t, prim.FromInt(t, s.i.Int64())), nil
}

// truncated is the integer part of a float, if it has one.
func truncated(f float64) (*big.Int, bool) {
	if f-f != 0 {
		return nil, false
	}
	i, _ := big.NewFloat(f).Int(nil)
	return i, true
}

// roundToOdd is a float32 that rounds to the same half as x does: where x lies
// between two float32, the one whose last bit is set.
func roundToOdd(x float64) float32 {
	f := float32(x)
	if float64(f) == x || math.IsNaN(x) || math.IsInf(float64(f), 0) {
		return f
	}
	if math.Abs(float64(f)) > math.Abs(x) {
		f = math.Nextafter32(f, 0)
	}
	return math.Float32frombits(math.Float32bits(f) | 1)
}

func outOfBounds(s scalar, t dtype.Type) error {
	return expr.NewError(expr.ErrValue, "", "the integer %s is out of bounds for %v", shortNumber(s), t)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// limits are the least and the greatest value of an integer type.
func limits(t dtype.Type) (lo, hi *big.Int) {
	bits := uint(8 * t.Size())
	lo, hi = new(big.Int), big.NewInt(1)
	if t.IsSigned() {
		hi.Lsh(hi, bits-1)
		lo.Neg(hi)
	} else {
		hi.Lsh(hi, bits)
	}
	return lo, hi.Sub(hi, big.NewInt(1))
}
