package op

import (
	"math"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

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

// Scan walks an axis in order, and carries states from one position to the next. At
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
// shape of a. NaN wins, and -0 is below +0.
func CumMax[T expr.Number](a expr.Exp[T], axis int) expr.Exp[T] { return along("cummax", a, axis) }

// CumMin returns the least of the elements up to each one along an axis, in the shape
// of a. NaN wins, and -0 is below +0.
func CumMin[T expr.Number](a expr.Exp[T], axis int) expr.Exp[T] { return along("cummin", a, axis) }

// Unwrap returns p with multiples of the period added, so that neighbours along an axis differ
// by at most half of it, such as phases for the period 2*pi.
func Unwrap[T expr.Number](p expr.Exp[T], period float64, axis int) expr.Exp[T] {
	return composed[T]("unwrap", untyped.Options{Numbers: []float64{math.NaN(), period}, Axes: []int{axis}}, expr.NodeOf(p))
}
