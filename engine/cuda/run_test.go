package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan"
)

var ctx = context.Background()

// ramp returns a vector 0, 1/8, 2/8, ... on a device.
func ramp(t *testing.T, d driver.Device, n int) *engine.Tensor[float32] {
	t.Helper()
	x := engine.Zeros[float32](n)
	for i := range x.Data() {
		x.Data()[i] = float32(i) / 8
	}
	there, err := x.To(d)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

func zeros(t *testing.T, d driver.Device, dims ...int) *engine.Tensor[float32] {
	t.Helper()
	x, err := engine.Zeros[float32](dims...).To(d)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testOpen(t *testing.T, _ *standIn) {
	n, err := engine.CountDevices("cuda")
	if n != 2 || err != nil {
		t.Fatalf("%d GPUs, %v", n, err)
	}
	d, err := engine.OpenDevice("cuda:1")
	check(t, err)
	again, err := engine.OpenDevice("cuda:1")
	if d.Name() != "cuda:1" || again != d || err != nil {
		t.Errorf("%v, then %v, %v", d, again, err)
	}
	if _, err := engine.OpenDevice("cuda:2"); !errors.Is(err, expr.ErrDevice) || !contains(err, "there are 2 GPUs") {
		t.Errorf("GPU 2: %v", err)
	}
}

func testRun(t *testing.T, _ *standIn) {
	d := open(t)
	x, y := ramp(t, d, 1000), zeros(t, d, 1000)
	p := expr.NewParam[float32](2)
	prog, err := engine.Compile(ctx, expr.Let(y, op.Mul(op.Exp(op.Neg(x)), p)))
	check(t, err)
	if prog.Backend() != "cuda:0" || y.Device() != "cuda:0" {
		t.Errorf("%s runs programs of %s", prog.Backend(), y.Device())
	}
	want := engine.Zeros[float32](1000)
	here, err := x.To(engine.CPU())
	check(t, err)
	for _, v := range []float32{2, -.5} {
		p.Set(v)
		check(t, prog.Run(ctx))
		check(t, want.Assign(op.Mul(op.Exp(op.Neg(here)), p)))
		for i, got := range y.Values() {
			if math.Float32bits(got) != math.Float32bits(want.Data()[i]) {
				t.Fatalf("element %d is %v, want %v", i, got, want.Data()[i])
			}
		}
	}
	check(t, prog.Close())
	if err := prog.Run(ctx); !errors.Is(err, expr.ErrDevice) || !errors.Is(err, errClosed) {
		t.Errorf("a closed program: %v", err)
	}
	check(t, y.Assign(op.Scale(2, x))) // also for views
	check(t, y.Slice(10, 20).Assign(x.Slice(0, 10)))
	if y.At(11) != .125 || y.At(20) != 5 {
		t.Errorf("after a store to a slice: %v", y.Values()[8:22])
	}
}

// testUpload reads values just after their upload. The streams of programs do not
// wait for the default stream.
func testUpload(t *testing.T, _ *standIn) {
	d := open(t)
	x, err := engine.MustFromSlice([]float32{1, 2, 3, 4}).To(d)
	check(t, err)
	y, err := engine.Zeros[float32](4).To(d)
	check(t, err)
	check(t, y.Assign(op.Add(x, x)))
	if got := y.Values(); !slices.Equal(got, []float32{2, 4, 6, 8}) {
		t.Errorf("a kernel behind an upload read old bytes: %v", got)
	}
}

func testMove(t *testing.T, s *standIn) {
	d := open(t)
	h := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3).Named("h")
	x, err := h.Transpose().To(d)
	check(t, err)
	if got := fmt.Sprint(x); got != "[[1 4]\n [2 5]\n [3 6]]" || x.Device() != "cuda:0" {
		t.Errorf("moved: %s on %s", got, x.Device())
	}
	large := engine.Zeros[float32](50, 3, 70)
	for i := range large.Data() {
		large.Data()[i] = float32(i)
	}
	far, err := large.Transpose().To(d)
	check(t, err)
	if got, want := fmt.Sprint(far), fmt.Sprint(large.Transpose()); got != want || far.Array().Memory().Head() != engine.AtDevice {
		t.Errorf("printed on a device, which leaves the memory %v:\n%s\nwant\n%s", far.Array().Memory().Head(), got, want)
	}
	same, err := x.To(d)
	if same != x || err != nil {
		t.Errorf("To the same device makes another tensor, %v", err)
	}
	func() {
		defer func() {
			if err, ok := recover().(error); !ok || !errors.Is(err, expr.ErrDevice) {
				t.Errorf("Data of a tensor of a device: %v", err)
			}
		}()
		x.Data()
	}()
	back, err := x.Slice(1, 3).To(nil)
	check(t, err)
	if got := fmt.Sprint(back.Data()); got != "[2 5 3 6]" || back.Device() != "cpu" {
		t.Errorf("moved back: %s on %s", got, back.Device())
	}
	s.fail("cuMemcpyDtoH_v2", 0, cu.ERROR_INVALID_VALUE)
	y := ramp(t, d, 4)
	if _, err := y.To(nil); !errors.Is(err, expr.ErrDevice) || !errors.Is(err, cu.ERROR_INVALID_VALUE) {
		t.Errorf("a failing download: %v", err)
	}
	if y.At(2) != .25 {
		t.Error("a failed download loses data")
	}
	empty, err := engine.Zeros[float32](0, 3).To(d)
	check(t, err)
	check(t, empty.Assign(op.Exp(empty)))
}

func testPeer(t *testing.T, _ *standIn) {
	d0, d1 := open(t), open(t)
	d1.name = "cuda:1"
	other, err := engine.OpenDevice("cuda:1")
	check(t, err)
	for _, to := range []driver.Device{d1, other} {
		x := ramp(t, d0, 100)
		check(t, x.Assign(op.AddScalar(x, 1)))
		y, err := x.To(to)
		check(t, err)
		if y.At(8) != 2 || y.Device() != "cuda:1" {
			t.Errorf("%v on %s", y.At(8), y.Device())
		}
	}
}

func testMixed(t *testing.T, _ *standIn) {
	d := open(t)
	x, y := ramp(t, d, 4), engine.Zeros[float32](4)
	if err := y.Assign(op.Exp(x)); !errors.Is(err, expr.ErrDevice) || !contains(err, "cuda:0") {
		t.Errorf("arrays of two places: %v", err)
	}
}

func testFunctions(t *testing.T, _ *standIn) {
	d := open(t)
	x, y := ramp(t, d, 4), zeros(t, d, 4)
	f := op.GoFunc("twice", func(v float32) float32 { return 2 * v })
	p, err := engine.Compile(ctx, expr.Let(y, op.AddScalar(f(op.Flip(x)), 1)))
	check(t, err)
	for i := range 5 {
		check(t, x.Assign(op.AddScalar(x, 1)))
		check(t, p.Run(ctx))
		if got, want := y.At(0), 2*x.At(3)+1; got != want {
			t.Errorf("run %d of a Go function between loops gives %v, not %v", i, got, want)
		}
	}
	if !strings.Contains(p.Plan().Explain(), "on the CPU") {
		t.Errorf("the plan does not say where the function runs: %s", p.Plan().Explain())
	}
	var self *engine.Program
	var inner error
	again := op.GoFunc("again", func(v float32) float32 {
		inner = self.Run(ctx)
		return v
	})
	self, err = engine.Compile(ctx, expr.Let(y, again(x)))
	check(t, err)
	check(t, self.Run(ctx))
	if !errors.Is(inner, expr.ErrUnsupported) {
		t.Errorf("a Go function runs its own program: %v", inner)
	}
	bad := op.GoFunc("bad", func(float32) float32 { panic("boom") })
	if err := y.Assign(bad(x)); !errors.Is(err, expr.ErrValue) || !contains(err, "op.bad") {
		t.Errorf("a panic: %v", err)
	}
}

// testFunctionOrder checks that the result of a Go function is on the GPU for what the
// stream of the run does next, whatever else is waited for.
func testFunctionOrder(t *testing.T, _ *standIn) {
	d := open(t)
	y := zeros(t, d, 4)
	f := op.GoFunc("seven", func(float32) float32 { return 7 })
	pl, err := plan.Compile(ctx, []expr.Statement{expr.Let(y, f(ramp(t, d, 4)))})
	check(t, err)
	compiled, err := d.Compile(ctx, pl)
	check(t, err)
	p := compiled.(*program)
	defer p.Close()
	got := make([]float32, 4)
	check(t, d.do("running a Go function", func() error {
		l, err := d.borrow()
		if err != nil {
			return err
		}
		defer d.giveBack(l)
		if err := p.steps[0].launch(l); err != nil {
			return err
		}
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&got[0]), p.address(p.plan.Stages[0].Out), 16, l.stream)
	}))
	if got[3] != 7 {
		t.Errorf("the stream reads %v after a Go function that stores 7", got)
	}
}

