package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestBinding runs bindings of programs of one step and of several, with other data,
// beside the program. Each must have the results of the program on its data.
func TestBinding(t *testing.T) {
	ctx := context.Background()
	for _, name := range engine.Backends() {
		for _, n := range []int{1, 16, 1000, 40_000} {
			x, y, s := engine.MustFromSlice(ramp(n)), engine.Zeros[float32](n), engine.Zeros[float32]()
			scale := op.Scale(3, op.Exp[float32](x))
			for _, stmts := range [][]expr.Statement{
				{expr.Let(y, scale)},
				{expr.Let(s, op.Sum[float32](x))},
				{expr.Let(y, op.Softmax[float32](x, 0)), expr.Let(s, op.Sum(op.Mul[float32](y, x)))},
			} {
				p, err := engine.CompileWith(ctx, engine.Options{Backend: name}, stmts...)
				if err != nil {
					t.Fatal(err)
				}
				b, err := p.Bind(ctx, x.Array().Memory())
				if err != nil {
					t.Fatal(err)
				}
				other := ramp(n)
				slices.Reverse(other)
				original := slices.Clone(x.Array().Memory().Bytes())
				for _, data := range [][]float32{ramp(n), other, nil, other} {
					if data == nil {
						err = b.Set(nil)
					} else {
						err = b.Set(dtype.Bytes(data))
					}
					if err == nil {
						err = b.Run(ctx)
					}
					if err != nil {
						t.Fatal(err)
					}
					gotY, gotS := slices.Clone(y.Array().Memory().Bytes()), slices.Clone(s.Array().Memory().Bytes())
					if data != nil {
						copy(x.Array().Memory().Bytes(), dtype.Bytes(data))
					}
					if err := p.Run(ctx); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(gotY, y.Array().Memory().Bytes()) || !slices.Equal(gotS, s.Array().Memory().Bytes()) {
						t.Fatalf("%s, %d elements, %d statements: the binding has other results than the program", name, n, len(stmts))
					}
				}
				copy(x.Array().Memory().Bytes(), original)
			}
		}
	}
}

