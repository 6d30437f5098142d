// Package arrow converts between the tensors of oneloop and the arrays, record
// batches and tables of Apache Arrow.
//
//	columns, err := arrow.FromRecord(batch, "open", "close")
//	open, err := engine.TensorOf[float64](columns[0].Values)
//
// Arrow arrays are vectors, and some of their elements may be null. A null is never
// silently a number: it is true in the column's Null, and [Tensor] refuses arrays that
// have any. Package parquet reads and writes files of such columns.
package arrow

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Column is a vector with a name, and the places where it has no value.
type Column struct {
	Name   string
	Values *engine.Array        // of shape [n]; where Null holds: NaN, 0 or false
	Null   *engine.Tensor[bool] // of shape [n], or nil: no null
}

// types are the element types that both have. Types of times and decimals are not
// among them: a number without its unit or scale is another value.
var types = map[dtype.Type]arrow.DataType{
	dtype.Bool: arrow.FixedWidthTypes.Boolean,
	dtype.I8:   arrow.PrimitiveTypes.Int8, dtype.I16: arrow.PrimitiveTypes.Int16, dtype.I32: arrow.PrimitiveTypes.Int32, dtype.I64: arrow.PrimitiveTypes.Int64,
	dtype.U8: arrow.PrimitiveTypes.Uint8, dtype.U16: arrow.PrimitiveTypes.Uint16, dtype.U32: arrow.PrimitiveTypes.Uint32, dtype.U64: arrow.PrimitiveTypes.Uint64,
	dtype.F16: arrow.FixedWidthTypes.Float16, dtype.F32: arrow.PrimitiveTypes.Float32, dtype.F64: arrow.PrimitiveTypes.Float64,
}

// typeOf returns the element type of a type of Arrow, or ErrType.
func typeOf(t arrow.DataType) (dtype.Type, error) {
	for d, a := range types {
		if a.ID() == t.ID() {
			return d, nil
		}
	}
	return dtype.Invalid, tree.NewError(tree.ErrType, "", "arrays of the Arrow type %s are not read", t)
}

// FromArray returns a copy of an array of Arrow as a column without a name. The error
// is [expr.ErrType] for a type that tensors lack.
func FromArray(a arrow.Array) (Column, error) { return join("", nil, a) }

// Tensor returns a copy of an array of Arrow. The error is [expr.ErrValue] if an
// element is null, and [expr.ErrType] if the elements are not of type T.
func Tensor[T expr.Elem](a arrow.Array) (*engine.Tensor[T], error) {
	c, err := FromArray(a)
	if err != nil {
		return nil, err
	}
	if c.Null != nil {
		nulls, _ := check(a, c.Values.DType())
		return nil, tree.NewError(tree.ErrValue, "", "%d of %d elements are null; FromArray gives them as a mask", nulls, a.Len())
	}
	return engine.TensorOf[T](c.Values)
}

// Share returns the elements of an array of Arrow without copying them. The caller
// retains a as long as the result is used, and never writes to it: arrays of Arrow do
// not change. The error is [expr.ErrValue] if an element is null, and
// [expr.ErrUnsupported] for bools, which Arrow packs into bits.
func Share(a arrow.Array) (*engine.Array, error) {
	if a == nil {
		return nil, tree.NewError(tree.ErrValue, "", "the array is nil")
	}
	t, err := typeOf(a.DataType())
	if err != nil {
		return nil, err
	}
	nulls, err := check(a, t)
	switch {
	case err != nil:
		return nil, err
	case t == dtype.Bool:
		return nil, tree.NewError(tree.ErrUnsupported, "", "bools of Arrow are bits and cannot be shared")
	case nulls > 0:
		return nil, tree.NewError(tree.ErrValue, "", "%d of %d elements are null", nulls, a.Len())
	}
	return engine.ArrayOf(engine.MemoryOf(elements(a, t)), t, []int{a.Len()}, nil, 0)
}

