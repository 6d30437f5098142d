package numpy

import (
	"cmp"
	"errors"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
)

// An item is a value with its place in the text.
type item struct {
	value
	at *syntax.Node
}

func fail(at *syntax.Node, kind error, format string, args ...any) error {
	return syntax.Errorf(at.Pos, kind, format, args...)
}

// placed gives an error the place of a node, unless it has one.
func placed(at *syntax.Node, err error) error {
	var have *syntax.Error
	var x *tree.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &have):
		return have
	case errors.As(err, &x):
		return fail(at, x.Kind, "%s", x.Msg)
	}
	return fail(at, err, "%s", err)
}

// result returns v, or the error that it carries.
func result(at *syntax.Node, v value) (value, error) {
	if err := placed(at, v.err()); err != nil {
		return value{}, err
	}
	return v, nil
}

// operand returns what operators and functions work on: a list becomes an
// array. A list with unknown values is unknown.
func (x item) operand() (value, error) {
	switch x.kind {
	case vScalar, vTree, vUnknown:
		return x.value, nil
	case vSeq:
		if x.open {
			return unknown, x.checkList()
		}
		return result(x.at, valueOf(x.node()))
	}
	return value{}, x.mismatch("%s is no operand", x.describe())
}

// checkList checks a list that stands for an array as far as it is known.
func (x item) checkList() error {
	for _, v := range x.seq {
		y := item{v, x.at}
		if !v.isOperand() && v.kind != vUnknown {
			return y.mismatch("%s is no operand", v.describe())
		}
		if err := y.checkList(); err != nil {
			return err
		}
	}
	return nil
}

// mismatch returns the error of a value of the wrong kind.
func (x item) mismatch(format string, args ...any) error {
	return fail(x.at, tree.ErrType, format, args...)
}

// integer returns an integer known while the tree is built.
func (x item) integer(what string) (int, error) {
	if x.kind != vScalar || x.s.Class == syntax.Float {
		return 0, x.mismatch("%s must be an integer written in the formula, not %s", what, x.describe())
	}
	i, ok := x.s.Small()
	if !ok {
		return 0, fail(x.at, tree.ErrValue, "%s is out of range", x.describe())
	}
	return i, nil
}

// integers returns the known integers of an integer or a sequence of them.
func (x item) integers(what string) ([]int, error) {
	if x.kind != vSeq {
		i, err := x.integer(what)
		return []int{i}, err
	}
	out := make([]int, 0, len(x.seq))
	for _, v := range x.seq {
		if v.unknown() {
			continue
		}
		i, err := item{v, x.at}.integer(what)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// elemType returns an element type given as a name or as a string.
func (x item) elemType() (dtype.Type, error) {
	switch x.kind {
	case vType:
		return x.t, nil
	case vString:
		// A code is such as 'f', 'f4' or '<i8', in the byte order of the machine.
		if t := cmp.Or(typeNamed(x.str), codes[strings.TrimLeft(x.str, "<=|")]); t != dtype.Invalid {
			return t, nil
		}
		return 0, x.mismatch("%q is no element type; there are %v", x.str, dtype.All())
	}
	return 0, x.mismatch("an element type was expected, such as float32, not %s", x.describe())
}

// truth returns a bool known while the tree is built.
func (x item) truth(what string) (bool, error) {
	if x.kind == vScalar && x.s.Class != syntax.Float {
		return x.s.Truth(), nil
	}
	return false, x.mismatch("%s must be True or False, not %s", what, x.describe())
}