// TestBindingErrors tests the errors, and that nothing changes with them.
func TestBindingErrors(t *testing.T) {
	ctx := context.Background()
	all := make([]float32, 64)
	x, y, z := engine.Zeros[float32](16), engine.Zeros[float32](16), engine.Zeros[float32](16)
	p, err := engine.Compile(ctx, expr.Let(y, op.AddScalar[float32](x, 1)))
	if err != nil {
		t.Fatal(err)
	}
	mx, my := x.Array().Memory(), y.Array().Memory()
	for _, ms := range [][]*engine.Memory{{z.Array().Memory()}, {mx, mx}} {
		if _, err := p.Bind(ctx, ms...); !errors.Is(err, expr.ErrValue) {
			t.Errorf("error %v, want ErrValue", err)
		}
	}
	if _, err := p.Bind(ctx, nil); !errors.Is(err, expr.ErrType) {
		t.Errorf("error %v for a nil memory, want ErrType", err)
	}
	b, err := p.Bind(ctx, mx, my)
	if err != nil {
		t.Fatal(err)
	}
	view := func(at int) []byte { return dtype.Bytes(all[at:][:16:16]) }
	for _, data := range [][][]byte{
		{view(0)},                     // a memory too few
		{view(0)[:60], view(16)},      // too short
		{view(0), view(8)},            // they overlap, the memories did not
		{nil, mx.Bytes()},             // the same
		{dtype.Bytes(all)[1:65], nil}, // not aligned
	} {
		if err := b.Set(data...); !errors.Is(err, expr.ErrShape) {
			t.Errorf("error %v, want ErrShape", err)
		}
	}
	if err := b.Run(ctx); err != nil || my.Bytes()[3] == 0 {
		t.Errorf("after errors of Set: %v, %v", err, y)
	}
	if err := b.Set(view(0), view(16)); err != nil {
		t.Error(err)
	}
	if err := b.Run(ctx); err != nil || all[16] != 1 || all[0] != 0 {
		t.Errorf("%v, %v", err, all)
	}
	// What the memories are bound to later does not matter.
	if err := mx.Rebind(view(32)); err != nil {
		t.Fatal(err)
	}
	all[0] = 5
	if err := b.Run(ctx); err != nil || all[16] != 6 {
		t.Errorf("%v, %v", err, all)
	}
	for _, b := range []*engine.Binding{nil, {}} {
		if err := b.Run(ctx); !errors.Is(err, expr.ErrValue) {
			t.Errorf("error %v", err)
		}
		if err := b.Set(); !errors.Is(err, expr.ErrValue) {
			t.Errorf("error %v", err)
		}
	}
	var none context.Context
	if err := b.Run(none); err == nil {
		t.Error("no error for a nil context")
	}
	if _, err := (*engine.Program)(nil).Bind(ctx); !errors.Is(err, expr.ErrValue) {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.Run(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// TestBindingNames checks that errors name the call and say which memory and what is wrong with it.
func TestBindingNames(t *testing.T) {
	x, y := engine.Zeros[float64](4), engine.Zeros[float64](4)
	m := x.Array().Memory()
	p, err := engine.Compile(t.Context(), expr.LetAdd(x, op.Full[float64](1)))
	if err != nil {
		t.Fatal(err)
	}
	bind := func(memories ...*engine.Memory) error {
		_, err := p.Bind(t.Context(), memories...)
		return err
	}
	b, err := p.Bind(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err, kind error
		want      string
	}{
		{bind(nil), expr.ErrType, "Program.Bind: memory 0 is nil"},
		{bind(m, y.Array().Memory()), expr.ErrValue, "Program.Bind: the program does not use memory 1"},
		{bind(m, m), expr.ErrValue, "Program.Bind: memory 1 is given twice"},
		{b.Set(), expr.ErrShape, "Binding.Set: the call has 0 slices, not one for each memory of the binding (1)"},
		{b.Set(make([]byte, 8)), expr.ErrShape, "Binding.Set: slice 0 has 8 bytes, and its memory 32"},
		{b.Set(make([]byte, 40)[4:36]), expr.ErrShape, "Binding.Set: slice 0 is not aligned for elements of 8 bytes"},
	} {
		if !errors.Is(c.err, c.kind) || !strings.Contains(c.err.Error(), "oneloop: "+c.want+" (binding_test.go:") {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
}

// TestBindingFault tests that the error of a fault names the element of the data that
// the binding reads.
func TestBindingFault(t *testing.T) {
	ctx := context.Background()
	x, y := engine.MustFromSlice([]int32{1, 2, 3}), engine.Zeros[int32](3)
	p, err := engine.Compile(ctx, expr.Let(y, op.Div[int32](y, x)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Bind(ctx, x.Array().Memory())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Set(dtype.Bytes([]int32{1, 2, 0})); err != nil {
		t.Fatal(err)
	}
	if err := b.Run(ctx); !errors.Is(err, expr.ErrDivide) || !strings.Contains(err.Error(), "[2]") {
		t.Errorf("error %v, want a division by zero at [2]", err)
	}
}

// TestBindingsAtOnce runs bindings and the program at once, on data of their own.
func TestBindingsAtOnce(t *testing.T) {
	ctx := context.Background()
	const n = 3000
	x, y := engine.MustFromSlice(ramp(n)), engine.Zeros[float32](n)
	p, err := engine.Compile(ctx, expr.Let(y, op.Exp[float32](x)))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		b, err := p.Bind(ctx, x.Array().Memory(), y.Array().Memory())
		if err != nil {
			t.Fatal(err)
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			in, out := make([]float32, n), make([]float32, n)
			in[7] = float32(g)
			for range 50 {
				out[7] = 0
				if err := b.Set(dtype.Bytes(in), dtype.Bytes(out)); err != nil {
					t.Error(err)
					return
				}
				if err := b.Run(ctx); err != nil || out[0] != 1 || g > 0 && out[7] < 2 {
					t.Errorf("binding %d: %v, %v", g, err, out[7])
					return
				}
			}
		}()
	}
	for range 50 {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

// TestBindingAllocates tests that neither Set nor Run allocates.
func TestBindingAllocates(t *testing.T) {
	ctx := context.Background()
	x, y, s := engine.MustFromSlice(ramp(100)), engine.Zeros[float32](100), engine.Zeros[float32]()
	p, err := engine.Compile(ctx, expr.Let(y, op.Exp[float32](x)), expr.Let(s, op.Sum[float32](y)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Bind(ctx, x.Array().Memory(), s.Array().Memory())
	if err != nil {
		t.Fatal(err)
	}
	data := [2][]byte{dtype.Bytes(ramp(100)), dtype.Bytes(ramp(100))}
	i := 0
	if n := testlevel.Allocs(100, func() {
		i++
		if err := errors.Join(b.Set(data[i%2], nil), b.Run(ctx)); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
