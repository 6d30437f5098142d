package nn_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func check(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) || kind == nil && err != nil {
		t.Errorf("%s: error %v, want %v", what, err, kind)
	}
}

func TestSequential(t *testing.T) {
	m := nn.NewSequential[float64](nn.NewLinear[float64](rng(), 2, 3), nn.Func[float64](op.ReLU[float64]),
		nn.NewSequential[float64](nn.NewBatchNorm[float64](3)), nn.Flatten[float64]{})
	var names []string
	for _, p := range m.Params() {
		names = append(names, p.Name)
	}
	want := []string{"0.weight", "0.bias", "2.0.weight", "2.0.bias", "2.0.running_mean", "2.0.running_var"}
	if !slices.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
}

// TestMistakes checks that a module on a wrong input is a tree with an error.
func TestMistakes(t *testing.T) {
	x := data(0, 4, 3)
	for name, c := range map[string]struct {
		out  E
		kind error
	}{
		"linear":        {nn.NewLinear[float64](rng(), 2, 3).Forward(nil, x), expr.ErrShape},
		"batch norm":    {nn.NewBatchNorm[float64](2).Forward(nil, x), expr.ErrShape},
		"conv":          {nn.NewConv2D[float64](rng(), 3, 1, nn.Window2D{Size: 2}).Forward(nil, x), expr.ErrShape},
		"dropout":       {nn.Dropout[float64]{P: 1}.Forward(nil, x), expr.ErrValue},
		"dropout, NaN":  {nn.Dropout[float64]{P: math.NaN()}.Forward(nil, x), expr.ErrValue},
		"attention":     {nn.NewAttention[float64](rng(), 3, 2).Forward(nil, data(0, 1, 4, 3)), expr.ErrShape},
		"one sample":    {nn.NewBatchNorm[float64](3).Forward(nn.NewPass[float64](nil, nil), data(0, 1, 3)), expr.ErrShape},
		"nil module":    {nn.NewSequential[float64](nil).Forward(nil, x), expr.ErrType},
		"nil function":  {nn.Func[float64](nil).Forward(nil, x), expr.ErrType},
		"flatten":       {nn.Flatten[float64]{}.Forward(nil, op.Full[float64](1)), expr.ErrShape},
		"cross-entropy": {nn.CrossEntropy[float64]()(x, data(0, 3)), expr.ErrShape},
		"nil":           {nn.NewLinear[float64](rng(), 2, 3).Forward(nil, nil), expr.ErrType},
		"negative":      {nn.NewLinear[float64](rng(), -1, 3).Forward(nil, x), expr.ErrShape},
	} {
		check(t, name, c.out.Node().Err(), c.kind)
	}
}

func TestInits(t *testing.T) {
	const n = 20000
	for _, c := range []struct {
		name      string
		init      nn.Init
		mean, std float64
		bound     float64
	}{
		{"constant", nn.Constant(3), 3, 0, 3},
		{"uniform", nn.Uniform(-1, 3), 1, 4 / math.Sqrt(12), 3},
		{"normal", nn.Normal(2, .5), 2, .5, math.Inf(1)},
		// The shape [10 20 100] has 2000 inputs and 1000 outputs.
		{"xavier uniform", nn.XavierUniform(2), 0, 2 * math.Sqrt(2./3000), 2 * math.Sqrt(6./3000)},
		{"xavier normal", nn.XavierNormal(2), 0, 2 * math.Sqrt(2./3000), math.Inf(1)},
		{"kaiming uniform", nn.KaimingUniform(2), 0, 2 / math.Sqrt(2000), 2 * math.Sqrt(3./2000)},
		{"kaiming normal", nn.KaimingNormal(2), 0, 2 / math.Sqrt(2000), math.Inf(1)},
	} {
		p := nn.NewParam[float64]("p", 10, 20, 100)
		check(t, c.name, p.Init(rng(), c.init), nil)
		mean, square, most := 0., 0., 0.
		for _, x := range p.Value().Data() {
			mean += x / n
			square += x * x / n
			most = max(most, math.Abs(x))
		}
		std := math.Sqrt(max(square-mean*mean, 0))
		if math.Abs(mean-c.mean) > .03*max(c.std, 1e-9) || math.Abs(std-c.std) > .02*c.std+1e-6 || most > c.bound {
			t.Errorf("%s: mean %v, standard deviation %v, largest %v, want %v, %v, %v", c.name, mean, std, most, c.mean, c.std, c.bound)
		}
	}
}

