package npy

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A Mapped is an array whose elements the system reads from a file when they are
// used, so the file may be larger than memory.
type Mapped struct {
	Array
	once  sync.Once
	close func() error
	err   error
}

// Map maps the array in a file into memory. Stores to its elements change memory of
// the process, never the file. The caller closes it. Map refuses elements that need
// another form in memory with [ErrUnsupported]: elements of big-endian files, elements
// that do not begin at a multiple of their size, and bools. [ReadFile] reads all of
// them.
//
// If another process shortens the file while it is mapped, the use of an element
// that is gone ends the program. Where the system has no mmap, and for a path that is
// no regular file, Map reads the array.
func Map(path string) (*Mapped, error) {
	m, err := mapFile(path)
	var fe *FormatError
	if errors.As(err, &fe) {
		fe.Path = path
	}
	return m, err
}

func mapFile(path string) (*Mapped, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: npy: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("oneloop: npy: %w", err)
	}
	if !canMap || !st.Mode().IsRegular() {
		a, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		return &Mapped{Array: *a, close: func() error { return nil }}, nil
	}
	h, at, err := readHeader(f, st.Size())
	if err != nil {
		return nil, err
	}
	n, err := h.data(at, st.Size(), math.MaxInt-at)
	if err != nil {
		return nil, err
	}
	if why := unmappable(h, at); why != "" {
		return nil, &FormatError{Offset: at, Msg: why + " cannot be mapped", err: ErrUnsupported}
	}
	whole, unmap, err := mapped(f, int(at+n))
	if err != nil {
		return nil, fmt.Errorf("oneloop: npy: %s: %w", oneLine(path), err)
	}
	return &Mapped{Array: Array{Type: h.Type, Shape: h.Shape, Fortran: h.Fortran, Data: whole[at : at+n : at+n]}, close: unmap}, nil
}

// unmappable says which elements in a file, from the offset at on, need another form
// in memory, or "" for those that do not.
func unmappable(h Header, at int64) string {
	switch {
	case h.BigEndian:
		return "big-endian elements"
	case h.Type == dtype.Bool:
		return "bools"
	case at%int64(h.Type.Part().Size()) != 0:
		return fmt.Sprintf("elements of %d bytes from there on", h.Type.Size())
	}
	return ""
}

// Close gives the file back. From then on the elements are 0; the addresses stay in
// use, so that arrays over them do not fault. A second call does nothing.
func (m *Mapped) Close() error {
	if m == nil || m.close == nil {
		return nil
	}
	m.once.Do(func() { m.err = m.close() })
	return m.err
}
