package op

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
)

// A VarOption is an option of the variance and the standard deviation: a
// [ReduceOption], or [DDof].
type VarOption interface{ set(r *untyped.Options) }

// A ReduceOption is an option of every reduction: it chooses axes, the rank of
// the result, or the accumulator.
type ReduceOption interface {
	VarOption
	QuantileOption
	everywhere()
}

type (
	varOption    func(*untyped.Options)
	reduceOption func(*untyped.Options)
)

func (f varOption) set(r *untyped.Options)    { f(r) }
func (f reduceOption) set(r *untyped.Options) { f(r) }
func (reduceOption) everywhere()              {}

// Axis reduces over the given axes; negative ones count from the last.
func Axis(axes ...int) ReduceOption {
	return reduceOption(func(r *untyped.Options) { r.Axes = append(r.Axes, axes...) })
}

// KeepDims keeps reduced axes with size 1, so that the result broadcasts
// against the operand.
func KeepDims() ReduceOption { return reduceOption(func(r *untyped.Options) { r.Keep = true }) }

// AccumFloat64 accumulates float32 and half sums and products in float64.
func AccumFloat64() ReduceOption { return reduceOption(func(r *untyped.Options) { r.Acc = dtype.F64 }) }

// DDof makes [Var] and [Std] divide by n - k, or by 0 if that is negative.
func DDof(k int) VarOption { return varOption(func(r *untyped.Options) { r.DDof = k }) }

// WholeTies makes the derivative of a maximum or a minimum give the whole adjoint
// to each of several equal extremes. By default these share it, and of a window of a pool the first
// receives it.
func WholeTies() ReduceOption { return reduceOption(func(r *untyped.Options) { r.Ties = true }) }

// options returns the result of applying the options in order. It ignores nil
// ones.
func options[O VarOption](opts []O) (r untyped.Options) {
	for _, o := range opts {
		if VarOption(o) != nil {
			o.set(&r)
		}
	}
	return r
}

// reduceTyped returns a reduction for the generated constructors.
func reduceTyped[T, R expr.Elem](name string, a expr.Exp[T], opts []ReduceOption) expr.Exp[R] {
	return expr.Of[R](untyped.Reduce(name, expr.NodeOf(a), options(opts)))
}

// SumInt returns the sum of small signed integers in int64, as NumPy does.
func SumInt[T dtype.Signed](a expr.Exp[T], opts ...ReduceOption) expr.Exp[int64] {
	return named("SumInt", a, Sum(Cast[int64](a), opts...))
}

// named returns e, the composition called name of a; see [tree.Node.As].
func named[R, T expr.Elem](name string, a expr.Exp[T], e expr.Exp[R]) expr.Exp[R] {
	return expr.Of[R](e.Node().As(name, expr.NodeOf(a)))
}

// SumUint returns the sum of small unsigned integers in uint64, as NumPy does.
func SumUint[T dtype.Unsigned](a expr.Exp[T], opts ...ReduceOption) expr.Exp[uint64] {
	return named("SumUint", a, Sum(Cast[uint64](a), opts...))
}

// Count returns the number of true elements.
func Count(a expr.Exp[bool], opts ...ReduceOption) expr.Exp[int64] {
	return named("Count", a, Sum(Cast[int64](a), opts...))
}
