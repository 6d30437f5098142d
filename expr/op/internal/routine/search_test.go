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

// TestBuckets compares places in sorted vectors with those of a search of one value, at the elements, next to them and far away.
func TestBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(100)
		first, step := r.NormFloat64()*100, math.Exp(r.NormFloat64()*4)
		x, y, whole := make([]float64, n), make([]float32, n), make([]int64, n)
		for i := range n {
			at := float64(i) + r.Float64()*float64(r.IntN(2)) // steps are equal or not
			x[i], y[i], whole[i] = first+step*at, float32(first+step*at), int64(first)+int64(step+1)*int64(at)
		}
		places(t, x, []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0})
		places(t, y, []float32{float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32})
		places(t, whole, []int64{math.MinInt64, math.MaxInt64})
	}
	places(t, []float64{-1e308, -.8e308, -.5e308, -.2e308, .2e308, .5e308, .8e308, 1e308}, []float64{0, 1})
	places(t, []float32{1, 1, 1, 1, 1, 1, 1, 1}, []float32{0, 1, 2})
	places(t, []float64{math.Inf(-1), 1, 2, math.Inf(1)}, []float64{0, math.NaN()})
	for _, first := range []int64{0, -5, math.MinInt64, math.MaxInt64 - 90, 1 << 53, -1 << 53} {
		integers(t, func() int64 { return first + r.Int64N(90) }, []int64{math.MinInt64, math.MaxInt64, 0, first, first + 89})
	}
	integers(t, func() int8 { return int8(r.IntN(256)) }, []int8{-128, 127})
	integers(t, func() uint64 { return math.MaxUint64 - r.Uint64N(50) }, []uint64{0, math.MaxUint64})
	integers(t, func() uint8 { return uint8(r.IntN(256)) }, []uint8{0, 255})
}

func integers[T number](t *testing.T, value func() T, values []T) {
	t.Helper()
	for _, n := range []int{1, 2, 30, 200} {
		sorted := make([]T, n)
		for i := range sorted {
			sorted[i] = value()
		}
		places(t, sorted, values)
	}
}

func places[T number](t *testing.T, sorted, values []T) {
	t.Helper()
	slices.Sort(sorted)
	for _, v := range append(values, sorted...) {
		values = append(values, v-1, v+1, T(math.Nextafter(float64(v), math.Inf(1))), T(math.Nextafter(float64(v), math.Inf(-1))))
	}
	strided := func(x []T) tree.Strided {
		return tree.Strided{Ptr: unsafe.Pointer(&x[0]), Type: dtype.Of[T](), Shape: shape.Shape{len(x)}, Strides: shape.Strides{1}}
	}
	mixed, ordered := values, slices.Sorted(slices.Values(values))
	for _, values := range [][]T{mixed, ordered, slices.Repeat(ordered, 30), slices.Repeat(ordered[len(ordered)/2:][:1], 2*together)} {
		for _, right := range []bool{false, true} {
			got := make([]int64, len(values))
			out := tree.Strided{Ptr: unsafe.Pointer(&got[0]), Type: dtype.I64, Shape: shape.Shape{len(got)}, Strides: shape.Strides{1}}
			a := strided(sorted)
			work := make([]byte, room(startsOf(len(sorted), len(values)), 4))
			if err := searchOf[T](right)(&tree.Call{Out: out, Args: []tree.Strided{a, strided(values)}, Threads: 1, Work: work}); err != nil {
				t.Fatal(err)
			}
			for i, x := range values {
				if want := (&search[T]{right: right}).place(&a, x); got[i] != int64(want) {
					t.Fatalf("the place of %v in %v, right %t, is %d, not %d", x, sorted, right, got[i], want)
				}
			}
		}
	}
}
