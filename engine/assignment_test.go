package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/shape"
)

// A window is a view of every step-th element of an array, beginning at element
// from.
type window struct{ from, step int }

func (w window) of(x *engine.Tensor[float64], n int) *engine.Tensor[float64] {
	s := shape.Slice{Start: shape.At(w.from), Step: shape.At(w.step)}
	if stop := w.from + n*w.step; stop >= 0 {
		s.Stop = shape.At(stop)
	}
	return x.Span(s)
}

// TestAssignUnderAliasing assigns windows of one array to a window of the same
// array. Whichever elements they share, the right side is evaluated first. There
// are few shapes and many offsets, so the cache must tell the aliasings apart.
func TestAssignUnderAliasing(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() window {
		w := window{from: r.IntN(12), step: []int{1, 1, 2, -1}[r.IntN(4)]}
		if w.step < 0 {
			w.from += n - 1
		}
		return w
	}
	for range testlevel.Every(30000, 2500) {
		data := make([]float64, 12+2*n)
		for i := range data {
			data[i] = float64(r.IntN(1000))
		}
		x, old := engine.MustFromSlice(data), slices.Clone(data)
		to, a, b := draw(), draw(), draw()
		scale := float64(r.IntN(5))
		flip, plus := r.IntN(2) == 0, r.IntN(3) == 0
		want := slices.Clone(data)
		for i := range n {
			j := i
			if flip {
				j = n - 1 - i
			}
			v := old[a.from+i*a.step] + scale*old[b.from+j*b.step]
			if plus {
				v += old[to.from+i*to.step]
			}
			want[to.from+i*to.step] = v
		}
		second := op.Scale(scale, b.of(x, n))
		if flip {
			second = op.Flip(second)
		}
		assign := to.of(x, n).Assign
		if plus {
			assign = to.of(x, n).AddAssign
		}
		if err := assign(op.Add(a.of(x, n), second)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(data, want) {
			t.Fatalf("%+v = %+v + %v*%+v (flipped %t, added %t) of\n%v is\n%v, want\n%v", to, a, scale, b, flip, plus, old, data, want)
		}
	}
}

// TestAssignTogether tests that goroutines that carry out the same statements do
// not share an assignment.
func TestAssignTogether(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			x := engine.Zeros[float32](100)
			y := engine.MustFromSlice(slices.Repeat([]float32{float32(g)}, 100))
			for i := range 200 {
				if err := x.AddAssign(op.Scale(float32(i%3), y)); err != nil {
					t.Error(err)
				}
				if i%50 == g { // sometimes another statement
					if err := y.Assign(op.Mul(y, op.Full[float32](float32(1)))); err != nil {
						t.Error(err)
					}
				}
			}
			if want := float32(199 * g); x.At(0) != want || x.At(99) != want {
				t.Errorf("%d: %v, want %v", g, x.At(0), want)
			}
		})
	}
	wg.Wait()
}

// TestAssignRetainsNothing tests that the cache keeps no reference to the arrays
// of the caller.
func TestAssignRetainsNothing(t *testing.T) {
	const n = 64
	neg := op.GoFunc("neg", func(v float32) float32 { return -v })
	for _, backend := range testlevel.One(engine.Backends(), func(int) int { return 0 }) {
		for name, e := range map[string]func(x *engine.Tensor[float32]) expr.Exp[float32]{
			"map":     func(x *engine.Tensor[float32]) expr.Exp[float32] { return op.Exp(x) },
			"in turn": func(x *engine.Tensor[float32]) expr.Exp[float32] { return op.Add(op.T(x), x) },
			"rows":    func(x *engine.Tensor[float32]) expr.Exp[float32] { return op.Softmax(x, 1) },
			"columns": func(x *engine.Tensor[float32]) expr.Exp[float32] { return op.Sub(x, op.Max(x, op.Axis(0))) },
			"product": func(x *engine.Tensor[float32]) expr.Exp[float32] { return op.MatMul(x, x) },
			"call":    func(x *engine.Tensor[float32]) expr.Exp[float32] { return neg(x) },
			"large temporary": func(x *engine.Tensor[float32]) expr.Exp[float32] {
				return op.Sum(op.MatMul(op.Reshape(x, n*n, 1), op.Reshape(x, 1, n*n)), op.Axis(0))
			},
		} {
			t.Run(backend+"/"+name, func(t *testing.T) {
				freed := make(chan bool, 2)
				func() {
					data := [2][]float32{make([]float32, n*n), make([]float32, n*n)}
					for i := range data {
						runtime.AddCleanup(unsafe.SliceData(data[i]), func(bool) { freed <- true }, true)
					}
					x, y := engine.MustFromSlice(data[0], n, n), engine.MustFromSlice(data[1], n, n)
					v := e(x)
					if len(v.Node().Shape()) == 1 {
						v = op.Reshape(v, n, n)
					}
					for range 3 {
						if err := engine.RunWith(context.Background(), engine.Options{Backend: backend}, expr.Let(y, v)); err != nil {
							t.Fatal(err)
						}
					}
				}()
				deadline := time.Now().Add(2 * time.Minute)
				for held := 2; held > 0; {
					runtime.GC()
					select {
					case <-freed:
						held--
					case <-time.After(100 * time.Millisecond):
						if time.Now().After(deadline) {
							t.Fatalf("%d of 2 arrays are still held", held)
						}
					}
				}
			})
		}
	}
}

