package arrow_test

import (
	"errors"
	"math"
	"testing"

	aa "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/interop/arrow"
)

// made returns an array of buffers that need not fit it, or nil if arrow-go itself
// refuses them by a panic.
func made(t aa.DataType, offset, length, nulls int, validity, values []byte) (a aa.Array) {
	defer func() {
		if recover() != nil {
			a = nil
		}
	}()
	buffer := func(b []byte) *memory.Buffer {
		if b == nil {
			return nil
		}
		return memory.NewBufferBytes(b)
	}
	d := array.NewData(t, length, []*memory.Buffer{buffer(validity), buffer(values)}, nil, nulls, offset)
	defer d.Release()
	return array.MakeFromData(d)
}

// TestHostile reads arrays whose buffers contradict what the arrays say.
func TestHostile(t *testing.T) {
	numbers, bools := aa.PrimitiveTypes.Int32, aa.FixedWidthTypes.Boolean
	for name, a := range map[string]aa.Array{
		"no values":                   made(numbers, 0, 2, 0, nil, nil),
		"no bits":                     made(bools, 0, 2, 0, nil, nil),
		"few bits":                    made(bools, 0, 9, 0, nil, []byte{1}),
		"few bits behind an offset":   made(bools, 7, 2, 0, nil, []byte{1}),
		"a negative length":           made(bools, 0, -1, 0, nil, []byte{1}),
		"a negative offset":           made(bools, -1, 1, 0, nil, []byte{1}),
		"an offset that overflows":    made(bools, math.MaxInt, 1, 0, nil, []byte{1}),
		"few bits of nulls":           made(numbers, 0, 9, 1, []byte{1}, make([]byte, 36)),
		"nulls that nothing tells":    made(numbers, 0, 2, 1, nil, make([]byte, 8)),
		"nulls of bools, not told of": made(bools, 0, 2, 2, []byte{}, []byte{1}),
	} {
		if a == nil {
			t.Errorf("%s: arrow-go refuses it", name)
			continue
		}
		if _, err := arrow.FromArray(a); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%s: FromArray: %v", name, err)
		}
		if _, err := arrow.Share(a); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%s: Share: %v", name, err)
		}
	}
	// An empty array needs no buffer, wherever it begins.
	empty := made(numbers, 3, 0, 0, nil, nil)
	if c, err := arrow.FromArray(empty); err != nil || c.Values.Shape()[0] != 0 {
		t.Errorf("an empty array behind an offset: %v, %v", c, err)
	}
	if x, err := arrow.Share(empty); err != nil || x.Shape()[0] != 0 {
		t.Errorf("an empty array behind an offset is shared: %v, %v", x, err)
	}
	// A count of nulls that is too low makes no numbers of them.
	a := made(numbers, 0, 3, 0, []byte{5}, make([]byte, 12))
	if c, err := arrow.FromArray(a); err != nil || c.Null == nil || !c.Null.At(1) || c.Null.At(0) {
		t.Errorf("a null that is not counted: %v, %v", c, err)
	}
	if _, err := arrow.Tensor[int32](a); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a null that is not counted: %v", err)
	}
	if _, err := arrow.Share(a); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a null that is not counted is shared: %v", err)
	}
}

// FuzzFromRecord makes arrays and record batches of any buffers. Reading must end with an
// error, or with as many elements as the array has and its nulls.
func FuzzFromRecord(f *testing.F) {
	types := []aa.DataType{
		aa.FixedWidthTypes.Boolean, aa.PrimitiveTypes.Int8, aa.PrimitiveTypes.Uint16, aa.PrimitiveTypes.Int32, aa.PrimitiveTypes.Float64,
		aa.FixedWidthTypes.Float16, aa.BinaryTypes.String, aa.FixedWidthTypes.Date32, aa.Null,
	}
	f.Add(uint8(0), 0, 9, 1, []byte{0xff, 1}, []byte{3, 1}, "a", "b")
	f.Add(uint8(3), 1, 2, 0, []byte{5}, make([]byte, 12), "a", "a")
	f.Add(uint8(0), 0, 1, -9, []byte{}, []byte{0}, "", "0") // arrow-go counts the nulls then, and reads past the empty buffer
	f.Add(uint8(4), 0, 1, 0, []byte(nil), make([]byte, 8), "", "b")
	f.Fuzz(func(t *testing.T, kind uint8, offset, length, nulls int, validity, values []byte, first, second string) {
		a := made(types[int(kind)%len(types)], offset, length, nulls, validity, values)
		if a == nil {
			return
		}
		if c, err := arrow.FromArray(a); err == nil {
			if c.Values.Shape()[0] != a.Len() {
				t.Fatalf("%d elements become %v", a.Len(), c.Values.Shape())
			}
			for i := range a.Len() {
				if null := c.Null != nil && c.Null.At(i); null != a.IsNull(i) {
					t.Fatalf("element %d: null is %v, in the array %v", i, null, a.IsNull(i))
				}
			}
		}
		if s, err := arrow.Share(a); err == nil {
			_ = s.String()
		}
		defer func() {
			if recover() != nil { // arrow-go refuses to make a record batch of it
				return
			}
		}()
		fields := []aa.Field{{Name: first, Type: a.DataType(), Nullable: true}, {Name: second, Type: a.DataType(), Nullable: true}}
		r := array.NewRecordBatch(aa.NewSchema(fields, nil), []aa.Array{a, a}, int64(length))
		read(t, r, second)
	})
}

// read reads a record batch; its own panics fail the test.
func read(t *testing.T, r aa.RecordBatch, name string) {
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("FromRecord: %v", p)
		}
	}()
	columns, err := arrow.FromRecord(r, name)
	if err == nil && (len(columns) != 1 || columns[0].Name != name) {
		t.Fatalf("%q gives %v", name, columns)
	}
}
