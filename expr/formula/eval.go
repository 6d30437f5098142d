package formula

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// eval builds the value of a syntax tree.
func (b *builder) eval(a *ast) (value, error) {
	switch a.kind {
	case aName:
		return b.name(a)
	case aNumber:
		return literal(a.num), nil
	case aString:
		return value{kind: vString, str: a.text}, nil
	case aNone:
		return none, nil
	case aUnary:
		x, err := b.eval(a.args[0])
		if err != nil {
			return value{}, err
		}
		return b.unary(a, a.text, x)
	case aBinary:
		x, err := b.eval(a.args[0])
		if err != nil {
			return value{}, err
		}
		y, err := b.eval(a.args[1])
		if err != nil {
			return value{}, err
		}
		return b.binary(a, a.text, x, y)
	case aCall:
		return b.call(a)
	case aMethod:
		return b.method(a)
	case aAttr:
		x, err := b.eval(a.args[0])
		if err != nil {
			return value{}, err
		}
		return b.attribute(a, x)
	case aIndex:
		x, err := b.eval(a.args[0])
		if err != nil {
			return value{}, err
		}
		return b.index(a, x, false)
	case aTuple, aList:
		list, err := b.evalAll(a.args)
		if err != nil {
			return value{}, err
		}
		out := sequenceOf(list)
		if out.size > maxSeq {
			return value{}, b.fail(a, expr.ErrUnsupported, "a list has more than %d elements", maxSeq)
		}
		return out, nil
	}
	return value{}, b.fail(a, nil, "this has a meaning in subscripts only")
}

func (b *builder) name(a *ast) (value, error) {
	if b.checking {
		return unknown, nil
	}
	if v := b.vars[a.text]; v != nil {
		return v.value, nil
	}
	if f, ok := constants[a.text]; ok {
		return literal(pyFloat(f)), nil
	}
	if t, err := typeNamed(a.text); err == nil {
		return value{kind: vType, t: t}, nil
	}
	return value{}, b.unbound(a)
}

var attributes = []string{"T", "mT", "shape", "ndim", "size", "dtype"}

// attribute is x.T, x.shape and the like.
func (b *builder) attribute(a *ast, x value) (value, error) {
	if functions[a.text].isMethod(a.text) {
		return value{}, b.fail(a, nil, "%q is a method; call it with parentheses", a.text)
	}
	if !slices.Contains(attributes, a.text) {
		return value{}, b.fail(a, nil, "there is no attribute %s; there are %s", quote(a.text), strings.Join(attributes, ", "))
	}
	if x.unknown() {
		return unknown, nil
	}
	if x.kind != vTree {
		return value{}, b.fail(a, expr.ErrType, "%s has no attributes", x.describe())
	}
	n := x.n
	switch a.text {
	case "T":
		return b.check(a, op.PermuteNode(n, nil), nil)
	case "mT":
		return b.check(a, op.SwapAxesNode(n, -1, -2), nil)
	case "shape":
		out := value{kind: vSeq}
		for _, d := range n.Shape() {
			out.seq = append(out.seq, literal(pyInt(d)))
		}
		return out, nil
	case "ndim":
		return literal(pyInt(len(n.Shape()))), nil
	case "size":
		return literal(pyInt(n.Shape().Size())), nil
	case "dtype":
		return value{kind: vType, t: n.DType()}, nil
	}
	return value{}, nil
}

// operand admits what operators and functions work on.
func (b *builder) operand(a *ast, v value) (value, error) {
	switch v.kind {
	case vScalar, vTree, vUnknown:
		return v, nil
	case vSeq:
		if v.open {
			return unknown, b.checkList(a, v)
		}
		n, err := asTree(v)
		return b.check(a, n, err)
	}
	return value{}, b.fail(a, expr.ErrType, "%s is no operand", v.describe())
}

// checkList checks a list that stands for an array as far as it is known.
func (b *builder) checkList(a *ast, v value) error {
	for _, x := range v.seq {
		if !x.isOperand() && x.kind != vUnknown {
			return b.fail(a, expr.ErrType, "%s is no operand", x.describe())
		}
		if err := b.checkList(a, x); err != nil {
			return err
		}
	}
	return nil
}

// maxList bounds how many elements a list can have as an array, maxSeq how many
// any list can have, with the lists in it.
const (
	maxList = 256
	maxSeq  = 4096
)

// as is an operand as a tree with elements of type t.
func (b *builder) as(a *ast, v value, t dtype.Type) (*expr.Node, error) {
	if !v.isOperand() {
		return nil, b.fail(a, expr.ErrType, "%s is no operand", v.describe())
	}
	n, err := v.as(t)
	if err == nil {
		err = n.Err()
	}
	if err != nil {
		return nil, fromTree(b.src.text, a.pos, err)
	}
	return n, nil
}

