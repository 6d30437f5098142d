package engine_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func TestCompress(t *testing.T) {
	x := engine.MustFromSlice([]float32{3, -1, 0, 7, -2, 5}, 2, 3)
	y, err := engine.Compress(op.Greater(x, op.Full[float32](0)), op.Scale(2, x))
	if err != nil || !slices.Equal(y.Data(), []float32{6, 14, 10}) {
		t.Errorf("%v: %v", y, err)
	}
	y, err = engine.Compress(engine.MustFromSlice([]bool{true, false}), op.T(x))
	if err == nil {
		t.Errorf("a mask of another shape gives %v", y)
	}
	y, err = engine.Compress(op.Less(x, op.Full[float32](-9)), x)
	if err != nil || y.Size() != 0 || !slices.Equal(y.Shape(), []int{0}) {
		t.Errorf("nothing is kept as %v: %v", y, err)
	}
}

// TestCompressParts chooses rows, as NumPy does for a mask of fewer axes.
func TestCompressParts(t *testing.T) {
	x := engine.MustFromSlice([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3)
	mask := func(v ...bool) *engine.Tensor[bool] { return engine.MustFromSlice(v) }
	for _, c := range []struct {
		mask *engine.Tensor[bool]
		e    expr.Exp[int32]
		dims []int
		want []int32
	}{
		{mask(true, false, true), x, []int{2, 3}, []int32{1, 2, 3, 7, 8, 9}},
		{mask(false, false, false), x, []int{0, 3}, nil},
		{mask(false, true, true), op.Reshape(x, 3, 1, 3), []int{2, 1, 3}, []int32{4, 5, 6, 7, 8, 9}},
		{mask(false, true, true).Reshape(3, 1), op.Reshape(x, 3, 1, 3), []int{2, 3}, []int32{4, 5, 6, 7, 8, 9}},
		{mask(true, false, false).Reshape(1, 3), x, []int{3}, []int32{1, 4, 7}},
		{mask(true).Reshape(), x, []int{9}, x.Data()},
		{mask(true, true), op.Slice(x, op.Until(2), op.Until(0)), []int{2, 0}, nil},
	} {
		y, err := engine.Compress(c.mask, c.e)
		if err != nil || !slices.Equal(y.Shape(), c.dims) || !slices.Equal(y.Data(), c.want) {
			t.Errorf("%v: %+v, %v, want %v %v", c.mask, y, err, c.dims, c.want)
		}
	}
	for _, m := range []*engine.Tensor[bool]{mask(true, false), mask(true), engine.Zeros[bool](3, 1, 1), engine.Zeros[bool](2, 3)} {
		if _, err := engine.Compress(m, x); !errors.Is(err, expr.ErrShape) || !strings.Contains(err.Error(), "engine.Compress: a mask of shape") || !strings.Contains(err.Error(), "choose_test.go") {
			t.Errorf("a mask of shape %v: %v", m.Shape(), err)
		}
	}
}

// TestChooseMany compares results of many elements with a loop. A result is allocated once.
func TestChooseMany(t *testing.T) {
	const rows, columns = 37, 53
	x := engine.Zeros[int32](rows, columns)
	for i := range x.Data() {
		x.Data()[i] = int32(i * 7 % 11)
	}
	mask := op.GreaterScalar(x, 4)
	var want []int32
	var at [2][]int64
	for i, v := range x.Data() {
		if v > 4 {
			want, at[0], at[1] = append(want, v), append(at[0], int64(i/columns)), append(at[1], int64(i%columns))
		}
	}
	y, err := engine.Compress(mask, x)
	if err != nil || !slices.Equal(y.Data(), want) {
		t.Errorf("%v: %v, want %v", y, err, want)
	}
	set, err := engine.Nonzero(mask)
	if err != nil || !slices.Equal(set[0].Data(), at[0]) || !slices.Equal(set[1].Data(), at[1]) {
		t.Errorf("%v: %v, want %v", set, err, at)
	}
	y, err = engine.Compress(op.EqualScalar(op.Index(x, 1, 0), 1), x.Span(op.Span{}, op.Range(3, 5)))
	if err != nil || !slices.Equal(y.Shape(), []int{3, 2}) || y.At(1, 0) != x.At(18, 3) {
		t.Errorf("%+v: %v", y, err)
	}
	before, few := testing.AllocsPerRun(5, func() { engine.Compress(mask, x) }), 0.
	if few = testing.AllocsPerRun(5, func() { engine.Compress(op.GreaterScalar(x, 99), x) }); before > few+5 {
		t.Errorf("%d kept elements take %v allocations, none %v", len(want), before, few)
	}
}

// TestChooseUnmapped uses a tensor of a file that is no longer mapped.
func TestChooseUnmapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := engine.Ones[float64](3).Save(path); err != nil {
		t.Fatal(err)
	}
	x, unmap, err := engine.LoadMapped[float64](path)
	if err != nil || unmap() != nil {
		t.Fatal(err)
	}
	if y, err := engine.Compress(engine.MustFromSlice([]bool{true, true, false}), x); err == nil {
		t.Errorf("an unmapped tensor gives %v", y)
	}
}

func TestNonzero(t *testing.T) {
	at, err := engine.Nonzero(engine.MustFromSlice([]float64{0, 2, math.NaN(), math.Copysign(0, -1), 0, 1}, 2, 3))
	if err != nil || len(at) != 2 || !slices.Equal(at[0].Data(), []int64{0, 0, 1}) || !slices.Equal(at[1].Data(), []int64{1, 2, 2}) {
		t.Errorf("%v: %v", at, err)
	}
	if _, err := engine.Nonzero(op.Full[float64](1)); !errors.Is(err, expr.ErrShape) {
		t.Errorf("a scalar: %v", err)
	}
}

func TestUnique(t *testing.T) {
	nan := math.NaN()
	d, err := engine.Unique(engine.MustFromSlice([]float64{2, nan, 0, 2, math.Copysign(0, -1), nan, -3, 2}, 2, 4))
	if err != nil {
		t.Fatal(err)
	}
	v := d.Values.Data()
	if len(v) != 4 || v[0] != -3 || v[1] != 0 || v[2] != 2 || v[3] == v[3] {
		t.Errorf("values %v", v)
	}
	if !slices.Equal(d.First.Data(), []int64{6, 2, 0, 1}) || !slices.Equal(d.Counts.Data(), []int64{1, 2, 3, 2}) || !slices.Equal(d.Inverse.Data(), []int64{2, 3, 1, 2, 1, 3, 0, 2}) || !slices.Equal(d.Inverse.Shape(), []int{2, 4}) {
		t.Errorf("%v", d)
	}
	if d, err := engine.Unique(engine.Zeros[bool](0)); err != nil || d.Values.Size() != 0 {
		t.Errorf("nothing: %v, %v", d, err)
	}
	if _, err := engine.Unique(engine.MustFromSlice([]complex128{1i, 1})); !errors.Is(err, expr.ErrType) || !strings.HasPrefix(err.Error(), "oneloop: engine.Unique: ") {
		t.Errorf("complex numbers: %v", err)
	}
	if d, err := engine.Unique(engine.MustFromSlice([]bool{true, false, true})); err != nil || !slices.Equal(d.Values.Data(), []bool{false, true}) {
		t.Errorf("bools: %v, %v", d, err)
	}
}
