package numpy

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/round"
)

type valueKind uint8

const (
	vScalar valueKind = iota // a Python scalar that is known
	vTree                    // a tree; weak if it stands for a Python scalar known at run time only
	vSeq                     // a tuple or list
	vType                    // an element type
	vString
	vNone
	vUnknown  // what a name stands for, while a formula is checked without its variables
	vSlice    // start:stop:step among subscripts
	vEllipsis // ... among subscripts
)

// A value is what an expression of the formula evaluates to while the tree is
// built. A tree may carry an error.
type value struct {
	kind valueKind
	s    syntax.Number
	n    *tree.Node
	weak syntax.Class // of a vTree: the Python type that it stands for, or NoNumber
	seq  []value
	size int  // of a vSeq: all the values in it, at all levels
	open bool // of a vSeq: some value in it is unknown
	list bool // of a vSeq: it is a list; as a subscript a list is an array, and a tuple is several subscripts
	t    dtype.Type
	str  string
	span op.Span
}

var (
	none    = value{kind: vNone}
	unknown = value{kind: vUnknown}
)

func valueOf(n *tree.Node) value { return value{kind: vTree, n: n} }

func literal(s syntax.Number) value { return value{kind: vScalar, s: s} }

func integer(i int) value { return literal(syntax.IntNumber(i)) }

func failed(kind error, format string, args ...any) value {
	return valueOf(tree.Errorf(kind, "", format, args...))
}

func sequence(list []value) value {
	out := value{kind: vSeq, seq: list}
	for _, x := range list {
		out.size += 1 + x.size
		out.open = out.open || x.unknown()
	}
	return out
}

// leaf returns what a bound name stands for. A constant is a number as if it
// were written in the formula. Parameters are weak as Python scalars are. Arrays
// are not, of rank 0 neither.
func leaf(n *tree.Node) value {
	v := valueOf(n)
	switch n.Op.Class() {
	case tree.Constant:
		return literal(numberOf(n.DType(), n.Bits))
	case tree.Parameter:
		v.weak = classOf(n.DType())
	}
	if n.DType().IsComplex() && n.Leaf == nil { // a constant or a parameter of two parts
		v.weak = syntax.Complex
	}
	return v
}

// numberOf returns the Python scalar that the bits of a constant stand for.
func numberOf(t dtype.Type, bits uint64) syntax.Number {
	switch shift := 64 - 8*uint(t.Size()); {
	case t == dtype.Bool:
		return syntax.BoolNumber(bits != 0)
	case t == dtype.F64:
		return syntax.FloatNumber(math.Float64frombits(bits))
	case t.IsFloat(): // a half is held as the float32
		return syntax.FloatNumber(float64(math.Float32frombits(uint32(bits))))
	case t.IsSigned():
		return syntax.Number{Class: syntax.Int, I: big.NewInt(int64(bits<<shift) >> shift)}
	}
	return syntax.Number{Class: syntax.Int, I: new(big.Int).SetUint64(bits)}
}

// isTrue reports whether v is True in the text.
func (v value) isTrue() bool { return v.kind == vScalar && v.s.Class == syntax.Bool && v.s.Truth() }

// unknown reports whether v, or a value in it, is not known yet.
func (v value) unknown() bool { return v.kind == vUnknown || v.open }

// isOperand reports whether v is a number, an array or a list.
func (v value) isOperand() bool { return v.kind == vScalar || v.kind == vTree || v.kind == vSeq }

// err returns the error of a tree.
func (v value) err() error {
	if v.kind != vTree {
		return nil
	}
	return v.n.Err()
}

// describe names the value in messages.
func (v value) describe() string {
	switch v.kind {
	case vScalar:
		return "the number " + v.s.Short()
	case vTree:
		if v.weak != syntax.NoNumber {
			return "a number known at run time only"
		}
		return "an array"
	case vSeq:
		return "a sequence"
	case vType:
		return "the type " + v.t.String()
	case vString:
		return "a string"
	case vSlice:
		return "a slice"
	}
	return "None"
}

// weakClass returns the Python type of a scalar, or NoNumber for an array.
func (v value) weakClass() syntax.Class {
	if v.kind == vScalar {
		return v.s.Class
	}
	return v.weak
}

// dtype returns the element type of a value that meets no other.
func (v value) dtype() dtype.Type {
	switch v.kind {
	case vTree:
		return v.n.DType()
	case vSeq:
		return cmp.Or(listType(v.seq), dtype.F64)
	}
	return natural(v.s.Class)
}

// listType returns the common type of the elements of a list, or Invalid. In a list with
// arrays of rank 0, a number counts as an array of its own type, not as a weak scalar.
func listType(seq []value) dtype.Type {
	var items []value
	for _, x := range seq {
		switch x.kind {
		case vScalar, vTree:
			items = append(items, x)
		case vSeq:
			if t := listType(x.seq); t != dtype.Invalid {
				items = append(items, zero(t))
			}
		}
	}
	if slices.ContainsFunc(items, func(x value) bool { return x.weakClass() == syntax.NoNumber }) {
		for i, x := range items {
			if c := x.weakClass(); c != syntax.NoNumber {
				items[i] = zero(natural(c))
			}
		}
	}
	return promoted(items...)
}

// zero returns 0 as an array of rank 0 and type t.
func zero(t dtype.Type) value { return valueOf(tree.ConstInt(t, 0)) }

