package expr

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Saver is what an assignment does with a value.
type Saver uint8

// The savers.
const (
	Set   Saver = iota // =
	Plus               // +=
	Minus              // -=
	Times              // *=
	Over               // /=
)

var savers = [...]string{"=", "+=", "-=", "*=", "/="}

func (s Saver) String() string {
	if int(s) < len(savers) {
		return savers[s]
	}
	return "?"
}

// A Statement is an assignment that has not run. Let, LetAdd, LetSub, LetMul and
// LetDiv make statements; the methods of a tensor such as Assign run at once.
type Statement struct {
	Saver  Saver
	Target *tree.Node
	Value  *tree.Node
}

func (s Statement) String() string {
	if s.Target == nil || s.Value == nil {
		return "an incomplete statement"
	}
	return s.Target.String() + " " + s.Saver.String() + " " + s.Value.String()
}

// Err returns the first error of the statement: an error of its trees, or one
// because the value does not broadcast to the target or has another element
// type.
func (s Statement) Err() error {
	for _, n := range []*tree.Node{s.Target, s.Value} {
		if n == nil {
			return tree.NewError(tree.ErrType, "", "the statement has no target or no value")
		}
		if n.Err() != nil {
			return n.Err()
		}
	}
	if int(s.Saver) >= len(savers) {
		return tree.NewError(tree.ErrValue, "", "there is no saver %d", s.Saver)
	}
	if s.Target.DType() != s.Value.DType() {
		return tree.NewError(tree.ErrType, "", "a value of type %v cannot be assigned to a target of type %v", s.Value.DType(), s.Target.DType())
	}
	if s.Saver != Set && s.Target.DType() == dtype.Bool {
		return tree.NewError(tree.ErrType, "", "%v is not defined for %v", s.Saver, s.Target.DType())
	}
	if to, err := shape.Broadcast(s.Target.Shape(), s.Value.Shape()); err != nil || !to.Equal(s.Target.Shape()) {
		return tree.NewError(tree.ErrShape, "", "a value of shape %v cannot be assigned to a target of shape %v", s.Value.Shape(), s.Target.Shape())
	}
	return nil
}

// Let returns the statement t = e.
func Let[T Elem](t Assignable[T], e Exp[T]) Statement { return statement(Set, t, e) }

// LetAdd returns the statement t += e.
func LetAdd[T AnyNumber](t Assignable[T], e Exp[T]) Statement { return statement(Plus, t, e) }

// LetSub returns the statement t -= e.
func LetSub[T AnyNumber](t Assignable[T], e Exp[T]) Statement { return statement(Minus, t, e) }

// LetMul returns the statement t *= e.
func LetMul[T AnyNumber](t Assignable[T], e Exp[T]) Statement { return statement(Times, t, e) }

// LetDiv returns the statement t /= e.
func LetDiv[T AnyNumber](t Assignable[T], e Exp[T]) Statement { return statement(Over, t, e) }

func statement[T Elem](s Saver, t Assignable[T], e Exp[T]) Statement {
	return Statement{Saver: s, Target: NodeOf(Exp[T](t)), Value: NodeOf(e)}
}
