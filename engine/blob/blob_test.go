package blob_test

import (
	"errors"
	"math/bits"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/blob"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func must[T blob.Elem](t testing.TB, dims ...int) *blob.Blob[T] {
	t.Helper()
	b, err := blob.New[T](dims...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func check(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) || kind == nil && err != nil {
		t.Errorf("%s: error %v, want %v", what, err, kind)
	}
}

func TestReshape(t *testing.T) {
	b := must[float32](t, 2, 3)
	if b.DataMemory().Head() != engine.Uninitialized {
		t.Error("a new blob has allocated its data")
	}
	copy(b.Data().Data(), []float32{1, 2, 3, 4, 5, 6})
	old := b.Data()
	check(t, "smaller", b.Reshape(2, 2), nil)
	check(t, "as large as before", b.Reshape(3, 2), nil)
	if got := b.Data().Values(); !slices.Equal(got, []float32{1, 2, 3, 4, 5, 6}) || &b.Data().Data()[0] != &old.Data()[0] {
		t.Errorf("the elements have moved: %v", got)
	}
	check(t, "larger", b.Reshape(7), nil)
	if got := b.Data().Values(); !slices.Equal(got, make([]float32, 7)) {
		t.Errorf("the new memory has %v", got)
	}
	check(t, "empty", b.Reshape(0, 5), nil)
	if b.Count() != 0 || b.DataMemory().Size() != 28 {
		t.Errorf("an empty shape has %d elements in %d bytes", b.Count(), b.DataMemory().Size())
	}
	check(t, "negative", b.Reshape(-1), expr.ErrShape)
	check(t, "overflow", b.Reshape(1<<20, 1<<20, 1<<20, 1<<20), expr.ErrShape)
	check(t, "33 axes", b.Reshape(make([]int, 33)...), expr.ErrShape)
	if !b.Shape().Equal([]int{0, 5}) {
		t.Errorf("a failed Reshape has left %v", b.Shape())
	}
	check(t, "like", b.ReshapeLike(must[float32](t, 2, 3, 4)), nil)
	if !b.Shape().Equal([]int{2, 3, 4}) {
		t.Errorf("ReshapeLike gives %v", b.Shape())
	}
}

func TestAxes(t *testing.T) {
	b := must[float64](t, 2, 3, 4, 5)
	for _, c := range []struct {
		name string
		f    func() (int, error)
		want int
		err  error
	}{
		{"axis -1", func() (int, error) { return b.CanonicalAxis(-1) }, 3, nil},
		{"axis -4", func() (int, error) { return b.CanonicalAxis(-4) }, 0, nil},
		{"axis 4", func() (int, error) { return b.CanonicalAxis(4) }, 0, expr.ErrShape},
		{"axis -5", func() (int, error) { return b.CanonicalAxis(-5) }, 0, expr.ErrShape},
		{"dim -2", func() (int, error) { return b.Dim(-2) }, 4, nil},
		{"count 1..3", func() (int, error) { return b.CountOf(1, 3) }, 12, nil},
		{"count 2..2", func() (int, error) { return b.CountOf(2, 2) }, 1, nil},
		{"count 3..1", func() (int, error) { return b.CountOf(3, 1) }, 0, expr.ErrShape},
		{"count 0..5", func() (int, error) { return b.CountOf(0, 5) }, 0, expr.ErrShape},
		{"offset", func() (int, error) { return b.Offset(1, 2, 3, 4) }, 119, nil},
		{"offset of two", func() (int, error) { return b.Offset(1, 2) }, 100, nil},
		{"offset of none", func() (int, error) { return b.Offset() }, 0, nil},
		{"offset beyond", func() (int, error) { return b.Offset(2) }, 0, expr.ErrIndex},
		{"offset of five", func() (int, error) { return b.Offset(0, 0, 0, 0, 0) }, 0, expr.ErrIndex},
		{"num", b.Num, 2, nil},
		{"channels", b.Channels, 3, nil},
		{"width", b.Width, 5, nil},
		{"axes", func() (int, error) { return b.NumAxes(), nil }, 4, nil},
	} {
		got, err := c.f()
		if check(t, c.name, err, c.err); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	two := must[float32](t, 6, 7)
	for axis, want := range map[int]int{0: 6, 1: 7, 2: 1, 3: 1, -1: 7, -2: 6, -3: 1, -4: 1} {
		if got, err := two.LegacyShape(axis); got != want || err != nil {
			t.Errorf("LegacyShape(%d) is %d, %v, want %d", axis, got, err, want)
		}
	}
	_, err := two.LegacyShape(4)
	check(t, "LegacyShape(4)", err, expr.ErrShape)
	_, err = must[float32](t, 1, 1, 1, 1, 1).Height()
	check(t, "Height of five axes", err, expr.ErrShape)
}

func TestMath(t *testing.T) {
	for _, d := range []driver.Device{nil, engine.CPU()} {
		b, err := blob.NewOn[float64](d, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []func() (float64, error){b.ASumData, b.ASumDiff, b.SumSqData, b.SumSqDiff} {
			if s, err := f(); s != 0 || err != nil {
				t.Errorf("a sum of nothing is %v, %v", s, err)
			}
		}
		check(t, "scaling nothing", errors.Join(b.ScaleData(2), b.ScaleDiff(2)), nil)
		if b.DataMemory().Head() != engine.Uninitialized {
			t.Error("sums and scales have allocated the data")
		}
		copy(b.Data().Data(), []float64{1, -2, 3, -4})
		check(t, "assignment", b.Diff().Assign(op.Scale(.5, b.Data())), nil)
		check(t, "Update", b.Update(), nil)
		check(t, "ScaleData", b.ScaleData(4), nil)
		check(t, "ScaleDiff", b.ScaleDiff(-2), nil)
		for i, f := range []func() (float64, error){b.ASumData, b.SumSqData, b.ASumDiff, b.SumSqDiff} {
			if s, err := f(); s != []float64{20, 120, 10, 30}[i] || err != nil {
				t.Errorf("sum %d is %v, %v", i, s, err)
			}
		}
		if x, err := b.DataAt(1); x != 6 || err != nil {
			t.Errorf("DataAt(1) is %v, %v", x, err)
		}
		if x, err := b.DiffAt(1, 1); x != 4 || err != nil {
			t.Errorf("DiffAt(1, 1) is %v, %v", x, err)
		}
	}
}

func TestShare(t *testing.T) {
	a, b := must[float32](t, 2, 3), must[float32](t, 3, 2)
	check(t, "ShareData", b.ShareData(a), nil)
	b.Data().Data()[0] = 7
	if x, _ := a.DataAt(); x != 7 {
		t.Errorf("the data are not shared: %v", x)
	}
	b.Diff().Data()[0] = 1
	if x, _ := a.DiffAt(); x != 0 || b.DiffMemory() == a.DiffMemory() {
		t.Error("the diff is shared")
	}
	check(t, "ShareDiff", b.ShareDiff(a), nil)
	if b.DiffMemory() != a.DiffMemory() {
		t.Error("the diff is not shared")
	}
	check(t, "another size", b.ShareData(must[float32](t, 5)), expr.ErrShape)
}

func TestAdopt(t *testing.T) {
	b := must[float32](t, 2, 2)
	batch := []float32{0, 1, 2, 3, 4, 5, 6, 7}
	for offset := 0; offset < 8; offset += 4 { // Caffe's loop over a batch
		check(t, "Adopt", b.Adopt(batch, offset), nil)
		if x := b.Data().Data(); &x[0] != &batch[offset] {
			t.Errorf("offset %d: %v", offset, x)
		}
	}
	check(t, "Reshape", b.Reshape(1, 2), nil)
	check(t, "fewer elements", b.Adopt(batch, 6), nil)
	b.Data().Data()[1] = 9
	if batch[7] != 9 {
		t.Error("the slice is not shared")
	}
	check(t, "Reshape", b.Reshape(2, 2), nil)
	if batch[7] != 9 || b.Data().Values()[3] != 0 {
		t.Errorf("growing has kept the slice: %v", b.Data())
	}
	for _, offset := range []int{-1, 5, 9} {
		check(t, "out of range", b.Adopt(batch, offset), expr.ErrShape)
	}
}

func TestCopyFrom(t *testing.T) {
	a, b := must[float32](t, 2), must[float32](t, 3)
	copy(a.Data().Data(), []float32{1, 2})
	copy(a.Diff().Data(), []float32{3, 4})
	check(t, "another shape", b.CopyFrom(a, false, false), expr.ErrShape)
	check(t, "CopyFrom", b.CopyFrom(a, false, true), nil)
	check(t, "CopyFrom", b.CopyFrom(a, true, false), nil)
	if d, g := b.Data().Values(), b.Diff().Values(); !slices.Equal(d, []float32{1, 2}) || !slices.Equal(g, []float32{3, 4}) {
		t.Errorf("the copy has %v and %v", d, g)
	}
}

// TestNil checks that nil and zero values give errors.
func TestNil(t *testing.T) {
	var zero blob.Blob[float32]
	b := must[float32](t, 1)
	_, err := zero.DataAt()
	check(t, "DataAt of the zero Blob", err, expr.ErrType)
	check(t, "Data of the zero Blob", zero.Data().Err(), expr.ErrType)
	check(t, "Adopt of the zero Blob", zero.Adopt([]float32{1}, 0), nil)
	check(t, "ReshapeLike", b.ReshapeLike(nil), expr.ErrType)
	check(t, "ShareData", b.ShareData(nil), expr.ErrType)
	check(t, "ShareDiff", b.ShareDiff(nil), expr.ErrType)
	check(t, "CopyFrom", b.CopyFrom(nil, false, true), expr.ErrType)
	check(t, "FromProto", b.FromProto(nil, true), expr.ErrType)
	check(t, "WriteFile", blob.WriteFile("", nil), expr.ErrType)
	if b.ShapeEquals(nil) {
		t.Error("a nil proto has a shape")
	}
	var m *blob.SyncedMemory
	_, err = m.Host()
	check(t, "Host of a nil memory", err, expr.ErrType)
	check(t, "Adopt of a nil memory", m.Adopt(nil), expr.ErrType)
}

// TestNoMemory checks that a blob too large for the process is an error where its
// data are used, not where it is shaped.
func TestNoMemory(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("32 bits count no more elements than a process may have")
	}
	n := int(^uint(0) >> 8)
	b := must[float32](t, n)
	check(t, "Data", b.Data().Err(), expr.ErrOutOfMemory)
	check(t, "Update", b.Update(), expr.ErrOutOfMemory)
}
