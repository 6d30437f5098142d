package routine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

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