// asTree is a value as a tree, as NumPy's asarray: a list becomes an array.
func asTree(v value) (*expr.Node, error) {
	switch v.kind {
	case vTree:
		return v.n, nil
	case vScalar:
		return scalarNode(v.s, v.naturalType())
	case vSeq:
		return stackOf(v.seq, dtype.Invalid)
	}
	return nil, expr.NewError(expr.ErrType, "", "%s is no array", v.describe())
}

// stackOf makes an array of a list, of element type t, or of the type of its
// elements if t is Invalid.
func stackOf(seq []value, t dtype.Type) (*expr.Node, error) {
	if len(seq) == 0 {
		return nil, expr.NewError(expr.ErrUnsupported, "", "an empty list is no array here")
	}
	if len(seq) > maxList {
		return nil, expr.NewError(expr.ErrUnsupported, "", "a list of more than %d elements is no array here; bind it to a name", maxList)
	}
	if t == dtype.Invalid {
		var err error
		if t, err = typeOfList(seq); err != nil {
			return nil, err
		}
	}
	nodes := make([]*expr.Node, len(seq))
	for i, x := range seq {
		if !x.isOperand() {
			return nil, expr.NewError(expr.ErrType, "", "%s is no array", x.describe())
		}
		n, err := x.as(t)
		if err != nil {
			return nil, err
		}
		nodes[i] = op.NewAxisNode(n, 0)
	}
	if len(nodes) == 1 {
		return nodes[0], nil
	}
	return op.ConcatNode(0, nodes), nil
}

// typeOfList is the common type of the elements of a list.
func typeOfList(seq []value) (dtype.Type, error) {
	items := make([]value, 0, len(seq))
	for _, x := range seq {
		switch x.kind {
		case vScalar, vTree:
			items = append(items, x)
		case vSeq:
			t, err := typeOfList(x.seq)
			if err != nil {
				return t, err
			}
			if t != dtype.Invalid {
				items = append(items, tree(expr.ConstInt(t, 0)))
			}
		default:
			return 0, expr.NewError(expr.ErrType, "", "%s is no array", x.describe())
		}
	}
	if len(items) == 0 {
		return dtype.Invalid, nil
	}
	return promoteValues(items...), nil
}

// integer is an int known while the tree is built.
func (b *builder) integer(a *ast, v value, what string) (int, error) {
	if v.kind == vScalar && v.s.kind != kFloat {
		if i, ok := v.s.small(); ok {
			return i, nil
		}
		return 0, b.fail(a, expr.ErrValue, "%s is out of range", v.describe())
	}
	return 0, b.fail(a, expr.ErrType, "%s must be an integer written in the formula, not %s", what, v.describe())
}

// integers is an int or a sequence of them.
func (b *builder) integers(a *ast, v value, what string) ([]int, error) {
	if v.kind != vSeq {
		i, err := b.integer(a, v, what)
		return []int{i}, err
	}
	out := make([]int, 0, len(v.seq))
	for _, x := range v.seq {
		if x.unknown() {
			continue
		}
		i, err := b.integer(a, x, what)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// typeOf is an element type given as a name or as a string.
func (b *builder) typeOf(a *ast, v value) (dtype.Type, error) {
	if v.kind == vType {
		return v.t, nil
	}
	if v.kind == vString {
		if t, err := typeNamed(v.str); err == nil {
			return t, nil
		}
		return 0, b.fail(a, expr.ErrType, "%q is no element type; there are %v", v.str, dtype.All())
	}
	return 0, b.fail(a, expr.ErrType, "an element type was expected, such as float32, not %s", v.describe())
}

// truth is a bool known while the tree is built.
func (b *builder) truth(a *ast, v value, what string) (bool, error) {
	if v.kind == vScalar && v.s.kind != kFloat {
		return v.s.truth(), nil
	}
	return false, b.fail(a, expr.ErrType, "%s must be True or False, not %s", what, v.describe())
}

// convert is int(x), float(x) or bool(x) of a Python scalar, and otherwise the
// conversion to an element type.
func (b *builder) convert(a *ast, name string, t dtype.Type, x value) (value, error) {
	if x.unknown() {
		return b.operand(a, x)
	}
	if x.kind == vScalar {
		switch name {
		case "bool":
			return literal(pyBool(x.s.truth())), nil
		case "float":
			f, err := x.s.float()
			if err != nil {
				return value{}, b.fail(a, expr.ErrValue, "%s", err)
			}
			return literal(pyFloat(f)), nil
		case "int":
			if x.s.kind != kFloat {
				return literal(scalar{kind: kInt, i: x.s.i}), nil
			}
			if i, ok := truncated(x.s.f); ok {
				return literal(scalar{kind: kInt, i: i}), nil
			}
			return value{}, b.fail(a, expr.ErrValue, "%s is no integer", x.describe())
		}
	}
	v, err := b.operand(a, x)
	if err != nil {
		return value{}, err
	}
	n, err := v.as(t)
	return b.check(a, n, err)
}
