package numpy

import (
	"cmp"
	"errors"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
)

// An item is a value with its place in the text.
type item struct {
	value
	at *syntax.Node
}

// fail returns the panic by which an error at a place ends Build or Check, or a function that is
// written as a formula.
func fail(at *syntax.Node, kind error, format string, args ...any) failure.Stop {
	return failure.Stop{Err: syntax.Errorf(at.Pos, kind, format, args...)}
}

// stopIf stops with an error at a place if bad holds.
func stopIf(bad bool, at *syntax.Node, kind error, format string, args ...any) {
	if bad {
		panic(fail(at, kind, format, args...))
	}
}

// check stops with err at a place, unless it is nil.
func check(at *syntax.Node, err error) {
	if err != nil {
		failure.Check(placed(at, err))
	}
}

// placed returns an error with the place of a node, unless it has one.
func placed(at *syntax.Node, err error) error {
	var have *syntax.Error
	var x *tree.Error
	switch {
	case errors.As(err, &have):
		return have
	case errors.As(err, &x):
		return syntax.Errorf(at.Pos, x.Kind, "%s", x.Msg)
	}
	return syntax.Errorf(at.Pos, err, "%s", err)
}

// result returns v, or stops with the error of its tree at a place.
func result(at *syntax.Node, v value) value {
	check(at, v.err())
	return v
}

// operand returns what operators and functions work on: a list becomes an
// array. A list with unknown values is unknown.
func (x item) operand() value {
	switch x.kind {
	case vScalar, vTree, vUnknown:
		return x.value
	case vSeq:
		if x.open {
			x.checkList()
			return unknown
		}
		return result(x.at, valueOf(x.node()))
	}
	panic(x.mismatch("%s is no operand", x.describe()))
}

// checkList checks a list that stands for an array as far as it is known.
func (x item) checkList() {
	for _, v := range x.seq {
		y := item{v, x.at}
		if !v.isOperand() && v.kind != vUnknown {
			panic(y.mismatch("%s is no operand", v.describe()))
		}
		y.checkList()
	}
}

// mismatch returns the panic for a value of the wrong kind.
func (x item) mismatch(format string, args ...any) failure.Stop {
	return fail(x.at, tree.ErrType, format, args...)
}

// integer returns an integer known while the tree is built.
func (x item) integer(what string) int {
	if x.kind != vScalar || x.s.Class == syntax.Float {
		panic(x.mismatch("%s must be an integer written in the formula, not %s", what, x.describe()))
	}
	i, ok := x.s.Small()
	if !ok {
		panic(fail(x.at, tree.ErrValue, "%s is out of range", x.describe()))
	}
	return i
}

// integers returns the known integers of an integer or a sequence of them.
func (x item) integers(what string) []int {
	if x.kind != vSeq {
		return []int{x.integer(what)}
	}
	out := make([]int, 0, len(x.seq))
	for _, v := range x.seq {
		if !v.unknown() {
			out = append(out, item{v, x.at}.integer(what))
		}
	}
	return out
}

// elemType returns an element type given as a name or as a string.
func (x item) elemType() dtype.Type {
	switch x.kind {
	case vType:
		return x.t
	case vString:
		// A code is such as 'f', 'f4' or '<i8', in the byte order of the machine.
		if t := cmp.Or(typeNamed(x.str), codes[strings.TrimLeft(x.str, "<=|")]); t != dtype.Invalid {
			return t
		}
		panic(x.mismatch("%q is no element type; there are %v", x.str, dtype.All()))
	}
	panic(x.mismatch("an element type was expected, such as float32, not %s", x.describe()))
}
