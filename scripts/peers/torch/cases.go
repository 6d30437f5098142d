package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

type (
	tensor = *engine.Tensor[float32]
	exp    = expr.Exp[float32]
)

// A workload is a case of the comparison.
type workload struct {
	name, peer string
	runs       int     // whose results are compared
	tolerance  float64 // of results, relative to the largest element
	make       func() (*running, error)
}

// A running is a case that oneloop has compiled.
type running struct {
	in      []tensor // what peers read
	out     tensor   // the result of a run: of steps, the loss
	program *engine.Program
	run     func() error
}

var convolution = op.Sliding{Padding: []int{1}}

var cases = []workload{
	{"conv", "conv", 1, 1e-4, plain(func(x ...exp) (exp, error) { return op.Conv(x[0], x[1], convolution), nil },
		[]int{8, 64, 56, 56}, []int{64, 64, 3, 3})},
	{"conv_dx", "conv_dx", 1, 1e-4, plain(func(x ...exp) (exp, error) {
		return adjoint(op.Conv(x[0], x[1], convolution), x[2], x[0])
	}, []int{8, 64, 56, 56}, []int{64, 64, 3, 3}, []int{8, 64, 56, 56})},
	{"conv_dw", "conv_dw", 1, 1e-4, plain(func(x ...exp) (exp, error) {
		return adjoint(op.Conv(x[0], x[1], convolution), x[2], x[1])
	}, []int{8, 64, 56, 56}, []int{64, 64, 3, 3}, []int{8, 64, 56, 56})},
	{"attention", "attention", 1, 1e-5, plain(func(x ...exp) (exp, error) {
		return op.MatMul(op.Softmax(op.Scale(.125, op.MatMul(x[0], op.SwapAxes(x[1], -1, -2))), -1), x[2]), nil
	}, []int{8, 1024, 64}, []int{8, 1024, 64}, []int{8, 1024, 64})},
	{"max_pool_dx", "max_pool_dx", 1, 1e-5, pool("max")},
	{"unpool", "max_pool_dx", 1, 1e-5, plain(func(x ...exp) (exp, error) {
		// The maxima are at hand, as those of torch are.
		best, err := engine.New[float32](8, 64, 28, 28)
		if err == nil {
			err = best.Assign(op.MaxPool(x[0], window))
		}
		return op.Unpool[float32](x[0], best, x[1], window), err
	}, []int{8, 64, 56, 56}, []int{8, 64, 28, 28})},
	{"max_pool_dx with the pool", "max_pool_both", 1, 1e-5, pool("max")}, // which finds the maxima too
	{"avg_pool_dx", "avg_pool_dx", 1, 1e-5, pool("avg")},
	{"upsample, nearest", "upsample_nearest", 1, 0, upsampled("nearest")},
	{"upsample, bilinear", "upsample_bilinear", 1, 1e-5, upsampled("bilinear")},
	{"upsample_dx, nearest", "upsample_nearest_dx", 1, 1e-5, upsampledGradient("nearest")},
	{"upsample_dx, bilinear", "upsample_bilinear_dx", 1, 1e-5, upsampledGradient("bilinear")},
	{"mlp: 64 x 1000, 100, 10", "mlp", 5, 1e-4, training(mlp)},
	{"convnet: 32 digits", "convnet", 5, 1e-4, training(convnet)},
	{"transformer: 1 x 128 x 256", "transformer", 5, 1e-4, training(func(r *rand.Rand) net { return transformer(r, 1) })},
	{"transformer: 8 x 128 x 256", "transformer", 5, 1e-4, training(func(r *rand.Rand) net { return transformer(r, 8) })},
}

