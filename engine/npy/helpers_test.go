package npy

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// file makes a file by hand: version, dict, data. Its header is padded with a
// newline only, so that the data begin at 10 (or 12) + len(dict) + 1.
func file(major byte, dict string, data ...byte) []byte {
	b := append([]byte("\x93NUMPY"), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)+1))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)+1))
	}
	return append(append(b, dict+"\n"...), data...)
}

// dict is the header NumPy writes, less its padding.
func dict(descr, fortran, shape string) string {
	return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }"
}

// sample makes an array whose bytes are all different, where they may be.
func sample(t dtype.Type, fortran bool, shape ...int) *Array {
	n := t.Size()
	for _, d := range shape {
		n *= d
	}
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*37 + 1)
		if t == dtype.Bool {
			data[i] &= 1
		}
	}
	return &Array{Type: t, Shape: shape, Fortran: fortran, Data: data}
}

func same(a, b *Array) bool {
	return a.Type == b.Type && a.Fortran == b.Fortran && slices.Equal(a.Shape, b.Shape) && string(a.Data) == string(b.Data)
}

func mustRead(t *testing.T, path string) *Array {
	t.Helper()
	a, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// noTemps fails if a temporary file was left behind.
func noTemps(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".npy-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func mustWrite(t *testing.T, path string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, b, mode); err != nil {
		t.Fatal(err)
	}
}
