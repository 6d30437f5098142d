package nn_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// blobs returns n points in two groups, and their labels.
func blobs(n int) (x, y *engine.Tensor[float32]) {
	x, y = engine.Zeros[float32](n, 2), engine.Zeros[float32](n)
	r := rng()
	for i := range n {
		c := float32(i % 2)
		x.Data()[2*i] = 3*c + float32(r.NormFloat64())
		x.Data()[2*i+1] = -2*c + float32(r.NormFloat64())
		y.Data()[i] = c
	}
	return x, y
}

// newTrainer returns a trainer of a network with everything random: shuffling,
// dropout and running statistics.
func newTrainer() *nn.Trainer[float32] {
	r := rng()
	m := nn.NewSequential[float32](
		nn.NewLinear[float32](r, 2, 8), nn.NewBatchNorm[float32](8), nn.Func[float32](op.ReLU[float32]),
		nn.Dropout[float32]{P: .1}, nn.NewLinear[float32](r, 8, 2))
	t := nn.NewTrainer(m, nn.CrossEntropy[float32](), nn.AdamW[float32](.02))
	t.Metrics = []nn.Metric[float32]{{Name: "accuracy", Of: nn.Accuracy[float32]}}
	t.Clip, t.Schedule = 1, nn.Cosine(60, .1)
	t.Seed(5)
	return t
}

func loader(t *testing.T, n int) *nn.Loader[float32] {
	t.Helper()
	d, err := nn.FromTensors(blobs(n))
	if err != nil {
		t.Fatal(err)
	}
	return &nn.Loader[float32]{Data: d, Batch: 16, Shuffle: true, Seed: 3, Prefetch: 2}
}

func TestFit(t *testing.T) {
	ctx := context.Background()
	tr, l := newTrainer(), loader(t, 100) // the last batch has 4 samples
	h, err := tr.Fit(ctx, nn.Fit[float32]{Epochs: 10, Data: l, Validation: l})
	if err != nil {
		t.Fatal(err)
	}
	last := h[len(h)-1]
	if len(h) != 10 || !(last.Loss < h[0].Loss/2) || last.Validation["accuracy"] < .95 {
		t.Errorf("history %+v", h)
	}
	s, err := tr.Evaluate(ctx, l)
	if err != nil || s["loss"] != last.Validation["loss"] {
		t.Errorf("Evaluate gives %v, %v, the history %v", s, err, last.Validation)
	}
	x, y := blobs(6)
	out, err := tr.Predict(ctx, x)
	if err != nil || !out.Shape().Equal([]int{6, 2}) {
		t.Fatalf("Predict gives %v, %v", out, err)
	}
	for i, label := range y.Data() {
		if (out.At(i, 1) > out.At(i, 0)) != (label == 1) {
			t.Errorf("sample %d of class %v has %v", i, label, out.Values()[2*i:][:2])
		}
	}
	if h, err := tr.Fit(ctx, nn.Fit[float32]{Epochs: 10, Data: l}); len(h) != 0 || err != nil {
		t.Errorf("a training that has ended goes on: %v, %v", h, err)
	}
}

func parameters(tr *nn.Trainer[float32]) (all []float32) {
	for _, p := range tr.Params() {
		all = append(all, p.Value().Values()...)
	}
	return all
}

// TestResume interrupts a training in the middle of an epoch, loads its checkpoint
// into a new trainer, and compares the bits with those of a training without the
// interruption.
func TestResume(t *testing.T) {
	ctx := context.Background()
	whole, l := newTrainer(), loader(t, 100)
	if _, err := whole.Fit(ctx, nn.Fit[float32]{Epochs: 3, Data: l}); err != nil {
		t.Fatal(err)
	}
	part := newTrainer()
	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	stop := errors.New("stop")
	broken := *l
	broken.Data = &failing{Dataset: l.Data, after: 100 + 40, err: stop}
	broken.Prefetch = 0
	_, err := part.Fit(ctx, nn.Fit[float32]{Epochs: 3, Data: &broken})
	check(t, "the interruption", err, stop)
	check(t, "Save", part.Save(path), nil)
	again := newTrainer()
	for _, p := range again.Params() {
		if err := p.Value().Assign(op.Full[float32](9)); err != nil {
			t.Fatal(err)
		}
	}
	again.Seed(77)
	check(t, "Load", again.Load(path), nil)
	if slices.Equal(parameters(again), parameters(whole)) {
		t.Error("the interruption came after the end")
	}
	if _, err := again.Fit(ctx, nn.Fit[float32]{Epochs: 3, Data: l}); err != nil {
		t.Fatal(err)
	}
	if got, want := parameters(again), parameters(whole); !slices.Equal(got, want) {
		t.Errorf("after the interruption: %v, without: %v", got, want)
	}
}

