package routine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// TestGrids compares the places in grids with those of a search, at the elements and next to them.
func TestGrids(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := leastGrid + rnd.IntN(100)
		first, step := rnd.NormFloat64()*100, math.Exp(rnd.NormFloat64()*4)
		x, y, whole := make([]float64, n), make([]float32, n), make([]int64, n)
		for i := range n {
			at := float64(i) + rnd.Float64()*float64(rnd.IntN(2)) // some are no grids
			x[i], y[i], whole[i] = first+step*at, float32(first+step*at), int64(first)+int64(step+1)*int64(at)
		}
		grids(t, x, append(slices.Clone(x), math.NaN(), math.Inf(1), math.Inf(-1), 0))
		grids(t, y, append(slices.Clone(y), float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32))
		grids(t, whole, append(slices.Clone(whole), math.MinInt64, math.MaxInt64))
	}
	grids(t, []float64{-1e308, -.8e308, -.5e308, -.2e308, .2e308, .5e308, .8e308, 1e308}, []float64{0, 1})
	grids(t, []float32{1, 1, 1, 1, 1, 1, 1, 1}, []float32{0, 1, 2})
}

func grids[T number](t *testing.T, sorted, values []T) {
	slices.Sort(sorted)
	for _, v := range slices.Clone(values) {
		values = append(values, v-1, v+1, T(math.Nextafter(float64(v), math.Inf(1))), T(math.Nextafter(float64(v), math.Inf(-1))))
	}
	a := tree.Strided{Shape: shape.Shape{len(sorted)}, Strides: shape.Strides{1}, Ptr: unsafe.Pointer(&sorted[0])}
	for _, right := range []bool{false, true} {
		s := search[T]{right: right, grid: gridOf(sorted)}
		if s.grid.scale == 0 {
			continue
		}
		for _, v := range values {
			if got, want := s.onGrid(sorted, v), s.place(&a, v); got != want {
				t.Fatalf("%v in %v, right %v: place %d, want %d", v, sorted, right, got, want)
			}
		}
	}
}

// TestTables compares the places in tables of integers with those of a search.
func TestTables(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, first := range []int64{0, -5, math.MinInt64, math.MaxInt64 - 90} {
		tables(t, r, func() int64 { return first + r.Int64N(90) }, []int64{math.MinInt64, math.MaxInt64, 0, first, first + 89})
	}
	tables(t, r, func() int8 { return int8(r.IntN(256)) }, []int8{-128, 127})
	tables(t, r, func() uint64 { return math.MaxUint64 - r.Uint64N(50) }, []uint64{0, math.MaxUint64})
	tables(t, r, func() uint8 { return uint8(r.IntN(256)) }, []uint8{0, 255})
}

func tables[T number](t *testing.T, r *rand.Rand, value func() T, values []T) {
	t.Helper()
	for range 300 {
		values = append(values, value())
	}
	strided := func(x []T) tree.Strided {
		return tree.Strided{Ptr: unsafe.Pointer(&x[0]), Type: dtype.Of[T](), Shape: shape.Shape{len(x)}, Strides: shape.Strides{1}}
	}
	for _, n := range []int{1, 2, 30, 200} {
		sorted := make([]T, n)
		for i := range sorted {
			sorted[i] = value()
		}
		slices.Sort(sorted)
		for _, right := range []bool{false, true} {
			got := make([]int64, len(values))
			out := tree.Strided{Ptr: unsafe.Pointer(&got[0]), Type: dtype.I64, Shape: shape.Shape{len(got)}, Strides: shape.Strides{1}}
			s, a := search[T]{right: right}, strided(sorted)
			s.run = func(_, lo, hi int) {
				if s.table == nil {
					t.Fatalf("%v has no table", sorted)
				}
				s.some(lo, hi)
			}
			if err := s.search(&tree.Call{Out: out, Args: []tree.Strided{a, strided(values)}, Threads: 1, Work: make([]byte, room(len(values), 4))}); err != nil {
				t.Fatal(err)
			}
			for i, x := range values {
				if want := s.place(&a, x); got[i] != int64(want) {
					t.Errorf("the place of %v in %v, right %t, is %d, not %d", x, sorted, right, got[i], want)
				}
			}
		}
	}
}
