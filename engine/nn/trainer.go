package nn

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A Trainer trains a module and runs it. For each shape of a batch it compiles one
// program, at the first use. It is not safe for concurrent use. While nothing is
// trained, several goroutines may evaluate the module itself: Forward(nil, x) is a tree.
type Trainer[T Float] struct {
	Metrics  []Metric[T] // of Evaluate; each name stands for one function, and "loss" for the loss
	Clip     float64     // bound of the norm of all gradients; 0: none; see [Optimizer.Statements]
	Schedule Schedule    // of the learning rate; nil: constant

	module    Module[T]
	loss      Loss[T]
	optimizer *Optimizer[T]
	params    []*Param[T]
	seed      *expr.Param[uint32]
	step      *expr.Param[uint32]
	programs  []*compiled[T]
	clip      float64  // Clip of the programs
	metrics   []string // names of the metrics of the programs
	epoch     int      // epochs that Fit has ended
	batch     int      // batches of the current epoch that Fit has ended
}

// A Metric is a scalar of the output and the wanted output, such as [Accuracy],
// that Evaluate averages over the samples.
type Metric[T Float] struct {
	Name string
	Of   Loss[T]
}

// NewTrainer returns a trainer. Parameters that the caller freezes or adds later
// do not count.
func NewTrainer[T Float](m Module[T], loss Loss[T], o *Optimizer[T]) *Trainer[T] {
	t := &Trainer[T]{module: m, loss: loss, optimizer: o, seed: expr.NewParam[uint32](0), step: expr.NewParam[uint32](0)}
	if m != nil && loss != nil && o != nil {
		t.params = m.Params()
		o.prepare(t.params)
	}
	return t
}

// Params returns the parameters and buffers of the module.
func (t *Trainer[T]) Params() []*Param[T] { return zero.IfNil(t).params }

// Seed sets the seed of random masks. It is 0 at first. It does nothing to a trainer
// that NewTrainer did not make.
func (t *Trainer[T]) Seed(s uint32) {
	if t != nil && t.seed != nil {
		t.seed.Set(s)
	}
}

// A use says what a program is for.
type use uint8

const (
	training use = iota
	evaluation
	prediction
)

// A compiled is the program of one use for one shape of batches.
type compiled[T Float] struct {
	use     use
	x, y    *engine.Tensor[T] // what the program reads; y is nil for predictions
	out     *engine.Tensor[T] // of predictions
	scalars []*engine.Tensor[T]
	program *engine.Program
}

// compile returns the program of a use for batches of the shapes of x and y, which
// is nil for predictions alone.
func (t *Trainer[T]) compile(ctx context.Context, u use, x, y *engine.Tensor[T]) (*compiled[T], error) {
	if x == nil || y == nil && u != prediction {
		return nil, tree.NewError(tree.ErrType, "nn.Trainer", "the tensor of the samples or of the wanted outputs is nil")
	}
	err := x.Err()
	if err == nil && u != prediction {
		err = y.Err()
	}
	if err != nil {
		return nil, err
	}
	t.settle()
	for _, c := range t.programs {
		if c.use == u && c.x.Shape().Equal(x.Shape()) && (y == nil || c.y.Shape().Equal(y.Shape())) {
			return c, nil
		}
	}
	if err := t.usable(); err != nil {
		return nil, err
	}
	c := &compiled[T]{use: u}
	if c.x, err = t.zeros("x", x.Shape()); err != nil {
		return nil, err
	}
	if y != nil {
		if c.y, err = t.zeros("y", y.Shape()); err != nil {
			return nil, err
		}
	}
	stmts, err := t.statements(c)
	if err != nil {
		return nil, err
	}
	if c.program, err = engine.Compile(ctx, stmts...); err != nil {
		return nil, err
	}
	t.programs = append(t.programs, c)
	return c, nil
}

// usable returns an error for a trainer without a module, a loss or an optimiser, for a nil parameter, and for two
// parameters or two scores with one name, because a checkpoint or [Scores] would have one of them.
func (t *Trainer[T]) usable() error {
	if t.module == nil || t.loss == nil || t.optimizer == nil || slices.ContainsFunc(t.Metrics, func(m Metric[T]) bool { return m.Of == nil }) {
		return tree.NewError(tree.ErrType, "nn.Trainer", "the trainer has no module, no loss or no optimiser, or a metric has no function")
	}
	scores := map[string]bool{"loss": true}
	for _, m := range t.Metrics {
		if scores[m.Name] {
			return tree.NewError(tree.ErrValue, "nn.Trainer", "two scores have the name %q", m.Name)
		}
		scores[m.Name] = true
	}
	named := map[string]*autograd.Variable[T]{}
	for _, p := range t.params {
		switch {
		case p == nil || p.Variable == nil:
			return tree.NewError(tree.ErrType, "nn.Trainer", "a parameter is nil")
		case named[p.Name] != nil && named[p.Name] != p.Variable:
			return tree.NewError(tree.ErrValue, "nn.Trainer", "two parameters have the name %q; nn.Prefixed puts the name of a part before it", p.Name)
		}
		named[p.Name] = p.Variable
	}
	return nil
}

