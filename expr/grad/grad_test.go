package grad_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// of computes the gradient of a scalar with respect to one tensor.
func of(t testing.TB, loss E, x E) []float64 {
	t.Helper()
	return eval(t, gradients(t, loss.Node(), x.Node())...)[0]
}

// same compares got with given values. NaN equals NaN.
func same(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	near(t, what, 0, got, want...)
}

func near(t *testing.T, what string, tol float64, got []float64, want ...float64) {
	t.Helper()
	ok := len(got) == len(want)
	for i := range want {
		ok = ok && (got[i] == want[i] || math.Abs(got[i]-want[i]) <= tol*math.Abs(want[i]) || math.IsNaN(got[i]) && math.IsNaN(want[i]))
	}
	if !ok {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func vec(v ...float64) T { return engine.MustFromSlice(v) }

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// TestCorners checks rules at points where the function has no derivative or
// its formula has no value. Where PyTorch has the operator, the expected values
// are its results.
func TestCorners(t *testing.T) {
	one := func(f func(E) E) func(E, E) E { return func(x, _ E) E { return f(x) } }
	for _, c := range []struct {
		name   string
		f      func(x, y E) E
		x, y   float64
		dx, dy float64
	}{
		{"abs", one(op.Abs[float64]), 0, 0, 0, 0},
		{"sign", one(op.Sign[float64]), 0, 0, 0, 0},
		{"sqrt", one(op.Sqrt[float64]), 0, 0, inf, 0},
		{"cbrt", one(op.Cbrt[float64]), 0, 0, inf, 0},
		{"asin", one(op.Asin[float64]), 1, 0, inf, 0},
		{"acos", one(op.Acos[float64]), 1, 0, -inf, 0},
		{"asinh", one(op.Asinh[float64]), 1e300, 0, 1e-300, 0},
		{"acosh", one(op.Acosh[float64]), 1, 0, inf, 0},
		{"atanh", one(op.Atanh[float64]), 1, 0, inf, 0},
		{"log", one(op.Log[float64]), 0, 0, inf, 0},
		{"relu", one(op.ReLU[float64]), 0, 0, 0, 0},
		{"relu of NaN", one(op.ReLU[float64]), nan, 0, 1, 0},
		{"tanh", one(op.Tanh[float64]), 1000, 0, 0, 0},
		{"sigmoid", one(op.Sigmoid[float64]), -1000, 0, 0, 0},
		{"gelu", one(op.Gelu[float64]), -1e200, 0, 0, 0},
		{"gelu at 1e200", one(op.Gelu[float64]), 1e200, 0, 1, 0},
		{"gelu_tanh", one(op.GeluTanh[float64]), -50, 0, 0, 0},
		{"pow(0, 0)", op.Pow[float64], 0, 0, 0, 0},
		{"pow(0, 1)", op.Pow[float64], 0, 1, 1, 0},
		{"pow(0, 2)", op.Pow[float64], 0, 2, 0, 0},
		{"pow(0, .5)", op.Pow[float64], 0, .5, inf, 0},
		{"pow(-2, 3)", op.Pow[float64], -2, 3, 12, nan},
		{"pow(2, 0)", op.Pow[float64], 2, 0, 0, math.Ln2},
		{"atan2, large", op.Atan2[float64], 3e200, 4e200, 4e200 / 5e200 / 5e200, -3e200 / 5e200 / 5e200},
		{"hypot(0, 1)", op.Hypot[float64], 0, 1, 0, 1},
		{"maximum of equals", op.Maximum[float64], 3, 3, .5, .5},
		{"minimum of equals", op.Minimum[float64], 3, 3, .5, .5},
		{"maximum of zeros", op.Maximum[float64], math.Copysign(0, -1), 0, .5, .5},
		{"maximum of NaN", op.Maximum[float64], nan, 3, 1, 1},
		{"fmax of equals", op.FMax[float64], 3, 3, .5, .5},
		{"fmax of NaN", op.FMax[float64], nan, 3, 0, 1},
		{"fmin of NaN", op.FMin[float64], 3, nan, 1, 0},
		{"clip at a bound", func(x, y E) E { return op.Clip(x, y, op.Full[float64](9)) }, 2, 2, 1, 0},
		{"copysign", op.CopySign[float64], 0, -1, 0, 0},
		{"floor", one(op.Floor[float64]), 2, 0, 0, 0},
		{"mod", op.Mod[float64], 7, -3, 1, 3},
		{"fmod", op.Fmod[float64], 7, -3, 1, 2},
		{"fmod, quotient near an integer", op.Fmod[float64], 1, .1, 1, -9},
	} {
		x, y := vec(c.x), vec(c.y)
		g := eval(t, gradients(t, op.Sum(c.f(x, y)).Node(), x.Node(), y.Node())...)
		near(t, c.name, 1e-15, []float64{g[0][0], g[1][0]}, c.dx, c.dy)
	}
}

func TestReductionCorners(t *testing.T) {
	x := vec(3, 1, 3, 2)
	same(t, "max", of(t, op.Max[float64](x), x), .5, 0, .5, 0)
	same(t, "min", of(t, op.Min[float64](x), x), 0, 1, 0, 0)
	y := vec(nan, 4, 2)
	same(t, "nanmax", of(t, op.NaNMax[float64](y), y), 0, 1, 0)
	same(t, "max of NaN", of(t, op.Max[float64](y), y), nan, nan, nan)
	for _, c := range [][2][]float64{
		{{2, 3, 4}, {12, 8, 6}},
		{{2, 0, 4}, {0, 8, 0}},
		{{0, 3, 0}, {0, 0, 0}},
		{{-2, math.Copysign(0, -1), 1}, {0, -2, 0}},
	} {
		x := vec(c[0]...)
		same(t, "prod", of(t, op.Prod[float64](x), x), c[1]...)
	}
}

// TestShifted checks that sums of exponentials of large numbers have finite
// gradients. The maximum by which they are shifted counts as a constant.
func TestShifted(t *testing.T) {
	x := vec(1000, 1001, 1002)
	p := []float64{.09003057317038046, .24472847105479764, .6652409557748219}
	near(t, "logsumexp", 1e-15, of(t, op.LogSumExp[float64](x), x), p...)
	first := op.Index(op.Softmax[float64](x, 0), 0, 0)
	near(t, "softmax", 1e-14, of(t, first, x), p[0]*(1-p[0]), -p[0]*p[1], -p[0]*p[2])
	z := vec(math.Inf(-1), 0, 0)
	same(t, "logsumexp with -Inf", of(t, op.LogSumExp[float64](z), z), 0, .5, .5)
}

func TestStopGradient(t *testing.T) {
	x := vec(2, 3)
	same(t, "x * const(x)", of(t, op.Sum(op.Mul(x, op.StopGradient[float64](x))), x), 2, 3)
	y := engine.Zeros[float64](2)
	if err := y.Assign(op.StopGradient[float64](x)); err != nil {
		t.Fatal(err)
	}
	same(t, "its value", y.Values(), 2, 3)
}

// TestVariables checks which variables are the same: arrays by the elements
// they view, parameters by their cell, trees by their node.
func TestVariables(t *testing.T) {
	x := vec(2, 3)
	named := x.Named("x")
	same(t, "another name", of(t, op.Sum(op.Square[float64](named)), x), 4, 6)
	again := engine.MustFromSlice(x.Data())
	same(t, "another tensor over the slice", of(t, op.Sum(op.Mul[float64](x, again)), x), 4, 6)

	p := expr.NewParam(5.)
	same(t, "a parameter", of(t, op.Sum(op.Mul[float64](p, x)), p), 5)
	same(t, "what is not there", of(t, op.Sum[float64](x), vec(1, 1)), 0, 0)

	e := op.Exp[float64](x)
	loss := op.Sum(op.Square(e))
	same(t, "a sub-tree", of(t, loss, e), 2*math.Exp(2), 2*math.Exp(3))
	g := eval(t, gradients(t, loss.Node(), e.Node(), x.Node(), x.Node(), loss.Node())...)
	near(t, "what is below it", 1e-15, g[1], 2*math.Exp(4), 2*math.Exp(6))
	same(t, "twice the same variable", g[2], g[1]...)
	same(t, "the loss itself", g[3], 1)

	m := engine.MustFromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	for name, loss := range map[string]E{"part": op.Sum[float64](m.Slice(1, 2)), "transpose": op.Sum(op.MatMul[float64](m, m.Transpose()))} {
		if _, err := grad.Of(loss, E(m)); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "another view") {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
	other := engine.MustFromSlice(m.Data()[3:], 3)
	same(t, "a part as the variable", of(t, op.Sum(op.Square[float64](other)), other), 8, 10, 12)
}

func TestErrors(t *testing.T) {
	x := vec(2, 3)
	bad := op.Add[float64](x, vec(1, 2, 3))
	gamma := op.GoFunc("gamma", math.Gamma)
	softsign := func(opts ...op.DefineOption) *tree.Operator {
		return op.Define("softsign", 1, func(b *op.B, x ...op.V) op.V { return b.Div(x[0], b.Add(b.Like(x[0], 1), b.Abs(x[0]))) }, opts...)
	}
	rule := func(f func(g *tree.Adjoint) *tree.Node) *tree.Operator {
		return softsign(op.Derivative(func(g *tree.Adjoint, _ int) *tree.Node { return f(g) }))
	}
	for _, c := range []struct {
		name string
		loss E
		wrt  E
		kind error
		text string
	}{
		{"no scalar", x, x, expr.ErrShape, "no scalar"},
		{"an error in the tree", op.Sum(bad), x, expr.ErrShape, "do not broadcast"},
		{"an error in a variable", op.Sum[float64](x), bad, expr.ErrShape, "do not broadcast"},
		{"no loss", nil, x, expr.ErrType, "nil"},
		{"no variable", op.Sum[float64](x), nil, expr.ErrType, "nil"},
		{"a Go function", op.Sum(gamma(x)), x, expr.ErrUnsupported, "op.gamma: has no derivative"},
		{"a defined operator", op.Sum(op.Map1(softsign(), x)), x, expr.ErrUnsupported, "op.softsign: has no derivative"},
		{"a rule of another shape", op.Sum(op.Map1(rule(func(*tree.Adjoint) *tree.Node { return vec(1, 2, 3).Node() }), x)), x, expr.ErrShape, "op.softsign"},
		{"a rule of another type", op.Sum(op.Map1(rule(func(*tree.Adjoint) *tree.Node { return tree.ConstFloat(dtype.F32, 1) }), x)), x, expr.ErrType, "op.softsign"},
		{"a rule that names no row", op.Sum(op.Map1(rule(func(g *tree.Adjoint) *tree.Node { return g.Op("nope", g.Out) }), x)), x, expr.ErrUnsupported, `op.softsign: the derivative names the row "nope"`},
	} {
		_, err := grad.Of(c.loss, c.wrt)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "grad_test.go") {
			t.Errorf("%s: got the error %v", c.name, err)
		}
	}
	if _, err := grad.OfNodes(sum(x.Node()), engine.MustFromSlice([]int32{1}).Node()); !errors.Is(err, expr.ErrType) {
		t.Errorf("an integer variable: got the error %v", err)
	}
	// An operator that is not between the loss and the variable needs no
	// derivative.
	y := vec(1, 1)
	same(t, "beside a Go function", of(t, op.Sum(op.Mul(gamma(x), y)), y), 1, 2)
	same(t, "above a variable", of(t, op.Sum(op.Square(gamma(y))), gamma(y)), 0, 0)
	e := gamma(vec(4, 5))
	same(t, "a Go function as the variable", of(t, op.Sum(op.Square(e)), e), 12, 48)
}

// TestDerivative checks the derivatives of user-defined operators.
func TestDerivative(t *testing.T) {
	x, y := vec(.5, -2), vec(3)
	lse := op.Define("log_add_exp", 2, func(b *op.B, x ...op.V) op.V { return b.Add(x[0], b.Mul(x[1], x[1])) },
		op.Derivative(func(g *tree.Adjoint, arg int) *tree.Node {
			if arg == 0 {
				return g.Out
			}
			return g.Mul(g.Out, g.Mul(g.Const(2), g.Arg(1)))
		}))
	twice(t, lse.Name(), untyped.Apply(lse, x.Node(), y.Node()), x, y)
	sine := op.GoFunc("sine", math.Sin, op.Derivative(func(g *tree.Adjoint, _ int) *tree.Node {
		return g.Mul(g.Out, g.Op("cos", g.Arg(0)))
	}))
	twice(t, "sine", sine(op.Square[float64](x)).Node(), x)
	reversed := op.DefineView("reversed", 1, row(t, "slice").Shape(), row(t, "slice").Gather(),
		op.Derivative(func(g *tree.Adjoint, _ int) *tree.Node { return g.With("slice", nil, []int{1, -1, 2}, g.Full()) }))
	twice(t, "reversed", op.Square(op.View(reversed, []int{1, -1, 2}, E(x))).Node(), x)
}

// count returns the number of distinct nodes of trees.
func count(trees ...*tree.Node) int {
	seen := map[*tree.Node]bool{}
	for _, n := range trees {
		tree.Walk(n, func(n *tree.Node) { seen[n] = true })
	}
	return len(seen)
}

// TestSharing checks that each node is visited once. The gradient grows with
// the graph, and not with the tree written out.
func TestSharing(t *testing.T) {
	x := vec(1, -1)
	e := E(x)
	for range 60 { // as a tree 2^60 leaves
		e = op.Scale(.5, op.Add(e, e))
	}
	loss := op.Sum(op.Square(e))
	g := gradients(t, loss.Node(), x.Node())
	if n, m := count(loss.Node()), count(append(g, loss.Node())...); m > 4*n {
		t.Errorf("the loss has %d nodes, with its gradient %d", n, m)
	}
	same(t, "gradient", eval(t, g...)[0], 2, -2)
}

// TestLong checks long chains, and many uses of one node.
func TestLong(t *testing.T) {
	const n = 5000
	x := vec(.5, 1)
	e := E(x)
	for range n {
		e = op.AddScalar(op.Scale(.9999, e), 1e-3)
	}
	want := math.Pow(.9999, n)
	near(t, "a chain", 1e-10, of(t, op.Sum(e), x), want, want)
	total := op.Full[float64](0)
	for i := range n {
		total = op.Add(total, op.Scale(float64(i), x))
	}
	near(t, "a fan", 1e-12, of(t, op.Sum(total), x), n*(n-1)/2, n*(n-1)/2)
}

func TestTypes(t *testing.T) {
	// Trees of halves are float32 inside, also their constants.
	h := engine.MustFromSlice([]expr.Float16{dtype.F16From(1.5)})
	g, err := grad.Of(op.Sum(op.Erf[expr.Float16](h)), expr.Exp[expr.Float16](h))
	if err != nil {
		t.Fatal(err)
	}
	wide := engine.Zeros[float32](1)
	if err := wide.Assign(op.Cast[float32](g[0])); err != nil {
		t.Fatal(err)
	}
	near(t, "erf of float16", 1e-6, []float64{float64(wide.At(0))}, 2/math.SqrtPi*math.Exp(-2.25))
	// Variables of two types.
	x, y := vec(2), engine.MustFromSlice([]float32{3})
	loss := op.Sum(op.Mul(x, op.Cast[float64](op.Square[float32](y))))
	nodes := gradients(t, loss.Node(), x.Node(), y.Node())
	if nodes[1].DType() != dtype.F32 {
		t.Errorf("the gradient by a float32 is %v", nodes[1].DType())
	}
	same(t, "mixed types", slices.Concat(eval(t, nodes[0], untyped.Cast(nodes[1], dtype.F64))...), 9, 12)
}

// fused fails the test unless statements compile to a number of loops and of
// other stages. One loop without other stages must have no temporaries.
func fused(t *testing.T, what string, loops, others int, stmts ...expr.Statement) {
	t.Helper()
	p, err := engine.Compile(context.Background(), stmts...)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range p.Plan().Stages {
		if s.Kind == plan.Loop {
			n++
		}
	}
	if n != loops || len(p.Plan().Stages)-n != others || loops == 1 && others == 0 && len(p.Plan().Temps) != 0 {
		t.Errorf("%s: not %d loops and %d other stages:\n%s", what, loops, others, p.Explain())
	}
}

// TestFusion checks that gradients fuse like other trees.
func TestFusion(t *testing.T) {
	a, b := engine.Zeros[float32](64, 1000).Named("a"), engine.Zeros[float32](64, 1000).Named("b")
	da, db := engine.Zeros[float32](64, 1000).Named("da"), engine.Zeros[float32](64, 1000).Named("db")
	for name, loss := range map[string]expr.Exp[float32]{
		"squared difference": op.Sum(op.Square(op.Sub[float32](a, b))),
		"softmax":            op.Sum(op.Mul[float32](b, op.Softmax[float32](a, -1))),
		"cross entropy":      op.Mean(op.Sub(op.LogSumExp[float32](a, op.Axis(-1)), op.Sum(op.Mul[float32](a, b), op.Axis(-1)))),
		"layernorm":          op.Sum(op.Mul[float32](b, op.LayerNorm[float32](a, nil, nil, 1e-5))),
	} {
		g := gradients(t, loss.Node(), a.Node(), b.Node())
		fused(t, name, 1, 0, expr.Statement{Target: da.Node(), Value: g[0]})
		fused(t, name+", both", 1, 0, expr.Statement{Target: da.Node(), Value: g[0]}, expr.Statement{Target: db.Node(), Value: g[1]})
	}
	// A step of gradient descent is that one loop too.
	g, err := grad.Of(op.Sum(op.Square(op.Sub[float32](a, b))), expr.Exp[float32](a))
	if err != nil {
		t.Fatal(err)
	}
	fused(t, "a step", 1, 0, expr.LetSub(a, op.Scale(.1, g[0])))
}
