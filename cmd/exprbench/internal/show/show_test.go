package show

import (
	"bytes"
	"math"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
)

func text[T dtype.Elem](t *testing.T, data []T, dims ...int) string {
	t.Helper()
	x, err := engine.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Array(&b, "x", x.Array()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArray(t *testing.T) {
	large := make([]int64, 1001)
	for i := range large {
		large[i] = int64(i)
	}
	nan, inf := math.NaN(), math.Inf(-1)
	third := dtype.F16From(1. / 3)
	for _, c := range []struct{ got, want string }{
		{text(t, []float32{1, .1, 1e-30}), "x float32 (3,)\n[   1.   0.1 1e-30]\n"},
		{text(t, []float64{nan, inf}, 2, 1), "x float64 (2, 1)\n[[ nan]\n [-inf]]\n"},
		{text(t, []int8{-128, 5}, 1, 2), "x int8 (1, 2)\n[[-128    5]]\n"},
		{text(t, []uint64{math.MaxUint64}), "x uint64 (1,)\n[18446744073709551615]\n"},
		{text(t, []bool{true, false}), "x bool (2,)\n[ True False]\n"},
		{text(t, []dtype.Float16{third, dtype.F16From(65504)}), "x float16 (2,)\n[0.3333 65500.]\n"},
		{text(t, []float64{1e15, 1e16, 1e-4, 9e-5}), "x float64 (4,)\n[1000000000000000.             1e+16            0.0001             9e-05]\n"},
		{text(t, []float64{}, 0, 3), "x float64 (0, 3)\n[]\n"},
		{text(t, []float64{2.5}, []int{}...), "x float64 ()\n2.5\n"},
		{text(t, []int32{1, 2, 3, 4}, 2, 1, 2), "x int32 (2, 1, 2)\n[[[1 2]]\n\n [[3 4]]]\n"},
		{text(t, large), "x int64 (1001,)\n[   0    1    2 ...  998  999 1000]\n"},
		{text(t, large[:1000], 10, 100)[:24], "x int64 (10, 100)\n[[  0   1"[:24]},
	} {
		if c.got != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
		}
	}
}

func TestLargeMatrix(t *testing.T) {
	data := make([]int32, 40*40)
	want := "x int32 (40, 40)\n" +
		"[[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n ...\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]]\n"
	if got := text(t, data, 40, 40); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
