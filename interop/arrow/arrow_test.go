package arrow_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	aa "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/interop/arrow"
)

func TestRoundTrip(t *testing.T) {
	round(t, true, false, true, true, false, false, true, true, false)
	round[int8](t, math.MinInt8, -1, math.MaxInt8)
	round[int16](t, math.MinInt16, -1, math.MaxInt16)
	round[int](t, math.MinInt32, math.MaxInt32)
	round[int32](t, math.MinInt32, math.MaxInt32)
	round[int64](t, math.MinInt64, math.MaxInt64)
	round[uint8](t, 0, math.MaxUint8)
	round[uint16](t, 0, math.MaxUint16)
	round[uint32](t, 0, math.MaxUint32)
	round[uint64](t, 0, math.MaxUint64)
	round(t, dtype.F16From(1.5), dtype.F16From(-0.1))
	round[float32](t, math.MaxFloat32, -.1)
	round(t, math.Inf(-1), .1)
	round[float64](t)
	for _, typ := range dtype.Real() {
		x, err := engine.NewArray(typ, 2)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := arrow.ToArray(x, nil); typ == dtype.BF16 {
			if err == nil {
				t.Error("Arrow has bfloat16")
			}
		} else if err != nil {
			t.Errorf("%v: %v", typ, err)
		} else {
			a.Release()
		}
	}
}

func round[T interface {
	expr.Elem
	comparable
}](t *testing.T, values ...T) {
	t.Helper()
	x := engine.MustFromSlice(values)
	a, err := arrow.ToArray(x.Array(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	for from := range len(values) + 1 { // arrays with offsets
		part := array.NewSlice(a, int64(from), int64(len(values)))
		got, err := arrow.Tensor[T](part)
		if err != nil || !slices.Equal(got.Values(), values[from:]) {
			t.Errorf("%v from %d becomes %v, %v", values, from, got, err)
		}
		part.Release()
	}
}

func TestNulls(t *testing.T) {
	null := engine.MustFromSlice([]bool{false, true, false, true})
	for name, x := range map[string]*engine.Array{
		"float64": engine.MustFromSlice([]float64{1, 2, 3, 4}).Array(), "float32": engine.MustFromSlice([]float32{1, 2, 3, 4}).Array(),
		"int32": engine.MustFromSlice([]int32{1, 2, 3, 4}).Array(), "bool": engine.MustFromSlice([]bool{true, true, true, true}).Array(),
	} {
		a, err := arrow.ToArray(x, null)
		if err != nil {
			t.Fatal(err)
		}
		if a.NullN() != 2 || a.IsNull(0) || !a.IsNull(1) {
			t.Errorf("%s: %v", name, a)
		}
		c, err := arrow.FromArray(a)
		if err != nil || !slices.Equal(c.Null.Values(), null.Values()) {
			t.Fatalf("%s: %v %v", name, c.Null, err)
		}
		want := map[string]string{"float64": "[1 NaN 3 NaN]", "float32": "[1 NaN 3 NaN]", "int32": "[1 0 3 0]", "bool": "[true false true false]"}[name]
		if got := fmt.Sprint(c.Values); got != want {
			t.Errorf("%s: the values are %s, not %s", name, got, want)
		}
		if _, err := arrow.Share(a); err == nil {
			t.Errorf("%s: an array with nulls is shared", name)
		}
		if _, err := arrow.Tensor[float64](a); err == nil {
			t.Errorf("%s: an array with nulls became a tensor", name)
		}
		a.Release()
	}
}

func TestShare(t *testing.T) {
	a, err := arrow.ToArray(engine.MustFromSlice([]float64{1, 2, 3}).Array(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	part := array.NewSlice(a, 1, 3)
	defer part.Release()
	s, err := arrow.Share(part)
	if err != nil {
		t.Fatal(err)
	}
	x, err := engine.TensorOf[float64](s)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := engine.Eval(op.AddScalar(x, 1)); err != nil || !slices.Equal(y.Values(), []float64{3, 4}) {
		t.Errorf("%v, %v", y, err)
	}
	if &x.Data()[0] != &a.(*array.Float64).Float64Values()[1] {
		t.Error("the elements were copied")
	}
}

func TestRecord(t *testing.T) {
	r, err := arrow.ToRecord(
		arrow.Column{Name: "a", Values: engine.MustFromSlice([]int64{1, 2}).Array()},
		arrow.Column{Name: "b", Values: engine.MustFromSlice([]bool{true, false}).Array(), Null: engine.MustFromSlice([]bool{false, true})},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	got, err := arrow.FromRecord(r, "b", "a")
	if err != nil || len(got) != 2 || got[0].Name != "b" || got[0].Null == nil || got[1].Null != nil || fmt.Sprint(got[1].Values) != "[1 2]" {
		t.Errorf("%v, %v", got, err)
	}
	table := array.NewTableFromRecords(r.Schema(), []aa.RecordBatch{r, r})
	defer table.Release()
	if got, err = arrow.FromTable(table); err != nil || len(got) != 2 || fmt.Sprint(got[0].Values) != "[1 2 1 2]" || fmt.Sprint(got[1].Null) != "[false true false true]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := arrow.FromRecord(r, "c"); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a missing column: %v", err)
	}
}

func TestErrors(t *testing.T) {
	b := array.NewTimestampBuilder(memory.DefaultAllocator, aa.FixedWidthTypes.Timestamp_ns.(*aa.TimestampType))
	b.Append(1)
	stamps := b.NewArray()
	defer stamps.Release()
	vector := engine.MustFromSlice([]float64{1, 2}).Array()
	for name, c := range map[string]struct {
		err  func() error
		kind error
	}{
		"a time":           {func() error { _, err := arrow.FromArray(stamps); return err }, expr.ErrType},
		"a shared time":    {func() error { _, err := arrow.Share(stamps); return err }, expr.ErrType},
		"another type":     {func() error { a, _ := arrow.ToArray(vector, nil); _, err := arrow.Tensor[int8](a); return err }, expr.ErrType},
		"no array":         {func() error { _, err := arrow.FromArray(nil); return err }, expr.ErrValue},
		"nothing to share": {func() error { _, err := arrow.Share(nil); return err }, expr.ErrValue},
		"no record":        {func() error { _, err := arrow.FromRecord(nil); return err }, expr.ErrValue},
		"no table":         {func() error { _, err := arrow.FromTable(nil); return err }, expr.ErrValue},
		"nothing to give":  {func() error { _, err := arrow.ToArray(nil, nil); return err }, expr.ErrValue},
		"a matrix":         {func() error { _, err := arrow.ToArray(engine.Zeros[float64](2, 2).Array(), nil); return err }, expr.ErrShape},
		"bfloat16":         {func() error { _, err := arrow.ToArray(engine.Zeros[dtype.BFloat16](2).Array(), nil); return err }, expr.ErrUnsupported},
		"nulls of 3":       {func() error { _, err := arrow.ToArray(vector, engine.Zeros[bool](3)); return err }, expr.ErrShape},
		"columns that vary": {func() error {
			_, err := arrow.ToRecord(arrow.Column{Values: vector}, arrow.Column{Values: engine.Zeros[int8](3).Array()})
			return err
		}, expr.ErrShape},
		"a column of none": {func() error { _, err := arrow.ToRecord(arrow.Column{}); return err }, expr.ErrValue},
	} {
		if err := c.err(); !errors.Is(err, c.kind) || strings.Contains(err.Error(), "(arrow.go:") || strings.Contains(err.Error(), "(array.go:") {
			t.Errorf("%s: %v, not %v in the test", name, err, c.kind)
		}
	}
}