// settle forgets the programs if the caller has changed Clip or Metrics.
func (t *Trainer[T]) settle() {
	same := slices.EqualFunc(t.metrics, t.Metrics, func(name string, m Metric[T]) bool { return name == m.Name })
	if same && t.clip == t.Clip {
		return
	}
	t.programs, t.clip, t.metrics = nil, t.Clip, lists.Map(t.Metrics, func(m Metric[T]) string { return m.Name })
}

// zeros returns a tensor where the parameters are.
func (t *Trainer[T]) zeros(name string, s shape.Shape) (in *engine.Tensor[T], err error) {
	if len(t.params) > 0 {
		in, err = t.params[0].Value().NewZeros(s...)
	} else {
		in, err = engine.New[T](s...)
	}
	if err != nil {
		return nil, err
	}
	return in.Named(name), nil
}

// statements returns the statements of a program. The tensors that they store
// become part of c.
func (t *Trainer[T]) statements(c *compiled[T]) ([]expr.Statement, error) {
	if c.use == training {
		return t.training(c)
	}
	out := t.module.Forward(nil, c.x)
	if err := expr.NodeOf(out).Err(); err != nil {
		return nil, err
	}
	if c.use == prediction {
		var err error
		c.out, err = t.zeros("out", expr.NodeOf(out).Shape())
		return []expr.Statement{expr.Let(c.out, out)}, err
	}
	var stmts []expr.Statement
	for _, m := range append([]Metric[T]{{"loss", t.loss}}, t.Metrics...) {
		s, err := t.zeros(m.Name, nil)
		if err != nil {
			return nil, err
		}
		c.scalars = append(c.scalars, s)
		stmts = append(stmts, expr.Let(s, m.Of(out, c.y)))
	}
	return stmts, nil
}

// training returns the statements of a step: the loss, the gradients, the buffers,
// the updates.
func (t *Trainer[T]) training(c *compiled[T]) ([]expr.Statement, error) {
	pass := NewPass[T](t.step, t.seed)
	loss := t.loss(t.module.Forward(pass, c.x), c.y)
	vars := lists.Map(t.params, func(p *Param[T]) *autograd.Variable[T] { return p.Variable })
	g, err := autograd.Record(loss, vars...)
	if err != nil {
		return nil, err
	}
	c.scalars = []*engine.Tensor[T]{g.Loss()}
	updates, err := t.optimizer.Statements(t.params, t.Clip)
	return slices.Concat(g.Statements(expr.Set), pass.Statements(), updates), err
}

// run copies x and y to the tensors of a program, which it runs.
func (c *compiled[T]) run(ctx context.Context, x, y *engine.Tensor[T]) error {
	if err := put(c.x, x); err != nil {
		return err
	}
	if y != nil {
		if err := put(c.y, y); err != nil {
			return err
		}
	}
	return c.program.Run(ctx)
}

// put copies the elements of from, which may be on another device.
func put[T Float](to, from *engine.Tensor[T]) error {
	b, err := from.Array().Bytes()
	if err != nil {
		return err
	}
	x, err := elements(to)
	if err != nil {
		return err
	}
	copy(dtype.Bytes(x), b)
	return nil
}

// TrainOnBatch carries out one step on a batch: samples x and wanted outputs y,
// along the first axis. It returns the loss before the step. If it fails, the
// parameters are unchanged. A step that has begun ends also if ctx is cancelled, which
// fails the next one.
func (t *Trainer[T]) TrainOnBatch(ctx context.Context, x, y *engine.Tensor[T]) (float64, error) {
	t = zero.IfNil(t)
	c, err := t.compile(ctx, training, x, y)
	if err != nil {
		return 0, err
	}
	switch {
	case ctx == nil:
		return 0, tree.NewError(tree.ErrValue, "", "the context is nil")
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case ctx.Done() != nil: // a program that is cancelled has carried out some of its statements
		ctx = context.WithoutCancel(ctx)
	}
	factor := 1.
	if t.Schedule != nil {
		if factor = t.Schedule(t.optimizer.step); !(factor >= 0 && factor < 1e30) {
			return 0, tree.NewError(tree.ErrValue, "", "the schedule returns %v for step %d", factor, t.optimizer.step)
		}
	}
	t.step.Set(uint32(t.optimizer.step))
	t.optimizer.Advance(factor)
	if err := c.run(ctx, x, y); err != nil {
		t.optimizer.step--
		return 0, err
	}
	return float64(c.scalars[0].At()), nil
}

