package nn_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

type (
	E = expr.Exp[float64]
	T = engine.Tensor[float64]
)

// data returns the inputs of scripts/goldens/torch_nn.py.
func data(seed int, dims ...int) *T {
	x := make([]float64, shape.Shape(dims).Size())
	for i := range x {
		x[i] = float64((i*7919+seed*104729)%1009)/504.5 - 1
	}
	return engine.MustFromSlice(x, dims...)
}

// goldens reads what PyTorch computed.
func goldens(t *testing.T) map[string]map[string][]float64 {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/nn/torch.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]map[string][]float64{}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// near compares numbers with a tolerance of 1e-11 of the larger of 1 and the
// number.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-11*math.Max(1, math.Abs(w))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}

func assign(t *testing.T, to *T, e E) {
	t.Helper()
	if err := to.Assign(e); err != nil {
		t.Fatal(err)
	}
}

func values(t *testing.T, e E) []float64 {
	t.Helper()
	out, err := engine.New[float64](e.Node().Shape()...)
	if err != nil {
		t.Fatal(err)
	}
	assign(t, out, e)
	return out.Values()
}

// TestLayers compares layers, their gradients and buffers with PyTorch.
func TestLayers(t *testing.T) {
	want := goldens(t)
	conv := func(stride, padding, dilation int) nn.Module[float64] {
		return nn.NewConv2D[float64](rng(), 2, 3, nn.Window2D{Size: 3, Stride: stride, Padding: padding, Dilation: dilation})
	}
	causal := nn.NewAttention[float64](rng(), 6, 3)
	causal.Causal = true
	for _, c := range []struct {
		name   string
		module nn.Module[float64]
		x      *T
	}{
		{"linear", nn.NewLinear[float64](rng(), 3, 4), data(0, 2, 3)},
		{"linear of a stack", nn.NewLinear[float64](rng(), 3, 4), data(0, 2, 5, 3)},
		{"batch norm", nn.NewBatchNorm[float64](3), data(0, 5, 3)},
		{"batch norm of images", nn.NewBatchNorm[float64](2), data(0, 3, 2, 4, 5)},
		{"layer norm", nn.NewLayerNorm[float64](6), data(0, 4, 6)},
		{"rms norm", nn.NewRMSNorm[float64](6), data(0, 4, 6)},
		{"conv", conv(0, 0, 0), data(0, 2, 2, 6, 5)},
		{"conv with stride", conv(2, 1, 2), data(0, 2, 2, 8, 7)},
		{"max pool", nn.MaxPool2D[float64](nn.Window2D{Size: 2, Stride: 2}), data(0, 2, 2, 6, 4)},
		{"max pool with padding", nn.MaxPool2D[float64](nn.Window2D{Size: 3, Stride: 2, Padding: 1}), data(0, 1, 2, 7, 5)},
		{"average pool", nn.AvgPool2D[float64](nn.Window2D{Size: 3, Stride: 2, Padding: 1}), data(0, 1, 2, 7, 5)},
		{"attention", nn.NewAttention[float64](rng(), 6, 2), data(0, 2, 5, 6)},
		{"causal attention", causal, data(0, 2, 5, 6)},
	} {
		t.Run(c.name, func(t *testing.T) { testLayer(t, c.module, c.x, want[c.name]) })
	}
}

func testLayer(t *testing.T, m nn.Module[float64], x *T, want map[string][]float64) {
	ctx := context.Background()
	vars := []*autograd.Variable[float64]{autograd.New(x)}
	for _, p := range m.Params() {
		if p.RequiresGrad() {
			assign(t, p.Value(), data(len(vars), p.Value().Shape()...))
			vars = append(vars, p.Variable)
		}
	}
	pass := nn.NewPass[float64](expr.NewParam[uint32](0), expr.NewParam[uint32](0))
	out := m.Forward(pass, vars[0])
	near(t, "out", values(t, out), want["out"])
	g, err := autograd.Record(op.Sum(op.Mul(out, E(data(9, out.Node().Shape()...)))), vars...)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Backward(ctx); err != nil {
		t.Fatal(err)
	}
	if err := engine.Run(ctx, pass.Statements()...); err != nil {
		t.Fatal(err)
	}
	near(t, "grad.x", vars[0].Grad().Values(), want["grad.x"])
	for _, p := range m.Params() {
		if p.RequiresGrad() {
			near(t, "grad."+p.Name, p.Grad().Values(), want["grad."+p.Name])
		} else {
			near(t, p.Name, p.Value().Values(), want[p.Name])
		}
	}
}

// TestLosses compares losses and their gradients with PyTorch.
func TestLosses(t *testing.T) {
	want := goldens(t)
	y := data(5, 4, 3)
	half := engine.Zeros[float64](4, 3)
	assign(t, half, op.Scale(.5, op.AddScalar(y, 1)))
	for _, c := range []struct {
		name  string
		loss  nn.Loss[float64]
		scale float64
		want  *T
	}{
		{"mse", nn.MSE[float64], 1, y},
		{"huber", nn.Huber[float64](.5), 1, y},
		{"bce with logits", nn.BCEWithLogits[float64], 30, half},
		{"bce with logits at 0", nn.BCEWithLogits[float64], 0, half},
		{"cross-entropy", nn.CrossEntropy[float64](), 50, engine.MustFromSlice([]float64{2, nn.Ignored, 0, 1})},
	} {
		out := autograd.New(data(0, 4, 3))
		assign(t, out.Value(), op.Scale(c.scale, out.Value()))
		g, err := autograd.Record(c.loss(out, c.want), out)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Backward(context.Background()); err != nil {
			t.Fatal(err)
		}
		near(t, c.name, g.Loss().Values(), want[c.name]["loss"])
		near(t, c.name+": gradient", out.Grad().Values(), want[c.name]["grad"])
	}
}

