package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/shape"
)

// MarshalBinary returns the array as an .npy file, which NumPy reads too. It
// fetches elements from a device. Package encoding/gob uses this method.
func (a Array) MarshalBinary() ([]byte, error) {
	b, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	err = npy.Write(&w, &npy.Array{Type: a.DType(), Shape: a.Shape(), Data: b})
	return w.Bytes(), err
}

// UnmarshalBinary sets a to a new array on the host with the contents of an .npy
// file. Trees built on a earlier keep the old elements.
func (a *Array) UnmarshalBinary(data []byte) error {
	if a == nil {
		return a.usable()
	}
	r := bytes.NewReader(data)
	file, err := npy.Read(r, int64(len(data)))
	if err != nil {
		return expr.NewError(expr.ErrValue, "", "%s", err)
	}
	if r.Len() > 0 {
		return expr.NewError(expr.ErrValue, "", "%d bytes follow the array", r.Len())
	}
	s := shape.Shape(file.Shape)
	st := s.Strides()
	if file.Fortran { // the strides of the axes in reverse order, reversed
		back := make([]int, len(s))
		for i := range s {
			back[i] = len(s) - 1 - i
		}
		t, err := s.Permute(back)
		if err != nil {
			return expr.NewError(expr.ErrShape, "", "%s", err)
		}
		st = t.Strides().Permute(back)
	}
	got, err := ArrayOf(MemoryOf(file.Data), file.Type, s, st, 0)
	if err != nil {
		return err
	}
	*a = *got
	return nil
}

// MarshalBinary returns the tensor as [Array.MarshalBinary] does.
func (t Tensor[T]) MarshalBinary() ([]byte, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	return t.a.MarshalBinary()
}

// UnmarshalBinary sets t to a new tensor, as [Array.UnmarshalBinary] does. The
// error is [expr.ErrType] if the type of the elements is not T.
func (t *Tensor[T]) UnmarshalBinary(data []byte) error {
	return t.unmarshal(func(a *Array) error { return a.UnmarshalBinary(data) })
}

// unmarshal sets t to a new tensor of the array that read returns.
func (t *Tensor[T]) unmarshal(read func(*Array) error) error {
	if t == nil {
		return t.Err()
	}
	a := &Array{}
	if err := read(a); err != nil {
		return err
	}
	got, err := TensorOf[T](a)
	if err != nil {
		return err
	}
	*t = *got
	return nil
}

// The JSON form of an array.
type document struct {
	Type  string          `json:"type"`
	Shape shape.Shape     `json:"shape"`
	Data  json.RawMessage `json:"data"`
}

// MarshalJSON returns the array as an object:
//
//	{"type":"float32","shape":[2,2],"data":[[1,2.5],[-0.1,"NaN"]]}
//
// The data are nested lists of numbers, or of true and false. A float has enough
// digits to read back as the same float. NaN and infinities are the strings "NaN",
// "Infinity" and "-Infinity". UnmarshalJSON restores all bits except those of a
// NaN. MarshalJSON fetches elements from a device.
func (a Array) MarshalJSON() ([]byte, error) {
	b, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	s := a.Shape()
	if s == nil {
		s = shape.Shape{} // [], not null
	}
	size := a.DType().Size()
	var data []byte
	var write func(s shape.Shape)
	write = func(s shape.Shape) {
		if len(s) == 0 {
			data = appendJSON(data, element(a.DType(), b))
			b = b[size:]
			return
		}
		data = append(data, '[')
		for i := range s[0] {
			if i > 0 {
				data = append(data, ',')
			}
			write(s[1:])
		}
		data = append(data, ']')
	}
	if s.Size() == 0 {
		data = append(data, "[]"...)
	} else {
		write(s)
	}
	return json.Marshal(document{a.DType().String(), s, data})
}

