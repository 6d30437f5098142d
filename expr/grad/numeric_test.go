package grad_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

type (
	E = expr.Exp[float64]
	T = *engine.Tensor[float64]
)

// A fataler is a test or a trial of rapid.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// array returns a tensor of values between lo and hi.
func array(r *rand.Rand, lo, hi float64, dims ...int) T {
	x := engine.Zeros[float64](dims...)
	for i := range x.Data() {
		x.Data()[i] = lo + (hi-lo)*r.Float64()
	}
	return x
}

// nodes returns the trees of tensors.
func nodes(xs []T) []*tree.Node {
	out := make([]*tree.Node, len(xs))
	for i, x := range xs {
		out[i] = x.Node()
	}
	return out
}

// eval computes trees of float64 in one program.
func eval(t fataler, trees ...*tree.Node) [][]float64 {
	t.Helper()
	var stmts []expr.Statement
	var results []T
	for _, n := range trees {
		if n.Err() != nil {
			t.Fatal(n.Err())
		}
		y := engine.Zeros[float64](n.Shape()...)
		results = append(results, y)
		stmts = append(stmts, expr.Statement{Target: y.Node(), Value: n})
	}
	if err := engine.Run(context.Background(), stmts...); err != nil {
		t.Fatal(err)
	}
	out := make([][]float64, len(trees))
	for i, y := range results {
		out[i] = y.Values()
	}
	return out
}

// row returns a row of the table.
func row(t testing.TB, name string) *tree.Operator {
	t.Helper()
	o, ok := untyped.Lookup(name)
	if !ok {
		t.Fatal("no row", name)
	}
	return o
}

func call(t testing.TB, name string, args ...*tree.Node) *tree.Node {
	t.Helper()
	return tree.Apply(row(t, name), args...)
}

func sum(n *tree.Node) *tree.Node {
	if len(n.Shape()) == 0 {
		return n
	}
	return untyped.Reduce("sum", n, untyped.Options{})
}

// weighted returns the sum of the elements of n times random weights.
func weighted(t testing.TB, n *tree.Node) *tree.Node {
	t.Helper()
	if n.Err() != nil {
		t.Fatal(n.Err())
	}
	w := array(rand.New(rand.NewPCG(9, uint64(n.Shape().Size()))), -1, 1, n.Shape()...)
	return sum(call(t, "mul", n, w.Node()))
}

func gradients(t fataler, loss *tree.Node, wrt ...*tree.Node) []*tree.Node {
	t.Helper()
	g, err := grad.OfNodes(loss, wrt...)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range g {
		if n.Err() != nil || !n.Shape().Equal(wrt[i].Shape()) || n.DType() != wrt[i].DType() {
			t.Fatalf("the gradient by a %v%v is a %v%v: %v", wrt[i].DType(), wrt[i].Shape(), n.DType(), n.Shape(), n.Err())
		}
	}
	return g
}

// differences compares the gradient of a scalar with central differences of
// fourth order in every element of every variable.
func differences(t fataler, what string, loss *tree.Node, xs ...T) {
	t.Helper()
	const h = 1e-3
	got := eval(t, gradients(t, loss, nodes(xs)...)...)
	out := engine.Zeros[float64]()
	p, err := engine.Compile(context.Background(), expr.Statement{Target: out.Node(), Value: loss})
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range xs {
		for i := range x.Data() {
			old := x.Data()[i]
			at := func(d float64) float64 {
				x.Data()[i] = old + d
				if err := p.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				return out.At()
			}
			want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
			x.Data()[i] = old
			if d := math.Abs(got[k][i] - want); !(d <= 1e-7*(1+math.Abs(want))) {
				t.Fatalf("%s: the derivative by element %d of operand %d, %v, is %.12g, by differences %.12g", what, i, k, old, got[k][i], want)
			}
		}
	}
}

// twice tests the gradient of a tree, and the gradient of the gradient.
func twice(t testing.TB, what string, n *tree.Node, xs ...T) {
	t.Helper()
	loss := weighted(t, n)
	differences(t, what, loss, xs...)
	for k, g := range gradients(t, loss, nodes(xs)...) {
		differences(t, fmt.Sprintf("the gradient of %s by operand %d", what, k), weighted(t, g), xs...)
	}
}

