package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// value returns the elements of e, computed by the engine.
func value[T expr.Elem](t *testing.T, e expr.Exp[T]) []T {
	t.Helper()
	y, err := engine.Eval(e)
	if err != nil {
		t.Fatal(err)
	}
	return y.Values()
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Integers of 16 bits wrap, saturate when floats become integers, divide to zero by zero
// at compile time only, and are added up in the types of NumPy.
func TestIntegersOf16Bits(t *testing.T) {
	x := engine.MustFromSlice([]int16{math.MinInt16, -7, -1, 0, 7, math.MaxInt16})
	u := engine.MustFromSlice([]uint16{0, 1, 7, 255, 40000, math.MaxUint16})
	equal(t, "x + 1", value(t, op.AddScalar(x, 1)), []int16{math.MinInt16 + 1, -6, 0, 1, 8, math.MinInt16})
	equal(t, "u * u", value(t, op.Mul(u, u)), []uint16{0, 1, 49, 255 * 255, 40000 * 40000 & 0xffff, 1})
	equal(t, "abs(x)", value(t, op.Abs(x)), []int16{math.MinInt16, 7, 1, 0, 7, math.MaxInt16})
	equal(t, "x / 2", value(t, op.DivScalar(x, 2)), []int16{-16384, -3, 0, 0, 3, 16383})
	equal(t, "x // 2", value(t, op.FloorDivScalar(x, 2)), []int16{-16384, -4, -1, 0, 3, 16383})
	equal(t, "x % 2", value(t, op.ModScalar(x, 2)), []int16{0, 1, 1, 0, 1, 1})
	equal(t, "x >> 15", value(t, op.ShrScalar(x, 15)), []int16{-1, -1, -1, 0, 0, 0})
	equal(t, "x << 16", value(t, op.ShlScalar(x, 16)), make([]int16, 6))
	equal(t, "u as int16", value(t, op.Cast[int16](u)), []int16{0, 1, 7, 255, 40000 - 65536, -1})
	equal(t, "x as uint16", value(t, op.Cast[uint16](x)), []uint16{32768, 65529, 65535, 0, 7, 32767})
	f := engine.MustFromSlice([]float64{math.NaN(), math.Inf(-1), -32768.9, -0.9, 32767.9, 65535.9, 1e9})
	equal(t, "floats as int16", value(t, op.Cast[int16](f)), []int16{0, math.MinInt16, math.MinInt16, 0, 32767, 32767, 32767})
	equal(t, "floats as uint16", value(t, op.Cast[uint16](f)), []uint16{0, 0, 0, 0, 32767, 65535, 65535})
	equal(t, "sum", value(t, op.SumInt(x)), []int64{-2})
	equal(t, "sum", value(t, op.SumUint(u)), []uint64{0 + 1 + 7 + 255 + 40000 + 65535})
	equal(t, "max, min", []int16{value(t, op.Max(x))[0], value(t, op.Min(x))[0]}, []int16{math.MaxInt16, math.MinInt16})
	equal(t, "argmax", value(t, op.ArgMax(u)), []int64{5})
	equal(t, "cumsum", value(t, op.CumSum(u, 0)), []uint16{0, 1, 8, 263, 40263, 40262})
	equal(t, "sort", value(t, op.Sort(op.Neg(u), 0)), []uint16{0, 1, 25536, 65281, 65529, 65535})
	equal(t, "scatter", value(t, op.ScatterMax(engine.MustFromSlice([]int64{1, 0, 1}), engine.MustFromSlice([]int16{-5, 3, -9}), 0, 3)), []int16{3, -5, math.MinInt16})
	if y := value(t, op.Integers[uint16](expr.Const[uint64](3), 60000, 100)); slices.Max(y) >= 60000 || slices.Max(y) < 40000 {
		t.Errorf("random integers below 60000: %v", y)
	}
	if got := fmt.Sprint(x); got != "[-32768 -7 -1 0 7 32767]" {
		t.Errorf("printed as %s", got)
	}
}

// Sorts of many keys of 16 bits have the order of Go's, along rows and columns.
func TestSortsOf16Bits(t *testing.T) {
	sorts16(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) })
	sorts16(t, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) })
	sorts16(t, func(r *rand.Rand) int16 { return int16(r.IntN(5) - 2) })
}

