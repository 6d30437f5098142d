package nn

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/files"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// maxHeader is the largest header that a safetensors file may have, in bytes.
const maxHeader = 100_000_000

// safeTypes are the names of element types in safetensors files.
var safeTypes = func() map[dtype.Type]string {
	m := map[dtype.Type]string{}
	for _, t := range dtype.Real() {
		m[t] = strings.ToUpper(t.Short())
	}
	return m
}()

// A safeEntry describes one tensor in the header of a safetensors file.
type safeEntry struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // in the bytes after the header

	name string
	data []byte
}

// SaveTensors writes arrays and a text for each of some keys as a safetensors file.
// After a failure, or a crash at any moment, the path holds what it held before or
// the complete new file. Arrays of devices are fetched.
func SaveTensors(path string, arrays map[string]*engine.Array, meta map[string]string) error {
	var entries []*safeEntry
	for name, a := range arrays {
		b, err := a.Bytes()
		if err != nil {
			return &files.Error{Package: "nn", Path: name, Err: err}
		}
		if !utf8.ValidString(name) { // JSON has no other texts
			return tree.NewError(tree.ErrValue, "", "the name %q is no UTF-8", name)
		}
		if safeTypes[a.DType()] == "" {
			return tree.NewError(tree.ErrType, "", "%s: a safetensors file holds no %v", name, a.DType())
		}
		entries = append(entries, &safeEntry{Type: safeTypes[a.DType()], Shape: append([]int{}, a.Shape()...), name: name, data: b})
	}
	size := func(e *safeEntry) int { return arrays[e.name].DType().Size() }
	slices.SortFunc(entries, func(x, y *safeEntry) int { // large elements first, so that all are aligned
		return cmp.Or(cmp.Compare(size(y), size(x)), cmp.Compare(x.name, y.name))
	})
	header, err := safeHeader(entries, meta)
	if err != nil {
		return err
	}
	return npy.WriteFileWith(path, func(w io.Writer) error {
		if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))); err != nil {
			return err
		}
		if _, err := w.Write(header); err != nil {
			return err
		}
		for _, e := range entries {
			if _, err := w.Write(e.data); err != nil {
				return err
			}
		}
		return nil
	})
}

// safeHeader gives the entries their places, and returns the header with spaces up
// to a multiple of 8 bytes.
func safeHeader(entries []*safeEntry, meta map[string]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	member := func(name string, value any) error {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		b.Write(key)
		b.WriteByte(':')
		b.Write(text)
		return err
	}
	if len(meta) > 0 {
		if err := member("__metadata__", meta); err != nil {
			return nil, err
		}
	}
	at := int64(0)
	for _, e := range entries {
		if e.name == "__metadata__" {
			return nil, tree.NewError(tree.ErrValue, "", "no tensor may be called %s", e.name)
		}
		e.Offsets = [2]int64{at, at + int64(len(e.data))}
		at = e.Offsets[1]
		if err := member(e.name, e); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	if b.Len() > maxHeader {
		return nil, tree.NewError(tree.ErrValue, "", "the header has %d bytes, more than %d", b.Len(), maxHeader)
	}
	return b.Bytes(), nil
}

// LoadTensors reads the arrays and the texts of a safetensors file. The error is
// [expr.ErrValue] for a file that is malformed or cut off; it names the file. Memory
// for the elements is taken only if the file is as long as its header says.
func LoadTensors(path string) (arrays map[string]*engine.Array, meta map[string]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("oneloop: nn: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("oneloop: nn: %w", err)
	}
	if arrays, meta, err = readSafe(f, st.Size()); err != nil {
		return nil, nil, &files.Error{Package: "nn", Path: path, Err: err}
	}
	return arrays, meta, nil
}

func readSafe(r io.Reader, size int64) (map[string]*engine.Array, map[string]string, error) {
	var word [8]byte
	if _, err := io.ReadFull(r, word[:]); err != nil {
		return nil, nil, tree.NewError(tree.ErrValue, "", "the file has %d bytes and no header", size)
	}
	n := binary.LittleEndian.Uint64(word[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, nil, tree.NewError(tree.ErrValue, "", "a header of %d bytes in a file of %d", n, size)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, nil, err
	}
	entries, meta, err := parseSafe(header)
	if err != nil {
		return nil, nil, tree.NewError(tree.ErrValue, "", "the header: %s", err)
	}
	types, err := checkSafe(entries, size-8-int64(n))
	if err != nil {
		return nil, nil, err
	}
	arrays := map[string]*engine.Array{}
	for i, e := range entries {
		a, err := engine.NewArray(types[i], e.Shape...)
		if err != nil {
			return nil, nil, err
		}
		data := a.Memory().Bytes()
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, nil, err
		}
		if types[i] == dtype.Bool { // bytes other than 0 and 1 are true
			for k, b := range data {
				data[k] = min(b, 1)
			}
		}
		arrays[e.name] = a
	}
	return arrays, meta, nil
}

// parseSafe reads the JSON of a header. A name that stands twice is an error.
func parseSafe(header []byte) (entries []*safeEntry, meta map[string]string, err error) {
	d := json.NewDecoder(bytes.NewReader(header))
	d.DisallowUnknownFields()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errors.New("it is no object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		name := t.(string) // a key of an object
		if seen[name] {
			return nil, nil, fmt.Errorf("%q stands twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			err = d.Decode(&meta)
		} else {
			e := &safeEntry{name: name}
			err = d.Decode(e)
			entries = append(entries, e)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	if rest := header[d.InputOffset():]; len(bytes.TrimRight(rest, " ")) > 0 {
		return nil, nil, errors.New("something follows the object")
	}
	return entries, meta, nil
}

// checkSafe sorts entries by their places and returns their types. The places must
// follow each other and fill the bytes of the file.
func checkSafe(entries []*safeEntry, size int64) ([]dtype.Type, error) {
	slices.SortStableFunc(entries, func(x, y *safeEntry) int {
		return cmp.Or(cmp.Compare(x.Offsets[0], y.Offsets[0]), cmp.Compare(x.Offsets[1], y.Offsets[1]))
	})
	known := slices.Collect(maps.Keys(safeTypes))
	types := make([]dtype.Type, len(entries))
	at := int64(0)
	for i, e := range entries {
		k := slices.IndexFunc(known, func(t dtype.Type) bool { return safeTypes[t] == e.Type })
		if k < 0 {
			return nil, tree.NewError(tree.ErrUnsupported, "", "tensor %q has elements of type %q", e.name, e.Type)
		}
		types[i] = known[k]
		s, err := shape.New(e.Shape...)
		if err != nil {
			return nil, tree.NewError(tree.ErrValue, "", "tensor %q: %s", e.name, err)
		}
		if want := int64(s.Size()) * int64(types[i].Size()); e.Offsets[0] != at || e.Offsets[1]-at != want {
			return nil, tree.NewError(tree.ErrValue, "", "tensor %q of %d bytes is said to be at %d to %d; the one before it ends at %d", e.name, want, e.Offsets[0], e.Offsets[1], at)
		}
		at = e.Offsets[1]
	}
	if at != size {
		return nil, tree.NewError(tree.ErrValue, "", "the tensors have %d bytes, the file %d after its header", at, size)
	}
	return types, nil
}
