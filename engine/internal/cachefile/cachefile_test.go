package cachefile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/cachefile"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ONELOOP_CACHE", dir)
	path := filepath.Join(cachefile.Dir("part"), "file")
	if filepath.Dir(filepath.Dir(path)) != dir {
		t.Errorf("the file is %s", path)
	}
	if _, err := cachefile.Read(path, 100); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, parts := range [][][]byte{{[]byte("ab"), []byte("c")}, {[]byte("def")}, {}} {
		if err := cachefile.Write(path, parts...); err != nil {
			t.Fatal(err)
		}
		if b, err := cachefile.Read(path, 3); err != nil || !bytes.Equal(b, bytes.Join(parts, nil)) {
			t.Errorf("%q: %q, %v", parts, b, err)
		}
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want one file", files, err)
	}
	if err := os.WriteFile(path, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := cachefile.Read(path, 3); err == nil {
		t.Error("read a file above the limit")
	}
	if _, err := cachefile.Read(dir, 100); err == nil {
		t.Error("read a directory")
	}
}

// TestFailure writes where nothing can be written: what was there stays, and no
// temporary file is left.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil { // a directory that is not empty cannot be replaced
		t.Fatal(err)
	}
	if cachefile.Write(path, []byte("x")) == nil {
		t.Error("replaced a directory")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want one entry", files, err)
	}
}

func TestNone(t *testing.T) {
	t.Setenv("ONELOOP_CACHE", "off")
	if dir := cachefile.Dir("part"); dir != "" {
		t.Errorf("the cache is off, but its directory is %s", dir)
	}
}
