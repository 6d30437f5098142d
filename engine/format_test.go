package engine_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

func iota64(dims ...int) *engine.Tensor[int64] {
	data := make([]int64, shape.Shape(dims).Size())
	for i := range data {
		data[i] = int64(i)
	}
	return engine.MustFromSlice(data, dims...)
}

func TestFormat(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(-1)
	third := dtype.F16From(1. / 3)
	brain := dtype.BF16From(1. / 3)
	m := engine.MustFromSlice([]float64{1, 2.5, 3, -4}, 2, 2)
	for _, c := range []struct {
		format string
		x      any
		want   string
	}{
		{"%v", engine.MustFromSlice([]float64{1, .1, 1e-30}), "[1 0.1 1e-30]"},
		{"%v", m, "[[  1 2.5]\n [  3  -4]]"},
		{"%s", m, "[[  1 2.5]\n [  3  -4]]"},
		{"%v", m.Array(), "[[  1 2.5]\n [  3  -4]]"},
		{"%v", m.Transpose(), "[[  1   3]\n [2.5  -4]]"},
		{"%v", *m, "[[  1 2.5]\n [  3  -4]]"},
		{"%v", *m.Array(), "[[  1 2.5]\n [  3  -4]]"},
		{"%.2v", engine.MustFromSlice([]float64{1.2345, 100.5}), "[1.2 1e+02]"},
		{"%6.3v", engine.MustFromSlice([]dtype.Float16{third}), "[ 0.333]"},
		{"%.2v", engine.MustFromSlice([]complex64{1.2345 + 2i}), "[1.2+2j]"},
		{"%+.1v", engine.MustFromSlice([]float32{.25}), "float32 (1,)\n[0.2]"},
		{"%.2v", engine.MustFromSlice([]int8{5}), "[5]"},
		{"%.2f", m, "[[ 1.00  2.50]\n [ 3.00 -4.00]]"},
		{"%7.1e", m, "[[ 1.0e+00  2.5e+00]\n [ 3.0e+00 -4.0e+00]]"},
		{"%+v", m, "float64 (2, 2)\n[[  1 2.5]\n [  3  -4]]"},
		{"%#v", m, "[[ 1. 2.5]\n [ 3. -4.]]"},
		{"%v", engine.MustFromSlice([]float64{2.5}, []int{}...), "2.5"},
		{"%.3f", engine.MustFromSlice([]float64{2.5}, []int{}...), "2.500"},
		{"%v", engine.MustFromSlice([]float64{nan, inf}, 2, 1), "[[ NaN]\n [-Inf]]"},
		{"%#v", engine.MustFromSlice([]float64{nan, inf}, 2, 1), "[[ nan]\n [-inf]]"},
		{"%v", engine.MustFromSlice([]bool{true, false}), "[true false]"},
		{"%#v", engine.MustFromSlice([]bool{true, false}), "[ True False]"},
		{"%v", engine.MustFromSlice([]dtype.Float16{third, dtype.F16From(65504)}), "[0.3333 65500]"},
		{"%v", engine.MustFromSlice([]dtype.BFloat16{brain}), "[0.334]"},
		{"%.2f", engine.MustFromSlice([]dtype.Float16{third}), "[0.33]"},
		{"%.2f", engine.MustFromSlice([]dtype.BFloat16{brain}), "[0.33]"},
		{"%v", engine.MustFromSlice([]uint64{math.MaxUint64}), "[18446744073709551615]"},
		{"%x", engine.MustFromSlice([]uint8{255, 16}, 1, 2), "[[ff 10]]"},
		{"%v", engine.MustFromSlice([]int8{-128, 5}, 1, 2), "[[-128    5]]"},
		{"%v", engine.Zeros[float64](0, 3), "[]"},
		{"%+v", engine.Zeros[float64](0, 3), "float64 (0, 3)\n[]"},
		{"%v", iota64(2, 1, 2), "[[[0 1]]\n\n [[2 3]]]"},
		{"%v", iota64(1001), "[0 1 2 ... 998 999 1000]"},
		{"%v", iota64(2, 600), "[[   0    1    2 ...  597  598  599]\n [ 600  601  602 ... 1197 1198 1199]]"},
		{"%v", iota64(1000).Slice(0, 36), "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28\n 29 30 31 32 33 34 35]"},
		{"%v", (*engine.Tensor[float32])(nil), "<nil>"},
		{"%v", (*engine.Array)(nil), "<nil>"},
		{"%v", engine.CPU(), "cpu"},
	} {
		if got := fmt.Sprintf(c.format, c.x); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.format, got, c.want)
		}
	}
	if got, want := fmt.Sprint(iota64(100, 100)), "[[   0    1    2 ...   97   98   99]\n [ 100  101  102 ...  197  198  199]\n [ 200  201  202 ...  297  298  299]\n ...\n [9700"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s ...", got, want)
	}
	if got := m.Slice(0, 1).Reshape(7).String(); !strings.Contains(got, "oneloop: ") {
		t.Errorf("a tensor with an error prints %q", got)
	}
}

// text returns the type, the shape and the text of an array in the form of NumPy.
func text[T dtype.Elem](t *testing.T, data []T, dims ...int) string {
	t.Helper()
	x, err := engine.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("x %+#v\n", x)
}

func TestFormatAsNumPy(t *testing.T) {
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
		{text(t, make([]int32, 1600), 40, 40), "x int32 (40, 40)\n" +
			"[[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n ...\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]]\n"},
	} {
		if c.got != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.got, c.want)
		}
	}
}

// TestNothingPrintsPointers tests that no value of the package prints a pointer.
func TestNothingPrintsPointers(t *testing.T) {
	x := engine.Zeros[float32](2)
	s := engine.NewStream()
	defer s.Close()
	p, err := engine.Compile(t.Context(), expr.Let(x, x))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{x, x.Array(), x.Array().Memory(), s, s.Record(), p, x.Node(), expr.NewParam(2.), engine.CPU(), x.Slice(0, 1)} {
		for _, format := range []string{"%v", "%+v", "%s"} {
			if got := fmt.Sprintf(format, v); strings.Contains(got, "0x") || strings.Contains(got, "%!") {
				t.Errorf("%T as %s: %s", v, format, got)
			}
		}
	}
}
