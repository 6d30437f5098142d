package cuda

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// testOpenFailure makes opening a GPU fail. The context must be released.
func testOpenFailure(t *testing.T, s *standIn) {
	const index = 1
	users := func() (n int) {
		for cu.DevicePrimaryCtxRelease(index) == nil {
			n++
		}
		for range n {
			_, err := cu.DevicePrimaryCtxRetain(index)
			check(t, err)
		}
		return n
	}
	before := users()
	for _, call := range []string{"cuDeviceGetDefaultMemPool", "cuMemPoolSetAttribute", "cuStreamCreate"} {
		s.fail(call, 0, cu.ERROR_INVALID_VALUE)
		if _, err := newDevice(index); !errors.Is(err, expr.ErrDevice) || !errors.Is(err, cu.ERROR_INVALID_VALUE) {
			t.Errorf("%s: %v", call, err)
		}
		if n := users() - before; n != 0 {
			t.Errorf("%s: the context has %d users more", call, n)
		}
	}
}

func testOutOfMemory(t *testing.T, s *standIn) {
	d := open(t)
	s.limit(s.used()+1<<20, false)
	if _, err := engine.Zeros[float32](1 << 20).To(d); !errors.Is(err, expr.ErrOutOfMemory) || !errors.Is(err, cu.ERROR_OUT_OF_MEMORY) {
		t.Fatalf("4 MiB of 1 MiB: %v", err)
	}
	x := ramp(t, d, 1000) // the device still works
	check(t, x.Assign(op.Scale(2, x)))
	s.fail("cuMemAllocAsync", 0, cu.ERROR_OUT_OF_MEMORY) // fails once, and the second attempt succeeds
	ramp(t, d, 1000)

	a, b, c := there(t, d, squares[float32](3, 4)), there(t, d, squares[float32](4, 5)), zeros(t, d, 3, 5)
	p, err := engine.Compile(ctx, expr.Let(c, op.MatMul(a, b)))
	check(t, err)
	s.limit(0, false)
	s.fail("cuMemAllocAsync", 0, cu.ERROR_OUT_OF_MEMORY) // the allocation of the workspace
	check(t, p.Run(ctx))
}

func testLaunchFailure(t *testing.T, s *standIn) {
	d := open(t)
	x := ramp(t, d, 100)
	p, err := engine.Compile(ctx, expr.Let(x, op.Scale(2, x)))
	check(t, err)
	s.fail("cuLaunchKernel", 0, cu.ERROR_INVALID_VALUE)
	if err := p.Run(ctx); !errors.Is(err, expr.ErrDevice) || !errors.Is(err, cu.ERROR_INVALID_VALUE) || !contains(err, "(stage 0)") {
		t.Fatalf("a launch that fails: %v", err)
	}
	check(t, p.Run(ctx)) // the device still works
	if x.At(8) != 2 {
		t.Errorf("x[8] is %v", x.At(8))
	}
}

// testSticky raises a sticky error. The error must name the kernels in flight,
// and later calls must fail without calling the driver.
func testSticky(t *testing.T, s *standIn) {
	d := open(t)
	x := ramp(t, d, 100)
	p, err := engine.Compile(ctx, expr.Let(x, op.Scale(2, x)))
	check(t, err)
	s.fail("cuStreamSynchronize", 0, cu.ERROR_ILLEGAL_ADDRESS)
	err = p.Run(ctx)
	if !errors.Is(err, expr.ErrDevice) || !errors.Is(err, cu.ERROR_ILLEGAL_ADDRESS) || !contains(err, "kernels in flight: "+p.Plan().Stages[0].Kernel.Name) {
		t.Fatalf("an illegal address: %v", err)
	}
	s.reset()
	if err := p.Run(ctx); !errors.Is(err, cu.ERROR_ILLEGAL_ADDRESS) || !contains(err, "earlier failure") {
		t.Errorf("after it: %v", err)
	}
	if _, err := d.Alloc(1); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("an allocation after it: %v", err)
	}
	if _, err := x.To(nil); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("a download after it: %v", err)
	}
	defer func() {
		if err, _ := recover().(error); !errors.Is(err, expr.ErrDevice) {
			t.Errorf("values of a lost device: %v", err)
		}
	}()
	t.Error("values of a lost device", x.Values())
}

func testAsyncFault(t *testing.T, s *standIn) {
	d := open(t)
	x := ramp(t, d, 100)
	p, err := engine.Compile(ctx, expr.Let(x, op.Scale(2, x)))
	check(t, err)
	st, err := d.NewStream()
	check(t, err)
	s.fail("cuStreamSynchronize", 0, cu.ERROR_LAUNCH_FAILED)
	p.RunAsync(st)
	if err := st.Sync(ctx); !errors.Is(err, cu.ERROR_LAUNCH_FAILED) || !contains(err, "(stage 0)") {
		t.Errorf("a fault of a queued run: %v", err)
	}
	if err := st.Close(); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("closing a stream of a lost device: %v", err)
	}
}