// A failing dataset fails after a number of reads.
type failing struct {
	nn.Dataset[float32]
	after int
	err   error // nil: a panic
}

func (f *failing) Read(i int, x, y []float32) error {
	if f.after--; f.after < 0 {
		if f.err == nil {
			panic("the sample is broken")
		}
		return f.err
	}
	return f.Dataset.Read(i, x, y)
}

func TestLoadErrors(t *testing.T) {
	tr := newTrainer()
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	check(t, "Save", tr.Save(good), nil)
	before := parameters(tr)
	arrays, meta, err := nn.LoadTensors(good)
	check(t, "LoadTensors", err, nil)
	wide, err := engine.New[float64](8)
	check(t, "New", err, nil)
	for name, c := range map[string]struct {
		change func(a map[string]*engine.Array, m map[string]string)
		kind   error
	}{
		"a missing tensor":   {func(a map[string]*engine.Array, _ map[string]string) { delete(a, "model.0.bias") }, expr.ErrValue},
		"a tensor too many":  {func(a map[string]*engine.Array, _ map[string]string) { a["x"] = wide.Array() }, expr.ErrValue},
		"another type":       {func(a map[string]*engine.Array, _ map[string]string) { a["model.0.bias"] = wide.Array() }, expr.ErrShape},
		"another shape":      {func(a map[string]*engine.Array, _ map[string]string) { a["model.0.bias"] = a["model.4.bias"] }, expr.ErrShape},
		"another optimiser":  {func(_ map[string]*engine.Array, m map[string]string) { m["optimizer"] = "SGD" }, expr.ErrValue},
		"a rate of NaN":      {func(_ map[string]*engine.Array, m map[string]string) { m["rate"] = "nan" }, expr.ErrValue},
		"no step":            {func(_ map[string]*engine.Array, m map[string]string) { delete(m, "step") }, expr.ErrValue},
		"a negative epoch":   {func(_ map[string]*engine.Array, m map[string]string) { m["epoch"] = "-1" }, expr.ErrValue},
		"a step beyond 2^31": {func(_ map[string]*engine.Array, m map[string]string) { m["step"] = "2147483648" }, expr.ErrValue},
	} {
		a, m := map[string]*engine.Array{}, map[string]string{}
		for k, v := range arrays {
			a[k] = v
		}
		for k, v := range meta {
			m[k] = v
		}
		c.change(a, m)
		path := filepath.Join(dir, "bad")
		check(t, "SaveTensors", nn.SaveTensors(path, a, m), nil)
		err := tr.Load(path)
		if check(t, name, err, c.kind); err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
		if !slices.Equal(parameters(tr), before) {
			t.Fatalf("%s: the parameters have changed", name)
		}
	}
}

// TestFailedStep checks that a step on a wrong label changes nothing.
func TestFailedStep(t *testing.T) {
	ctx := context.Background()
	tr := newTrainer()
	x, y := blobs(8)
	before := parameters(tr)
	for _, label := range []float32{2, -1, float32(math.Inf(1))} {
		y.Data()[3] = label
		_, err := tr.TrainOnBatch(ctx, x, y)
		if !errors.Is(err, expr.ErrIndex) {
			t.Errorf("label %v: %v", label, err)
		}
		if want := fmt.Sprintf("oneloop: nn.CrossEntropy: index %d at [3] is out of range", int64(label)); !strings.HasPrefix(err.Error(), want) && label < 9 {
			t.Errorf("label %v: %v, want %s", label, err, want)
		}
		if !slices.Equal(parameters(tr), before) {
			t.Errorf("label %v: the parameters have changed", label)
		}
	}
	y.Data()[3] = nn.Ignored
	if l, err := tr.TrainOnBatch(ctx, x, y); err != nil || !(l > 0) {
		t.Errorf("an ignored label: %v, %v", l, err)
	}
	tr.Schedule = func(int) float64 { return math.NaN() }
	_, err := tr.TrainOnBatch(ctx, x, y)
	check(t, "a schedule of NaN", err, expr.ErrValue)
	_, err = tr.TrainOnBatch(ctx, nil, y)
	check(t, "no samples", err, expr.ErrType)
	empty := nn.NewTrainer[float32](nil, nil, nil)
	_, err = empty.TrainOnBatch(ctx, x, y)
	check(t, "no module", err, expr.ErrType)
	check(t, "saving nothing", empty.Save(""), expr.ErrType)
	check(t, "loading into nothing", empty.Load(""), expr.ErrType)
}