func testAsync(t *testing.T, _ *standIn) {
	d := open(t)
	x, y, z := ramp(t, d, 100), zeros(t, d, 100), zeros(t, d, 100)
	first, err := engine.Compile(ctx, expr.Let(y, op.Scale(2, x)))
	check(t, err)
	second, err := engine.Compile(ctx, expr.Let(z, op.AddScalar(y, 1)))
	check(t, err)
	a, err := d.NewStream()
	check(t, err)
	b, err := d.NewStream()
	check(t, err)
	e := first.RunAsync(a)
	second.RunAsync(b) // waits for the first run, because they share memory
	if z.At(8) != 3 {
		t.Errorf("z[8] is %v", z.At(8))
	}
	check(t, e.Wait(ctx))
	if done, err := e.Done(); !done || err != nil {
		t.Errorf("an event that was waited for: %v, %v", done, err)
	}
	limited, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	check(t, b.Record().Wait(limited))

	var order []string
	a.Go(func(context.Context) error { order = append(order, "host"); return nil })
	check(t, a.Sync(ctx))
	broken := errors.New("broken")
	a.Go(func(context.Context) error { return broken })
	b.After(a.Record())
	if err := b.Sync(ctx); !errors.Is(err, broken) || len(order) != 1 {
		t.Errorf("a failure is not carried to the waiter: %v", err)
	}
	if err := a.Sync(ctx); !errors.Is(err, broken) {
		t.Errorf("Sync: %v", err)
	}

	data := make([]byte, 3*stageBytes/2) // uses both staging buffers
	for i := range data {
		data[i] = byte(i * 7 / 5)
	}
	mem, err := d.Alloc(len(data))
	check(t, err)
	check(t, d.Upload(a, mem, data))
	got := make([]byte, len(data))
	check(t, d.Download(a, got, mem))
	check(t, a.Sync(ctx))
	if string(got) != string(data) {
		t.Error("a copy on a stream changes bytes")
	}
	check(t, d.Free(mem))
	if err := d.Upload(engine.NewStream(), mem, data); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("an upload on a stream of the host: %v", err)
	}
	check(t, a.Close())
	check(t, b.Close())
}