// TestDropout checks the part of the elements that stay, that masks differ between
// layers and steps and agree between runs, and the gradient.
func TestDropout(t *testing.T) {
	const n = 50000
	step, seed := expr.NewParam[uint32](0), expr.NewParam[uint32](7)
	pass := nn.NewPass[float64](step, seed)
	d := nn.Dropout[float64]{P: .25}
	x := autograd.New(engine.Zeros[float64](n))
	assign(t, x.Value(), op.Full[float64](3))
	first, second := d.Forward(pass, x), d.Forward(pass, x)
	a, b := values(t, first), values(t, second)
	kept := 0
	for _, v := range a {
		switch v {
		case 4:
			kept++
		case 0:
		default:
			t.Fatalf("an element is %v, want 0 or 4", v)
		}
	}
	if math.Abs(float64(kept)/n-.75) > .01 {
		t.Errorf("%d of %d elements stay", kept, n)
	}
	step.Set(1)
	c := values(t, first)
	step.Set(0)
	seed.Set(8)
	e := values(t, first)
	seed.Set(7)
	if slices.Equal(a, b) || slices.Equal(a, c) || slices.Equal(a, e) || !slices.Equal(a, values(t, first)) {
		t.Error("masks of other layers, steps and seeds must differ, and masks of two runs agree")
	}
	g, err := autograd.Record(op.Sum(first), x)
	check(t, "Record", err, nil)
	check(t, "Backward", g.Backward(context.Background()), nil)
	for i, v := range x.Grad().Values() {
		if v != a[i]/3 {
			t.Fatalf("gradient %d is %v where the value is %v", i, v, a[i])
		}
	}
	if d.Forward(nil, x).Node() != x.Node() {
		t.Error("dropout is not the identity outside of training")
	}
}

func TestEmbedding(t *testing.T) {
	e := nn.NewEmbedding[float64](rng(), 3, 2)
	assign(t, e.Weight.Value(), engine.MustFromSlice([]float64{0, 1, 10, 11, 20, 21}, 3, 2))
	ids := engine.MustFromSlice([]float64{2, 0, 2})
	near(t, "rows", values(t, e.Forward(nil, ids)), []float64{20, 21, 0, 1, 20, 21})
	g, err := autograd.Record(op.Sum(op.Square(e.Forward(nil, ids))), e.Weight.Variable)
	check(t, "Record", err, nil)
	check(t, "Backward", g.Backward(context.Background()), nil)
	near(t, "gradient", e.Weight.Grad().Values(), []float64{0, 2, 0, 0, 80, 84})
	out := engine.Zeros[float64](1, 2)
	check(t, "a row outside", out.Assign(e.Forward(nil, engine.MustFromSlice([]float64{3}))), expr.ErrIndex)
}

// TestTrainEmbedding trains a table: one step of SGD moves the rows that occur.
func TestTrainEmbedding(t *testing.T) {
	e := nn.NewEmbedding[float64](rng(), 3, 2)
	assign(t, e.Weight.Value(), engine.MustFromSlice([]float64{0, 1, 10, 11, 20, 21}, 3, 2))
	rule := nn.SGD[float64](.5)
	sum := func(y, target expr.Exp[float64]) expr.Exp[float64] { return op.Sum(op.Mul(y, target)) }
	_, err := nn.NewTrainer[float64](e, sum, rule).TrainOnBatch(context.Background(),
		engine.MustFromSlice([]float64{2, 0, 2}), engine.MustFromSlice([]float64{2, 2, 4, 4, 6, 6}, 3, 2))
	check(t, "TrainOnBatch", err, nil)
	near(t, "table", e.Weight.Value().Values(), []float64{-2, -1, 10, 11, 16, 17})
	if rule.Name() != "SGD" || rule.Steps() != 1 {
		t.Errorf("%s has made %d steps", rule.Name(), rule.Steps())
	}
}

