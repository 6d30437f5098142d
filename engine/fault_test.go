package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// line returns the line number of the call.
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

// TestTakeBounds tests the first and last indices of an axis, those next to them, and those whose sums with the size wrap.
func TestTakeBounds(t *testing.T) {
	takeBounds(t, []int64{math.MinInt64, math.MinInt64 + 5, math.MaxInt64, math.MaxInt64 - 5})
	takeBounds(t, []int32{math.MinInt32, math.MinInt32 + 5, math.MaxInt32, math.MaxInt32 - 5})
	takeBounds(t, []int16{math.MinInt16, math.MaxInt16})
}

func takeBounds[I int16 | int32 | int64](t *testing.T, far []I) {
	t.Helper()
	const n = 5
	x, y := engine.MustFromSlice([]float64{0, 1, 2, 3, 4}), engine.Zeros[float64](9)
	for _, name := range engine.Backends() {
		for _, i := range append([]I{-n - 1, -n, -1, 0, n - 1, n, n + 1, 2 * n}, far...) {
			index := make([]I, y.Shape()[0])
			index[6] = i
			err := engine.RunWith(context.Background(), engine.Options{Backend: name}, expr.Let(y, op.Take(x, engine.MustFromSlice(index), 0)))
			if inside := -n <= i && i < n; inside != (err == nil) || !inside && !errors.Is(err, expr.ErrIndex) {
				t.Errorf("%s: index %d: %v", name, i, err)
			} else if want := float64(i+n) - n*float64((i+n)/n); inside && y.Data()[6] != want {
				t.Errorf("%s: index %d takes %v", name, i, y.Data()[6])
			}
		}
	}
}

// TestTakeBoundsOfLongAxes tests axes that have more elements than an index of 32 bits counts.
func TestTakeBoundsOfLongAxes(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("no axis has as many elements")
	}
	index, y := engine.MustFromSlice([]int32{math.MinInt32, -1, 0, math.MaxInt32}), engine.Zeros[float64](4)
	for _, name := range engine.Backends() {
		for n, want := range map[int64]bool{math.MaxInt32: false, math.MaxInt32 + 1: true, math.MaxInt32 + 2: true, 1 << 40: true} {
			x := op.BroadcastTo(engine.MustFromSlice([]float64{7}), int(n))
			err := engine.RunWith(context.Background(), engine.Options{Backend: name}, expr.Let(y, op.Take(x, index, 0)))
			if want != (err == nil) || !want && !errors.Is(err, expr.ErrIndex) {
				t.Errorf("%s: %d elements: %v", name, n, err)
			}
		}
	}
}

// TestUniformRemainders tests remainders by a scalar: of numbers at both ends, and beside multiples.
func TestUniformRemainders(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	divisors := []int32{math.MinInt32, math.MinInt32 + 1, math.MaxInt32}
	for k := range 31 {
		for _, d := range []int32{1 << k, 1<<k + 1, 1<<k - 1, int32(r.Uint32() >> k)} {
			if d != 0 {
				divisors = append(divisors, d, -d)
			}
		}
	}
	x, d, y := engine.Zeros[int32](203), engine.Zeros[int32](), engine.Zeros[int32](203)
	for _, name := range engine.Backends() {
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name}, expr.Let(y, op.Mod(x, d)))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range divisors {
			d.Data()[0] = v
			copy(x.Data(), []int32{math.MinInt32, math.MinInt32 + 1, math.MaxInt32, math.MaxInt32 - 1, -1, 0, 1, v, -v, v - 1, v + 1})
			for i := 11; i < len(x.Data()); i++ {
				q := int64(r.Int32()) * int64(1-2*r.IntN(2)) / int64(v)
				x.Data()[i] = int32(q*int64(v)) + int32(r.IntN(3)-1)
			}
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			for i, a := range x.Data() {
				want := int64(a) % int64(v)
				if want != 0 && (want < 0) != (v < 0) {
					want += int64(v)
				}
				if got := y.Data()[i]; int64(got) != want {
					t.Fatalf("%s: %d %% %d is %d, not %d", name, a, v, got, want)
				}
			}
		}
	}
}

