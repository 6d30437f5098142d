package engine

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/text"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// MarshalBinary returns the array as an .npy file, which NumPy reads too. It
// fetches elements from a device. Package encoding/gob uses this method.
func (a Array) MarshalBinary() ([]byte, error) {
	f, err := a.NPY()
	if err != nil {
		return nil, err
	}
	var w bytes.Buffer
	err = npy.Write(&w, f)
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
		return tree.NewError(tree.ErrValue, "", "%s", strings.TrimPrefix(err.Error(), "oneloop: "))
	}
	if r.Len() > 0 {
		return tree.NewError(tree.ErrValue, "", "%d bytes follow the array", r.Len())
	}
	got, err := FromNPY(file)
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
	if a.DType() != dtype.Of[T]() {
		return tree.NewError(tree.ErrType, "", "the data have elements of type %v, not %v", a.DType(), dtype.Of[T]())
	}
	got, err := TensorOf[T](a)
	if err != nil {
		return err
	}
	*t = *got
	return nil
}

// MarshalJSON returns the array as an object:
//
//	{"type":"float32","shape":[2,2],"data":[[1,2.5],[-0.1,"NaN"]]}
//
// The data are nested lists of numbers, or of true and false. A float has enough
// digits to read back as the same float. NaN and infinities are the strings "NaN",
// "Infinity" and "-Infinity". A complex number is a list of its two parts.
// UnmarshalJSON restores all bits except those of a
// NaN. MarshalJSON fetches elements from a device.
func (a Array) MarshalJSON() ([]byte, error) {
	b, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	return text.JSON(a.DType(), a.Shape(), b)
}

// UnmarshalJSON sets a to a new array on the host, from data that MarshalJSON
// writes. It also reads nested lists without an object: their elements have the
// element type of a, or float64 if a has none. Trees built on a earlier keep the
// old elements. null leaves a as it is, as package encoding/json asks of its
// implementers.
func (a *Array) UnmarshalJSON(data []byte) error {
	if a == nil {
		return a.usable()
	}
	if null(data) {
		return nil
	}
	t := dtype.F64
	if a.valid() {
		t = a.DType()
	}
	var got *Array
	err := text.FromJSON(data, t, func(t dtype.Type, s shape.Shape) (b []byte, err error) {
		if got, err = NewArray(t, s...); err == nil {
			b = got.mem.data
		}
		return b, err
	})
	if err == nil {
		*a = *got
	}
	return err
}

func null(data []byte) bool { return string(bytes.TrimSpace(data)) == "null" }

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
func (t *Tensor[T]) UnmarshalJSON(data []byte) error {
	if t != nil && null(data) {
		return nil
	}
	return t.unmarshal(func(a *Array) error {
		empty, err := NewArray(dtype.Of[T](), 0)
		if err != nil {
			return err
		}
		*a = *empty
		return a.UnmarshalJSON(data)
	})
}

// MarshalText returns what MarshalJSON returns, for packages such as encoding/xml and flag.
func (a Array) MarshalText() ([]byte, error) { return a.MarshalJSON() }

// UnmarshalText sets a to a new array, as UnmarshalJSON does.
func (a *Array) UnmarshalText(data []byte) error { return a.UnmarshalJSON(data) }

// LogValue returns what fmt prints, without most elements of a large array. Package log/slog
// writes it in place of the result of MarshalText, for a pointer to the array.
func (a *Array) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%+v", a)) }

// MarshalText returns the tensor as [Array.MarshalText] does.
func (t Tensor[T]) MarshalText() ([]byte, error) { return t.MarshalJSON() }

// UnmarshalText sets t to a new tensor, as [Tensor.UnmarshalJSON] does.
func (t *Tensor[T]) UnmarshalText(data []byte) error { return t.UnmarshalJSON(data) }

// LogValue returns what fmt prints, as [Array.LogValue] does.
func (t *Tensor[T]) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%+v", t)) }