// TestAssignErrors tests that errors are the same as for statements compiled
// alone, also after other statements of the same structure had none.
func TestAssignErrors(t *testing.T) {
	ctx := context.Background()
	x, y := engine.MustFromSlice([]int32{6, 7, 8}), engine.Zeros[int32](3)
	good, bad := engine.MustFromSlice([]int32{1, 2, 3}), engine.MustFromSlice([]int32{1, 0, 3})
	for range 2 {
		if err := y.Assign(op.Div(x, good)); err != nil {
			t.Fatal(err)
		}
		if err := y.Assign(op.Div(x, bad)); !errors.Is(err, expr.ErrDivide) {
			t.Fatalf("division by zero gives %v", err)
		}
		if err := y.Assign(op.Take(x, op.Sub(good, op.Full[int32](1)), 0)); err != nil {
			t.Fatal(err)
		}
		if err := y.Assign(op.Take(x, good, 0)); !errors.Is(err, expr.ErrIndex) {
			t.Fatalf("an index outside gives %v", err)
		}
	}
	if want := "[6 7 8]"; fmt.Sprint(y) != want {
		t.Errorf("a failed assignment leaves %v, want %s", y, want)
	}
	sum := op.Add(x, engine.Zeros[int32](4))
	for _, s := range []expr.Statement{
		expr.Let(y, sum),
		{Target: op.Neg(x).Node(), Value: x.Node()},
		{Target: op.BroadcastTo(x, 2, 3).Node(), Value: x.Node()},
		{Target: y.Node()},
		expr.Let[int32](nil, x),
	} {
		_, want := engine.Compile(ctx, s)
		got := engine.Run(ctx, s)
		if want == nil || got == nil || strip(got) != strip(want) {
			t.Errorf("the error is %v, want %v", got, want)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := engine.Run(cancelled, expr.Let(y, x)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gives %v", err)
	}
	if err := engine.RunWith(ctx, engine.Options{Backend: "none"}, expr.Let(y, x)); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("an unknown backend gives %v", err)
	}
}

// strip returns the text of an error without the line of the call.
func strip(err error) string {
	text, _, _ := strings.Cut(err.Error(), " (assignment_test.go:")
	return strings.Replace(text, "engine.Run: ", "engine.Compile: ", 1)
}

// TestAssignWithin tests that a Go function may assign and may panic.
func TestAssignWithin(t *testing.T) {
	x, y := engine.MustFromSlice([]float64{1, 2, 3}), engine.Zeros[float64](3)
	var f func(expr.Exp[float64]) expr.Exp[float64]
	depth := 0
	f = op.GoFunc("f", func(v float64) float64 {
		if v == 9 {
			panic("nine")
		}
		if depth++; depth < 3 {
			z := engine.Zeros[float64](3)
			if err := z.Assign(f(x)); err != nil {
				t.Error(err)
			}
		}
		depth--
		return 2 * v
	})
	if err := y.Assign(f(x)); err != nil || y.At(2) != 6 {
		t.Error(err, y)
	}
	if err := y.Assign(f(engine.MustFromSlice([]float64{1, 9, 3}))); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "panicked: nine") {
		t.Errorf("a panic gives %v", err)
	}
	if err := y.Assign(f(engine.MustFromSlice([]float64{4, 5, 6}))); err != nil || y.At(2) != 12 {
		t.Error(err, y)
	}
}

// TestAssignAllocates tests that an assignment allocates nothing if one with the
// same structure has run before.
func TestAssignAllocates(t *testing.T) {
	w, g, y := engine.MustFromSlice(ramp(16)), engine.MustFromSlice(ramp(16)), engine.Zeros[float32](16)
	rate := expr.NewParam[float32](.1)
	e := op.Add(op.Mul(rate, chain(w, g, 10)), op.Softmax[float32](w, 0))
	if err := y.Assign(e); err != nil {
		t.Fatal(err)
	}
	// A garbage collection may empty the pool of keys.
	if n := testlevel.Allocs(1, func() { _ = y.AddAssign(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
