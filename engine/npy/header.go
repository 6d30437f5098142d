package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
)

const (
	magic     = "\x93NUMPY"
	maxAxes   = 64       // the limit of NumPy 2
	maxHeader = 64 << 10 // bytes of the dict literal, padding included
	align     = 64       // of the data, in files written and in memory
)

// A Header is what a file says of its array.
type Header struct {
	Type      dtype.Type
	Fortran   bool  // the first axis varies fastest
	Shape     []int // empty for a scalar
	BigEndian bool  // never set for one-byte types
	Major     uint8 // version of the format: 1, 2 or 3
	Minor     uint8 // always 0
}

// Elems is the number of elements, or -1 if the shape is not one that a file
// may have.
func (h Header) Elems() int64 {
	n, err := dataSize(h.Shape, 1)
	if err != nil {
		return -1
	}
	return n
}

// ReadHeader reads a header and not one byte more, so that r is left at the
// first element. It returns the offset of that element.
//
// Faults of the file are [*FormatError]s; errors of r are passed on, wrapped.
func ReadHeader(r io.Reader) (Header, int64, error) { return readHeader(r, -1) }

func readHeader(r io.Reader, size int64) (Header, int64, error) {
	var h Header
	pre := make([]byte, 12) // magic, version, length of two or four bytes
	if err := readFull(r, pre[:8], 0, "the magic string"); err != nil {
		var short *FormatError
		if errors.As(err, &short) && short.Offset > 0 && !strings.HasPrefix(magic, string(pre[:min(short.Offset, 6)])) {
			return Header{}, 0, formatError(0, "not an .npy file: it is %s", excerpt(pre[:short.Offset]))
		}
		return Header{}, 0, err
	}
	if !bytes.HasPrefix(pre, []byte(magic)) {
		what := ""
		if bytes.HasPrefix(pre, []byte("PK\x03\x04")) || bytes.HasPrefix(pre, []byte("PK\x05\x06")) {
			what = ", a zip archive: the name of an .npz archive ends in .npz:x for its array x"
		}
		return Header{}, 0, formatError(0, "not an .npy file: it begins with %s%s", excerpt(pre[:6]), what)
	}
	h.Major, h.Minor = pre[6], pre[7]
	if h.Major < 1 || h.Major > 3 || h.Minor != 0 {
		return Header{}, 0, formatError(6, "version %d.%d of the format is unknown", h.Major, h.Minor)
	}
	pre = pre[:10]
	if h.Major > 1 {
		pre = pre[:12]
	}
	if err := readFull(r, pre[8:], 8, "the header's length"); err != nil {
		return Header{}, 0, err
	}
	n := int64(binary.LittleEndian.Uint16(pre[8:]))
	if h.Major > 1 {
		n = int64(binary.LittleEndian.Uint32(pre[8:]))
	}
	if n > maxHeader {
		return Header{}, 0, formatError(8, "a header of %d bytes is beyond the limit of %d", n, maxHeader)
	}
	start := int64(len(pre))
	if size >= 0 && n > size-start {
		return Header{}, 0, truncated(size, "the header claims %d bytes, %d remain", n, max(size-start, 0))
	}
	text := make([]byte, n)
	if err := readFull(r, text, start, "the header"); err != nil {
		return Header{}, 0, err
	}
	p := parser{text: text, base: start, long: h.Major < 3}
	if err := p.header(&h); err != nil {
		return Header{}, 0, err
	}
	if _, err := dataSize(h.Shape, h.Type.Size()); err != nil {
		return Header{}, 0, formatError(start+int64(p.shapeAt), "%v", err)
	}
	return h, start + n, nil
}

