package engine_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// A countdown is a context that is cancelled once it has been asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestStopped checks that the Go functions of long operators ask while they work whether their run is cancelled.
func TestStopped(t *testing.T) {
	const n = 1 << 18
	key := uint64(7)
	x, i := engine.Zeros[float64](n), engine.Zeros[int64](n)
	if err := engine.Run(t.Context(), expr.Let(x, op.Normal[float64](expr.Const(key), n)), expr.Let(i, op.Integers[int64](expr.Const(key), n, n))); err != nil {
		t.Fatal(err)
	}
	c := engine.MustFromSlice(make([]complex128, n))
	for k := range c.Data() {
		c.Data()[k] = complex(float64(k%7), 1)
	}
	few, near := engine.Zeros[float64](n), engine.Zeros[int64](n) // sorts count them
	if err := cmp.Or(few.Assign(op.Cast[float64](op.Mod(i, expr.Const[int64](8)))), near.Assign(op.Mod(i, expr.Const[int64](1000)))); err != nil {
		t.Fatal(err)
	}
	for _, backend := range engine.Backends() {
		stopsEarly(t, backend, "sort", op.Sort(x, 0))
		stopsEarly(t, backend, "sort of few values", op.Sort(few, 0))
		stopsEarly(t, backend, "argsort", op.ArgSort(x, 0))
		stopsEarly(t, backend, "rank", op.Rank(x, 0))
		stopsEarly(t, backend, "sort of rows", op.Sort(x.Reshape(1<<5, 1<<13), 1))
	}
	for _, backend := range engine.Backends() {
		if strings.HasPrefix(backend, "avx") { // Go code moves all keys or positions by a digit at once, and these have two
			stopsEarly(t, backend, "sort of close integers", op.Sort(near, 0))
			stopsEarly(t, backend, "argsort of short integers", op.ArgSort(op.Cast[int16](i), 0))
		}
	}
	stopsEarly(t, "", "searchsorted", op.SearchSorted(x, x, false))
	stopsEarly(t, "", "scatter_add", op.ScatterAdd(i, x, 0, n))
	stopsEarly(t, "", "scatter_max", op.ScatterMax(i, x, 0, n))
	stopsEarly(t, "", "scatter_add of rows", op.ScatterAdd(op.Mod(i, expr.Const[int64](8)), op.Stack(0, x, x), 1, 2, 8))
	stopsEarly(t, "", "fft of rows", op.FFT(c.Reshape(1<<9, 1<<9), 1))
	y := engine.Zeros[complex128](1<<9, 1<<9)
	p, err := engine.Compile(t.Context(), expr.Let(y, op.FFT(c.Reshape(1<<9, 1<<9), 1)))
	if err != nil {
		t.Fatal(err)
	}
	ctx := &countdown{Context: context.Background()}
	ctx.left.Store(1 << 30)
	if err := p.Run(ctx); err != nil || 1<<30-ctx.left.Load() < 1<<9 {
		t.Errorf("a transform of %d rows asks %d times, and gives %v", 1<<9, 1<<30-ctx.left.Load(), err)
	}
}

// TestStoppedGoFunc cancels a run in the tenth call of a Go function, which has a million elements.
func TestStoppedGoFunc(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	f := op.GoFunc("f", func(v float64) float64 {
		if calls++; calls == 10 {
			cancel()
		}
		return v + 1
	})
	y := engine.Zeros[float64](1e6)
	err := engine.Run(ctx, expr.Let(y, f(y)))
	if !errors.Is(err, context.Canceled) || calls > 26 || y.At(0) != 0 {
		t.Errorf("after %d calls the target has %v: %v", calls, y.At(0), err)
	}
}

// TestStoppedLongRow checks that a run does not wait for the transform of a long row when it is cancelled, and that
// later runs do not share what that transform still uses.
func TestStoppedLongRow(t *testing.T) {
	const n = 1 << 21
	r := engine.FromFunc(func(at []int) float64 { return float64(at[0]%11) - 5 }, n)
	c := op.Complex[complex128](r, r)
	half := op.RFFT[complex128](r, 0)
	for what, e := range map[string]expr.Exp[complex128]{"fft": op.FFT(c, 0), "rfft": half} {
		want, err := engine.Eval(e)
		if err != nil {
			t.Fatal(err)
		}
		y := engine.Zeros[complex128](want.Shape()...)
		p, err := engine.Compile(t.Context(), expr.Let(y, e))
		if err != nil {
			t.Fatal(err)
		}
		for left := range int64(testlevel.Every(5, 5, 2)) {
			ctx := &countdown{Context: context.Background()}
			ctx.left.Store(left)
			if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: a run that is cancelled when it asks for the %dth time gives %v", what, left+1, err)
			}
		}
		if slices.Equal(y.Values(), want.Values()) {
			t.Errorf("%s: a cancelled run stores all results", what)
		}
		if err := p.Run(context.Background()); err != nil || !slices.Equal(y.Values(), want.Values()) {
			t.Errorf("%s: after cancelled runs another gives %v, or other results", what, err)
		}
	}
}

// stopsEarly checks that a run of an operator asks some times whether it is cancelled, and leaves work undone if it is.
func stopsEarly[T expr.Elem](t *testing.T, backend, what string, e expr.Exp[T]) {
	t.Helper()
	y := engine.Zeros[T](expr.NodeOf(e).Shape()...)
	p, err := engine.CompileWith(t.Context(), engine.Options{Backend: backend}, expr.Let(y, e))
	if err != nil {
		t.Errorf("%s, %s: %v", backend, what, err)
		return
	}
	run := func(left int64) (int64, error) {
		ctx := &countdown{Context: context.Background()}
		ctx.left.Store(left)
		err := p.Run(ctx)
		return left - ctx.left.Load(), err
	}
	const unlimited, least = 1 << 30, 6 // two are asked before and after the function
	asks, err := run(unlimited)
	if err != nil || asks < least {
		t.Errorf("%s, %s: a run asks %d times, and gives %v", backend, what, asks, err)
		return
	}
	whole := slices.Clone(y.Values())
	if err := y.Fill(*new(T)); err != nil {
		t.Fatal(err)
	}
	if _, err := run(asks / 2); !errors.Is(err, context.Canceled) || slices.Equal(y.Values(), whole) {
		t.Errorf("%s, %s: a run that is cancelled in its middle gives %v, and all results", backend, what, err)
	}
	if _, err := run(unlimited); err != nil || !slices.Equal(y.Values(), whole) {
		t.Errorf("%s, %s: after a cancelled run, another gives %v, or other results", backend, what, err)
	}
}