// testGraphFailure runs a program that cannot be captured as a graph. It must run
// without one, and no graph may be left.
func testGraphFailure(t *testing.T, s *standIn) {
	d := open(t)
	for _, c := range []struct {
		call  string
		after int // number of calls that pass before the failure, in the run that captures
	}{
		{"cuStreamBeginCapture_v2", 0},
		{"cuLaunchKernel", 1},
		{"cuGraphInstantiateWithFlags", 0},
	} {
		x, y := ramp(t, d, 64), zeros(t, d, 8)
		p, err := engine.Compile(ctx,
			expr.Let(y, op.Sum(op.Reshape(x, 8, 8), op.Axis(0))),
			expr.Let(x, op.AddScalar(x, 1)))
		check(t, err)
		before := s.graphs()
		for i := range stableRuns + 2 {
			if i == stableRuns-1 {
				s.fail(c.call, c.after, cu.ERROR_NOT_SUPPORTED)
			}
			check(t, p.Run(ctx))
		}
		if got, want := y.At(0), float32(28+8*(stableRuns+1)); got != want {
			t.Errorf("%s: y[0] is %v, want %v", c.call, got, want)
		}
		if n := s.graphs() - before; n != 0 {
			t.Errorf("%s: %d graphs are left", c.call, n)
		}
		check(t, p.Close())
	}
}

// testAsyncFailure makes an entry of a stream fail after other work was queued.
// That work must have ended when the failure is reported.
func testAsyncFailure(t *testing.T, s *standIn) {
	d := open(t)
	host := engine.NewStream()
	broken := errors.New("broken")
	host.Go(func(context.Context) error { return broken })
	for _, c := range []struct {
		name string
		want error
		fail func(p *engine.Program, st driver.Stream)
	}{
		{"launch", cu.ERROR_INVALID_VALUE, func(p *engine.Program, st driver.Stream) {
			s.fail("cuLaunchKernel", 1, cu.ERROR_INVALID_VALUE)
			p.RunAsync(st)
		}},
		{"event", broken, func(p *engine.Program, st driver.Stream) {
			p.RunAsync(st)
			st.After(host.Record())
		}},
		{"recording", cu.ERROR_INVALID_CONTEXT, func(p *engine.Program, st driver.Stream) {
			s.fail("cuEventRecord", 0, cu.ERROR_INVALID_CONTEXT)
			p.RunAsync(st)
		}},
	} {
		x, y := ramp(t, d, 64), zeros(t, d, 8)
		p, err := engine.Compile(ctx,
			expr.Let(y, op.Sum(op.Reshape(x, 8, 8), op.Axis(0))),
			expr.Let(x, op.AddScalar(x, 1)))
		check(t, err)
		if n := len(p.Plan().Stages); n != 2 {
			t.Fatalf("%d stages", n)
		}
		st, err := d.NewStream()
		check(t, err)
		c.fail(p, st)
		if err := st.Record().Wait(ctx); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if names := st.(*stream).driverStream.runningKernels(); len(names) > 0 {
			t.Errorf("%s: in flight are %v", c.name, names)
		}
		s.reset()
		if err := st.Close(); !errors.Is(err, c.want) {
			t.Errorf("%s: closing: %v", c.name, err)
		}
	}
	if err := host.Close(); !errors.Is(err, broken) {
		t.Errorf("closing the stream of the host: %v", err)
	}
}

// testChoice moves an array to an address that needs other code, whose first load
// fails. The code for the old address must not run.
func testChoice(t *testing.T, s *standIn) {
	d := open(t)
	x, y := ramp(t, d, 65), zeros(t, d, 64)
	pl, err := plan.Compile(t.Context(), []expr.Statement{expr.Let(y, op.Scale(2, x.Slice(0, 64)))})
	check(t, err)
	compiled, err := d.Compile(ctx, pl)
	check(t, err)
	p := compiled.(*program)
	l := p.steps[0].(*loop)
	check(t, p.Run(ctx))
	for i := range l.s.Bufs {
		if a := l.s.Bufs[i].Array; l.s.Kernel.Bufs[i].Mode == ir.In {
			a.Offset = 1
		}
	}
	old := l.module
	s.fail("cuModuleLoadDataEx", 0, cu.ERROR_INVALID_IMAGE)
	if err := p.Run(ctx); !errors.Is(err, cu.ERROR_INVALID_IMAGE) {
		t.Errorf("without the code: %v", err)
	}
	if n := len(p.Sources()); n != 1 {
		t.Errorf("%d sources", n)
	}
	check(t, p.Run(ctx))
	if l.module == old {
		t.Error("the code is for another alignment")
	}
	if got := y.At(0); got != .25 {
		t.Errorf("y[0] is %v", got)
	}
	check(t, p.Close())
}

