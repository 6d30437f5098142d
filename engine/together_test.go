package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// Both steps read the old values of both arrays.
func ExampleTogether() {
	x, y := engine.MustFromSlice([]float64{3}), engine.MustFromSlice([]float64{4})
	err := engine.Run(context.Background(), engine.Together(expr.Let(x, op.Add[float64](x, y)), expr.Let(y, op.Sub[float64](x, y)))...)
	fmt.Println(x, y, err)
	// Output: [7] [-1] <nil>
}

// The wave moves on, and its two last states change places.
func ExampleRotate() {
	now, next := engine.MustFromSlice([]float64{0, 1, 0, 0}), engine.Zeros[float64](4)
	ctx := context.Background()
	p, err := engine.Compile(ctx, expr.Let(next, op.Roll(now, 1, 0)))
	for range 2 {
		if err == nil {
			err = p.Run(ctx)
		}
		if err == nil {
			err = engine.Rotate(now, next)
		}
	}
	fmt.Println(now, err)
	// Output: [0 0 0 1] <nil>
}

func TestTogether(t *testing.T) {
	type tensor = *engine.Tensor[float64]
	ctx := context.Background()
	data := func() (a, b, c tensor) {
		return engine.MustFromSlice([]float64{1, 2}), engine.MustFromSlice([]float64{10, 20}), engine.MustFromSlice([]float64{100, 200})
	}
	for name, c := range map[string]struct {
		stmts   func(a, b, c tensor) []expr.Statement
		a, b, c []float64
		count   int // of the statements that Together returns
	}{
		"independent": {func(a, b, c tensor) []expr.Statement { return []expr.Statement{expr.Let(a, c), expr.Let(b, c)} }, []float64{100, 200}, []float64{100, 200}, []float64{100, 200}, 2},
		"a chain":     {func(a, b, c tensor) []expr.Statement { return []expr.Statement{expr.Let(a, b), expr.Let(c, a)} }, []float64{10, 20}, []float64{10, 20}, []float64{1, 2}, 2},
		"exchanged":   {func(a, b, c tensor) []expr.Statement { return []expr.Statement{expr.Let(a, b), expr.Let(b, a)} }, []float64{10, 20}, []float64{1, 2}, []float64{100, 200}, 3},
		"a circle of three": {func(a, b, c tensor) []expr.Statement {
			return []expr.Statement{expr.Let(a, b), expr.Let(b, c), expr.LetAdd(c, a)}
		}, []float64{10, 20}, []float64{100, 200}, []float64{101, 202}, 4},
		"parts": {func(a, b, c tensor) []expr.Statement {
			return []expr.Statement{expr.Let(a.Slice(0, 1), a.Slice(1, 2)), expr.Let(a.Slice(1, 2), a.Slice(0, 1))}
		}, []float64{2, 1}, []float64{10, 20}, []float64{100, 200}, 3},
		"one target twice": {func(a, b, c tensor) []expr.Statement {
			return []expr.Statement{expr.Let(a, b), expr.LetAdd(a, c)}
		}, []float64{110, 220}, []float64{10, 20}, []float64{100, 200}, 2},
		"its own target": {func(a, b, c tensor) []expr.Statement {
			return []expr.Statement{expr.LetSub(a, op.Mul[float64](a, b)), expr.LetSub(b, op.Mul[float64](a, b))}
		}, []float64{-9, -38}, []float64{0, -20}, []float64{100, 200}, 3},
		"two outputs": {func(a, b, c tensor) []expr.Statement {
			return []expr.Statement{expr.Let(op.Into(0, a, b), op.Concat[float64](0, b, c)), expr.Let(c, a)}
		}, []float64{10, 20}, []float64{100, 200}, []float64{1, 2}, 3},
	} {
		x, y, z := data()
		stmts := engine.Together(c.stmts(x, y, z)...)
		if err := engine.Run(ctx, stmts...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(x.Data(), c.a) || !slices.Equal(y.Data(), c.b) || !slices.Equal(z.Data(), c.c) {
			t.Errorf("%s: %v %v %v, want %v %v %v", name, x, y, z, c.a, c.b, c.c)
		}
		if len(stmts) != c.count {
			t.Errorf("%s: %d statements, want %d", name, len(stmts), c.count)
		}
	}
	x, _, _ := data()
	if err := engine.Run(ctx, engine.Together(expr.Let(x, engine.Zeros[float64](3)), expr.Statement{})...); err == nil {
		t.Error("a bad statement runs")
	}
}

func TestRotate(t *testing.T) {
	a, b, c := engine.MustFromSlice([]float64{1}), engine.MustFromSlice([]float64{2}), engine.MustFromSlice([]float64{3})
	if err := engine.Rotate(a, b, c); err != nil || a.At(0) != 2 || b.At(0) != 3 || c.At(0) != 1 {
		t.Errorf("%v %v %v %v", a, b, c, err)
	}
	if err := engine.Rotate[float64](); err != nil {
		t.Error(err)
	}
	two := engine.Zeros[float64](2)
	for name, err := range map[string]error{
		"twice": engine.Rotate(a, a), "shapes": engine.Rotate(a, two), "a part": engine.Rotate(two.Slice(0, 1), a),
	} {
		if !errors.Is(err, expr.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := engine.Rotate(a, nil); err == nil {
		t.Error("nil is rotated")
	}
}

// TestTogetherOnDevice exchanges arrays of a device: the value that is kept is there too.
func TestTogetherOnDevice(t *testing.T) {
	d := &fakeDevice{}
	on := func() *engine.Tensor[float64] {
		x, err := engine.MustFromSlice([]float64{1, 2}).To(d)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	a, b := on(), on()
	stmts := engine.Together(expr.Let(a, b), expr.Let(b, a))
	if kept := stmts[0].Target.Leaf.Mem.Device(); len(stmts) != 3 || kept != d.Name() {
		t.Errorf("%d statements, of which the first stores on %s", len(stmts), kept)
	}
}

// TestRotateRefused rotates tensors that cannot exchange memory: they stay as they are.
func TestRotateRefused(t *testing.T) {
	a := engine.MustFromSlice([]float32{1, 2, 3, 4}, 2, 2)
	turned := engine.MustFromSlice([]float32{5, 6, 7, 8}, 2, 2).Transpose()
	raw := engine.Zeros[float32](5).Array().Memory().Bytes()
	odd := view(t, engine.MemoryOf(raw[4:]), dtype.F32, 2, 2) // aligned for float32 alone
	both := engine.Zeros[float32](2, 2)
	view(t, both.Array().Memory(), dtype.F64, 2) // needs the alignment of float64
	for name, other := range map[string][2]*engine.Tensor[float32]{"strides": {a, turned}, "alignment": {tensor(t, odd), both}} {
		before := [2]string{other[0].String(), other[1].String()}
		if err := engine.Rotate(other[0], other[1]); !errors.Is(err, expr.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
		other[1].Set(9, 0, 0)
		if other[0].String() != before[0] {
			t.Errorf("%s: %v and %v have become %v and %v", name, before[0], before[1], other[0], other[1])
		}
	}
}

func view(t *testing.T, m *engine.Memory, typ dtype.Type, dims ...int) *engine.Array {
	t.Helper()
	a, err := engine.ArrayOf(m, typ, dims, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func tensor(t *testing.T, a *engine.Array) *engine.Tensor[float32] {
	t.Helper()
	x, err := engine.TensorOf[float32](a)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