// check counts the nulls of an array. The array may state another number, or a length
// that its buffers do not have: then the error is ErrValue.
func check(a arrow.Array, t dtype.Type) (nulls int, err error) {
	d, validity := a.Data(), a.NullBitmapBytes()
	if d.Offset() < 0 || d.Len() < 0 || d.Offset() > math.MaxInt-d.Len() {
		return 0, tree.NewError(tree.ErrValue, "", "the array has the offset %d and the length %d", d.Offset(), d.Len())
	}
	if d.Len() == 0 {
		return 0, nil
	}
	end := d.Offset() + d.Len()
	short := end > len(values(a))/t.Size()
	if t == dtype.Bool {
		short = (end-1)/8 >= len(values(a))
	}
	switch {
	case short:
		return 0, tree.NewError(tree.ErrValue, "", "%d elements at the offset %d do not fit their buffer of %d bytes", d.Len(), d.Offset(), len(values(a)))
	case len(validity) == 0 && d.NullN() > 0:
		return 0, tree.NewError(tree.ErrValue, "", "%d elements are null, and nothing says which", d.NullN())
	case len(validity) == 0:
		return 0, nil
	case (end-1)/8 >= len(validity):
		return 0, tree.NewError(tree.ErrValue, "", "the nulls of %d elements at the offset %d do not fit their buffer of %d bytes", d.Len(), d.Offset(), len(validity))
	}
	return d.Len() - bitutil.CountSetBits(validity, d.Offset(), d.Len()), nil
}

// values returns the buffer of the values of an array.
func values(a arrow.Array) []byte {
	if b := a.Data().Buffers(); len(b) > 1 && b[1] != nil {
		return b[1].Bytes()
	}
	return nil
}

// elements returns the bytes of the elements of an array of numbers. An empty array may
// have an offset without a buffer.
func elements(a arrow.Array, t dtype.Type) []byte {
	d := a.Data()
	if d.Len() == 0 {
		return nil
	}
	return values(a)[d.Offset()*t.Size() : (d.Offset()+d.Len())*t.Size()]
}

// join returns the elements of several arrays of one type, one after the other. Without
// arrays the type is field, which may otherwise be nil.
func join(name string, field arrow.DataType, parts ...arrow.Array) (Column, error) {
	n, nulls := 0, 0
	for _, a := range parts {
		if a == nil {
			return Column{}, tree.NewError(tree.ErrValue, "", "the array is nil")
		}
		field = a.DataType()
	}
	t, err := typeOf(field)
	if err != nil {
		return Column{}, err
	}
	for _, a := range parts {
		null, err := check(a, t)
		if err != nil {
			return Column{}, err
		}
		n, nulls = n+a.Len(), nulls+null
	}
	c := Column{Name: name}
	if c.Values, err = engine.NewArray(t, n); err != nil {
		return Column{}, err
	}
	data := c.Values.Memory().Bytes()
	for _, a := range parts {
		size := a.Len() * t.Size()
		if b, ok := a.(*array.Boolean); ok {
			for i := range a.Len() {
				if b.Value(i) {
					data[i] = 1
				}
			}
		} else {
			copy(data[:size], elements(a, t))
		}
		data = data[size:]
	}
	if nulls > 0 {
		return c, c.mark(parts)
	}
	return c, nil
}

// mark sets the mask of c from the arrays that it consists of, and what stands at the
// places of nulls, where Arrow leaves anything.
func (c *Column) mark(parts []arrow.Array) (err error) {
	if c.Null, err = engine.New[bool](c.Values.Shape()...); err != nil {
		return err
	}
	data, null, t := c.Values.Memory().Bytes(), c.Null.Data(), c.Values.DType()
	none := missing[t]
	for _, a := range parts {
		for i := range a.Len() {
			if a.IsNull(i) {
				null[i] = true
				clear(data[i*t.Size() : (i+1)*t.Size()])
				copy(data[i*t.Size():], none)
			}
		}
		data, null = data[a.Len()*t.Size():], null[a.Len():]
	}
	return nil
}

// missing are the bytes that stand for a null in floats: NaN, little-endian.
var missing = map[dtype.Type][]byte{
	dtype.F16: {0, 0x7e}, dtype.F32: {0, 0, 0xc0, 0x7f}, dtype.F64: {0, 0, 0, 0, 0, 0, 0xf8, 0x7f},
}