// testRelease makes one of several releases fail. The others must still happen.
func testRelease(t *testing.T, s *standIn) {
	d := open(t)
	broken, released := errors.New("broken"), 0
	for _, err := range []error{nil, broken, nil} {
		d.deferred.put(func() error { released++; return err })
	}
	if err := d.sweep(); !errors.Is(err, broken) || released != 3 {
		t.Errorf("sweeping: %d of 3, %v", released, err)
	}

	x, y := ramp(t, d, 100), zeros(t, d, 100)
	count := take(s)
	check(t, power(t, y, x, 2).Close())
	check(t, power(t, y, x, 3).Close())
	s.fail("cuModuleUnload", 0, cu.ERROR_INVALID_VALUE)
	err := d.do("unloading", func() error { return d.unload(d.modules.clear()) })
	if !errors.Is(err, cu.ERROR_INVALID_VALUE) {
		t.Errorf("unloading: %v", err)
	}
	count.want(t, "after a module that stays", 2, 1)

	p, before := power(t, y, x, 4), s.used()
	s.fail("cuMemFreeAsync", 0, cu.ERROR_INVALID_VALUE) // frees the temporaries, one byte
	if err := p.Close(); !errors.Is(err, cu.ERROR_INVALID_VALUE) {
		t.Errorf("closing: %v", err)
	}
	if freed := before - s.used(); freed < faultRoom {
		t.Errorf("closing releases %d bytes, want those of the faults", freed)
	}

	var st stage
	s.fail("cuMemHostAlloc", 0, cu.ERROR_OUT_OF_MEMORY)
	check(t, d.do("staging", func() error {
		if err := st.open(); !errors.Is(err, cu.ERROR_OUT_OF_MEMORY) {
			t.Errorf("without pinned memory: %v", err)
		}
		done := st.done[0]
		if err := st.open(); err != nil || st.done[0] != done {
			t.Errorf("then the event of a buffer is another one, %v", err)
		}
		return st.close()
	}))
	if st != (stage{}) {
		t.Errorf("after close there is %+v", st)
	}
}

// testDisk runs with code from the disk cache, with a damaged cache, and without
// one.
func testDisk(t *testing.T, _ *standIn) {
	dir := t.TempDir()
	t.Setenv("ONELOOP_CACHE", dir)
	run := func() {
		t.Helper()
		d := open(t)
		x := ramp(t, d, 10)
		check(t, x.Assign(op.Scale(2, x)))
		if x.At(8) != 2 {
			t.Fatalf("x[8] is %v", x.At(8))
		}
	}
	files := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, "cuda", "*"))
		return list
	}
	run()
	stored := files()
	if len(stored) != 1 {
		t.Fatalf("files stored: %v", stored)
	}
	if st, err := os.Stat(filepath.Dir(stored[0])); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("the directory's mode is %v, %v", st.Mode(), err)
	}
	good, err := os.ReadFile(stored[0])
	check(t, err)
	for _, bad := range [][]byte{nil, good[:40], good[:len(good)-1], append([]byte("x"), good[1:]...), append(good[:len(good):len(good)], 0)} {
		check(t, os.WriteFile(stored[0], bad, 0o600))
		run()
		if now, err := os.ReadFile(stored[0]); err != nil || bytes.Equal(now, bad) {
			t.Errorf("a damaged file of %d bytes is kept: %v", len(bad), err)
		}
	}
	check(t, os.RemoveAll(filepath.Join(dir, "cuda")))
	check(t, os.WriteFile(filepath.Join(dir, "cuda"), nil, 0o400)) // a file in place of the directory, so that even root cannot make it
	run()
	t.Setenv("ONELOOP_CACHE", "off")
	run()
}

// testFillCache fills a cache from sources that a run has written, which goroutines compile
// side by side. A run with that cache adds no file.
func testFillCache(t *testing.T, _ *standIn) {
	run := func() {
		t.Helper()
		d := open(t)
		x := ramp(t, d, 10)
		check(t, x.Assign(op.Scale(2, x)))
		check(t, x.Assign(op.Exp(x)))
		check(t, x.Assign(op.Mul(x, x)))
	}
	count := func(dir, pattern string) []string {
		list, _ := filepath.Glob(filepath.Join(dir, pattern))
		return list
	}
	dir := t.TempDir()
	t.Setenv("ONELOOP_CACHE", "off")
	t.Setenv("ONELOOP_DEBUG", "cuda="+dir)
	run()
	files := count(dir, "*.cu")
	if len(files) != 3 {
		t.Fatalf("the sources are %v", files)
	}
	t.Setenv("ONELOOP_CACHE", dir)
	t.Setenv("ONELOOP_DEBUG", "")
	fillCache(t, strings.TrimPrefix(open(t).code.options[0], "-arch="), files)
	filled := count(dir, "cuda/*")
	if len(filled) != 3 {
		t.Fatalf("the cache has %v", filled)
	}
	run()
	if after := count(dir, "cuda/*"); !slices.Equal(after, filled) {
		t.Errorf("a run has added to %v: %v", filled, after)
	}
}

func testBadSource(t *testing.T, _ *standIn) {
	d := open(t)
	_, err := d.load("kernel text", "extern \"C\" __global__ void k() { undeclared; }", []string{"k"})
	var bad *CompileError
	var log *cu.NvrtcError
	if !errors.As(err, &bad) || !errors.As(err, &log) || !contains(err, "undeclared") || !contains(err, "kernel text") || !errors.Is(err, expr.ErrDevice) {
		t.Errorf("bad source: %v", err)
	}
}
