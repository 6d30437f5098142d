package engine_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestSortEverywhere tests that sorts have the same bits on all back ends, for any number
// of workers, and for any layout of the operand.
func TestSortEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	testSortEverywhere(t, func(i int) float64 {
		return []float64{r.NormFloat64(), math.NaN(), math.Inf(1), math.Copysign(0, -1), 0, float64(i % 9)}[min(r.IntN(60), 5)*(i%2)]
	})
	testSortEverywhere(t, func(int) float32 { return float32(r.NormFloat64()) })
	testSortEverywhere(t, func(i int) int64 { return r.Int64() >> (i % 60) })
	testSortEverywhere(t, func(int) int32 { return r.Int32N(50) - 20 })
	testSortEverywhere(t, func(int) uint32 { return r.Uint32() })
	testSortEverywhere(t, func(int) int8 { return int8(r.Uint32()) })
	testSortEverywhere(t, func(int) bool { return r.IntN(2) == 0 })
	testSortEverywhere(t, func(int) uint16 { return uint16(r.Uint32()) })
	testSortEverywhere(t, func(i int) int16 { return int16(r.Uint32()) >> (i / 9000 % 2 * 7) })
	testSortEverywhere(t, func(i int) float64 { // they differ in bits that a key with a position has no room for
		return math.Float64frombits(math.Float64bits(float64(i%2)*1e9) + r.Uint64N(300))
	})
	testSortEverywhere(t, func(i int) int64 { return int64(i%101/100)<<62 + r.Int64N(300) })
	testSortEverywhere(t, func(i int) float32 { return float32(i / 3) })                           // in order
	testSortEverywhere(t, func(i int) int64 { return int64(i/2%(1<<14))<<48 - int64(i%2) })        // in order but for bits that a word loses
	testSortEverywhere(t, func(i int) int32 { return int32(i) + int32(i/9%20/19)*r.Int32N(1000) }) // some rows are in order
}

func testSortEverywhere[T expr.Elem](t *testing.T, value func(i int) T) {
	t.Helper()
	count := dtype.Of[T]().Size() // of the sorts, of which a third run: types have different ones
	skipped := func() bool {
		count++
		return count%testlevel.Every(1, 3) != 0
	}
	for _, s := range [][2]int{{1, 20_000}, {2500, 9}, {7, 300}, {20, 90}, {40_000, 1}} {
		values := make([]T, s[0]*s[1])
		for i := range values {
			values[i] = value(i)
		}
		x := engine.MustFromSlice(values, s[0], s[1])
		for name, e := range testlevel.InOrder(map[string]expr.Exp[T]{
			"rows": op.Sort(x, 1), "columns": op.Sort(x, 0), "descending": op.Sort(x, 1, op.Descending),
			"every other": op.Sort(op.Slice(x, op.Span{}, op.By(op.Span{}, -2)), 1), "transposed": op.Sort(op.T(x), 1),
			"columns backward": op.Sort(op.Slice(x, op.By(op.Span{}, -1)), 0), "columns of matrices": op.Sort(op.Reshape(x, 1, s[0], s[1]), 1),
			"columns of two": op.Sort(op.Reshape(op.Concat(0, x, x), 2, s[0], s[1]), 1),
			"places":         op.SelectSorted(x, 1, s[1]-1, 0, s[1]/2), "places of columns": op.SelectSorted(x, 0, 0, s[0]/3, s[0]-1),
		}) {
			if skipped() {
				continue
			}
			sameEverywhere(t, fmt.Sprintf("%T, %v, %s", *new(T), s, name), e)
		}
		for name, e := range testlevel.InOrder(map[string]expr.Exp[int64]{
			"order": op.ArgSort(x, 1), "order of columns": op.ArgSort(x, 0), "descending order": op.ArgSort(x, 1, op.Descending), "ranks": op.Rank(x, 1),
			"order of every other": op.ArgSort(op.Slice(x, op.Span{}, op.By(op.Span{}, -2)), 1), "descending ranks of columns": op.Rank(x, 0, op.Descending),
		}) {
			if skipped() {
				continue
			}
			sameEverywhere(t, fmt.Sprintf("%T, %v, %s", *new(T), s, name), e)
		}
	}
}