// ToArray returns a copy of a vector as an array of Arrow, in which the elements are
// null where null holds; null may be nil. The error is [expr.ErrShape] for other
// shapes, and [expr.ErrUnsupported] for bfloat16, which Arrow lacks.
func ToArray(values *engine.Array, null *engine.Tensor[bool]) (arrow.Array, error) {
	if values == nil {
		return nil, tree.NewError(tree.ErrValue, "", "the array is nil")
	}
	if len(values.Shape()) != 1 {
		return nil, tree.NewError(tree.ErrShape, "", "an array of the shape %v is no vector", values.Shape())
	}
	to, ok := types[values.DType()]
	if !ok {
		return nil, tree.NewError(tree.ErrUnsupported, "", "Arrow has no elements of type %v", values.DType())
	}
	data, err := values.Bytes()
	if err != nil {
		return nil, err
	}
	n := values.Shape()[0]
	var valid []byte
	nulls := 0
	if null != nil {
		mask, err := null.Array().Bytes()
		if err != nil {
			return nil, err
		}
		if !slices.Equal(null.Shape(), values.Shape()) {
			return nil, tree.NewError(tree.ErrShape, "", "the nulls have the shape %v, the values %v", null.Shape(), values.Shape())
		}
		if valid, nulls = bits(mask, false); nulls == 0 {
			valid = nil
		}
	}
	if values.DType() == dtype.Bool {
		data, _ = bits(data, true)
	} else {
		data = slices.Clone(data)
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(data)}
	if valid != nil {
		buffers[0] = memory.NewBufferBytes(valid)
	}
	d := array.NewData(to, n, buffers, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d), nil
}

// bits packs the truth of bytes, or its opposite, and counts the bits that are not
// set.
func bits(truth []byte, want bool) (packed []byte, unset int) {
	packed = make([]byte, (len(truth)+7)/8)
	for i, b := range truth {
		if (b != 0) == want {
			packed[i/8] |= 1 << (i % 8)
		} else {
			unset++
		}
	}
	return packed, unset
}

// FromRecord returns copies of columns of a record batch: of those of the names, in
// their order, or without names of all. A name that is not there, or there twice, is
// [expr.ErrValue].
func FromRecord(r arrow.RecordBatch, names ...string) ([]Column, error) {
	if r == nil {
		return nil, tree.NewError(tree.ErrValue, "", "the record batch is nil")
	}
	return fromColumns(r.Schema(), names, func(i int) []arrow.Array { return []arrow.Array{r.Column(i)} })
}

// FromTable is [FromRecord] for a table, whose chunks it joins.
func FromTable(t arrow.Table, names ...string) ([]Column, error) {
	if t == nil {
		return nil, tree.NewError(tree.ErrValue, "", "the table is nil")
	}
	return fromColumns(t.Schema(), names, func(i int) []arrow.Array { return t.Column(i).Data().Chunks() })
}

func fromColumns(s *arrow.Schema, names []string, chunks func(i int) []arrow.Array) ([]Column, error) {
	which, err := Indices(s, names)
	if err != nil {
		return nil, err
	}
	out := make([]Column, len(which))
	for k, i := range which {
		f := s.Field(i)
		if out[k], err = join(f.Name, f.Type, chunks(i)...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Indices returns the places of the columns of the names in a schema, or of all
// without names. A name that is not there, or there twice, is [expr.ErrValue].
func Indices(s *arrow.Schema, names []string) ([]int, error) {
	if len(names) == 0 {
		return lists.UpTo(s.NumFields()), nil
	}
	var out []int
	for _, n := range names {
		switch at := s.FieldIndices(n); len(at) {
		case 1:
			out = append(out, at[0])
		case 0:
			return nil, tree.NewError(tree.ErrValue, "", "there is no column %q", n)
		default:
			return nil, tree.NewError(tree.ErrValue, "", "%d columns are named %q", len(at), n)
		}
	}
	return out, nil
}

// ToRecord returns columns of one length as a record batch, which the caller releases.
func ToRecord(columns ...Column) (arrow.RecordBatch, error) {
	fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	rows := 0
	for i, c := range columns {
		a, err := ToArray(c.Values, c.Null)
		if err != nil {
			return nil, err
		}
		defer a.Release()
		if i == 0 {
			rows = a.Len()
		}
		if a.Len() != rows {
			return nil, tree.NewError(tree.ErrShape, "", "column %q has %d elements, column %q has %d", c.Name, a.Len(), columns[0].Name, rows)
		}
		fields[i], arrays[i] = arrow.Field{Name: c.Name, Type: a.DataType(), Nullable: c.Null != nil}, a
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows)), nil
}