func TestTrainOnBatchAllocs(t *testing.T) {
	ctx := context.Background()
	tr := newTrainer()
	x, y := blobs(16)
	if n := testlevel.Allocs(20, func() {
		if _, err := tr.TrainOnBatch(ctx, x, y); err != nil {
			t.Fatal(err)
		}
	}); n > 2 { // the copies of the batch
		t.Errorf("a step allocates %v times", n)
	}
}

func TestEarlyStop(t *testing.T) {
	f := nn.EarlyStop(1)
	var went []bool
	for _, loss := range []float64{3, 2, 2.5, 1, 1.5, 1.2} {
		went = append(went, f(nn.Report{Loss: 9, Validation: nn.Scores{"loss": loss}}))
	}
	if !slices.Equal(went, []bool{true, true, true, true, true, false}) {
		t.Errorf("got %v", went)
	}
}

// TestEarlyStopAtNaN checks that a loss that is no number is no best one.
func TestEarlyStopAtNaN(t *testing.T) {
	f := nn.EarlyStop(1)
	var went []bool
	for _, loss := range []float64{math.NaN(), 2, 3, 1, math.NaN(), math.NaN()} {
		went = append(went, f(nn.Report{Loss: loss}))
	}
	if !slices.Equal(went, []bool{true, true, true, true, true, false}) {
		t.Errorf("got %v", went)
	}
}

// TestFitWithoutBatch checks that the loss of no batch is NaN, which no best loss is.
func TestFitWithoutBatch(t *testing.T) {
	l := loader(t, 100)
	l.Batch, l.DropLast = 101, true
	h, err := newTrainer().Fit(context.Background(), nn.Fit[float32]{Epochs: 1, Data: l, Validation: l})
	if err != nil || len(h) != 1 || !math.IsNaN(h[0].Loss) || !math.IsNaN(h[0].Validation["loss"]) {
		t.Errorf("got %v, %v", h, err)
	}
}

// TestProgress checks the lines that Fit writes where there is no terminal, and that
// a writer that fails does not stop the training.
func TestProgress(t *testing.T) {
	var out strings.Builder
	l := loader(t, 100)
	h, err := newTrainer().Fit(context.Background(), nn.Fit[float32]{Epochs: 2, Data: l, Validation: l, Progress: &out})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("wrote %q", out.String())
	}
	for i, line := range lines {
		want := fmt.Sprintf("epoch %d/2: loss %.4g; validation: accuracy %.4g, loss %.4g, ", i+1, h[i].Loss, h[i].Validation["accuracy"], h[i].Validation["loss"])
		if rest, ok := strings.CutPrefix(line, want); !ok || !strings.HasSuffix(rest, "s") {
			t.Errorf("%q, want %q and a time", line, want)
		}
	}
	closed, w := io.Pipe()
	closed.Close()
	if h, err := newTrainer().Fit(context.Background(), nn.Fit[float32]{Epochs: 2, Data: l, Progress: w}); err != nil || len(h) != 2 {
		t.Errorf("%v, %v", h, err)
	}
}

// A counted dataset counts the samples that are read.
type counted struct {
	nn.Dataset[float32]
	reads atomic.Int64
}

func (c *counted) Read(i int, x, y []float32) error {
	c.reads.Add(1)
	return c.Dataset.Read(i, x, y)
}

