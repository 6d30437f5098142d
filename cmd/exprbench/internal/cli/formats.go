package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/engine/picture"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// The extensions of files, by what -i and -o accept.
var (
	imagesRead    = []string{".png", ".jpg", ".jpeg", ".gif"}
	imagesWritten = []string{".png", ".jpg", ".jpeg"}
	arrays        = []string{"", ".npy", ".npz", ".csv"}
)

// extension returns the extension of the file that a setting names, in small
// letters.
func (s setting) extension() string {
	for _, ext := range []string{".npz", ".csv"} {
		if _, _, ok := s.part(ext); ok {
			return ext
		}
	}
	return strings.ToLower(filepath.Ext(s.value))
}

// inferName returns the name that a file without one stands for: the part of a
// .npz or .csv file, or the base name of the file.
func inferName(value string) string {
	s := setting{value: value}
	for _, ext := range []string{".npz", ".csv"} {
		if _, name, ok := s.part(ext); ok && name != "" {
			return name
		}
	}
	base := filepath.Base(value)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// nameOutputs gives a name to each output without one: the one that its file
// stands for, or the only one that the formula assigns.
func nameOutputs(src *formula.Source, out []setting) error {
	assigned := src.Assigned()
	for i, o := range out {
		if o.name != "" {
			continue
		}
		switch name := inferName(o.value); {
		case slices.Contains(assigned, name):
			out[i].name = name
		case len(assigned) == 1:
			out[i].name = assigned[0]
		default:
			return usagef("-o %s: the statements assign %s; write name=%s", o.value, strings.Join(assigned, ", "), o.value)
		}
	}
	return nil
}

// cast returns an array as a tensor of another type.
func cast[T expr.Elem](a *engine.Array) (*engine.Tensor[T], error) {
	return engine.Eval(expr.Of[T](untyped.Cast(a.Node(), dtype.Of[T]())))
}

// writeImage writes an array of uint8, of uint16 or of floats in 0..1.
func writeImage(w io.Writer, format string, a *engine.Array) error {
	switch t := a.DType(); {
	case t == dtype.U8:
		return encode[uint8](w, format, a)
	case t == dtype.U16:
		return encode[uint16](w, format, a)
	case t.IsFloat():
		return encode[float64](w, format, a)
	default:
		return tree.NewError(tree.ErrType, "", "an image has samples of uint8, uint16 or floats from 0 to 1, not %v", t)
	}
}

func encode[T uint8 | uint16 | float64](w io.Writer, format string, a *engine.Array) error {
	x, err := cast[T](a)
	if err != nil {
		return err
	}
	return picture.Encode(w, format, x)
}

// writeTable writes arrays as columns: vectors under their names, and the columns
// of matrices under name_0, name_1 ...
func writeTable(w io.Writer, names []string, values []*engine.Array) error {
	floats, wide := false, false
	for _, a := range values {
		switch t := a.DType(); {
		case t == dtype.U64 || t.IsComplex():
			return tree.NewError(tree.ErrType, "", "a table of %v is not supported; astype, and real, imag and abs of complex numbers, convert", t)
		case t.IsFloat():
			floats, wide = true, wide || t == dtype.F64
		case t.Size() > 2:
			wide = true
		}
	}
	switch {
	case !floats:
		return writeColumns[int64](w, names, values)
	case wide:
		return writeColumns[float64](w, names, values)
	}
	return writeColumns[float32](w, names, values)
}

func writeColumns[T csv.Number](w io.Writer, names []string, values []*engine.Array) error {
	var heads []string
	var vectors []*engine.Tensor[T]
	for i, a := range values {
		t, err := cast[T](a)
		if err != nil {
			return err
		}
		switch t.Rank() {
		case 1:
			heads, vectors = append(heads, names[i]), append(vectors, t)
		case 2:
			for k := range t.Shape()[1] {
				heads, vectors = append(heads, fmt.Sprintf("%s_%d", names[i], k)), append(vectors, t.Transpose().Index(k))
			}
		default:
			return tree.NewError(tree.ErrShape, "", "%s of shape %v has no columns", names[i], t.Shape())
		}
	}
	table, err := csv.New(heads, vectors...)
	if err != nil {
		return err
	}
	return csv.Write(w, table)
}
