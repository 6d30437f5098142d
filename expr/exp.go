package expr

import (
	"log/slog"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// The element types and their constraints, as package dtype has them.
type (
	Elem     interface{ dtype.Elem }
	Number   interface{ dtype.Number }
	Float    interface{ dtype.Float }
	Integer  interface{ dtype.Int }
	Float16  = dtype.Float16
	BFloat16 = dtype.BFloat16

	// ComplexNumber is the constraint of the complex element types; [tree.Complex] is
	// a kind of trees.
	ComplexNumber interface{ dtype.Complex }
	// AnyNumber is the constraint of the element types with arithmetic.
	AnyNumber interface{ dtype.Number | dtype.Complex }
	// AnyFloat is the constraint of the element types with fractions.
	AnyFloat interface{ dtype.Float | dtype.Complex }
)

// An Exp is an expression with elements of type T. It is computed when it is
// assigned. Expressions come from package op, from tensors and from parameters.
// Other types implement Exp by embedding [Typed].
type Exp[T Elem] interface {
	Node() *tree.Node
	elem(T)
}

// An Assignable is an expression that can be the target of an assignment: a
// tensor, a view of one, or a concatenation of them (op.Into).
type Assignable[T Elem] interface {
	Exp[T]
	target(T)
}

// Typed is embedded by types of other packages that are an [Exp].
type Typed[T Elem] struct{}

func (Typed[T]) elem(T) {}

// MarshalJSON returns an error: an expression is no data. Types with data, such as
// tensors, have their own.
func (Typed[T]) MarshalJSON() ([]byte, error) { return (*tree.Node)(nil).MarshalJSON() }

// MarshalBinary returns an error, as MarshalJSON does.
func (Typed[T]) MarshalBinary() ([]byte, error) { return (*tree.Node)(nil).MarshalBinary() }

// MarshalText returns an error, as MarshalJSON does. encoding/xml calls it.
func (Typed[T]) MarshalText() ([]byte, error) { return (*tree.Node)(nil).MarshalText() }

// Target is embedded by types of other packages that are an [Assignable].
type Target[T Elem] struct{ Typed[T] }

func (Target[T]) target(T) {}

// untyped is a tree without its element type.
type untyped struct{ node *tree.Node }

func (e untyped) Node() *tree.Node { return e.node }

func (e untyped) String() string { return e.node.String() }

func (e untyped) LogValue() slog.Value { return e.node.LogValue() }

type exp[T Elem] struct {
	Typed[T]
	untyped
}

type lvalue[T Elem] struct {
	Target[T]
	untyped
}

// Of returns a tree with its element type. If the tree has another type, the
// result carries an error.
func Of[T Elem](n *tree.Node) Exp[T] { return exp[T]{untyped: untyped{typed(n, dtype.Of[T]())}} }

// TargetOf returns an assignable tree with its element type. If the tree has
// another type, the result carries an error.
func TargetOf[T Elem](n *tree.Node) Assignable[T] {
	return lvalue[T]{untyped: untyped{typed(n, dtype.Of[T]())}}
}

// NodeOf returns e.Node(), or a node with an error if e is nil.
func NodeOf[T Elem](e Exp[T]) *tree.Node {
	if e == nil {
		return tree.NewAbsent()
	}
	return e.Node()
}

// typed returns n, or a node with an error if its elements are not of type t.
func typed(n *tree.Node, t dtype.Type) *tree.Node {
	switch {
	case n == nil || n.Op == nil:
		return tree.Errorf(tree.ErrType, "", "the operand is nil")
	case n.Err() == nil && n.DType() != t:
		return tree.Errorf(tree.ErrType, n.Op.Constructor(), "the tree has elements of type %v, not %v", n.DType(), t)
	}
	return n
}