// testGoroutines runs programs that share operands from many goroutines.
func testGoroutines(t *testing.T, _ *standIn) {
	d := open(t)
	x := ramp(t, d, 500)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			y := zeros(t, d, 500)
			p, err := engine.Compile(ctx, expr.Let(y, op.Scale(float32(i%4), x)))
			if err != nil {
				t.Error(err)
				return
			}
			for range 20 {
				if err := p.Run(ctx); err != nil {
					t.Error(err)
				}
			}
			if got := y.At(8); got != float32(i%4) {
				t.Errorf("goroutine %d gets %v", i, got)
			}
		})
	}
	wg.Wait()
}

// testShared queues runs of two goroutines on one memory. Whoever reads it waits for
// both, and the run that is queued later for the earlier one.
func testShared(t *testing.T, _ *standIn) {
	d := open(t)
	x := zeros(t, d, 8)
	var streams [2]driver.Stream
	var programs [2]*engine.Program
	for i := range streams {
		var err error
		streams[i], err = d.NewStream()
		check(t, err)
		defer streams[i].Close()
		one, err := engine.FromFunc(func([]int) float32 { return 1 }, 8).To(d)
		check(t, err)
		programs[i], err = engine.Compile(ctx, expr.Let(x, op.Add(x, one)))
		check(t, err)
	}
	for round := range 500 {
		var begin, wg sync.WaitGroup
		begin.Add(2)
		for i, s := range streams {
			wg.Go(func() {
				begin.Done()
				begin.Wait()
				programs[i].RunAsync(s)
			})
		}
		wg.Wait()
		if got := x.At(3); got != float32(2*round+2) {
			t.Fatalf("after %d runs: %v", 2*round+2, got)
		}
	}
}

// testEvents queues many runs. The driver has no more events than a stream keeps
// at a time, and an event stays done when another has taken its place.
func testEvents(t *testing.T, _ *standIn) {
	d := open(t)
	x := ramp(t, d, 100)
	p, err := engine.Compile(ctx, expr.Let(x, op.Add(x, x)))
	check(t, err)
	s, err := d.NewStream()
	check(t, err)
	defer s.Close()
	first := p.RunAsync(s)
	if !first.(*event).isQueued() {
		t.Error("a run on a stream without work is not queued at once")
	}
	for range 20 {
		for range 10 {
			p.RunAsync(s)
		}
		check(t, s.Sync(ctx))
		if done, err := first.Done(); !done || err != nil {
			t.Fatalf("a run that has ended: %v, %v", done, err)
		}
		check(t, first.Wait(ctx))
	}
	if n := len(d.events); n > 20 {
		t.Errorf("the driver has made %d events", n)
	}
}

