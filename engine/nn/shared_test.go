package nn_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
)

// TestSharedLayer trains a layer that stands twice in a module. Its weight w starts as
// ones; the loss is (w*w*x)^2 and its gradient 4*w^3*x^2. The update takes place once.
func TestSharedLayer(t *testing.T) {
	ctx := context.Background()
	one := engine.MustFromSlice([]float64{1}, 1, 1)
	for name, c := range map[string]struct {
		o    *nn.Optimizer[float64]
		clip float64
		want float64
	}{
		"sgd":     {nn.SGD[float64](.125), 0, .5},
		"clipped": {nn.SGD[float64](.125), 2, 1 - .125*4*2/(4+1e-6)},
		"adam":    {nn.Adam[float64](.125, nn.AdamOptions{Decay: 1}), 0, 1 - .125*5/(5+1e-8)},
	} {
		l := nn.NewLinear[float64](rng(), 1, 1)
		l.Bias = nil
		assign(t, l.Weight.Value(), one)
		tr := nn.NewTrainer[float64](nn.NewSequential[float64](l, l), nn.MSE[float64], c.o)
		tr.Clip = c.clip
		if _, err := tr.TrainOnBatch(ctx, one, engine.Zeros[float64](1, 1)); err != nil {
			t.Fatal(err)
		}
		near(t, name, l.Weight.Value().Values(), []float64{c.want})
		if n := len(c.o.State()); name == "adam" && n != 2 {
			t.Errorf("the optimiser has %d tensors for one weight, want 2", n)
		}
	}
}

// TestSharedOptimizer has two trainers of layers with the same names that share an optimiser. A checkpoint has the moments of its own trainer.
func TestSharedOptimizer(t *testing.T) {
	o := nn.Adam[float64](.1)
	x, path := engine.Ones[float64](1, 1), filepath.Join(t.TempDir(), "saved")
	var trainers []*nn.Trainer[float64]
	for i := range 2 {
		tr := nn.NewTrainer[float64](nn.NewLinear[float64](rng(), 1, 1), nn.MSE[float64], o)
		_, err := tr.TrainOnBatch(t.Context(), x, engine.Full(float64(10+i), 1, 1))
		check(t, "TrainOnBatch", err, nil)
		trainers = append(trainers, tr)
	}
	for i, tr := range trainers {
		check(t, "Save", tr.Save(path), nil)
		arrays, _, err := nn.LoadTensors(path)
		check(t, "LoadTensors", err, nil)
		want := o.State()[4*i] // the first moment of the weight
		near(t, want.Name, []float64{item(t, arrays["optimizer."+want.Name])}, want.Value().Values())
	}
}

func item(t *testing.T, a *engine.Array) float64 {
	t.Helper()
	x, err := engine.TensorOf[float64](a)
	check(t, "TensorOf", err, nil)
	v, err := engine.Item(x)
	check(t, "Item", err, nil)
	return v
}

// pair is two layers that have the same names of parameters.
type pair struct{ nn.Sequential[float64] }

func (p pair) Params() []*nn.Param[float64] {
	return append(p.Sequential[0].Params(), p.Sequential[1].Params()...)
}

// absent has a parameter that is nil.
type absent struct{ nn.Sequential[float64] }

func (absent) Params() []*nn.Param[float64] { return []*nn.Param[float64]{nil} }

// TestNames has modules whose parameters cannot be told apart by name. A checkpoint would
// lose one of two.
func TestNames(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "x")
	one := engine.Ones[float64](1, 1)
	layer := func() nn.Module[float64] { return nn.NewLinear[float64](rng(), 1, 1) }
	same := layer()
	for name, c := range map[string]struct {
		m    nn.Module[float64]
		want error
	}{
		"two layers":         {pair{nn.NewSequential(layer(), layer())}, expr.ErrValue},
		"one layer twice":    {pair{nn.NewSequential(same, same)}, nil},
		"two with numbers":   {nn.NewSequential(layer(), layer()), nil},
		"a nil one":          {absent{nn.NewSequential(layer())}, expr.ErrType},
		"a nil one, in part": {nn.NewSequential[float64](absent{nn.NewSequential(layer())}), expr.ErrType},
	} {
		tr := nn.NewTrainer(c.m, nn.MSE[float64], nn.Adam[float64](.1))
		_, err := tr.TrainOnBatch(ctx, one, one)
		check(t, name, err, c.want)
		check(t, name+", saved", tr.Save(path), c.want)
		if err == nil {
			check(t, name+", loaded", tr.Load(path), nil)
		}
	}
}