func sorts16[T int16 | uint16](t *testing.T, draw func(r *rand.Rand) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(16, 1))
	for _, n := range []int{1, 20, 63, 64, 1000, 5000} {
		x := engine.Zeros[T](2, n)
		for i := range x.Data() {
			x.Data()[i] = draw(r)
		}
		up := value(t, op.Sort(x, 1))
		down := value(t, op.Sort(op.T(x), 0, op.Descending))
		order := value(t, op.ArgSort(x, 1))
		for row := range 2 {
			in := x.Data()[row*n:][:n]
			want := slices.Sorted(slices.Values(in))
			equal(t, "Sort", up[row*n:][:n], want)
			for i, w := range want {
				if down[2*(n-1-i)+row] != w || in[order[row*n+i]] != w {
					t.Fatalf("%T, %d of %d: descending %v, by positions %v, want %v", w, i, n, down[2*(n-1-i)+row], in[order[row*n+i]], w)
				}
			}
		}
	}
}

// A tensor of int has the elements of a slice of int, and the type of an integer of its
// size.
func TestInt(t *testing.T) {
	s := []int{3, -1, 2}
	x := engine.MustFromSlice(s)
	want := dtype.I64
	if math.MaxInt == math.MaxInt32 {
		want = dtype.I32
	}
	if x.Array().DType() != want || &x.Data()[0] != &s[0] {
		t.Errorf("type %v, shared %v", x.Array().DType(), &x.Data()[0] == &s[0])
	}
	if err := x.Assign(op.AddScalar(op.Mul(x, x), 1)); err != nil {
		t.Fatal(err)
	}
	equal(t, "x*x + 1", s, []int{10, 2, 5})
	equal(t, "Full", value(t, op.Full[int](7)), []int{7})
	equal(t, "Cast", value(t, op.Cast[int](engine.MustFromSlice([]float64{2.9, -2.9}))), []int{2, -2})
	equal(t, "Const", value(t, op.Add[int](x, expr.Const(-10))), []int{0, -8, -5})
	equal(t, "Sort", value(t, op.Sort(x, 0)), []int{2, 5, 10})
	equal(t, "SumInt", value(t, op.SumInt(x)), []int64{17})
	if want == dtype.I64 {
		equal(t, "Sum", value(t, op.Sum(x)), []int{17})
	}
	a, err := engine.TensorOf[int](x.Array())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "TensorOf", a.Values(), s)
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var back engine.Tensor[int]
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	equal(t, "JSON", back.Values(), s)
}

// TestHalvesRoundOnce tests that a tree of halves has values of float32, which the assignment rounds.
func TestHalvesRoundOnce(t *testing.T) {
	const small = 0x1p-12 // 1 + small is 1 in both formats
	a, b := []float32{1, 1, 1}, []float32{small, -small, small}
	for backend, got := range everyBackend(t, lessOne[expr.Float16](a, b), 3) {
		if v := got[1].Float32(); v != -small {
			t.Errorf("%s: float16 gives %v, want %v", backend, v, -small)
		}
	}
	for backend, got := range everyBackend(t, lessOne[expr.BFloat16](a, b), 3) {
		if v := got[1].Float32(); v != -small {
			t.Errorf("%s: bfloat16 gives %v, want %v", backend, v, -small)
		}
	}
}

// lessOne returns (a + b) - 1 in halves.
func lessOne[T expr.Float](a, b []float32) expr.Exp[T] {
	x, y := op.Cast[T](engine.MustFromSlice(a)), op.Cast[T](engine.MustFromSlice(b))
	return op.SubScalar(op.Add(x, y), 1)
}

