package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// within calls f and fails the test if f takes too long, as in a deadlock.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("deadlock")
	}
}

// TestReentered tests that a Go function of a program, and its observer, get an error from what waits for the end of the run.
func TestReentered(t *testing.T) {
	ctx := context.Background()
	x, y := engine.MustFromSlice([]float64{1, 2}), engine.Zeros[float64](2)
	var p *engine.Program
	var b *engine.Binding
	for name, use := range map[string]func() error{
		"Program.Run":     func() error { return p.Run(ctx) },
		"Program.Bind":    func() error { _, err := p.Bind(ctx); return err },
		"Program.Observe": func() error { return p.Observe(nil) },
		"Binding.Run":     func() error { return b.Run(ctx) },
		"Binding.Set":     func() error { return b.Set() },
	} {
		var inner error
		call := func() {
			if inner == nil { // the first call; what calls itself again would not end
				inner = errors.New("no end")
				inner = use()
			}
		}
		check := func(what string, err error) {
			t.Helper()
			if err != nil || !errors.Is(inner, expr.ErrUnsupported) || !strings.Contains(inner.Error(), name) || !strings.Contains(inner.Error(), "call_test.go") {
				t.Errorf("%s in %s: %v, the run: %v", name, what, inner, err)
			}
			inner = nil
		}
		f := op.GoFunc("again", func(v float64) float64 {
			call()
			return v
		})
		within(t, func() {
			var err error
			if p, err = engine.Compile(ctx, expr.Let(y, f(x))); err == nil {
				b, err = p.Bind(ctx)
			}
			if err != nil {
				t.Error(err)
				return
			}
			ofBinding := strings.HasPrefix(name, "Binding")
			if ofBinding {
				err = b.Run(ctx)
			} else {
				err = p.Run(ctx)
			}
			check("a Go function", err)
			if p, err = engine.Compile(ctx, expr.Let(y, op.Exp(x))); err != nil || ofBinding {
				return
			}
			for range 100 { // so that the goroutine owns the lock
				err = errors.Join(err, p.Run(ctx))
			}
			err = errors.Join(err, p.Observe(func(engine.StageRun) { call() }), p.Run(ctx))
			check("an observer", err)
		})
	}
}

// TestGoFuncsRunEachOther runs two programs at once. The Go function of each runs
// the other one.
func TestGoFuncsRunEachOther(t *testing.T) {
	ctx := context.Background()
	var ps [2]*engine.Program
	var inner [2]error
	var both sync.WaitGroup
	both.Add(2)
	for i := range ps {
		x, y := engine.MustFromSlice([]float64{1}), engine.Zeros[float64](1)
		f := op.GoFunc("other", func(v float64) float64 {
			both.Done()
			both.Wait()
			inner[i] = ps[1-i].Run(ctx)
			return v
		})
		var err error
		if ps[i], err = engine.Compile(ctx, expr.Let(y, f(x))); err != nil {
			t.Fatal(err)
		}
	}
	within(t, func() {
		var runs sync.WaitGroup
		for _, p := range ps {
			runs.Go(func() { _ = p.Run(ctx) })
		}
		runs.Wait()
	})
	if !errors.Is(inner[0], expr.ErrUnsupported) && !errors.Is(inner[1], expr.ErrUnsupported) {
		t.Errorf("the inner runs return %v and %v", inner[0], inner[1])
	}
}

// TestGoFuncRunsOthers tests that a Go function may run other programs and
// assignments.
func TestGoFuncRunsOthers(t *testing.T) {
	ctx := context.Background()
	x, y, z := engine.MustFromSlice([]float64{1, 2}), engine.Zeros[float64](2), engine.Zeros[float64](2)
	var errs []error
	f := op.GoFunc("sum", func(v float64) float64 {
		errs = append(errs, z.Assign(op.AddScalar(z, v)), engine.Run(ctx, expr.LetAdd(z, z)))
		return v
	})
	p, err := engine.Compile(ctx, expr.Let(y, f(x)))
	if err != nil {
		t.Fatal(err)
	}
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			if err := p.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestGoFuncPanics(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	y := engine.MustFromSlice([]float64{7, 7, 7})
	for _, what := range []any{"boom", errors.New("boom"), 7} {
		f := op.GoFunc("bad", func(v float64) float64 {
			if v > 1 {
				panic(what)
			}
			return v
		})
		err := y.Assign(f(x))
		if !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "op.bad") {
			t.Errorf("a panic of %v gives %v", what, err)
		}
		if y.At(0) != 7 {
			t.Errorf("the target is %v", y)
		}
	}
	if err := y.Assign(op.GoFunc[float64]("none", nil)(x)); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a nil function gives %v", err)
	}
	for _, r := range []*tree.Routine{nil, {}} {
		n := tree.Apply(tree.NewOperator(tree.Row{Name: "empty", Class: tree.Opaque, Arity: 1, Routine: r}), x.Node())
		if err := engine.Run(context.Background(), expr.Statement{Target: y.Node(), Value: n}); err == nil {
			t.Errorf("a routine %v gives no error", r)
		}
	}
}

// TestSyncKeepsLaterFailure tests that the next Sync returns a failure that occurs
// while Sync returns.
func TestSyncKeepsLaterFailure(t *testing.T) {
	ctx := context.Background()
	boom := errors.New("boom")
	for range 300 {
		s := engine.NewStream()
		var once sync.WaitGroup
		once.Go(func() { s.Go(func(context.Context) error { return boom }) })
		first := s.Sync(ctx)
		once.Wait()
		if second := s.Sync(ctx); (first == nil) == (second == nil) {
			t.Fatalf("two calls of Sync give %v and %v", first, second)
		}
		_ = s.Close()
	}
}