// dataSize multiplies, ignoring lengths of zero while it looks for overflow:
// the strides of an empty array must be representable too.
func dataSize(shape []int, elem int) (int64, error) {
	if len(shape) > maxAxes {
		return 0, fmt.Errorf("%d axes are beyond the limit of %d", len(shape), maxAxes)
	}
	n, empty := int64(elem), false
	for i, d := range shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("axis %d has the negative length %d", i, d)
		case d == 0:
			empty = true
		case n > math.MaxInt64/int64(d):
			return 0, fmt.Errorf("the size of shape %s overflows int64", excerpt(fmt.Sprint(shape)))
		default:
			n *= int64(d)
		}
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// headerText makes the header that NumPy 2 writes.
func headerText(a *Array) []byte {
	order, dims := "False", strings.Join(lists.Map(a.Shape, strconv.Itoa), ", ")
	if a.Fortran {
		order = "True"
	}
	if len(a.Shape) == 1 {
		dims += ","
	}
	b := fmt.Appendf(nil, "%s\x01\x00\x00\x00{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", magic, descr(a.Type), order, dims)
	if n := len(a.Shape); n > 0 {
		// NumPy leaves room for the slowest axis to grow in place to 21 digits.
		slow := a.Shape[0]
		if a.Fortran {
			slow = a.Shape[n-1]
		}
		b = append(b, bytes.Repeat([]byte{' '}, 21-len(strconv.Itoa(slow)))...)
	}
	pad := align - (len(b)+1)%align // NumPy pads a full line rather than nothing
	b = append(b, bytes.Repeat([]byte{' '}, pad)...)
	b = append(b, '\n')
	binary.LittleEndian.PutUint16(b[8:], uint16(len(b)-10))
	return b
}

// readFull fills b from r, which is at offset at.
func readFull(r io.Reader, b []byte, at int64, what string) error {
	if r == nil {
		return errors.New("oneloop: npy: the reader is nil")
	}
	n, err := io.ReadFull(r, b)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return truncated(at+int64(n), "the stream ends inside %s, %d bytes short", what, len(b)-n)
	}
	return fmt.Errorf("oneloop: npy: offset %d: reading %s: %w", at+int64(n), what, err)
}

func truncated(at int64, format string, args ...any) *FormatError {
	e := formatError(at, "truncated: "+format, args...)
	e.err = io.ErrUnexpectedEOF
	return e
}

// descr returns the descr that is written for an element type.
func descr(t dtype.Type) string {
	if t.Size() == 1 {
		return "|" + t.Code()
	}
	return "<" + t.Code()
}

// codes maps a descr without its byte order to the type.
var codes = func() map[string]dtype.Type {
	m := map[string]dtype.Type{"?": dtype.Bool}
	for _, t := range dtype.All() {
		m[t.Code()] = t
	}
	return m
}()

// parseDescr reads a descr such as "<f4"; why is empty if it is supported.
func parseDescr(d string) (t dtype.Type, big bool, why string) {
	if d == dtype.BF16.String() {
		return dtype.BF16, false, ""
	}
	order, code := byte('='), d
	if d != "" && strings.IndexByte("<>=|", d[0]) >= 0 {
		order, code = d[0], d[1:]
	}
	if code == "O" || code == "O4" || code == "O8" {
		return dtype.Invalid, false, pickled(d)
	}
	t, ok := codes[code]
	if !ok {
		return dtype.Invalid, false, fmt.Sprintf("descr %s is not a supported element type; astype converts to bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64 or complex128", excerpt(d))
	}
	if order == '|' && t.Size() > 1 && t != dtype.BF16 {
		return dtype.Invalid, false, fmt.Sprintf("descr %s has no byte order for elements of %d bytes", excerpt(d), t.Size())
	}
	big = order == '>' && t.Size() > 1
	if big && t == dtype.BF16 {
		return dtype.Invalid, false, fmt.Sprintf("descr %s: big-endian bfloat16 is not supported", excerpt(d))
	}
	return t, big, ""
}

// structured explains the refusal of a descr that is a list of fields.
func structured(text []byte) string {
	for _, q := range []string{`'O'`, `"O"`, `'|O'`, `"|O"`} {
		if strings.Contains(string(text), q) {
			return pickled(string(text))
		}
	}
	return fmt.Sprintf("descr %s: structured types are not supported", excerpt(text))
}

func pickled(d string) string {
	return fmt.Sprintf("descr %s holds Python objects: pickled objects are not loaded", excerpt(d))
}