// TestForwards evaluates one module in several goroutines.
func TestForwards(t *testing.T) {
	ctx, x := context.Background(), data(1, 4, 5)
	m := nn.NewSequential[float64](nn.NewLinear[float64](rng(), 5, 6), nn.NewBatchNorm[float64](6), nn.Dropout[float64]{P: .5})
	want, err := nn.NewTrainer(nn.Module[float64](m), nn.MSE[float64], nn.SGD[float64](1)).Predict(ctx, x)
	check(t, "Predict", err, nil)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			out := engine.Zeros[float64](4, 6)
			p, err := engine.Compile(ctx, expr.Let(out, m.Forward(nil, x)))
			if err == nil {
				err = p.Run(ctx)
			}
			y, bad := engine.Eval(m.Forward(nil, x))
			if err != nil || bad != nil || !slices.Equal(out.Values(), want.Values()) || !slices.Equal(y.Values(), want.Values()) {
				t.Errorf("%v and %v, want %v: %v %v", out, y, want, err, bad)
			}
		})
	}
	all.Wait()
}

// TestSettings changes the metrics and the bound of the gradients of a trainer, and
// leaves out what is wanted.
func TestSettings(t *testing.T) {
	ctx := context.Background()
	l := nn.NewLinear[float64](rng(), 2, 1)
	tr := nn.NewTrainer[float64](l, nn.MSE[float64], nn.SGD[float64](1))
	x, y := data(1, 3, 2), data(2, 3, 1)
	d, err := nn.FromTensors(x, y)
	check(t, "FromTensors", err, nil)
	load := &nn.Loader[float64]{Data: d, Batch: math.MaxInt, Prefetch: math.MaxInt}
	for n := range 2 {
		s, err := tr.Evaluate(ctx, load)
		check(t, "Evaluate", err, nil)
		if len(s) != n+1 || n > 0 && s["again"] != s["loss"] {
			t.Errorf("the scores are %v", s)
		}
		tr.Metrics = []nn.Metric[float64]{{Name: "again", Of: nn.MSE[float64]}}
	}
	for _, name := range []string{"again", "loss"} {
		tr.Metrics = append(tr.Metrics[:1], nn.Metric[float64]{Name: name, Of: nn.MSE[float64]})
		_, err := tr.Evaluate(ctx, load)
		check(t, "two scores with one name", err, expr.ErrValue)
	}
	tr.Metrics = nil
	_, err = tr.TrainOnBatch(ctx, x, y)
	check(t, "TrainOnBatch", err, nil)
	before := l.Weight.Value().Values()
	_, err = tr.TrainOnBatch(ctx, x, nil)
	check(t, "no wanted output", err, expr.ErrType)
	tr.Clip = -1
	_, err = tr.TrainOnBatch(ctx, x, y)
	check(t, "a negative bound", err, expr.ErrValue)
	if !slices.Equal(before, l.Weight.Value().Values()) {
		t.Error("a step that failed has changed the weight")
	}
	tr.Clip = 1e-12
	_, err = tr.TrainOnBatch(ctx, x, y)
	check(t, "a small bound", err, nil)
	near(t, "a small step", l.Weight.Value().Values(), before)
	_, err = (*nn.Trainer[float64])(nil).Fit(ctx, nn.Fit[float64]{Epochs: 1, Data: load})
	check(t, "a nil trainer", err, expr.ErrType)
}

// TestLargeBatch starts an epoch of one batch at several batches.
func TestLargeBatch(t *testing.T) {
	d, err := nn.FromTensors(data(1, 5, 2), data(2, 5))
	check(t, "FromTensors", err, nil)
	for _, batch := range []int{2, math.MaxInt} {
		for from := range 5 {
			l := &nn.Loader[float64]{Data: d, Batch: batch}
			n := 0
			for b, err := range l.Epoch(context.Background(), 0, from) {
				check(t, "Epoch", err, nil)
				n += b.X.Shape()[0]
			}
			if want := 5 - min(from*min(batch, 5), 5); n != want {
				t.Errorf("%d samples from batch %d of %d on, want %d", n, from, batch, want)
			}
		}
	}
}

// TestCancelledStep cancels steps at several times: one that fails changes nothing.
func TestCancelledStep(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 60
	}
	var layers []nn.Module[float64]
	for range 5 {
		layers = append(layers, nn.NewLinear[float64](rng(), n, n))
	}
	m := nn.NewSequential(layers...)
	tr := nn.NewTrainer[float64](m, nn.MSE[float64], nn.Adam[float64](.1))
	x, y := data(1, 8, n), data(2, 8, n)
	var took time.Duration
	for range 2 { // the first step compiles
		began := time.Now()
		_, err := tr.TrainOnBatch(context.Background(), x, y)
		check(t, "TrainOnBatch", err, nil)
		took = time.Since(began)
	}
	for i := range 20 {
		before := tr.Params()[9].Value().Values()
		first := tr.Params()[0].Value().At(0, 0)
		ctx, cancel := context.WithTimeout(context.Background(), took*time.Duration(i)/20)
		_, err := tr.TrainOnBatch(ctx, x, y)
		cancel()
		if err != nil && (first != tr.Params()[0].Value().At(0, 0) || !slices.Equal(before, tr.Params()[9].Value().Values())) {
			t.Fatalf("a step that fails with %v has changed parameters", err)
		}
	}
	var none context.Context
	_, err := tr.TrainOnBatch(none, x, y)
	check(t, "a nil context", err, expr.ErrValue)
}