// Program returns the program of [Trainer.TrainOnBatch] for batches of the shapes
// of x and y. Explain on it lists the stages of a step and what they move.
func (t *Trainer[T]) Program(ctx context.Context, x, y *engine.Tensor[T]) (*engine.Program, error) {
	t = zero.IfNil(t)
	c, err := t.compile(ctx, training, x, y)
	if err != nil {
		return nil, err
	}
	return c.program, nil
}

// Cost returns in one line the number of loops, of products and of bytes that a
// run of a program moves.
func Cost(p *engine.Program) string {
	pl := zero.IfNil(p.Plan())
	loops, products, bytes := 0, 0, lists.Sum(pl.Stages, (*plan.Stage).Bytes)
	for _, s := range pl.All() {
		if s.A != nil {
			products++
		} else {
			loops++
		}
	}
	return fmt.Sprintf("%d loops, %d products, %d bytes", loops, products, bytes)
}

// Predict returns the output of the module for samples x.
func (t *Trainer[T]) Predict(ctx context.Context, x *engine.Tensor[T]) (*engine.Tensor[T], error) {
	t = zero.IfNil(t)
	c, err := t.compile(ctx, prediction, x, nil)
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx, x, nil); err != nil {
		return nil, err
	}
	return engine.FromSlice(c.out.Values(), c.out.Shape()...)
}

// Evaluate returns the loss and the metrics over an epoch of a loader, averaged
// over the samples. The values of the batches count by their numbers of samples.
// Without a batch they are NaN.
func (t *Trainer[T]) Evaluate(ctx context.Context, l *Loader[T]) (Scores, error) {
	t = zero.IfNil(t)
	sums := make([]float64, 1+len(t.Metrics))
	samples := 0
	for b, err := range l.Epoch(ctx, 0, 0) {
		if err != nil {
			return nil, err
		}
		c, err := t.compile(ctx, evaluation, b.X, b.Y)
		if err != nil {
			return nil, err
		}
		if err := c.run(ctx, b.X, b.Y); err != nil {
			return nil, err
		}
		n := b.X.Shape()[0]
		samples += n
		for i, s := range c.scalars {
			sums[i] += float64(n) * float64(s.At())
		}
	}
	s := Scores{"loss": sums[0] / float64(samples)}
	for i, m := range t.Metrics {
		s[m.Name] = sums[i+1] / float64(samples)
	}
	return s, nil
}

// Scores are the results of Evaluate by name. The loss is "loss".
type Scores map[string]float64

// A Fit says how a trainer trains.
type Fit[T Float] struct {
	Epochs     int // in all, with those of a checkpoint
	Data       *Loader[T]
	Validation *Loader[T]        // evaluated after each epoch; nil: none
	Each       func(Report) bool // called after each epoch; false ends the training; nil: none
	Progress   io.Writer         // gets a line for each epoch, and if it is a terminal a bar for the batches; nil: none
}

// A Report is about one epoch of training.
type Report struct {
	Epoch      int     // from 0
	Loss       float64 // mean over the batches that Fit has run, weighted by their samples; NaN without one
	Validation Scores
}

// Fit trains to the end of the epochs and returns a report for each. It goes on
// where a checkpoint that was loaded, or an earlier Fit, has stopped. When it
// returns an error, the batches before it have been trained.
func (t *Trainer[T]) Fit(ctx context.Context, f Fit[T]) (history []Report, err error) {
	t = zero.IfNil(t)
	if err := f.Data.check(); err != nil {
		return nil, err
	}
	var shown *display
	defer func() { shown.clear() }()
	for t.epoch < f.Epochs {
		r := Report{Epoch: t.epoch}
		samples := 0
		shown = f.begin(t.epoch)
		for b, err := range f.Data.Epoch(ctx, t.epoch, t.batch) {
			if err != nil {
				return history, err
			}
			loss, err := t.TrainOnBatch(ctx, b.X, b.Y)
			if err != nil {
				return history, err
			}
			t.batch++
			n := b.X.Shape()[0]
			samples += n
			r.Loss += (loss - r.Loss) * float64(n) / float64(samples)
			shown.batch(t.batch, r)
		}
		if samples == 0 {
			r.Loss = math.NaN()
		}
		t.epoch, t.batch = t.epoch+1, 0
		if f.Validation != nil {
			if r.Validation, err = t.Evaluate(ctx, f.Validation); err != nil {
				return history, err
			}
		}
		history = append(history, r)
		shown.end(r)
		if f.Each != nil && !f.Each(r) {
			break
		}
	}
	return history, nil
}

// EarlyStop returns a function for [Fit.Each] that ends the training when the loss
// of the validation, or of the training without one, has not fallen for more than
// patience epochs.
func EarlyStop(patience int) func(Report) bool {
	best, since := 0., -1
	return func(r Report) bool {
		loss := r.Loss
		if v, ok := r.Validation["loss"]; ok {
			loss = v
		}
		if since < 0 || !(loss >= best) && loss == loss {
			best, since = loss, 0
			return true
		}
		since++
		return since <= patience
	}
}
