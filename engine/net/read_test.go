package net_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// A net takes the batches of a loader, which a goroutine reads ahead.
func ExampleWorkspace_Read() {
	ctx := context.Background()
	x, y := engine.MustFromSlice([]float32{1, 2, 3, 4}, 4, 1), engine.MustFromSlice([]float32{10, 20, 30, 40}, 4, 1)
	data, err := nn.FromTensors(x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	source, err := net.Loaded(&nn.Loader[float32]{Data: data, Batch: 2, Prefetch: 2}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	ws := net.NewWorkspace()
	defer ws.Close()
	if err := ws.Read(ctx, "points", source); err != nil {
		fmt.Println(err)
		return
	}
	n, err := ws.CreateNet(&net.NetDef{Name: "sums", Op: []*net.OperatorDef{
		net.Op("Input", nil, []string{"x", "y"}, net.Arg("source", "points")),
		net.Op("Add", []string{"x", "y"}, []string{"sum"}),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		err := n.Run(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(ws.Blob("sum"))
	}
	// Output:
	// [[11]
	//  [22]]
	// [[33]
	//  [44]]
}

const inputNet = `name: "in" op { type: "Input" name: "reader" output: "x" output: "y" arg { name: "source" s: "s" } } op { type: "Add" input: "x" input: "y" output: "sum" }`

// pairs is a source of pairs {i, i}, {10 i} for i = 0 to n-1, and then of err. It
// counts in made what it has yielded, and ends nothing by itself if n is negative.
type pairs struct {
	n    int
	err  error
	made atomic.Int64
	over atomic.Bool
}

func (p *pairs) source(ahead int) net.Source {
	info := net.Info{Type: dtype.F32, Shape: shape.Shape{2}}
	return net.Source{Arrays: []net.Info{info, info}, Ahead: ahead, Batches: func(context.Context) iter.Seq2[[]*engine.Array, error] {
		return func(yield func([]*engine.Array, error) bool) {
			defer p.over.Store(true)
			x, y := engine.Zeros[float32](2), engine.Zeros[float32](2)
			for i := 0; i != p.n; i++ {
				for k := range 2 {
					x.Data()[k], y.Data()[k] = float32(i), float32(10*i)
				}
				p.made.Add(1)
				if !yield([]*engine.Array{x.Array(), y.Array()}, nil) {
					return
				}
			}
			if p.err != nil {
				yield(nil, p.err)
			}
		}
	}}
}

// newReader returns a net that reads a source.
func newReader(t *testing.T, s net.Source) (*net.Workspace, *net.Net) {
	t.Helper()
	w := net.NewWorkspace()
	t.Cleanup(w.Close)
	if err := w.Read(context.Background(), "s", s); err != nil {
		t.Fatal(err)
	}
	n, err := w.CreateNet(parse(t, inputNet))
	if err != nil {
		t.Fatal(err)
	}
	return w, n
}

// eventually waits until f is true, for a minute at most.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// TestInput checks the order of batches, their number ahead and the end.
func TestInput(t *testing.T) {
	for _, ahead := range []int{0, 1, 3} {
		p := &pairs{n: 12}
		w, n := newReader(t, p.source(ahead))
		for i := range 12 {
			// One is made, and ahead wait; the source makes the next one when one of them is taken.
			want := int64(min(12, i+ahead+1))
			eventually(t, fmt.Sprintf("batch %d: fewer than %d are made", i, want), func() bool { return p.made.Load() >= want })
			if made := p.made.Load(); made != want {
				t.Errorf("batch %d with %d ahead: %d are made, want %d", i, ahead, made, want)
			}
			if err := n.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got := fetch(t, w, "sum"); !slices.Equal(got, []float32{float32(11 * i), float32(11 * i)}) {
				t.Fatalf("batch %d is %v", i, got)
			}
		}
		for range 2 {
			err := n.Run(context.Background())
			var e *net.Error
			if !errors.Is(err, io.EOF) || !errors.As(err, &e) || e.Type != "Input" || e.Blob != "x" {
				t.Errorf("after the last batch: %v", err)
			}
		}
		if err := w.Read(context.Background(), "s", (&pairs{n: 1}).source(ahead)); err != nil {
			t.Fatal(err)
		}
		if err := n.Run(context.Background()); err != nil {
			t.Errorf("another source of the name: %v", err)
		}
	}
}

// TestInputErrors checks that errors reach all waiters, with operator and blob.
func TestInputErrors(t *testing.T) {
	stop := errors.New("the disk is gone")
	f32 := func(n ...int) net.Info { return net.Info{Type: dtype.F32, Shape: n} }
	once := func(f func() []*engine.Array) func(context.Context) iter.Seq2[[]*engine.Array, error] {
		return func(context.Context) iter.Seq2[[]*engine.Array, error] {
			return func(yield func([]*engine.Array, error) bool) { yield(f(), nil) }
		}
	}
	both := []net.Info{f32(2), f32(2)}
	two := engine.Zeros[float32](2).Array()
	for name, c := range map[string]struct {
		s    net.Source
		want error
		blob string
	}{
		"an error":        {(&pairs{err: stop}).source(2), stop, "x"},
		"a panic":         {net.Source{Arrays: both, Batches: once(func() []*engine.Array { panic("no") })}, expr.ErrValue, "x"},
		"another shape":   {net.Source{Arrays: both, Batches: once(func() []*engine.Array { return []*engine.Array{two, engine.Zeros[float32](3).Array()} })}, expr.ErrShape, "y"},
		"another type":    {net.Source{Arrays: both, Batches: once(func() []*engine.Array { return []*engine.Array{two, engine.Zeros[int32](2).Array()} })}, expr.ErrShape, "y"},
		"a nil array":     {net.Source{Arrays: both, Batches: once(func() []*engine.Array { return []*engine.Array{nil, two} })}, expr.ErrType, "x"},
		"too few arrays":  {net.Source{Arrays: both, Batches: once(func() []*engine.Array { return []*engine.Array{two} })}, expr.ErrShape, "x"},
		"too few outputs": {net.Source{Arrays: append(both, f32(2)), Batches: once(func() []*engine.Array { return nil })}, expr.ErrValue, ""},
	} {
		_, n := newReader(t, c.s)
		event := n.RunAsync(context.Background())
		add := n.Operators()[1].Event()
		err := event.Wait(context.Background())
		var e *net.Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Name != "reader" || e.Blob != c.blob {
			t.Errorf("%s: %v", name, err)
		}
		if waited := add.Wait(context.Background()); waited != err {
			t.Errorf("%s: the operator after it has %v, not %v", name, waited, err)
		}
	}
	w := net.NewWorkspace()
	for name, s := range map[string]net.Source{"no batches": {Arrays: both}, "no arrays": {Batches: (&pairs{}).source(0).Batches}, "a negative number": {Arrays: both, Ahead: -1, Batches: (&pairs{}).source(0).Batches}} {
		if err := w.Read(context.Background(), "s", s); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := net.Loaded[float32](nil, 1); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a nil loader: %v", err)
	}
	if _, err := w.Shapes(parse(t, inputNet), nil); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), `"s"`) {
		t.Errorf("no source: %v", err)
	}
}

// TestInputEnds checks that the reading ends with Close and with its context, while
// a net waits too, and that a context of a run takes no batch away.
func TestInputEnds(t *testing.T) {
	p := &pairs{n: -1}
	w, n := newReader(t, p.source(2))
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := n.Run(over); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is cancelled: %v", err)
	}
	if err := n.Run(context.Background()); err != nil || fetch(t, w, "x")[0] != 0 {
		t.Errorf("the run after it: %v, %v", err, fetch(t, w, "x"))
	}
	w.Close()
	if !p.over.Load() {
		t.Error("the source goes on after Close")
	}
	if err := n.Run(context.Background()); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a run after Close: %v", err)
	}

	// A source that waits: the net waits with it.
	for name, end := range map[string]func(w *net.Workspace, cancelSource, cancelRun func()){
		"Close":                     func(w *net.Workspace, _, _ func()) { w.Close() },
		"the context of the source": func(_ *net.Workspace, cancel, _ func()) { cancel() },
		"the context of the run":    func(_ *net.Workspace, _, cancel func()) { cancel() },
	} {
		w, entered := net.NewWorkspace(), make(chan bool)
		ctx, cancel := context.WithCancel(context.Background())
		run, cancelRun := context.WithCancel(context.Background())
		err := w.Read(ctx, "s", net.Source{
			Arrays: (&pairs{}).source(0).Arrays,
			Batches: func(ctx context.Context) iter.Seq2[[]*engine.Array, error] {
				return func(func([]*engine.Array, error) bool) {
					close(entered)
					<-ctx.Done()
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		n, err := w.CreateNet(parse(t, inputNet))
		if err != nil {
			t.Fatal(err)
		}
		event := n.RunAsync(run)
		<-entered
		end(w, cancel, cancelRun)
		// Before the net has looked for the source, Close is seen as no source.
		if err := event.Wait(context.Background()); !errors.Is(err, context.Canceled) && !(name == "Close" && errors.Is(err, expr.ErrValue)) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
		cancelRun()
		w.Close()
	}
}

// TestInputTogether checks that operators that run at the same time take each batch
// once.
func TestInputTogether(t *testing.T) {
	w := net.NewWorkspace()
	defer w.Close()
	if err := w.Read(context.Background(), "s", (&pairs{n: 40}).source(1)); err != nil {
		t.Fatal(err)
	}
	text := `type: "dag" num_workers: 4 `
	for _, k := range "abcd" {
		text += fmt.Sprintf(`op { type: "Input" output: "x%c" output: "y%c" arg { name: "source" s: "s" } } `, k, k)
	}
	n, err := w.CreateNet(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	for run := range 10 {
		if err := n.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		var got []float32
		for _, k := range "abcd" {
			x, y := fetch(t, w, "x"+string(k)), fetch(t, w, "y"+string(k))
			if x[1] != x[0] || y[0] != 10*x[0] {
				t.Errorf("parts of two batches: %v, %v", x, y)
			}
			got = append(got, x[0])
		}
		slices.Sort(got)
		for i, v := range got {
			if int(v) != 4*run+i {
				t.Fatalf("run %d has the batches %v", run, got)
			}
		}
	}
}