// domains are the ranges of operands of a row, if not -2..2. They avoid jumps
// and poles, where differences have no meaning.
var domains = map[string][][2]float64{
	"div": {{-2, 2}, {.5, 2}}, "reciprocal": {{.5, 2}}, "inverse_square": {{.5, 2}},
	"mod": {{4.2, 4.8}, {1.25, 1.35}}, "fmod": {{-4.8, -4.2}, {1.25, 1.35}}, "floor_divide": {{4.2, 4.8}, {1.25, 1.35}},
	"abs": {{.1, 2}}, "sign": {{.1, 2}}, "copysign": {{.1, 2}, {-2, -.1}},
	"ldexp": {{-2, 2}, {1.1, 1.9}}, "mantissa": {{.6, .9}}, "exponent": {{.6, .9}},
	"floor": {{.1, .9}}, "ceil": {{.1, .9}}, "trunc": {{.1, .9}}, "rint": {{.1, .4}},
	"sqrt": {{.5, 2}}, "rsqrt": {{.5, 2}}, "cbrt": {{.5, 2}}, "hypot": {{.5, 2}, {.5, 2}}, "atan2": {{.5, 2}, {-2, -.5}},
	"log": {{.5, 2}}, "log2": {{.5, 2}}, "log10": {{.5, 2}}, "log1p": {{-.5, 2}}, "pow": {{.5, 2}, {-2, 2}},
	"tan": {{-1, 1}}, "asin": {{-.8, .8}}, "acos": {{-.8, .8}}, "acosh": {{1.1, 3}}, "atanh": {{-.8, .8}}, "erfinv": {{-.8, .8}}, "ndtri": {{.1, .9}},
	"gammaln": {{.5, 3}}, "gamma": {{.5, 3}}, "digamma": {{.5, 3}}, "trigamma": {{.5, 3}},
	"maximum": {{-2, 0}, {.1, 2}}, "minimum": {{-2, 0}, {.1, 2}}, "fmax": {{-2, 0}, {.1, 2}}, "fmin": {{-2, 0}, {.1, 2}},
	"clip": {{-2, 2}, {-3, -2.1}, {2.1, 3}}, "relu": {{.1, 2}},
}

// differentiable reports whether a row takes and gives floats.
func differentiable(o *tree.Operator) bool {
	return o.Types().Has(dtype.F64) && (o.Result() == tree.ResultSame || o.Result() == tree.ResultFirst || o.Result() == tree.ResultPart || o.Result() == tree.ResultTo) && o.Arity() != 0
}

// TestEveryRowHasARule fails for a differentiable row without a rule.
func TestEveryRowHasARule(t *testing.T) {
	for _, o := range untyped.Table() {
		if differentiable(o) != (o.Grad() != nil) {
			t.Errorf("%s: of floats to floats is %v, it has a derivative is %v", o.Name(), differentiable(o), o.Grad() != nil)
		}
	}
}

// TestElementwise compares every element-wise row with differences to the
// second order, with and without broadcasting.
func TestElementwise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, o := range untyped.Table() {
		if o.Class() != tree.Elementwise || !differentiable(o) || o.Cond() || o.Result() == tree.ResultTo || o.Name() == "stop_gradient" {
			continue
		}
		for _, shapes := range [][][]int{{{7}, {7}, {7}}, {{2, 1}, {1, 3}, {3}}, {{}, {4, 1}, {4, 2}}} {
			var xs []T
			for i := range o.Arity() {
				d := [2]float64{-2, 2}
				if list := domains[o.Name()]; list != nil {
					d = list[i]
				}
				xs = append(xs, array(r, d[0], d[1], shapes[i]...))
			}
			twice(t, o.Name(), tree.Apply(o, nodes(xs)...), xs...)
		}
	}
}

// TestChoice compares the rows that choose between operands with differences,
// for both choices.
func TestChoice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"maximum", "minimum", "fmax", "fmin"} {
		x, y := array(r, 1, 2, 3), array(r, -2, -1, 2, 1)
		twice(t, name, call(t, name, x.Node(), call(t, "square", y.Node())), x, y)
		twice(t, name, call(t, name, y.Node(), x.Node()), x, y)
	}
	x, lo, hi := array(r, -2, 2, 9), array(r, -.9, -.8, 1), array(r, .7, .8)
	copy(x.Data(), []float64{-2, 2, .1})
	twice(t, "clip", call(t, "clip", x.Node(), lo.Node(), hi.Node()), x, lo, hi)
	twice(t, "clip the wrong way round", call(t, "clip", x.Node(), hi.Node(), lo.Node()), x, lo, hi)
	c := call(t, "greater", x.Node(), tree.ConstFloat(dtype.F64, .05))
	y, z := array(r, -2, 2, 9), array(r, -2, 2, 2, 1)
	twice(t, "where", call(t, "where", c, call(t, "square", y.Node()), call(t, "sin", z.Node())), x, y, z)
}

func TestCast(t *testing.T) {
	x := array(rand.New(rand.NewPCG(5, 6)), 1, 2, 5)
	// The tree goes through float32. The derivative of that conversion is the
	// identity.
	wide := func(n *tree.Node) *tree.Node { return untyped.Cast(n, dtype.F64) }
	f := wide(call(t, "square", untyped.Cast(x.Node(), dtype.F32)))
	for i, g := range eval(t, gradients(t, sum(f), x.Node())...)[0] {
		if math.Abs(g-2*x.Data()[i]) > 1e-6 {
			t.Errorf("element %d: %g, want %g", i, g, 2*x.Data()[i])
		}
	}
	// Integers and bools pass no gradient on.
	n := call(t, "mul", x.Node(), wide(untyped.Cast(x.Node(), dtype.I32)))
	for i, g := range eval(t, gradients(t, sum(n), x.Node())...)[0] {
		if g != math.Trunc(x.Data()[i]) {
			t.Errorf("element %d: %g, want %g", i, g, math.Trunc(x.Data()[i]))
		}
	}
}
