package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// An Array is an array in memory, as [Read] returns it and [Write] takes it.
type Array struct {
	Type    dtype.Type
	Shape   []int // empty for a scalar
	Fortran bool  // the first axis varies fastest

	// Data holds the elements without gaps, little-endian. Read aligns it to
	// 64 bytes; Write takes any alignment.
	Data []byte
}

const (
	chunk   = 1 << 20 // bytes read at once: small enough to be in cache when swapped
	maxData = 1 << 46 // more than any machine has; keeps make from panicking
)

// Read reads one array. size is the number of bytes that r will give, from the
// magic string on, or negative if that is not known. If it is known, an array
// that claims more is refused before its memory is allocated; if not, memory
// grows with what has arrived: 1 MiB at first, then doubling.
//
// Bytes that follow the array are left in r. Faults of the file are
// [*FormatError]s; errors of r are passed on, wrapped. Data for which the process
// cannot have memory are [expr.ErrOutOfMemory].
func Read(r io.Reader, size int64) (*Array, error) {
	h, at, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	n, err := h.data(at, size, min(maxData, math.MaxInt-align))
	if err != nil {
		return nil, err
	}
	have := n
	if size < 0 {
		have = min(n, chunk)
	}
	b, err := alloc(int(have))
	if err != nil {
		return nil, err
	}
	for done := int64(0); done < n; {
		if done == int64(len(b)) {
			grown, err := alloc(int(min(n, 2*done)))
			if err != nil {
				return nil, err
			}
			copy(grown, b)
			b = grown
		}
		part := b[done:min(int64(len(b)), done+chunk)]
		if err := readFull(r, part, at+done, "the data"); err != nil {
			return nil, err
		}
		normalise(part, h)
		done += int64(len(part))
	}
	return &Array{Type: h.Type, Shape: h.Shape, Fortran: h.Fortran, Data: b}, nil
}

// data returns the number of bytes of the data, which begin at an offset of a file. size is that
// of the file, or negative, and most what fits in memory.
func (h Header) data(at, size, most int64) (int64, error) {
	n, err := dataSize(h.Shape, h.Type.Size())
	switch {
	case err != nil:
		return 0, formatError(at, "%v", err)
	case size >= 0 && n > size-at:
		return 0, truncated(size, "the data claim %d bytes, %d remain", n, max(size-at, 0))
	case n > most:
		return 0, formatError(at, "%d bytes of data do not fit in memory", n)
	}
	return n, nil
}

// ReadFile reads the array in a file. A path that is not a regular file, such
// as a pipe, is read as a stream of unknown length.
func ReadFile(path string) (*Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("oneloop: npy: %w", err)
	}
	defer f.Close()
	size := int64(-1)
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
		size = st.Size()
	}
	a, err := Read(f, size)
	var fe *FormatError
	switch {
	case errors.As(err, &fe):
		fe.Path = path
	case errors.Is(err, tree.ErrOutOfMemory):
		err = &fileError{"npy: " + oneLine(path), err}
	}
	return a, err
}

// alloc returns n bytes that begin at a multiple of 64, or ErrOutOfMemory.
func alloc(n int) ([]byte, error) {
	b, err := hostmem.Allocate(n)
	if err != nil {
		e := tree.NewError(tree.ErrOutOfMemory, "", "npy: %s", err)
		e.Op, e.File = "", "" // no place in the program is at fault
		return nil, e
	}
	return b, nil
}

// normalise brings whole elements, as they are in the file, to the form they
// have in memory.
func normalise(b []byte, h Header) {
	switch {
	case h.Type == dtype.Bool:
		for i, x := range b {
			if x > 1 {
				b[i] = 1
			}
		}
	case !h.BigEndian:
	case h.Type.Part().Size() == 2:
		swap(b, bits.ReverseBytes16)
	case h.Type.Part().Size() == 4:
		swap(b, bits.ReverseBytes32)
	case h.Type.Part().Size() == 8:
		swap(b, bits.ReverseBytes64)
	}
}

// swap reverses the bytes of every element of b, which is aligned by alloc.
func swap[T uint16 | uint32 | uint64](b []byte, reverse func(T) T) {
	s := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(T(0)))
	for i, x := range s {
		s[i] = reverse(x)
	}
}
