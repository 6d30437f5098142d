package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
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
func DDof(k int) VarOption { return varOption(func(r *untyped.Options) { r.DDof = float64(k) }) }

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

// A Step is what a step of a scan computes with.
type Step[T expr.Elem] struct {
	Index expr.Exp[int64] // the position on the axis
	State []expr.Exp[T]   // before the step
	X     []expr.Exp[T]   // the elements at the position
}

// A Scanned holds the results of a scan.
type Scanned[T expr.Elem] struct{ r *untyped.ScanResult }

// Out returns output i of all steps. It has the shape of a state and the axis of
// the scan. If the step has no such output, the result carries an error.
func (s Scanned[T]) Out(i int) expr.Exp[T] { return expr.Of[T](s.r.Out(i)) }

// Last returns state i after the last step, or the first state if there is no step.
func (s Scanned[T]) Last(i int) expr.Exp[T] { return expr.Of[T](s.r.Last(i)) }

// Scan goes along an axis in order, and carries states from one position to the next. At
// each position the trees that step returns give the next states and the outputs.
// All steps are one loop, in which producers of the elements are computed too.
//
// Scan calls step once. step may apply element-wise operators to the states, the
// elements and the index. Other trees that it uses are the same in each step.
// States have the common shape of first and of the elements without the axis.
// The results carry an error if step returns another number of states, other shapes
// or types, or views of what it got.
func Scan[T expr.Elem](first, elements []expr.Exp[T], o ScanOptions, step func(s Step[T]) (next, out []expr.Exp[T])) Scanned[T] {
	var f untyped.StepFunc
	if step != nil {
		f = func(i *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
			n, y := step(Step[T]{expr.Of[int64](i), lists.Map(state, expr.Of[T]), lists.Map(x, expr.Of[T])})
			return nodes(n), nodes(y)
		}
	}
	return Scanned[T]{untyped.Scan(nodes(first), nodes(elements), o, f)}
}

// CumSum returns the sums of the elements up to each one along an axis, added in
// order, in the shape of a. It sums in T, and halves in float32.
func CumSum[T expr.AnyNumber](a expr.Exp[T], axis int) expr.Exp[T] { return along("cumsum", a, axis) }

// CumProd returns the products of the elements up to each one along an axis,
// multiplied in order, in the shape of a. It multiplies in T, and halves in float32.
func CumProd[T expr.AnyNumber](a expr.Exp[T], axis int) expr.Exp[T] { return along("cumprod", a, axis) }

// NaNCumSum is CumSum with 0 in the place of NaN.
func NaNCumSum[T expr.AnyNumber](a expr.Exp[T], axis int) expr.Exp[T] {
	return along("nancumsum", a, axis)
}

// NaNCumProd is CumProd with 1 in the place of NaN.
func NaNCumProd[T expr.AnyNumber](a expr.Exp[T], axis int) expr.Exp[T] {
	return along("nancumprod", a, axis)
}

// CumMax returns the greatest of the elements up to each one along an axis, in the
// shape of a. It is NaN from the first NaN on, and -0 is below +0.
func CumMax[T expr.Number](a expr.Exp[T], axis int) expr.Exp[T] { return along("cummax", a, axis) }

// CumMin returns the least of the elements up to each one along an axis, in the shape
// of a. It is NaN from the first NaN on, and -0 is below +0.
func CumMin[T expr.Number](a expr.Exp[T], axis int) expr.Exp[T] { return along("cummin", a, axis) }

// Unwrap returns p with multiples of the period added, so that neighbours along an axis differ
// by at most half of it, such as phases for the period 2*pi.
func Unwrap[T expr.Number](p expr.Exp[T], period float64, axis int) expr.Exp[T] {
	return composed[T]("unwrap", untyped.Options{Numbers: []float64{math.NaN(), period}, Axes: []int{axis}}, expr.NodeOf(p))
}