// testGarbage drops tensors and programs. Their memory must be freed.
func testGarbage(t *testing.T, s *standIn) {
	d := open(t)
	d.pool = 0
	make1 := func() {
		x := ramp(t, d, 1000)
		y := zeros(t, d, 1000)
		check(t, y.Assign(op.Exp(x)))
	}
	make1()
	before := s.used()
	for range 50 {
		make1()
	}
	grown := s.used() - before
	for deadline := time.Now().Add(2 * time.Minute); s.used() > before+grown/2; {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are in use, %d before", s.used(), before)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
		check(t, d.do("sweeping", d.sweep))
	}
}

// testGraphs runs a program of several stages until it is a graph, and then
// changes its arguments.
func testGraphs(t *testing.T, _ *standIn) {
	d := open(t)
	x, y := ramp(t, d, 64), zeros(t, d, 64)
	k := expr.NewParam[float32](1)
	row := zeros(t, d, 8)
	prog, err := engine.Compile(ctx,
		expr.Let(row, op.Mul(op.Sum(op.Reshape(x, 8, 8), op.Axis(0)), k)),
		expr.Let(y, op.Reshape(op.Add(op.Reshape(x, 8, 8), row), 64)))
	check(t, err)
	want := float32(28)
	for i := range 12 {
		if i == 6 {
			k.Set(3)
			want *= 3
		}
		check(t, prog.Run(ctx))
		if got := y.At(0); got != want {
			t.Fatalf("run %d: %v, want %v", i, got, want)
		}
	}
	check(t, prog.Close())
}

func testAllocations(t *testing.T, _ *standIn) {
	d := open(t)
	x, y := ramp(t, d, 64), zeros(t, d, 64)
	p, err := engine.Compile(ctx, expr.Let(y, op.Exp(x)))
	check(t, err)
	check(t, p.Run(ctx))
	noAllocations(t, p, 100)
}

// noAllocations runs a program and checks that a run allocates nothing. With the
// race detector it does not check: a sync.Pool then drops some of its objects,
// and purego keeps arguments of calls in such pools.
func noAllocations(t *testing.T, p *engine.Program, runs int) {
	t.Helper()
	n := testlevel.Allocs(runs, func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	if n != 0 && !testlevel.Race {
		t.Errorf("a run allocates %v times", n)
	}
}

// testProducts compares products in all layouts with those of the host. The
// elements are small integers, whose sums are exact.
func testProducts(t *testing.T, _ *standIn) {
	d := open(t)
	f := func(dims ...int) *engine.Tensor[float64] {
		x := engine.Zeros[float64](dims...)
		for i := range x.Data() {
			x.Data()[i] = float64(i*i%7 - 3)
		}
		return x
	}
	type T = *engine.Tensor[float64]
	same := func(a, b T) {
		t.Helper()
		want, err := engine.New[float64](expr.NodeOf(op.MatMul(a, b)).Shape()...)
		check(t, err)
		check(t, want.Assign(op.MatMul(a, b)))
		da, err := a.To(d)
		check(t, err)
		db, err := b.To(d)
		check(t, err)
		got, err := engine.Zeros[float64](want.Shape()...).To(d)
		check(t, err)
		check(t, got.Assign(op.MatMul(da, db)))
		if fmt.Sprint(got.Values()) != fmt.Sprint(want.Values()) {
			t.Errorf("%v @ %v: %v, want %v", a.Shape(), b.Shape(), got, want)
		}
		wide, err := engine.Zeros[float64](want.Shape()...).To(d)
		check(t, err)
		check(t, wide.Assign(op.MatMul(op.AddScalar(da, 0), op.AddScalar(db, 0))))
		if fmt.Sprint(wide.Values()) != fmt.Sprint(want.Values()) {
			t.Errorf("computed %v @ %v: %v, want %v", a.Shape(), b.Shape(), wide, want)
		}
	}
	same(f(3, 4), f(4, 5))
	same(f(4), f(4, 5))
	same(f(3, 4), f(4))
	same(f(4), f(4))
	same(f(2, 3, 4), f(2, 4, 5))
	same(f(6, 1, 3, 4), f(2, 4, 5))
	same(f(3, 0), f(0, 5))
	same(f(0, 3), f(3, 5))
	a, err := f(5, 3).To(d)
	check(t, err)
	b, err := f(5, 4).To(d)
	check(t, err)
	c, err := engine.Zeros[float64](3, 4).To(d)
	check(t, err)
	check(t, c.Assign(op.MatMul(op.Transpose(a), b)))
	want := engine.Zeros[float64](3, 4)
	check(t, want.Assign(op.MatMul(op.Transpose(f(5, 3)), f(5, 4))))
	if fmt.Sprint(c.Values()) != fmt.Sprint(want.Values()) {
		t.Errorf("a transposed product: %v, want %v", c, want)
	}
}
