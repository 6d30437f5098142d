package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/shape"
)

// A document is the JSON form of an array.
type document struct {
	Type  string          `json:"type"`
	Shape shape.Shape     `json:"shape"`
	Data  json.RawMessage `json:"data"`
}

// JSON returns an array with row-major elements b as an object with its type, its
// shape, and nested lists of its elements.
func JSON(t dtype.Type, s shape.Shape, b []byte) ([]byte, error) {
	if s == nil {
		s = shape.Shape{} // [], not null
	}
	size := t.Size()
	var data []byte
	var write func(s shape.Shape)
	write = func(s shape.Shape) {
		if len(s) == 0 {
			data = appendJSON(data, Element(t, b))
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
	return json.Marshal(document{t.String(), s, data})
}

func appendJSON(b []byte, v any) []byte {
	size := 64
	var x float64
	switch v := v.(type) {
	case complex64:
		return appendPair(b, real(v), imag(v))
	case complex128:
		return appendPair(b, real(v), imag(v))
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

// appendPair appends the parts of a complex number as a list.
func appendPair[T float32 | float64](b []byte, re, im T) []byte {
	b = append(appendJSON(append(b, '['), re), ',')
	return append(appendJSON(b, im), ']')
}

// FromJSON reads an array: an object that JSON writes, or nested lists of elements
// of type t. It stores the elements row-major in the memory that allocate returns
// for their type and shape.
func FromJSON(text []byte, t dtype.Type, allocate func(t dtype.Type, s shape.Shape) ([]byte, error)) error {
	d := document{Type: t.String(), Data: text}
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '{' {
		d = document{}
		if err := json.Unmarshal(text, &d); err != nil {
			return tree.NewError(tree.ErrValue, "", "%s", err)
		}
	}
	if d.Type == "" {
		return tree.NewError(tree.ErrType, "", "the object has no \"type\", such as %q", t)
	}
	t, err := dtype.Parse(d.Type)
	if err != nil {
		return tree.NewError(tree.ErrType, "", "there is no element type %.40q", d.Type)
	}
	read := json.NewDecoder(bytes.NewReader(d.Data))
	read.UseNumber()
	var lists any
	switch err := read.Decode(&lists); {
	case errors.Is(err, io.EOF):
		return tree.NewError(tree.ErrValue, "", "there are no data")
	case err != nil:
		return tree.NewError(tree.ErrValue, "", "%s", err)
	}
	if _, err := read.Token(); !errors.Is(err, io.EOF) {
		return tree.NewError(tree.ErrValue, "", "something follows the data")
	}
	s := d.Shape
	if s == nil {
		s = shapeOf(lists)
		if last := len(s) - 1; t.IsComplex() && last >= 0 && s[last] > 0 { // without the list of each element
			s = s[:last]
		}
	}
	// A list has at most as many elements as the text has bytes. So a false shape
	// causes no allocation.
	if err := s.Check(); err != nil || s.Size() > len(d.Data) || s.Size() == 0 && !empty(lists) {
		return errShape(s)
	}
	out, err := allocate(t, s)
	if err != nil || s.Size() == 0 {
		return err
	}
	var fill func(x any, rest shape.Shape) error
	fill = func(x any, rest shape.Shape) error {
		if len(rest) == 0 {
			err := parseElement(t, out, x)
			out = out[t.Size():]
			return err
		}
		list, ok := x.([]any)
		if !ok || len(list) != rest[0] {
			return errShape(s)
		}
		for _, y := range list {
			if err := fill(y, rest[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	return fill(lists, s)
}

// empty reports whether nested lists have no elements.
func empty(lists any) bool {
	list, ok := lists.([]any)
	return ok && !slices.ContainsFunc(list, func(x any) bool { return !empty(x) })
}

// shapeOf returns the shape of nested lists by their first elements.
func shapeOf(lists any) (s shape.Shape) {
	for x, ok := lists.([]any); ok && len(s) <= shape.MaxRank; x, ok = x[0].([]any) {
		if s = append(s, len(x)); len(x) == 0 {
			break
		}
	}
	return s
}

func errShape(s shape.Shape) error {
	return tree.NewError(tree.ErrShape, "", "the data do not have the shape %v", s)
}

// parseElement stores one element.
func parseElement(t dtype.Type, b []byte, x any) error {
	wrong := func() error {
		text, _ := json.Marshal(x)
		return tree.NewError(tree.ErrValue, "", "%.40s is not a value of type %v", text, t)
	}
	if part := t.Part(); part != t {
		pair, ok := x.([]any)
		if !ok || len(pair) != 2 {
			return wrong()
		}
		if err := parseElement(part, b, pair[0]); err != nil {
			return err
		}
		return parseElement(part, b[part.Size():], pair[1])
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
		if t.IsHalf() {
			size = 64
		}
		if v, err = strconv.ParseFloat(word, size); err == nil {
			element.PutFloat(t, b, 0, v)
			if math.IsInf(element.Float(t, b, 0), 0) && !math.IsInf(v, 0) { // too large for a half
				return wrong()
			}
			return nil
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
