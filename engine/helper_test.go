package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/enginetest"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestManyThreads runs the conformance tests of threads with 8 threads, even if
// this machine has fewer processors.
func TestManyThreads(t *testing.T) {
	defer setProcessors(8)()
	enginetest.Threads(t, enginetest.Options{Backends: engine.Backends()})
}

// TestRerunAllocates tests that runs with helpers at work allocate nothing.
func TestRerunAllocates(t *testing.T) {
	defer setProcessors(8)()
	for _, c := range threadCases(30_000) {
		for threads := 1; threads <= 8; threads++ {
			p, err := engine.CompileWith(context.Background(), engine.Options{Threads: threads}, c.stmt)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			// The runtime and the garbage collector allocate now and then.
			least := uint64(1 << 60)
			for range 100 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range 50 {
					if err := p.Run(ctx); err != nil {
						t.Fatal(err)
					}
				}
				runtime.ReadMemStats(&after)
				if least = min(least, after.Mallocs-before.Mallocs); least == 0 {
					break
				}
			}
			cancel()
			if least != 0 {
				t.Errorf("%s with %d threads: 50 runs allocate %d objects", c.name, threads, least)
			}
		}
	}
}

// TestCrowd runs many programs from many goroutines while GOMAXPROCS changes. Each
// program runs another one in a Go function.
func TestCrowd(t *testing.T) {
	defer setProcessors(4)()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 50_000
	ctx := context.Background()
	var wg sync.WaitGroup
	for g := range 12 {
		wg.Go(func() {
			x, y := engine.MustFromSlice(ramp(n)), engine.Zeros[float32](n)
			inner, err := engine.Compile(ctx, expr.Let(y, op.Scale(float32(g), op.Exp[float32](x))))
			if err != nil {
				t.Error(err)
				return
			}
			one := engine.MustFromSlice([]float32{0}, 1)
			run := op.GoFunc("run", func(v float32) float32 {
				if err := inner.Run(ctx); err != nil {
					t.Error(err)
				}
				return v + 1
			})
			p, err := engine.Compile(ctx, expr.Let(one, run(one)))
			if err != nil {
				t.Error(err)
				return
			}
			if err := p.Run(ctx); err != nil {
				t.Error(err)
				return
			}
			want := append([]float32(nil), y.Data()...)
			for range 50 {
				clear(y.Data())
				if err := p.Run(ctx); err != nil {
					t.Error(err)
					return
				}
				for i := range want {
					if y.Data()[i] != want[i] {
						t.Errorf("element %d is %g, was %g", i, y.Data()[i], want[i])
						return
					}
				}
			}
		})
	}
	for i := range 10 {
		runtime.GOMAXPROCS(1 + i%4)
		time.Sleep(time.Millisecond)
	}
	wg.Wait()
}

// TestCancel tests that a long run ends soon after its context is cancelled, also
// in the middle of a unit.
func TestCancel(t *testing.T) {
	if !testlevel.Deep() && !testlevel.Race {
		t.Skip("measures time")
	}
	const n = 1 << 22
	long, rows := engine.MustFromSlice(ramp(n)), engine.MustFromSlice(ramp(n), 2, n/2)
	columns := engine.MustFromSlice(ramp(n), n/2, 2)
	y := engine.Zeros[float32](n)
	deep := func(x expr.Exp[float32]) expr.Exp[float32] {
		for range 20 {
			x = op.Pow(op.Exp(op.Sin(x)), x)
		}
		return x
	}
	for name, stmt := range map[string]expr.Statement{
		"map":     expr.Let(y, deep(long)),
		"sum":     expr.Let(engine.Zeros[float32](), op.Sum(deep(long))),
		"softmax": expr.Let(engine.Zeros[float32](2, n/2), op.Softmax(deep(rows), 1)),
		"columns": expr.Let(engine.Zeros[float32](2), op.Sum(deep(columns), op.Axis(0))),
	} {
		for _, backend := range engine.Backends() {
			t.Run(fmt.Sprintf("%s/%s", name, backend), func(t *testing.T) {
				p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend, Threads: 2}, stmt)
				if err != nil {
					t.Fatal(err)
				}
				// Other processes may use a processor at the wrong moment. So the test
				// measures processor time, of two threads, and takes the best of several
				// tries.
				const limit = 2 * 10 * time.Millisecond
				best := time.Hour
				for try := 0; try < 20 && best > limit; try++ {
					best = min(best, cancelled(t, p))
				}
				if best > limit && !testlevel.Race {
					t.Error("a cancelled run goes on")
				}
			})
		}
	}
}

// cancelled runs a long program, cancels it, and returns the processor time that
// the process used after that.
func cancelled(t *testing.T, p *engine.Program) (used time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	var at time.Time
	time.AfterFunc(10*time.Millisecond, func() {
		for range 100 { // this goroutine may lose its processor in the system call
			at, used = time.Now(), testlevel.CPUTime()
			if time.Since(at) < time.Millisecond {
				break
			}
		}
		cancel()
	})
	err := p.Run(ctx)
	used = testlevel.CPUTime() - used
	t.Logf("ended %v after it was cancelled; processors worked for %v", time.Since(at), used)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	return used
}

// TestIdle tests that idle helpers soon use no processor time.
func TestIdle(t *testing.T) {
	if !testlevel.Deep() {
		t.Skip("measures time")
	}
	defer setProcessors(4)()
	p, err := engine.Compile(context.Background(), threadCases(1_000_000)[1].stmt)
	if err != nil {
		t.Fatal(err)
	}
	// The runtime works at times, and a busy machine may count too much time for a
	// process. A helper that keeps spinning uses the time in every try.
	const limit = 20 * time.Millisecond
	best := time.Hour
	for try := 0; try < 20 && best > limit; try++ {
		for range 10 {
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		used := testlevel.CPUTime()
		time.Sleep(100 * time.Millisecond)
		used = testlevel.CPUTime() - used
		t.Logf("%v in 100 ms", used)
		best = min(best, used)
	}
	if best > limit {
		t.Errorf("an idle process used at least %v in 100 ms", best)
	}
}

// TestBubble tests that a program compiled in a synctest bubble may start helpers,
// and that the bubble does not wait for them.
func TestBubble(t *testing.T) {
	if os.Getenv("ONELOOP_TEST_BUBBLE") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestBubble$", "-test.timeout=5m")
		cmd.Env = append(os.Environ(), "ONELOOP_TEST_BUBBLE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	defer setProcessors(4)()
	synctest.Test(t, func(t *testing.T) {
		p, err := engine.Compile(t.Context(), threadCases(1_000_000)[1].stmt)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// setProcessors makes programs compiled later use n threads, whatever the machine
// has, until the caller calls restore.
func setProcessors(n int) (restore func()) {
	p := sched.Shared
	old := p.Processors
	p.Processors = func() int { return n }
	return func() { p.Processors = old }
}

// setCaches makes programs compiled later choose directions and blocks as on a
// machine with caches of l1 and l2 bytes, until the caller calls restore.
func setCaches(l1, l2 int) (restore func()) {
	p := sched.Shared
	old := p.Caches
	p.Caches = func() cpucache.Sizes { return cpucache.Sizes{L1: l1, L2: l2, L3: 8 * l2} }
	return func() { p.Caches = old }
}
