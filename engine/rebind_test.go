package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// TestRebindOverlap rebinds the memories of compiled programs to bytes that
// overlap in every way. The result must be that of the statement on arrays with
// the same overlap.
func TestRebindOverlap(t *testing.T) {
	ctx := context.Background()
	const n = 70
	for _, name := range engine.Backends() {
		for _, shift := range []int{0, 1, -1, 8, -8, 69, 70, 200} {
			all, want := make([]float32, 600), make([]float32, 600)
			x, y := engine.Zeros[float32](n), engine.Zeros[float32](n)
			first := engine.Zeros[float32](n)
			stmts := func(x, y *engine.Tensor[float32]) []expr.Statement {
				return []expr.Statement{
					expr.Let(y, op.Add(op.Flip(x), op.Exp(x))),
					expr.LetAdd(y.Slice(1, n), op.Slice(y, op.Range(0, n-1))),
				}
			}
			p, err := engine.CompileWith(ctx, engine.Options{Backend: name}, stmts(x, y)...)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(ctx); err != nil {
				t.Fatal(err)
			}
			for i := range all {
				all[i] = float32(i%13) / 8
			}
			copy(want, all)
			view := func(data []float32, at int) []float32 { return data[at:][:n:n] }
			for _, b := range []struct {
				t  *engine.Tensor[float32]
				at int
			}{{x, 256}, {y, 256 + shift}} {
				if err := b.t.Array().Memory().Rebind(dtype.Bytes(view(all, b.at))); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Run(ctx); err != nil {
				t.Fatal(err)
			}
			p2, err := engine.CompileWith(ctx, engine.Options{Backend: name},
				stmts(engine.MustFromSlice(view(want, 256)), engine.MustFromSlice(view(want, 256+shift)))...)
			if err != nil {
				t.Fatal(err)
			}
			if err := p2.Run(ctx); err != nil {
				t.Fatal(err)
			}
			for i := range all {
				if all[i] != want[i] {
					t.Fatalf("%s: shift %d: element %d is %v, want %v", name, shift, i, all[i], want[i])
				}
			}
			// Now without overlap again.
			if err := y.Array().Memory().Rebind(first.Array().Memory().Bytes()); err != nil {
				t.Fatal(err)
			}
			if err := p.Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRebindUnaligned tests that Rebind refuses bytes that are not aligned for the
// arrays.
func TestRebindUnaligned(t *testing.T) {
	b := make([]byte, 64)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & 7)
	b = b[skip:]
	x, err := engine.NewArray(dtype.F16, 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Memory().Rebind(b[1:17]); !errors.Is(err, expr.ErrShape) {
		t.Errorf("float16 at an odd address: %v", err)
	}
	if err := x.Memory().Rebind(b[2:18]); err != nil {
		t.Error(err)
	}
	if _, err := engine.ArrayOf(x.Memory(), dtype.F32, shape.Shape{4}, nil, 0); !errors.Is(err, expr.ErrShape) {
		t.Errorf("float32 at an even address: %v", err)
	}
	if err := x.Memory().Rebind(b[:16]); err != nil {
		t.Error(err)
	}
	if _, err := engine.ArrayOf(x.Memory(), dtype.F32, shape.Shape{4}, nil, 0); err != nil {
		t.Error(err)
	}
	if err := x.Memory().Rebind(b[2:18]); !errors.Is(err, expr.ErrShape) {
		t.Errorf("memory with a view as float32, at an even address: %v", err)
	}
}

// TestRebindTogether runs a program from several goroutines after its memories were bound to others that overlap otherwise.
// One of the runs compiles it again: two loops that are one call each become one that is several, or the other way round.
func TestRebindTogether(t *testing.T) {
	const n, runs, rounds = 2000, 4, 20
	all := make([]float64, 2*n)
	for _, name := range engine.Backends() {
		x, y := engine.Zeros[float64](n), engine.Zeros[float64](n)
		z, count := engine.Zeros[float64](n), engine.Zeros[float64](n)
		rebind := func(at int) {
			for m, data := range map[*engine.Memory][]float64{x.Array().Memory(): all[:n], y.Array().Memory(): all[at:][:n]} {
				if err := m.Rebind(dtype.Bytes(data)); err != nil {
					t.Fatal(err)
				}
			}
		}
		rebind(1)
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name, Threads: 1},
			expr.Let(y, op.Sinh(op.Tan[float64](z))), expr.Let(count, op.Add(count, op.Exp(op.Sinh[float64](x)))))
		if err != nil {
			t.Fatal(err)
		}
		for round := range rounds {
			clear(count.Data())
			rebind(n*(round%2) + (round+1)%2)
			var group sync.WaitGroup
			for range runs {
				group.Go(func() {
					if err := p.Run(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if want := 2 - round%2; len(p.Plan().Stages) != want {
				t.Fatalf("%s: %d stages, not %d", name, len(p.Plan().Stages), want)
			}
			for i, v := range count.Data() {
				if v != runs {
					t.Fatalf("%s, round %d: element %d is %v after %d runs", name, round, i, v, runs)
				}
			}
		}
	}
}
