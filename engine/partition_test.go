package engine_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
)

// TestPartition compares partitions with their definition: positions sorted stably by
// their elements, and those between the places in ascending order.
func TestPartition(t *testing.T) {
	testPartition(t, 400)
	testPartition(t, 5000)
	x := engine.Zeros[float64](3, 400)
	for _, e := range []expr.Exp[float64]{op.Partition(x, 1, 400), op.Partition(x, 1, -401)} {
		if _, err := engine.Eval(e); !errors.Is(err, expr.ErrIndex) {
			t.Errorf("a place outside: %v", err)
		}
	}
	for _, dims := range [][]int{{0, 3}, {3, 0}} { // any place, as in NumPy
		x := engine.Zeros[float64](dims...)
		y, err := engine.Eval(op.Partition(x, 1, 0, 7))
		if err != nil || !slices.Equal(y.Shape(), x.Shape()) {
			t.Errorf("a partition of %v: %v, %v", dims, y, err)
		}
		if _, err := engine.Eval(op.ArgPartition(x, 1, 0)); err != nil {
			t.Errorf("an argpartition of %v: %v", dims, err)
		}
	}
}

// testPartition tests partitions of rows and columns of n elements, by each back end.
func testPartition(t *testing.T, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	const rows = 3
	values := make([]float64, rows*n)
	for i := range values {
		values[i] = []float64{float64(r.IntN(50)), r.NormFloat64(), math.NaN()}[min(r.IntN(20), 2)]
	}
	x := engine.MustFromSlice(values, rows, n)
	less := func(a, b float64) int { // NaN last
		if (a != a) != (b != b) {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	}
	for _, kth := range [][]int{{0}, {n - 1}, {200}, {-1, 3, 200}, {200, 200, 201}, slices.Repeat([]int{5, 90, 17}, 4), rand.Perm(n)[:40], {}} {
		var want []int64
		for row := range rows {
			v := values[row*n:][:n]
			order := make([]int64, n)
			for i := range order {
				order[i] = int64(i)
			}
			slices.SortStableFunc(order, func(a, b int64) int { return less(v[a], v[b]) })
			first := 0
			for place := range n {
				if slices.Contains(kth, place) || slices.Contains(kth, place-n) {
					slices.Sort(order[first:place])
					first = place + 1
				}
			}
			slices.Sort(order[first:])
			want = append(want, order...)
		}
		for _, o := range []engine.Options{{Threads: 1}, {Threads: 2}, {Threads: 1, Backend: "interp"}} {
			order, y, z := engine.Zeros[int64](rows, n), engine.Zeros[float64](rows, n), engine.Zeros[float64](n, rows)
			if err := engine.RunWith(t.Context(), o, expr.Let(order, op.ArgPartition(x, 1, kth...)),
				expr.Let(y, op.Partition(x, -1, kth...)), expr.Let(z, op.Partition(op.T(x), 0, kth...))); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(order.Data(), want) {
				t.Errorf("argpartition of %d at %v with %+v is %v", n, kth, o, order)
			}
			for i, from := range want {
				v, a, b := values[i/n*n+int(from)], y.At(i/n, i%n), z.At(i%n, i/n)
				if less(v, a) != 0 || less(v, b) != 0 {
					t.Fatalf("partition at %v: element %d is %v and %v, not %v", kth, i, a, b, v)
				}
			}
		}
	}
}

// TestPartitionSorts tests which partitions are sorts: those between two places keep their order in all others.
func TestPartitionSorts(t *testing.T) {
	if !partitionSorts[uint8](t, 5000) || !partitionSorts[int16](t, 1024) || !partitionSorts[int32](t, 512) || !partitionSorts[expr.Float16](t, 512) || !partitionSorts[float64](t, 256) {
		t.Error("a partition is not sorted")
	}
	if partitionSorts[float32](t, 513) || partitionSorts[uint16](t, 1025) || partitionSorts[int64](t, 257) {
		t.Error("a partition is sorted")
	}
}

// partitionSorts reports whether a partition of n elements is sorted. It tests the order at the place in any case.
func partitionSorts[T expr.Elem](t *testing.T, n int) bool {
	x, err := engine.Eval(op.Cast[T](op.Mod(op.MulScalar(op.Arange[int32](0, float64(n), 1), 37), expr.Const[int32](101))))
	if err != nil {
		t.Fatal(err)
	}
	y, err := engine.Eval(op.Cast[float64](op.Partition(x, 0, n/2)))
	if err != nil {
		t.Fatal(err)
	}
	z, err := engine.Eval(op.Cast[float64](op.Sort(x, 0)))
	if err != nil {
		t.Fatal(err)
	}
	at := y.Data()[n/2]
	if at != z.Data()[n/2] || slices.Max(y.Data()[:n/2]) > at || slices.Min(y.Data()[n/2:]) < at {
		t.Errorf("element %d of %d is %v, not %v, or others are on the wrong side", n/2, n, at, z.Data()[n/2])
	}
	return slices.Equal(y.Data(), z.Data())
}

// TestPartitionGradient tests that an adjoint goes to the position of its element.
func TestPartitionGradient(t *testing.T) {
	x := engine.MustFromSlice([]float64{3, 1, 2, 5, 4})
	weights := engine.MustFromSlice([]float64{1, 10, 100, 1000, 10000})
	d, err := grad.Of(op.Sum(op.Mul(op.Partition(x, 0, 2), weights)), x)
	if err != nil {
		t.Fatal(err)
	}
	y, err := engine.Eval(d[0])
	if want := []float64{100, 1, 10, 10000, 1000}; err != nil || !slices.Equal(y.Data(), want) {
		t.Errorf("the gradient is %v, not %v: %v", y, want, err)
	}
}

// TestPartitionInPlace tests partitions that are stored to their operand, or to a part of it.
func TestPartitionInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, kth := range [][]int{{300}, {20, 500}} {
		x := engine.Zeros[float64](5, 700)
		for i := range x.Data() {
			x.Data()[i] = float64(r.IntN(200))
		}
		want, err := engine.Eval(op.Partition(x, 1, kth...))
		if err != nil {
			t.Fatal(err)
		}
		y, z := x.Clone(), engine.Zeros[float64](701, 5)
		from, to := z.Slice(1, 701).Transpose(), z.Slice(0, 700).Transpose()
		if err := from.Assign(x); err != nil {
			t.Fatal(err)
		}
		for _, s := range []expr.Statement{expr.Let(y, op.Partition(y, 1, kth...)), expr.Let(to, op.Partition(from, 1, kth...))} {
			if err := engine.Run(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 5 * 700 {
			if a, b, c := want.At(i/700, i%700), y.At(i/700, i%700), to.At(i/700, i%700); a != b || a != c {
				t.Fatalf("partition at %v: element %d is %v in place, %v beside, not %v", kth, i, b, c, a)
			}
		}
	}
}
