package npy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestMap maps files and reads them, and compares both. What Map refuses is read or
// refused too.
func TestMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	aligned := func(descr, fortran, shape string, data ...byte) []byte {
		text := dict(descr, fortran, shape)
		return file(1, text+strings.Repeat(" ", 64-(11+len(text))%64), data...)
	}
	eight := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	for name, c := range map[string]struct {
		text    []byte
		refused error // by Map; nil if Map does what ReadFile does
	}{
		"bytes":         {aligned("|u1", "False", "(2, 4)", eight...), nil},
		"columns":       {aligned("<u2", "True", "(2, 2)", eight...), nil},
		"more":          {aligned("<f4", "False", "(1,)", eight...), nil},
		"a scalar":      {aligned("<c8", "False", "()", eight...), nil},
		"nothing":       {aligned("<f8", "False", "(0, 9)"), nil},
		"big-endian":    {aligned(">f4", "False", "(2,)", eight...), ErrUnsupported},
		"bools":         {aligned("|b1", "False", "(8,)", eight...), ErrUnsupported},
		"not aligned":   {file(1, dict("<f8", "False", "(1,)"), eight...), ErrUnsupported},
		"strings":       {aligned("<U2", "False", "(1,)", eight...), nil},
		"cut short":     {aligned("<f8", "False", "(2,)", eight...), nil},
		"overflow":      {aligned("<f8", "False", "(9223372036854775807, 3)", eight...), nil},
		"most":          {aligned("|u1", "False", "(9223372036854775807,)", eight...), nil},
		"negative":      {aligned("|u1", "False", "(-1,)", eight...), nil},
		"cut in header": {aligned("|u1", "False", "(8,)")[:40], nil},
		"empty":         {nil, nil},
		"text":          {[]byte("hello, world: no array"), nil},
	} {
		if err := os.WriteFile(path, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		want, wrong := ReadFile(path)
		m, err := Map(path)
		switch {
		case c.refused != nil && canMap:
			if !errors.Is(err, c.refused) || !strings.Contains(err.Error(), "cannot be mapped") || wrong != nil {
				t.Errorf("%s: %v; read: %v", name, err, wrong)
			}
		case wrong != nil:
			if err == nil || err.Error() != wrong.Error() {
				t.Errorf("%s: %v, but read: %v", name, err, wrong)
			}
		case err != nil || !same(&m.Array, want):
			t.Errorf("%s: %v, %v", name, m, err)
		}
		if err := m.Close(); err != nil {
			t.Errorf("%s: closed: %v", name, err)
		}
	}
	if _, err := Map(filepath.Join(t.TempDir(), "none.npy")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Map(t.TempDir()); err == nil {
		t.Error("a folder is mapped")
	}
}

// TestMapClosed stores to a mapped array, and uses it after it is closed.
func TestMapClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := WriteFile(path, sample(dtype.U8, false, 5000)); err != nil {
		t.Fatal(err)
	}
	m, err := Map(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Data[4999] = 77
	if m.Data[4999] != 77 || !same(mustRead(t, path), sample(dtype.U8, false, 5000)) {
		t.Error("a store changes the file")
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if canMap && (m.Data[0] != 0 || m.Data[4999] != 0) {
		t.Error("a closed array is not 0")
	}
}
