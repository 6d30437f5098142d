package npy

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// Headers as NumPy 2.4 (with ml_dtypes for bfloat16) wrote them.
func TestHeaderBytes(t *testing.T) {
	tests := []struct {
		a    *Array
		dict string
		pad  int
	}{
		{sample(dtype.BF16, false, 2, 3), "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 3), }", 58},
		{sample(dtype.F32, true, 2, 3), "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 59},
		{sample(dtype.Bool, false), "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 62},
		{sample(dtype.F16, false, 3), "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", 60},
	}
	for _, tt := range tests {
		var w bytes.Buffer
		if err := Write(&w, tt.a); err != nil {
			t.Fatal(err)
		}
		want := "\x93NUMPY\x01\x00v\x00" + tt.dict + strings.Repeat(" ", tt.pad) + "\n" + string(tt.a.Data)
		if w.String() != want {
			t.Errorf("got  %q\nwant %q", w.String(), want)
		}
	}
}

// The room NumPy leaves for an axis to grow can add a line: this header, 107
// bytes of text, is 192 long in NumPy 2.4.
func TestHeaderRoom(t *testing.T) {
	shape := append(slices.Repeat([]int{1}, 13), 100)
	if n := len(headerText(&Array{Type: dtype.U8, Shape: shape})); n != 192 {
		t.Errorf("header of %d bytes, NumPy's has 192", n)
	}
}

// Whatever the lengths, the data are aligned and the header fits version 1.0.
func TestHeaderAligned(t *testing.T) {
	shape := []int{0}
	for len(shape) < maxAxes {
		shape = append(shape, 1)
	}
	for n := range len(shape) + 1 {
		for _, last := range []int{1, 123456, math.MaxInt} {
			for _, fortran := range []bool{false, true} {
				s := slices.Clone(shape[:n])
				if n > 0 {
					s[n-1] = last
				}
				if n == 1 {
					s[0] = 0
				}
				h := headerText(&Array{Type: dtype.U8, Shape: s, Fortran: fortran})
				got, at, err := ReadHeader(bytes.NewReader(h))
				if err != nil || len(h)%align != 0 || at != int64(len(h)) || !slices.Equal(got.Shape, s) || got.Fortran != fortran || got.Major != 1 {
					t.Fatalf("%v: %d bytes: %+v %v", s, len(h), got, err)
				}
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	deep := slices.Repeat([]int{1}, 64)
	for _, typ := range dtype.All() {
		for _, shape := range [][]int{nil, {0}, {1}, {7}, {2, 3}, {3, 0, 2}, {2, 3, 4, 5}, deep} {
			for _, fortran := range []bool{false, true} {
				a := sample(typ, fortran, shape...)
				var w bytes.Buffer
				if err := Write(&w, a); err != nil {
					t.Fatal(err)
				}
				for _, size := range []int64{int64(w.Len()), -1} {
					if got, err := Read(bytes.NewReader(w.Bytes()), size); err != nil || !same(got, a) {
						t.Errorf("%s %v: got %+v %v", typ, shape, got, err)
					}
				}
				path := filepath.Join(dir, "a.npy")
				if err := WriteFile(path, a); err != nil {
					t.Fatal(err)
				}
				if got := mustRead(t, path); !same(got, a) {
					t.Errorf("%s %v: file holds %+v", typ, shape, got)
				}
			}
		}
	}
	noTemps(t, dir)
}

// fullWriter takes n bytes and then fails.
type fullWriter struct{ n int }

var errFull = errors.New("no space left")

func (w *fullWriter) Write(b []byte) (int, error) {
	if len(b) > w.n {
		return w.n, errFull
	}
	w.n -= len(b)
	return len(b), nil
}

func TestWritePassesErrors(t *testing.T) {
	a := sample(dtype.F32, false, 4)
	for n := range 128 + 16 {
		if err := Write(&fullWriter{n}, a); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", n, err)
		}
	}
	if err := Write(&fullWriter{128 + 16}, a); err != nil {
		t.Error(err)
	}
}