// TestFaultsHavePlaces tests that a fault names the operator, the element and the
// line that built the node. It does so on all back ends, for assignments, for
// programs, and for trees of a structure that was assigned before.
func TestFaultsHavePlaces(t *testing.T) {
	ctx := t.Context()
	x := engine.MustFromSlice([]float32{1, 2, 3})
	idx := engine.MustFromSlice([]int32{0, 1, 2, 9, 0, -4}, 2, 3)
	m := engine.MustFromSlice([]int64{1, 2, 0, 4}, 2, 2)
	zero, rows := engine.Zeros[int64](), engine.Zeros[float32](3, 4)
	y, z := engine.Zeros[float32](2, 3), engine.MustFromSlice([]int64{5, 5, 5, 5}, 2, 2)
	cases := []struct {
		name  string
		kind  error
		make  func() (expr.Statement, int)
		texts []string
	}{
		{"take", expr.ErrIndex, func() (expr.Statement, int) {
			e := op.Take(x, idx, 0)
			at := line() - 1
			return expr.Let(y, e), at
		}, []string{"op.Take", "index 9 at [1 0]", "axis 0 of size 3"}},
		{"computed", expr.ErrIndex, func() (expr.Statement, int) {
			e := op.Neg(op.Take(x, op.Sub(idx, op.Full[int32](4)), -1))
			at := line() - 1
			return expr.Let(y, e), at
		}, []string{"op.Take", "index -4 at [0 0]", "axis 0 of size 3"}},
		{"rows", expr.ErrIndex, func() (expr.Statement, int) {
			e := op.Take(rows, idx, 0)
			at := line() - 1
			return expr.Let(y, op.Sum(e, op.Axis(2))), at
		}, []string{"op.Take", "index 9 at [1 0]", "axis 0 of size 3"}},
		{"div", expr.ErrDivide, func() (expr.Statement, int) {
			e := op.Add(z, op.Div(z, m))
			at := line() - 1
			return expr.Let(z, e), at
		}, []string{"op.Div", "division by zero at [1 0]"}},
		{"mod by a scalar", expr.ErrDivide, func() (expr.Statement, int) {
			e := op.Mod(z, zero)
			at := line() - 1
			return expr.Let(z, e), at
		}, []string{"op.Mod", "division by zero"}},
		{"one of two", expr.ErrDivide, func() (expr.Statement, int) {
			good := op.Div(z, op.AddScalar(m, int64(1)))
			bad := op.Mod(z, m)
			at := line() - 1
			return expr.Let(z, op.Add(good, bad)), at
		}, []string{"op.Mod", "at [1 0]"}},
	}
	for _, name := range engine.Backends() {
		o := engine.Options{Backend: name}
		for _, c := range cases {
			for round := range 3 {
				s, at := c.make()
				err := runs(t, o, s, round == 2)
				if !errors.Is(err, c.kind) {
					t.Fatalf("%s: %s: %v", name, c.name, err)
				}
				for _, text := range append(c.texts, fmt.Sprintf("(fault_test.go:%d)", at)) {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("%s: %s, round %d: %v, without %q", name, c.name, round, err, text)
					}
				}
			}
		}
		// This tree has the structure of the first one, and another line.
		err := engine.RunWith(ctx, o, expr.Let(y, op.Take(x, idx, 0)))
		if text := fmt.Sprintf("(fault_test.go:%d)", line()-1); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: the same tree in another place: %v, without %q", name, err, text)
		}
		// The plan makes the division; the tree has none.
		err = engine.RunWith(ctx, o, expr.LetDiv(z, m))
		if text := fmt.Sprintf("(fault_test.go:%d)", line()-1); !errors.Is(err, expr.ErrDivide) || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "op.Div") {
			t.Errorf("%s: %v, without %q", name, err, text)
		}
	}
	if got := fmt.Sprint(z.Values()); got != "[5 5 5 5]" {
		t.Errorf("the target is %s", got)
	}
}

// runs runs a statement, as a program or by itself.
func runs(t *testing.T, o engine.Options, s expr.Statement, program bool) error {
	if !program {
		return engine.RunWith(t.Context(), o, s)
	}
	p, err := engine.CompileWith(t.Context(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(t.Context())
}

// TestFaultsOfSelectedRows sums rows that indices select. Those outside of the array count where a row is chosen.
func TestFaultsOfSelectedRows(t *testing.T) {
	x := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2)
	idx := engine.MustFromSlice([]int32{2, 9, -3})
	for _, name := range engine.Backends() {
		y, want := engine.Zeros[float32](3), []float32{11, -2, 3}
		sum := func(most int32) expr.Statement {
			chosen := op.Less(op.Reshape(idx, 3, 1), op.Full[int32](most))
			return expr.Let(y, op.Sum(op.Where(chosen, op.Take(x, idx, 0), op.Full[float32](-1)), op.Axis(1)))
		}
		if err := engine.RunWith(t.Context(), engine.Options{Backend: name}, sum(3)); err != nil || !slices.Equal(y.Data(), want) {
			t.Errorf("%s: %v, %v, want %v", name, y.Data(), err, want)
		}
		if err := engine.RunWith(t.Context(), engine.Options{Backend: name}, sum(10)); !errors.Is(err, expr.ErrIndex) || !slices.Equal(y.Data(), want) {
			t.Errorf("%s: %v, %v, want %v and a fault", name, y.Data(), err, want)
		}
	}
}

// TestPlaceOfViews tests that errors of tensor views name the line of the caller,
// although the compiler inlines the closures of views into the caller.
func TestPlaceOfViews(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	for _, err := range []error{
		x.Reshape(2, 2).Err(), x.Transpose(3).Err(), x.Slice(0, 2).Reshape(7).Err(), x.Span(op.Range(0, 1), op.Range(0, 1)).Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), "(fault_test.go:") {
			t.Errorf("%v", err)
		}
	}
	e := engine.NewStream()
	defer e.Close()
	e.Go(nil)
	if err := e.Sync(context.Background()); err == nil || strings.Contains(err.Error(), ".s:") {
		t.Errorf("%v", err)
	}
}

// TestFaultsOfIndices tests the text of an error of indices, of an operator with and without the size that they must be below.
func TestFaultsOfIndices(t *testing.T) {
	index := func(n int) *tree.Operator {
		return op.Define("index", n, func(_ *op.B, x ...op.V) op.V { return x[0] }, op.On(dtype.I64), func(o *tree.Row) {
			o.FaultKind = tree.ErrIndex
			o.Fault = func(b *op.B, x ...op.V) op.V { return b.Lt(x[0], b.Like(x[0], 0)) }
		})
	}
	x := engine.MustFromSlice([]int64{4, -7})
	for want, e := range map[string]expr.Exp[int64]{
		"index -7 at [1] is out of range (":            op.Map1(index(1), x),
		"index -7 at [1] is out of range for size 9 (": op.Map2(index(2), x, expr.Const[int64](9)),
	} {
		if _, err := engine.Eval(e); !errors.Is(err, expr.ErrIndex) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