// sameEverywhere tests that a tree has one result on all back ends and for any number of workers.
func sameEverywhere[T expr.Elem](t *testing.T, name string, e expr.Exp[T]) {
	t.Helper()
	var want []byte
	for _, back := range slices.Backward(engine.Backends()) { // the interpreter first
		for _, threads := range []int{1, 2} {
			y := engine.Zeros[T](e.Node().Shape()...)
			if err := engine.RunWith(t.Context(), engine.Options{Backend: back, Threads: threads}, expr.Let(y, e)); err != nil {
				t.Fatal(err)
			}
			got, err := y.Array().Memory().Host()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %s with %d threads differs from the interpreter", name, back, threads)
			}
		}
	}
}

// TestStableSorts compares sorts and positions with stable sorts of the standard library. Long rows of one and two bytes are
// sorted by their bytes, and short rows several in a vector.
func TestStableSorts(t *testing.T) {
	testStableSorts[int8](t)
	testStableSorts[uint8](t)
	testStableSorts[int16](t)
	testStableSorts[uint16](t)
	testStableSorts[int32](t)
	testStableSorts[int64](t)
	testStableSorts[float64](t)
}

type sortable interface {
	int8 | uint8 | int16 | uint16 | int32 | int64 | float64
}

func testStableSorts[T sortable](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	kinds := map[string]func(i int) T{
		"random": func(int) T { return T(r.Uint32()) },
		"near 0": func(int) T { return T(r.IntN(100) - 50) },
		"mostly near 0": func(i int) T { // one part is longer than machine code sorts, the others are short
			if i%50 == 0 {
				return T(r.Uint32())
			}
			return T(r.IntN(120) - 60)
		},
		"high": func(int) T { return T(r.Uint32() << 8) },
		"one":  func(int) T { return 77 },
		"rows in order": func(i int) T {
			return T(i % 20000 >> 9)
		},
	}
	cases := int(dtype.Of[T]()) // so the types take different cases
	for _, s := range [][2]int{{301, 3}, {77, 5}, {50, 6}, {40, 7}, {3, 401}, {2, 1003}, {1, 4096}, {2, 5001}, {1, testlevel.Every(70001, 20001)}} {
		for name, value := range testlevel.InOrder(kinds) {
			values := make([]T, s[0]*s[1])
			for i := range values {
				values[i] = value(i)
			}
			for _, columns := range []bool{false, true} {
				if cases++; cases%testlevel.Every(1, 5) != 0 {
					continue
				}
				checkSorts(t, fmt.Sprintf("%T, %v, %s, columns %t", T(0), s, name, columns), values, s, columns)
			}
		}
	}
}

// checkSorts sorts rows, or columns that have the elements of the rows.
func checkSorts[T sortable](t *testing.T, name string, values []T, s [2]int, columns bool) {
	t.Helper()
	x, axis := engine.MustFromSlice(values, s[0], s[1]), 1
	rows := func(e expr.Exp[int64]) []int64 { return value(t, e) }
	if columns {
		x, axis = engine.MustFromSlice(value(t, op.T(x)), s[1], s[0]), 0
		rows = func(e expr.Exp[int64]) []int64 { return value(t, op.T(e)) }
	}
	up, down := rows(op.ArgSort(x, axis)), rows(op.ArgSort(x, axis, op.Descending))
	ranks, sorted := rows(op.Rank(x, axis)), rows(op.Cast[int64](op.Sort(x, axis, op.Descending)))
	for at := 0; at < len(values); at += s[1] {
		row := values[at:][:s[1]]
		want := make([]int64, len(row))
		check := func(what string, got []int64) {
			t.Helper()
			if !slices.Equal(got[at:][:s[1]], want) {
				t.Fatalf("%s: %s of the row at %d differs from a stable sort", name, what, at)
			}
		}
		for i := range want {
			want[i] = int64(i)
		}
		order := slices.Clone(want)
		slices.SortStableFunc(want, func(a, b int64) int { return cmp.Compare(row[a], row[b]) })
		check("the order", up)
		copy(order, want)
		for i, at := range order {
			want[at] = int64(i)
		}
		check("the ranks", ranks)
		slices.Sort(want)
		slices.SortStableFunc(want, func(a, b int64) int { return cmp.Compare(row[b], row[a]) })
		check("the descending order", down)
		for i, at := range want {
			want[i] = int64(row[at])
		}
		check("the descending values", sorted)
	}
}