func appendJSON(b []byte, v any) []byte {
	size := 64
	var x float64
	switch v := v.(type) {
	case float64:
		x = v
	case float32:
		x, size = float64(v), 32
	case dtype.Float16:
		x, size = shortest(v), 32
	case dtype.BFloat16:
		x, size = shortest(v), 32
	default:
		return fmt.Append(b, v)
	}
	switch {
	case math.IsNaN(x):
		return append(b, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, x, 'g', -1, size)
}

// UnmarshalJSON sets a to a new array on the host, from text that MarshalJSON
// writes. It also reads nested lists without an object: their elements have the
// element type of a, or float64 if a has none. Trees built on a earlier keep the
// old elements.
func (a *Array) UnmarshalJSON(text []byte) error {
	if a == nil {
		return a.usable()
	}
	d := document{Type: dtype.F64.String(), Data: text}
	if a.valid() {
		d.Type = a.DType().String()
	}
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '{' {
		d = document{}
		if err := json.Unmarshal(text, &d); err != nil {
			return expr.NewError(expr.ErrValue, "", "%s", err)
		}
	}
	got, err := d.array()
	if err != nil {
		return err
	}
	*a = *got
	return nil
}

// array returns the array of the document. If the document has no shape, array
// derives it from the nested lists.
func (d *document) array() (*Array, error) {
	t, err := dtype.Parse(d.Type)
	if err != nil {
		return nil, expr.NewError(expr.ErrType, "", "there is no element type %.40q", d.Type)
	}
	read := json.NewDecoder(bytes.NewReader(d.Data))
	read.UseNumber()
	var tree any
	if err := read.Decode(&tree); err != nil {
		return nil, expr.NewError(expr.ErrValue, "", "%s", err)
	}
	s := d.Shape
	if s == nil {
		for x, ok := tree.([]any); ok && len(s) <= shape.MaxRank; x, ok = x[0].([]any) {
			if s = append(s, len(x)); len(x) == 0 {
				break
			}
		}
	}
	// A list has at most as many elements as the text has bytes. So a false shape
	// causes no allocation.
	if err := s.Check(); err != nil || s.Size() > len(d.Data) {
		return nil, expr.NewError(expr.ErrShape, "", "the data do not have the shape %v", s)
	}
	a, err := NewArray(t, s...)
	if err != nil || s.Size() == 0 {
		return a, err
	}
	out := a.mem.data
	var fill func(x any, s shape.Shape) error
	fill = func(x any, s shape.Shape) error {
		if len(s) == 0 {
			err := parseElement(t, out, x)
			out = out[t.Size():]
			return err
		}
		list, ok := x.([]any)
		if !ok || len(list) != s[0] {
			return expr.NewError(expr.ErrShape, "", "the data do not have the shape %v", a.Shape())
		}
		for _, y := range list {
			if err := fill(y, s[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	return a, fill(tree, s)
}

// parseElement stores one element.
func parseElement(t dtype.Type, b []byte, x any) error {
	wrong := func() error {
		return expr.NewError(expr.ErrValue, "", "%.40q is not a value of type %v", fmt.Sprint(x), t)
	}
	if v, ok := x.(bool); ok || t == dtype.Bool {
		if !ok || t != dtype.Bool {
			return wrong()
		}
		if v {
			b[0] = 1
		}
		return nil
	}
	word := ""
	switch x := x.(type) {
	case json.Number:
		word = x.String()
	case string:
		if word = x; x != "NaN" && x != "Infinity" && x != "-Infinity" {
			return wrong()
		}
	}
	var bits uint64
	var err error
	size := 8 * t.Size()
	switch {
	case t.IsSigned():
		var v int64
		v, err = strconv.ParseInt(word, 10, size)
		bits = uint64(v)
	case t.IsUnsigned():
		bits, err = strconv.ParseUint(word, 10, size)
	default:
		var v float64
		v, err = strconv.ParseFloat(word, max(size, 32))
		switch t {
		case dtype.F16:
			bits = uint64(dtype.F16Bits(float32(v)))
		case dtype.BF16:
			bits = uint64(dtype.BF16Bits(float32(v)))
		case dtype.F32:
			bits = uint64(math.Float32bits(float32(v)))
		default:
			bits = math.Float64bits(v)
		}
	}
	if err != nil {
		return wrong()
	}
	for i := range t.Size() {
		b[i] = byte(bits >> (8 * i))
	}
	return nil
}

// MarshalJSON returns the tensor as [Array.MarshalJSON] does.
func (t Tensor[T]) MarshalJSON() ([]byte, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	return t.a.MarshalJSON()
}

// UnmarshalJSON sets t to a new tensor, as [Array.UnmarshalJSON] does. Nested
// lists without an object have elements of type T. The error is [expr.ErrType] if
// an object has another element type.
func (t *Tensor[T]) UnmarshalJSON(text []byte) error {
	return t.unmarshal(func(a *Array) error {
		empty, err := NewArray(dtype.Of[T](), 0)
		if err != nil {
			return err
		}
		*a = *empty
		return a.UnmarshalJSON(text)
	})
}