// promoted returns the common type of numbers and arrays by NEP 50. Arrays
// decide, and a Python scalar counts only where it is of a higher class than
// they are. Without arrays run-time scalars decide before literals do. The
// common type of nothing is Invalid.
func promoted(vs ...value) dtype.Type {
	var strong, weak dtype.Type
	var types []dtype.Type
	highest := syntax.NoNumber
	for _, v := range vs {
		k := v.weakClass()
		if k == syntax.NoNumber {
			types = append(types, v.n.DType())
			continue
		}
		if k > highest {
			highest, weak = k, dtype.Invalid
		}
		if k == highest && v.kind == vTree {
			weak = promote(weak, v.n.DType())
		}
	}
	weak = cmp.Or(weak, natural(highest))
	slices.Sort(types)
	for _, t := range slices.Backward(types) { // floats first: float16 holds int8 and uint8, but not the int16 that these make
		strong = promote(strong, t)
	}
	switch {
	case strong == dtype.Invalid:
		return weak
	case highest == syntax.Complex && strong.IsFloat():
		return promote(strong, dtype.C64)
	case highest == syntax.Complex && !strong.IsComplex():
		return dtype.C128
	case highest == syntax.Float && !fractional(strong):
		return dtype.F64
	case highest == syntax.Int && strong == dtype.Bool:
		return dtype.I64
	}
	return strong
}

// maxList bounds how many elements a list can have as an array.
const maxList = 256

// node returns a value as a tree, as NumPy's asarray does.
func (v value) node() *tree.Node {
	if v.kind == vTree {
		return v.n
	}
	return v.as(v.dtype())
}

// as returns the value as a tree with elements of type t. Trees are converted. A
// list is converted number by number, so no number is rounded twice or wraps. A
// Python integer that t cannot hold is an error, as NumPy's OverflowError.
func (v value) as(t dtype.Type) *tree.Node {
	switch v.kind {
	case vTree:
		return cast(v.n, t)
	case vScalar:
		return number(v.s, t)
	case vSeq:
		return list(v.seq, t)
	}
	return tree.Errorf(tree.ErrType, "", "%s is no array", v.describe())
}

func list(seq []value, t dtype.Type) *tree.Node {
	switch {
	case len(seq) > maxList:
		return tree.Errorf(tree.ErrUnsupported, "", "a list of more than %d elements is no array here; bind it to a name", maxList)
	case len(seq) == 0:
		return untyped.BroadcastTo(tree.ConstInt(t, 0), []int{0})
	}
	nodes := make([]*tree.Node, len(seq))
	for i, x := range seq {
		x := x.as(t)
		if first := nodes[0]; i > 0 && x.Err() == nil && first.Err() == nil && !slices.Equal(first.Shape()[1:], x.Shape()) {
			return tree.Errorf(tree.ErrShape, "", "element 0 of the list has the shape %v, and element %d has %v", first.Shape()[1:], i, x.Shape())
		}
		nodes[i] = untyped.Compose("expand_dims", untyped.Options{Axes: []int{0}}, x)
	}
	if len(nodes) == 1 {
		return nodes[0]
	}
	return untyped.Concat(0, nodes)
}

// cast converts a tree that has another type. (untyped.Cast to a half rounds a
// half, too.)
func cast(n *tree.Node, t dtype.Type) *tree.Node {
	if n.Err() != nil || n.DType() == t {
		return n
	}
	if n.DType().IsComplex() && !t.IsComplex() && t != dtype.Bool {
		return tree.Errorf(tree.ErrType, "", "%v cannot be converted to %v, which has no imaginary part; real(x) and abs(x) are real", n.DType(), t)
	}
	return untyped.Cast(n, t)
}

// number returns a Python scalar as a constant of type t.
func number(s syntax.Number, t dtype.Type) *tree.Node {
	switch {
	case t == dtype.Bool:
		return truth(s.Truth())
	case fractional(t):
		f, err := s.Float64()
		if err != nil {
			return tree.Errorf(tree.ErrValue, "", "%s", err)
		}
		if t.IsHalf() {
			f = float64(round.ToOdd(f))
		}
		return tree.ConstFloat(t, f)
	}
	given, what := s, "integer"
	if s.Class == syntax.Float {
		i, ok := truncated(s.F)
		if !ok {
			return tree.Errorf(tree.ErrValue, "", "the number %s has no value in %v", s.Short(), t)
		}
		s, what = syntax.Number{Class: syntax.Int, I: i}, "number"
	}
	if lo, hi := limits(t); s.I.Cmp(lo) < 0 || s.I.Cmp(hi) > 0 {
		return tree.Errorf(tree.ErrValue, "", "the %s %s is out of bounds for %v", what, given.Short(), t)
	}
	if t.IsUnsigned() {
		return tree.NewConst(t, s.I.Uint64())
	}
	return tree.NewConst(t, prim.FromInt(t, s.I.Int64()))
}

func truth(b bool) *tree.Node { return tree.ConstInt(dtype.Bool, scalar.FromBool[int64](b)) }

// truncated returns the integer part of a float, if it has one.
func truncated(f float64) (*big.Int, bool) {
	if f-f != 0 {
		return nil, false
	}
	i, _ := big.NewFloat(f).Int(nil)
	return i, true
}

// apply returns an element-wise row applied to args. A half result is rounded,
// as NumPy rounds after every operation.
func apply(name string, args ...*tree.Node) *tree.Node {
	o, ok := untyped.Lookup(name)
	if !ok {
		return tree.Errorf(tree.ErrUnsupported, "", "the operator table has no %q", name)
	}
	return rounded(untyped.Apply(o, args...))
}

// rounded rounds a result of half type.
func rounded(n *tree.Node) *tree.Node {
	if n.Err() == nil && n.DType().IsHalf() {
		return untyped.Cast(n, n.DType())
	}
	return n
}
