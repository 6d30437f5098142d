package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.npy")
	if err := engine.MustFromSlice([]float32{1, 2, 3, 4}, 2, 2).Transpose().Save(path); err != nil {
		fmt.Println(err)
		return
	}
	x, err := engine.Load[float32](path)
	fmt.Println(x, err)
	// Output:
	// [[1 3]
	//  [2 4]] <nil>
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npz")
	x := &npy.Array{Type: dtype.I32, Shape: []int{2, 3}, Fortran: true, Data: dtype.Bytes([]int32{1, 4, 2, 5, 3, 6})}
	if err := npy.WriteArchiveFile(path, npy.Member{Name: "x", Array: x}); err != nil {
		t.Fatal(err)
	}
	got, err := engine.Load[int32](path + ":x")
	if err != nil || got.At(0, 2) != 3 || got.At(1, 0) != 4 {
		t.Errorf("%v %v", got, err)
	}
	if _, err := engine.Load[float32](path + ":x"); !errors.Is(err, expr.ErrType) || !strings.Contains(err.Error(), "engine.Load: "+path+":x has elements of type int32, not float32 (file_test.go:") {
		t.Errorf("another type: %v", err)
	}
	for _, bad := range []string{filepath.Join(dir, "none.npy"), filepath.Join(dir, "none.npz:x"), path + ":y", path} {
		if _, err := engine.Load[int32](bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	b, err := engine.ArrayOf(engine.MemoryOf([]byte{0, 1, 7}), dtype.Bool, []int{3}, []int{1}, 0)
	if err == nil {
		err = b.Save(filepath.Join(dir, "b.npy"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if f, err := npy.ReadFile(filepath.Join(dir, "b.npy")); err != nil || string(f.Data) != "\x00\x01\x01" {
		t.Errorf("bools are %v, %v", f, err)
	}
	var none *engine.Tensor[float32]
	if none.Save(path) == nil || (*engine.Array)(nil).Save(path) == nil {
		t.Error("nil is written")
	}
	if _, err := engine.FromNPY(nil); err == nil {
		t.Error("nil is an array")
	}
}

// TestBinary checks the format of mshadow's files, and that files of other sizes
// are errors.
func TestBinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	x := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 3, 2).Transpose()
	if err := x.SaveBinary(path); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if want := append([]byte{2, 0, 0, 0, 3, 0, 0, 0}, dtype.Bytes([]float32{1, 3, 5, 2, 4, 6})...); err != nil || string(file) != string(want) {
		t.Errorf("the file is %v, want %v", file, want)
	}
	y, err := engine.LoadBinary[float32](path, 2)
	if err != nil || y.String() != x.String() {
		t.Errorf("%v, %v, want %v", y, err, x)
	}
	for _, c := range []struct {
		file string
		rank int
		kind error
	}{
		{"", 1, expr.ErrValue},
		{"\x01\x00\x00\x00", 1, expr.ErrValue},
		{"\xff\xff\xff\xff", 1, expr.ErrValue},
		{"\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f", 4, expr.ErrValue},
		{"\x01\x00\x00\x00\x00\x00\x00\x00\x00", 1, expr.ErrValue},
		{"", -1, expr.ErrShape},
		{"", 1 << 20, expr.ErrValue},
	} {
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.LoadBinary[float32](path, c.rank); !errors.Is(err, c.kind) {
			t.Errorf("%q of rank %d: %v", c.file, c.rank, err)
		}
	}
	if _, err := engine.LoadBinary[float32](path+"none", 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := engine.LoadBinary[float32](t.TempDir(), 1); err == nil {
		t.Error("a folder is no error")
	}
	const long = 16 << 20
	if err := os.WriteFile(path, make([]byte, long), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = engine.LoadBinary[float32](path, 1)
	runtime.ReadMemStats(&after)
	if read := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, expr.ErrValue) || read > long/4 {
		t.Errorf("a file that is too long: %v, after %d bytes", err, read)
	}
}

// FuzzLoadBinary reads files of mshadow. What is read has the size of the file.
func FuzzLoadBinary(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}, 2)
	f.Add([]byte{3, 0, 0, 0, 0, 1, 2}, 1)
	f.Add([]byte{}, 0)
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, raw []byte, rank int) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err := engine.LoadBinary[float32](path, rank); err == nil && 4*rank+4*x.Size() != len(raw) {
			t.Errorf("%d bytes become %v", len(raw), x.Shape())
		}
		x, err := engine.LoadBinary[bool](path, rank)
		if err != nil {
			return
		}
		for i, b := range dtype.Bytes(x.Data()) {
			if b != min(raw[4*rank+i], 1) {
				t.Errorf("byte %d becomes the bool %d", raw[4*rank+i], b)
			}
		}
	})
}

// TestSaveExtension tests that a path with an extension of another format is refused, and that
// nothing is written.
func TestSaveExtension(t *testing.T) {
	x := engine.MustFromSlice([]float32{1})
	for name, want := range map[string]string{
		"x.foo": "x.foo: the file is an .npy file, not .foo", "x.NPZ": "see npy.WriteArchiveFile", "x.npz:x": "see npy.WriteArchiveFile", "x.csv": "see csv.WriteFile", "x.png": "see package picture",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := x.Save(path); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is written", name)
		}
	}
	for _, name := range []string{"x", "x.NPY", "x.npy"} {
		if err := x.Save(filepath.Join(t.TempDir(), name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