// TestPrefetch checks that batches are read while the caller works on one, as many
// as it asked for and one that waits, and that no goroutine outlives a loop, however
// it ends.
func TestPrefetch(t *testing.T) {
	l := loader(t, 160) // 10 batches
	c := &counted{Dataset: l.Data}
	l.Data, l.Prefetch = c, 3
	for _, err := range l.Epoch(context.Background(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		want := int64(16 * (1 + 3 + 1))
		if !reading() {
			t.Error("no goroutine reads ahead")
		}
		for deadline := time.Now().Add(time.Minute); c.reads.Load() < want && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		if n := c.reads.Load(); n != want {
			t.Errorf("%d samples are read ahead, want %d", n, want)
		}
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	for range l.Epoch(ctx, 0, 0) {
		cancel()
	}
	cancel()
	func() {
		defer func() { _ = recover() }()
		for range l.Epoch(context.Background(), 0, 0) {
			panic("the caller")
		}
	}()
	// A goroutine is still there for a moment after it has closed its channel.
	for deadline := time.Now().Add(time.Minute); reading() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if reading() {
		t.Error("a goroutine still reads ahead")
	}
}

// reading reports whether some goroutine reads ahead.
func reading() bool {
	var b strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	return strings.Contains(b.String(), "/engine/internal/ahead.Start")
}

func TestLoader(t *testing.T) {
	ctx := context.Background()
	x, y := engine.Zeros[float64](10, 2), engine.Zeros[float64](10)
	for i := range 10 {
		x.Data()[2*i], x.Data()[2*i+1], y.Data()[i] = float64(i), -float64(i), float64(100+i)
	}
	d, err := nn.FromTensors(x, y)
	check(t, "FromTensors", err, nil)
	rows := func(l nn.Loader[float64], epoch, from int) (all []int, sizes []int) {
		for b, err := range l.Epoch(ctx, epoch, from) {
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, b.Y.Shape()[0])
			for i, v := range b.Y.Data() {
				row := int(v) - 100
				if b.X.At(i, 0) != float64(row) || b.X.At(i, 1) != -float64(row) {
					t.Fatalf("row %d has %v", row, b.X)
				}
				all = append(all, row)
			}
		}
		return all, sizes
	}
	plain := nn.Loader[float64]{Data: d, Batch: 4}
	if all, sizes := rows(plain, 0, 0); !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) || !slices.Equal(sizes, []int{4, 4, 2}) || plain.Batches() != 3 {
		t.Errorf("%v in batches of %v", all, sizes)
	}
	plain.DropLast = true
	if all, _ := rows(plain, 0, 0); len(all) != 8 || plain.Batches() != 2 {
		t.Errorf("DropLast leaves %v", all)
	}
	shuffled := nn.Loader[float64]{Data: d, Batch: 3, Shuffle: true, Seed: 1}
	one, _ := rows(shuffled, 0, 0)
	two, _ := rows(shuffled, 1, 0)
	if again, _ := rows(shuffled, 0, 0); slices.Equal(one, two) || !slices.Equal(one, again) {
		t.Errorf("epochs %v, %v, and the first again %v", one, two, again)
	}
	for _, prefetch := range []int{1, 2, 5} {
		shuffled.Prefetch = prefetch
		if ahead, _ := rows(shuffled, 0, 0); !slices.Equal(ahead, one) {
			t.Errorf("with prefetch %d: %v, want %v", prefetch, ahead, one)
		}
		if rest, _ := rows(shuffled, 0, 2); !slices.Equal(rest, one[6:]) {
			t.Errorf("from batch 2: %v, want %v", rest, one[6:])
		}
	}
	sorted := slices.Sorted(slices.Values(one))
	if !slices.Equal(sorted, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("an epoch has %v", sorted)
	}
	_, err = nn.FromTensors(x, engine.Zeros[float64](9))
	check(t, "other numbers of rows", err, expr.ErrShape)
}

// A sized dataset says that it has another number of samples.
type sized struct {
	nn.Dataset[float32]
	n int
}

func (d sized) Len() int { return d.n }

// TestLoaderErrors checks that errors, panics and cancellation end an epoch, with
// and without a goroutine that reads ahead.
func TestLoaderErrors(t *testing.T) {
	l := loader(t, 100)
	data := l.Data
	stop := errors.New("stop")
	for _, l.Prefetch = range []int{0, 3} {
		for name, c := range map[string]struct {
			err, want error
		}{"an error": {stop, stop}, "a panic": {nil, expr.ErrValue}} {
			l.Data = &failing{Dataset: data, after: 40, err: c.err}
			batches, failed := 0, error(nil)
			for _, err := range l.Epoch(context.Background(), 0, 0) {
				batches++
				failed = err
			}
			if check(t, name, failed, c.want); batches != 3 {
				t.Errorf("%s after 40 samples: %d batches", name, batches)
			}
		}
		l.Data = data
		ctx, cancel := context.WithCancel(context.Background())
		failed := error(nil)
		for _, err := range l.Epoch(ctx, 0, 0) {
			cancel()
			failed = err
		}
		cancel()
		check(t, "cancellation", failed, context.Canceled)
		for range l.Epoch(context.Background(), 0, 0) {
			break // must not leave a goroutine behind
		}
	}
	for n, want := range map[int]error{-5: expr.ErrValue, math.MaxInt / 2: expr.ErrOutOfMemory} {
		l.Data = sized{Dataset: data, n: n}
		_, err := newTrainer().Fit(context.Background(), nn.Fit[float32]{Epochs: 1, Data: l})
		check(t, fmt.Sprint(n, " samples"), err, want)
	}
	l.Batch = 0
	for _, err := range l.Epoch(context.Background(), 0, 0) {
		check(t, "batches of 0", err, expr.ErrValue)
	}
	_, err := newTrainer().Fit(context.Background(), nn.Fit[float32]{Epochs: 1})
	check(t, "no data", err, expr.ErrValue)
}
