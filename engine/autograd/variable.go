package autograd

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Float is an element type of variables.
type Float interface{ float32 | float64 }

// A Variable is a tensor with a gradient. As an expression it is its value. It is
// not safe for concurrent use.
type Variable[T Float] struct {
	expr.Typed[T]
	value, grad *engine.Tensor[T]
	frozen      bool
	hooks       []*Hook[T]
}

// A Hook changes the gradient of a variable before it is added. It gets and
// returns a tree, so it fuses with the gradient. A hook that only looks at the
// gradient returns its argument.
type Hook[T Float] func(gradient expr.Exp[T]) expr.Exp[T]

// New returns a variable that shares its value with t and requires a gradient.
func New[T Float](t *engine.Tensor[T]) *Variable[T] { return &Variable[T]{value: t} }

// Node returns the value as a leaf of a tree. While v requires no gradient, the
// leaf is behind [op.StopGradient]. So a tree that is built then never passes a
// gradient on to v.
func (v *Variable[T]) Node() *tree.Node {
	switch {
	case v == nil:
		return tree.Errorf(tree.ErrType, "", "the variable is nil")
	case v.frozen:
		return v.Detach().Node()
	}
	return v.value.Node()
}

// Value returns the tensor of the value.
func (v *Variable[T]) Value() *engine.Tensor[T] { return zero.IfNil(v).value }

// Grad returns the tensor of the gradient. It is nil until [Record] has made it.
// It stays the same tensor.
func (v *Variable[T]) Grad() *engine.Tensor[T] { return zero.IfNil(v).grad }

// Detach returns the value as an expression that passes no gradient on.
func (v *Variable[T]) Detach() expr.Exp[T] { return op.StopGradient[T](zero.IfNil(v).value) }

// ZeroGrad sets the gradient to zero, if there is one.
func (v *Variable[T]) ZeroGrad() error {
	v = zero.IfNil(v)
	if v.grad == nil {
		return nil
	}
	return v.grad.Assign(op.Full[T](0))
}

// RequiresGrad reports whether v takes part in [Record].
func (v *Variable[T]) RequiresGrad() bool { return !zero.IfNil(v).frozen }

// SetRequiresGrad says whether v requires a gradient.
func (v *Variable[T]) SetRequiresGrad(on bool) { zero.IfNil(v).frozen = !on }

// NoGrad calls f, unless it is nil. Trees that f builds pass no gradient on to the variables.
func NoGrad[T Float](f func(), vars ...*Variable[T]) {
	for _, v := range vars {
		defer v.SetRequiresGrad(v.RequiresGrad())
		v.SetRequiresGrad(false)
	}
	if f != nil {
		f()
	}
}

// Hook adds a hook to v and returns a function that removes it. Hooks run in the
// order in which they were added, when [Record] makes the gradient. A nil hook does
// nothing.
func (v *Variable[T]) Hook(h Hook[T]) (remove func()) {
	v = zero.IfNil(v)
	if h == nil {
		return func() {}
	}
	v.hooks = append(v.hooks, &h)
	return func() { v.hooks = slices.DeleteFunc(v.hooks, func(x *Hook[T]) bool { return x == &h }) }
}

// gradient makes the tensor of the gradient, unless there is one, and returns the
// tree d after the hooks.
func (v *Variable[T]) gradient(d expr.Exp[T]) (expr.Exp[T], error) {
	if v.grad == nil {
		g, err := v.value.NewZeros(v.value.Shape()...)
		if err != nil {
			return nil, err
		}
		v.grad = g.Named("grad")
	}
	for _, h := range v.hooks {
		d = (*h)(d)
	}
	return d, expr.NodeOf(d).Err()
}

// MarshalJSON returns an error, as other expressions do; the tensor of the value can
// be marshalled.
func (v *Variable[T]) MarshalJSON() ([]byte, error) { return expr.Typed[T]{}.MarshalJSON() }

// MarshalBinary returns an error, as MarshalJSON does.
func (v *Variable[T]) MarshalBinary() ([]byte, error) { return expr.Typed[T]{}.MarshalBinary() }

// MarshalText returns an error, as MarshalJSON does. encoding/xml calls it.
func (v *Variable[T]) MarshalText() ([]byte, error) { return expr.Typed[T]{}.MarshalText() }

// Format writes the value as a tensor is written.
func (v *Variable[T]) Format(s fmt.State, verb rune) {
	if s != nil {
		fmt.Fprintf(s, fmt.FormatString(s, verb), v.Value())
	}
}

// LogValue returns what the value gives to a log.
func (v *Variable[T]) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%+v", v.Value())) }
