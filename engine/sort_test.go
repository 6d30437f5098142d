package engine_test

import (
	"bytes"
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
			"places": op.SelectSorted(x, 1, s[1]-1, 0, s[1]/2), "places of columns": op.SelectSorted(x, 0, 0, s[0]/3, s[0]-1),
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
