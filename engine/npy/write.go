package npy

import (
	"errors"
	"fmt"
	"io"

	"github.com/oneloop/oneloop/expr/dtype"
)

// Write writes one array: header and data. The array is checked before the
// first byte is written. The bytes of bools must be 0 or 1; they are written
// as they are.
func Write(w io.Writer, a *Array) error {
	if err := check(a); err != nil {
		return err
	}
	if err := write(w, a); err != nil {
		return fmt.Errorf("oneloop: npy: writing: %w", err)
	}
	return nil
}

// write writes an array that was checked.
func write(w io.Writer, a *Array) error {
	if _, err := w.Write(headerText(a)); err != nil {
		return err
	}
	if len(a.Data) == 0 {
		return nil
	}
	_, err := w.Write(a.Data)
	return err
}

// check reports an array that no file can hold.
func check(a *Array) error {
	if a == nil {
		return fmt.Errorf("oneloop: npy: no array to write")
	}
	if !a.Type.Valid() {
		return fmt.Errorf("oneloop: npy: element type %s cannot be written: %w", a.Type, ErrUnsupported)
	}
	n, err := dataSize(a.Shape, a.Type.Size())
	if err != nil {
		return fmt.Errorf("oneloop: npy: cannot write: %w", err)
	}
	if n != int64(len(a.Data)) {
		return fmt.Errorf("oneloop: npy: %s of shape %v needs %d bytes of data, not %d", a.Type, a.Shape, n, len(a.Data))
	}
	return nil
}

// WriteFile writes an array to a file, which it creates or replaces as a whole:
// after a failure, or a crash at any moment, the path holds either what it held
// before or the complete new array. It is [Prepare] followed by Commit, and the
// notes on paths and permissions given there hold.
func WriteFile(path string, a *Array) error { return committed(Prepare(path, a)) }

// committed puts a prepared file under its name, unless it could not be prepared.
func committed(p *Pending, err error) error {
	if err != nil {
		return err
	}
	return p.Commit()
}

// WriteFileWith writes what write produces to a file, which it creates or replaces as a
// whole: after a failure the path holds what it held before.
func WriteFileWith(path string, write func(io.Writer) error) error {
	return committed(PrepareWith(path, write))
}

var errNilWriter = errors.New("oneloop: npy: the writer is nil")

// WriteHeader writes the header of an array, for a caller that writes the elements
// behind it piece by piece, little-endian and row-major.
func WriteHeader(w io.Writer, t dtype.Type, shape []int) error {
	n, err := dataSize(shape, t.Size())
	if err != nil || !t.Valid() || n < 0 {
		return fmt.Errorf("oneloop: npy: there are no arrays of type %s and shape %v", t, shape)
	}
	if w == nil {
		return errNilWriter
	}
	_, err = w.Write(headerText(&Array{Type: t, Shape: shape}))
	return err
}