// TestOptimizers compares the weights after each of seven steps with PyTorch.
func TestOptimizers(t *testing.T) {
	want := goldens(t)
	for _, c := range []struct {
		name string
		o    *nn.Optimizer[float64]
		clip float64
	}{
		{"sgd", nn.SGD[float64](.1), 0},
		{"sgd with momentum", nn.SGD[float64](.1, nn.SGDOptions{Momentum: .9, Decay: .01}), 0},
		{"nesterov", nn.SGD[float64](.1, nn.SGDOptions{Momentum: .9, Nesterov: true}), 0},
		{"adam", nn.Adam[float64](.1), 0},
		{"adam with decay", nn.Adam[float64](.1, nn.AdamOptions{Beta1: .8, Beta2: .95, Eps: 1e-6, Decay: .1}), 0},
		{"adamw", nn.AdamW[float64](.1), 0},
		{"adagrad", nn.AdaGrad[float64](.1, nn.AdaGradOptions{RateDecay: .05, Decay: .01, Eps: 1e-10}), 0},
		{"rmsprop", nn.RMSProp[float64](.01), 0},
		{"rmsprop with momentum", nn.RMSProp[float64](.01, nn.RMSPropOptions{Alpha: .9, Eps: 1e-8, Momentum: .8, Decay: .1}), 0},
		{"lion", nn.Lion[float64](.01, nn.LionOptions{Beta1: .9, Beta2: .99, Decay: .1}), 0},
		{"clipped", nn.SGD[float64](.1), .5},
	} {
		t.Run(c.name, func(t *testing.T) { testOptimizer(t, c.o, c.clip, want[c.name]) })
	}
}

func testOptimizer(t *testing.T, o *nn.Optimizer[float64], clip float64, want map[string][]float64) {
	ctx := context.Background()
	w, v := nn.NewParam[float64]("w", 2, 3), nn.NewParam[float64]("v", 4)
	assign(t, w.Value(), data(1, 2, 3))
	assign(t, v.Value(), data(2, 4))
	loss := op.Add(
		op.Sum(op.Mul(op.AddScalar(data(3, 2, 3), 2), op.Square(op.Sub[float64](w, data(4, 2, 3))))),
		op.Sum(op.Square(op.Square(op.AddScalar(v, -.5)))))
	g, err := autograd.Record(loss, w.Variable, v.Variable)
	if err != nil {
		t.Fatal(err)
	}
	updates, err := o.Statements([]*nn.Param[float64]{w, v}, clip)
	if err != nil {
		t.Fatal(err)
	}
	step, err := engine.Compile(ctx, append(g.Statements(expr.Set), updates...)...)
	if err != nil {
		t.Fatal(err)
	}
	var ws, vs []float64
	for range 7 {
		o.Advance(1)
		if err := step.Run(ctx); err != nil {
			t.Fatal(err)
		}
		ws, vs = append(ws, w.Value().Values()...), append(vs, v.Value().Values()...)
	}
	near(t, "w", ws, want["w"])
	near(t, "v", vs, want["v"])
	if n := testlevel.Allocs(5, func() {
		o.Advance(1)
		if err := step.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

// spread returns numbers from -1 to 1, as scripts/goldens/torch_nn.py makes them,
// divided by a number.
func spread(seed uint32, by float64, dims ...int) *T {
	x := make([]float64, shape.Shape(dims).Size())
	for i := range x {
		h := uint32(i)*0x9E3779B1 + seed*0x85EBCA77
		h = (h ^ h>>15) * 0x2C1B3C6D
		h = (h ^ h>>12) * 0x297A2D39
		h ^= h >> 15
		x[i] = (float64(h>>8)/(1<<23) - 1) / by
	}
	return engine.MustFromSlice(x, dims...)
}

// TestMLP trains the network of the literature, 64 samples of 1000 numbers to 100
// to 10, with Adam, and compares the losses with those of PyTorch.
func TestMLP(t *testing.T) {
	ctx := context.Background()
	want := goldens(t)["mlp"]["loss"]
	model := nn.NewSequential[float64](
		nn.NewLinear[float64](rng(), 1000, 100), nn.Func[float64](op.ReLU[float64]), nn.NewLinear[float64](rng(), 100, 10))
	for i, p := range model.Params() {
		assign(t, p.Value(), spread(uint32(2+i), math.Sqrt([]float64{1000, 1000, 100, 100}[i]), p.Value().Shape()...))
	}
	sum := func(out, want E) E { return op.Sum(op.Square(op.Sub(out, want))) }
	tr := nn.NewTrainer(model, sum, nn.Adam[float64](1e-4))
	x, y := spread(0, 1, 64, 1000), spread(1, 1, 64, 10)
	steps := testlevel.Every(500, 51)
	if testing.Short() {
		steps = 1
	}
	for step := range steps {
		loss, err := tr.TrainOnBatch(ctx, x, y)
		if err != nil {
			t.Fatal(err)
		}
		if w := want[step/50]; step%50 == 0 && !(math.Abs(loss-w) <= 1e-4*w) {
			t.Errorf("step %d: the loss is %v, PyTorch's %v", step, loss, w)
		}
	}
}
