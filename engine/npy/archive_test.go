package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A piece is a member of a zip made by hand.
type piece struct {
	name   string
	method uint16
	data   []byte
}

func zipped(t testing.TB, pieces ...piece) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range pieces {
		w, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: p.method})
		if err == nil {
			_, err = w.Write(p.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(b []byte) (*Archive, error) { return NewArchive(bytes.NewReader(b), int64(len(b))) }

func encoded(t testing.TB, a *Array) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	var members []Member
	for _, typ := range dtype.All() {
		members = append(members, Member{typ.String(), sample(typ, typ.IsFloat(), 2, 3)})
	}
	members = append(members, Member{"größe/../x", sample(dtype.F32, false)}, Member{"empty", sample(dtype.I8, false, 0, 4)})
	if err := WriteArchiveFile(path, members...); err != nil {
		t.Fatal(err)
	}
	noTemps(t, filepath.Dir(path))
	a, err := OpenArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var want []string
	for _, m := range slices.Backward(members) { // in any order
		got, err := a.Read(m.Name)
		if err != nil || !same(got, m.Array) {
			t.Errorf("%s: %v %v", m.Name, got, err)
		}
		want = append([]string{m.Name}, want...)
	}
	if !slices.Equal(a.Names(), want) {
		t.Errorf("names %v", a.Names())
	}
	if _, err := a.Read("none"); err == nil || !strings.Contains(err.Error(), "no array none; it has bool, int8") {
		t.Errorf("a name that is not there: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// TestArchiveRefuses checks that a bad archive leaves the file as it was.
func TestArchiveRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	good := sample(dtype.F32, false, 2)
	mustWrite(t, path, []byte("old"), 0o600)
	for _, members := range [][]Member{
		{{"x", good}, {"x", good}}, {{"", good}}, {{"x", nil}}, {{"x", &Array{Type: dtype.F32, Shape: []int{3}, Data: good.Data}}},
	} {
		if err := WriteArchiveFile(path, members...); err == nil {
			t.Errorf("%v is written", members)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("%q %v", b, err)
	}
	noTemps(t, filepath.Dir(path))
}

// TestHostileArchive reads archives that lie. Each is an error in one line.
func TestHostileArchive(t *testing.T) {
	x := encoded(t, sample(dtype.F32, false, 2, 3))
	good := zipped(t, piece{"x.npy", zip.Deflate, x})
	if a, err := open(good); err != nil {
		t.Fatal(err)
	} else if _, err := a.Read("x"); err != nil {
		t.Fatal(err)
	}
	central := bytes.LastIndex(good, []byte("PK\x01\x02"))
	changed := func(at int, value uint32) []byte {
		b := slices.Clone(good)
		binary.LittleEndian.PutUint32(b[at:], value)
		return b
	}
	for name, b := range map[string][]byte{
		"nothing":                nil,
		"no zip":                 []byte("\x93NUMPY"),
		"cut":                    good[:len(good)-3],
		"without its end":        good[:central],
		"twice":                  zipped(t, piece{"x.npy", zip.Store, x}, piece{"x.npy", zip.Store, x}),
		"another method":         slices.Replace(slices.Clone(good), central+10, central+12, 99, 0),
		"encrypted":              slices.Replace(slices.Clone(good), central+8, central+9, 1),
		"a wrong checksum":       changed(central+16, 1),
		"a size too small":       changed(central+24, 20),
		"a size too large":       changed(central+24, 1<<30),
		"compressed too small":   changed(central+20, 9),
		"an offset outside":      changed(central+42, 1<<30),
		"not an array":           zipped(t, piece{"x.npy", zip.Deflate, []byte("hello")}),
		"a short array":          zipped(t, piece{"x.npy", zip.Deflate, x[:len(x)-1]}),
		"more than there is":     zipped(t, piece{"x.npy", zip.Deflate, file(1, dict("<f8", "False", "(1099511627776,)"), 0, 1)}),
		"pickled":                zipped(t, piece{"x.npy", zip.Deflate, file(1, dict("|O", "False", "(1,)"), 0x80, 4)}),
		"an archive of archives": zipped(t, piece{"x.npz", zip.Store, good}),
	} {
		a, err := open(b)
		if err == nil {
			_, err = a.Read("x")
		}
		if err == nil || strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "oneloop: npy: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArchiveBomb reads zeros that fill memory if nothing bounds them.
func TestArchiveBomb(t *testing.T) {
	const n = 1 << 24
	bomb := zipped(t, piece{"x.npy", zip.Deflate, encoded(t, &Array{Type: dtype.U8, Shape: []int{n}, Data: make([]byte, n)})})
	a, err := open(bomb)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes give %d", len(bomb), n)
	a.Limit = 1 << 20
	var fe *FormatError
	if _, err := a.Read("x"); !errors.As(err, &fe) || !strings.Contains(err.Error(), "longer than the limit of 1048576 bytes") {
		t.Errorf("the error is %v", err)
	}
	a.Limit = n
	if x, err := a.Read("x"); err != nil || len(x.Data) != n {
		t.Errorf("with a limit of its size: %v", err)
	}
}

// TestNumPyArchive exchanges archives with NumPy.
func TestNumPyArchive(t *testing.T) {
	python := python(t)
	dir := t.TempDir()
	ours := filepath.Join(dir, "ours.npz")
	x, y := sample(dtype.F64, true, 2, 3), sample(dtype.I32, false, 5)
	if err := WriteArchiveFile(ours, Member{"x", x}, Member{"some y", y}); err != nil {
		t.Fatal(err)
	}
	const script = `
import sys, numpy as np
d = sys.argv[1]
a = np.load(d + '/ours.npz')
assert a.files == ['x', 'some y'], a.files
x, y = a['x'], a['some y']
assert x.shape == (2, 3) and x.flags['F_CONTIGUOUS'] and y.dtype == np.int32
np.savez(d + '/plain.npz', y, x=x)
np.savez_compressed(d + '/small.npz', y, x=x)
`
	if msg, err := exec.Command(python, "-c", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	for _, name := range []string{"plain.npz", "small.npz"} {
		a, err := OpenArchive(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		gotX, err := a.Read("x")
		gotY, err2 := a.Read("arr_0")
		if err != nil || err2 != nil || !same(gotX, x) || !same(gotY, y) {
			t.Errorf("%s: %v %v, %v %v", name, gotX, err, gotY, err2)
		}
		a.Close()
	}
}

// FuzzArchive holds that no archive panics, that errors are one line, and that
// what was read is written and read again.
func FuzzArchive(f *testing.F) {
	x := encoded(f, sample(dtype.F32, false, 2, 3))
	f.Add(zipped(f, piece{"x.npy", zip.Deflate, x}, piece{"y.npy", zip.Store, x}, piece{"notes.txt", zip.Store, nil}))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := open(b)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		a.Limit = 1 << 20
		var members []Member
		for _, name := range a.Names() {
			x, err := a.Read(name)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r") {
					t.Fatalf("the error is %q", err)
				}
				continue
			}
			if name != "" {
				members = append(members, Member{name, x})
			}
		}
		if err := WriteArchive(io.Discard, members...); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNoLimit reads an archive with the largest limit.
func TestNoLimit(t *testing.T) {
	var b bytes.Buffer
	if err := WriteArchive(&b, Member{"x", sample(dtype.U8, false, 3)}); err != nil {
		t.Fatal(err)
	}
	a, err := NewArchive(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	a.Limit = math.MaxInt64
	if _, err := a.Read("x"); err != nil {
		t.Error(err)
	}
}