// adjoint returns the gradient of y with respect to x, for the adjoint g of y.
func adjoint(y, g, x exp) (exp, error) {
	all, err := grad.Of(op.Sum(op.Mul(y, g)), x)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// window slides as in ResNet's pool: windows overlap.
var window = op.Sliding{Kernel: []int{3, 3}, Stride: []int{2}, Padding: []int{1}}

func pool(reducer string) func() (*running, error) {
	return plain(func(x ...exp) (exp, error) {
		return adjoint(op.Pool(reducer, x[0], window), x[1], x[0])
	}, []int{8, 64, 56, 56}, []int{8, 64, 28, 28})
}

func upsampled(mode string) func() (*running, error) {
	return plain(func(x ...exp) (exp, error) { return op.Upsample(x[0], 2, mode), nil }, []int{8, 64, 56, 56})
}

func upsampledGradient(mode string) func() (*running, error) {
	return plain(func(x ...exp) (exp, error) {
		return adjoint(op.Upsample(x[0], 2, mode), x[1], x[0])
	}, []int{8, 64, 56, 56}, []int{8, 64, 112, 112})
}

// random returns a tensor of normally distributed numbers.
func random(r *rand.Rand, dims ...int) (tensor, error) {
	p := nn.NewParam[float32]("x", dims...)
	return p.Value(), p.Init(r, nn.Normal(0, 1))
}

// plain returns a case of one assignment for inputs of some shapes.
func plain(f func(x ...exp) (exp, error), inputs ...[]int) func() (*running, error) {
	return assigned(func(x ...exp) ([]exp, error) {
		e, err := f(x...)
		return []exp{e}, err
	}, inputs...)
}

// assigned returns a case of assignments of the results of f, of which the first is compared.
func assigned(f func(x ...exp) ([]exp, error), inputs ...[]int) func() (*running, error) {
	return func() (*running, error) {
		ctx, r, c := context.Background(), rand.New(rand.NewPCG(1, 2)), &running{}
		var x []exp
		for _, dims := range inputs {
			t, err := random(r, dims...)
			if err != nil {
				return nil, err
			}
			c.in, x = append(c.in, t), append(x, t)
		}
		all, err := f(x...)
		if err != nil {
			return nil, err
		}
		steps := make([]expr.Statement, len(all))
		for i, e := range all {
			y, err := engine.New[float32](e.Node().Shape()...)
			if err != nil {
				return nil, err
			}
			if steps[i] = expr.Let(y, e); i == 0 {
				c.out = y
			}
		}
		if c.program, err = engine.Compile(ctx, steps...); err != nil {
			return nil, err
		}
		c.run = func() error { return c.program.Run(ctx) }
		return c, nil
	}
}

// A net is a module with what trains it.
type net struct {
	module    nn.Module[float32]
	loss      nn.Loss[float32]
	optimizer *nn.Optimizer[float32]
	x         []int
	y         func() (tensor, error)
}

// training returns a case of one step on one batch.
func training(f func(r *rand.Rand) net) func() (*running, error) {
	return func() (*running, error) {
		ctx, r := context.Background(), rand.New(rand.NewPCG(1, 2))
		n := f(r)
		x, err := random(r, n.x...)
		if err != nil {
			return nil, err
		}
		y, err := n.y()
		if err != nil {
			return nil, err
		}
		loss, err := engine.New[float32]()
		if err != nil {
			return nil, err
		}
		c := &running{in: []tensor{x, y}, out: loss}
		for _, p := range n.module.Params() {
			if p.RequiresGrad() {
				c.in = append(c.in, p.Value())
			}
		}
		t := nn.NewTrainer(n.module, n.loss, n.optimizer)
		if c.program, err = t.Program(ctx, x, y); err != nil {
			return nil, err
		}
		c.run = func() error {
			l, err := t.TrainOnBatch(ctx, x, y)
			loss.Data()[0] = float32(l)
			return err
		}
		return c, nil
	}
}

func mlp(r *rand.Rand) net {
	return net{
		module: nn.NewSequential[float32](
			nn.NewLinear[float32](r, 1000, 100), nn.Func[float32](op.ReLU[float32]), nn.NewLinear[float32](r, 100, 10)),
		loss:      func(out, want exp) exp { return op.Sum(op.Square(op.Sub(out, want))) },
		optimizer: nn.Adam[float32](1e-4),
		x:         []int{64, 1000},
		y:         func() (tensor, error) { return random(r, 64, 10) },
	}
}

// convnet is the network of examples/digits without dropout, and without biases
// that the norms take away.
func convnet(r *rand.Rand) net {
	w := nn.Window2D{Size: 3, Padding: 1}
	first, second := nn.NewConv2D[float32](r, 1, 16, w), nn.NewConv2D[float32](r, 16, 32, w)
	first.Bias, second.Bias = nil, nil
	relu := nn.Func[float32](op.ReLU[float32])
	return net{
		module: nn.NewSequential[float32](
			first, nn.NewBatchNorm[float32](16), relu,
			second, nn.NewBatchNorm[float32](32), relu,
			nn.MaxPool2D[float32](nn.Window2D{Size: 2, Stride: 2}),
			nn.Flatten[float32]{}, nn.NewLinear[float32](r, 512, 10)),
		loss: nn.CrossEntropy[float32](), optimizer: nn.AdamW[float32](3e-3),
		x: []int{32, 1, 8, 8},
		y: func() (tensor, error) {
			y, err := engine.New[float32](32)
			for i := range 32 {
				y.Data()[i] = float32(r.IntN(10))
			}
			return y, err
		},
	}
}

func transformer(r *rand.Rand, n int) net {
	return net{
		module: nn.NewSequential[float32](newBlock(r, 256, 4), newBlock(r, 256, 4)),
		loss:   nn.MSE[float32], optimizer: nn.AdamW[float32](1e-3),
		x: []int{n, 128, 256},
		y: func() (tensor, error) { return random(r, n, 128, 256) },
	}
}

// A block is a layer of a transformer, with norms before its parts.
type block struct {
	norms  [2]*nn.LayerNorm[float32]
	attend *nn.Attention[float32]
	linear [2]*nn.Linear[float32]
}

func newBlock(r *rand.Rand, width, heads int) *block {
	return &block{
		norms:  [2]*nn.LayerNorm[float32]{nn.NewLayerNorm[float32](width), nn.NewLayerNorm[float32](width)},
		attend: nn.NewAttention[float32](r, width, heads),
		linear: [2]*nn.Linear[float32]{nn.NewLinear[float32](r, width, 4*width), nn.NewLinear[float32](r, 4*width, width)},
	}
}

func (b *block) Forward(p *nn.Pass[float32], x exp) exp {
	x = op.Add(x, b.attend.Forward(p, b.norms[0].Forward(p, x)))
	h := op.GeluTanh(b.linear[0].Forward(p, b.norms[1].Forward(p, x)))
	return op.Add(x, b.linear[1].Forward(p, h))
}

func (b *block) Params() (all []*nn.Param[float32]) {
	for i, m := range []nn.Module[float32]{b.norms[0], b.attend, b.norms[1], b.linear[0], b.linear[1]} {
		for _, p := range m.Params() {
			all = append(all, &nn.Param[float32]{Variable: p.Variable, Name: fmt.Sprintf("%d.%s", i, p.Name)})
		}
	}
	return all
}

func (c *running) timed(threads int) paired.Side {
	clock := paired.Elapsed
	if threads == 1 {
		clock = paired.UsedByAll
	}
	run := paired.Repeated(clock, c.run)
	return func(reps int) time.Duration {
		runtime.GC() // not within the time of a run, as nothing is allocated there
		return run(reps)
	}
}

// about returns the number of loops, products, bytes and temporaries of a run, and
// how much it allocates. If stages is set, it also returns the stages, each with the least of
// its processor times.
func (c *running) about(stages bool) string {
	p := c.program.Plan()
	allocations := testing.AllocsPerRun(10, func() { failure.Check(c.run()) })
	text := fmt.Sprintf("%s, %d temporaries of %d bytes, %v allocations", nn.Cost(c.program), len(p.Temps), p.Arena, allocations)
	if !stages {
		return lines(text)
	}
	times := slices.Repeat([]time.Duration{math.MaxInt64}, len(p.Stages))
	var begin time.Duration
	failure.Check(c.program.Observe(func(s engine.StageRun) {
		end := paired.UsedByAll()
		times[s.Stage], begin = min(times[s.Stage], end-begin), end
	}))
	const runs = 100
	for range runs {
		begin = paired.UsedByAll()
		failure.Check(c.run())
	}
	order := lists.UpTo(len(times))
	slices.SortFunc(order, func(i, j int) int { return int(times[j] - times[i]) })
	var b strings.Builder
	fmt.Fprintln(&b, text)
	for _, i := range order {
		fmt.Fprintf(&b, "%8.2f us stage %d\n", times[i].Seconds()*1e6, i)
	}
	failure.Check(c.program.Observe(nil))
	return lines(b.String() + c.program.Explain())
}