// TestBatchNormEvaluated checks that running statistics count outside of training.
func TestBatchNormEvaluated(t *testing.T) {
	b := nn.NewBatchNorm[float64](2)
	assign(t, b.Mean.Value(), engine.MustFromSlice([]float64{1, -1}))
	assign(t, b.Var.Value(), engine.MustFromSlice([]float64{4 - 1e-5, 1 - 1e-5}))
	near(t, "out", values(t, b.Forward(nil, engine.MustFromSlice([]float64{1, 1, 5, -1}, 2, 2))), []float64{0, 2, 2, 0})
}

// TestGradients compares gradients of compositions with differences.
func TestGradients(t *testing.T) {
	x := autograd.New(data(0, 2, 1, 6, 6))
	conv := nn.NewConv2D[float64](rng(), 1, 2, nn.Window2D{Size: 3, Padding: 1})
	m := nn.NewSequential[float64](conv, nn.Func[float64](op.Tanh[float64]),
		nn.AvgPool2D[float64](nn.Window2D{Size: 2, Stride: 2}), nn.Flatten[float64]{}, nn.NewLinear[float64](rng(), 18, 3))
	loss := nn.CrossEntropy[float64]()(m.Forward(nil, x), engine.MustFromSlice([]float64{1, 2}))
	check(t, "Check", autograd.Check(loss, 1e-6, x, conv.Weight.Variable, conv.Bias.Variable), nil)
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		name string
		s    nn.Schedule
		want map[int]float64
	}{
		{"steps", nn.StepDecay(10, .5), map[int]float64{0: 1, 9: 1, 10: .5, 25: .25}},
		{"cosine", nn.Cosine(100, .1), map[int]float64{0: 1, 50: .55, 100: .1, 1000: .1}},
		{"warmup", nn.Warmup(4, nn.StepDecay(1, .5)), map[int]float64{0: .25, 3: 1, 4: 1, 5: .5}},
		{"warmup alone", nn.Warmup(2, nil), map[int]float64{0: .5, 7: 1}},
	} {
		for step, want := range c.want {
			if got := c.s(step); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s: step %d: %v, want %v", c.name, step, got, want)
			}
		}
	}
}

// TestOptimizerErrors checks that numbers out of range are errors of the step.
func TestOptimizerErrors(t *testing.T) {
	nan := math.NaN()
	p := nn.NewParam[float32]("p", 2)
	for name, o := range map[string]*nn.Optimizer[float32]{
		"a rate of NaN":    nn.SGD[float32](nan),
		"a negative rate":  nn.Adam[float32](-1),
		"an infinite rate": nn.Lion[float32](math.Inf(1)),
		"a momentum of 1":  nn.SGD[float32](.1, nn.SGDOptions{Momentum: 1}),
		"a decay of NaN":   nn.RMSProp[float32](.1, nn.RMSPropOptions{Decay: nan}),
		"a negative Eps":   nn.AdaGrad[float32](.1, nn.AdaGradOptions{Eps: -1}),
		"a Beta1 of 1":     nn.AdamW[float32](.1, nn.AdamOptions{Beta1: 1}),
		"a Beta2 of NaN":   nn.Lion[float32](.1, nn.LionOptions{Beta2: nan}),
	} {
		_, err := o.Statements([]*nn.Param[float32]{p}, 0)
		check(t, name, err, expr.ErrValue)
	}
	o := nn.SGD[float32](.1)
	check(t, "SetRate", o.SetRate(nan), expr.ErrValue)
	if o.Rate() != .1 {
		t.Errorf("a wrong rate has changed the rate to %v", o.Rate())
	}
	_, err := o.Statements(nil, nan)
	check(t, "a bound of NaN", err, expr.ErrValue)
}