// TestPositionsDownFewColumns compares the positions of extremes down few columns, of arrays of several ranks and orders in memory, with
// those that a search finds. Some extremes occur twice, and some columns have a NaN.
func TestPositionsDownFewColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, dims := range [][]int{{1500, 1}, {1500, 2}, {1100, 3}, {900, 4}, {700, 5}, {400, 8}, {400, 9}, {600, 2, 3}, {1200, 1, 2}, {5, 2}} {
		rows, columns := dims[0], 1
		for _, d := range dims[1:] {
			columns *= d
		}
		data := make([]float32, rows*columns)
		for i := range data {
			if data[i] = float32(r.IntN(rows)); r.IntN(2*rows) == 0 {
				data[i] = float32(math.NaN())
			}
		}
		want := make([]int64, columns)
		for k := range want {
			for i := range rows {
				if best, v := data[int(want[k])*columns+k], data[i*columns+k]; best == best && (v > best || v != v) {
					want[k] = int64(i)
				}
			}
		}
		x := engine.MustFromSlice(data, dims...)
		turned := engine.MustFromSlice(value(t, op.T(op.Reshape(x, rows, columns))), columns, rows)
		for _, name := range engine.Backends() {
			y := engine.Zeros[int64](dims[1:]...)
			flat := engine.Zeros[int64](columns)
			err := engine.RunWith(t.Context(), engine.Options{Backend: name}, expr.Let(y, op.ArgMax(x, op.Axis(0))), expr.Let(flat, op.ArgMin(op.Neg(op.T(turned)), op.Axis(0))))
			if err != nil || !slices.Equal(y.Data(), want) || !slices.Equal(flat.Data(), want) {
				t.Errorf("%s, %v: %v, %v, want %v: %v", name, dims, y.Data(), flat.Data(), want, err)
			}
		}
	}
}

// TestReductionsDownFewColumns compares reductions of computed values down few columns, whose order is free, with loops.
func TestReductionsDownFewColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, c := range []struct{ dims, axes []int }{
		{[]int{2500, 2}, []int{0}},
		{[]int{1024, 3}, []int{0}},
		{[]int{1031, 3}, []int{0}},
		{[]int{1500, 8}, []int{0}},
		{[]int{2000, 17}, []int{0}},
		{[]int{70, 20, 3}, []int{0, 1}},
		{[]int{1300, 2, 2}, []int{0}},
	} {
		x, z, kept := engine.Zeros[int64](c.dims...), engine.Zeros[int64](c.dims...), c.dims[len(c.axes):]
		columns := engine.Zeros[int8](kept...).Size()
		sum, least, more, same := make([]int64, columns), make([]int64, columns), make([]int64, columns), make([]bool, columns)
		for i := range x.Data() {
			k, a, b := i%columns, int64(r.Uint64()), int64(r.Uint64())
			if i == len(x.Data())/2 {
				b = a
			}
			x.Data()[i], z.Data()[i] = a, b
			if sum[k], least[k], same[k] = sum[k]+a*b, min(least[k], a-b), same[k] || a == b; a > b {
				more[k]++
			}
		}
		for _, name := range engine.Backends() {
			s, l, m, e := engine.Zeros[int64](kept...), engine.Zeros[int64](kept...), engine.Zeros[int64](kept...), engine.Zeros[bool](kept...)
			err := engine.RunWith(t.Context(), engine.Options{Backend: name},
				expr.Let(s, op.Sum(op.Mul(x, z), op.Axis(c.axes...))), expr.Let(l, op.Min(op.Sub(x, z), op.Axis(c.axes...))),
				expr.Let(m, op.Sum(op.Cast[int64](op.Greater(x, z)), op.Axis(c.axes...))), expr.Let(e, op.Any(op.Equal(x, z), op.Axis(c.axes...))))
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprint(name, " ", c.dims)
			equal(t, what+" sums", s.Data(), sum)
			equal(t, what+" minima", l.Data(), least)
			equal(t, what+" counts", m.Data(), more)
			equal(t, what+" any", e.Data(), same)
		}
	}
}
