package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/interop/arrow"
	"github.com/oneloop/oneloop/interop/arrow/parquet"
)

func columns(n int) []arrow.Column {
	x, half, odd := make([]float64, n), make([]dtype.Float16, n), make([]bool, n)
	id := make([]int64, n)
	for i := range n {
		x[i], half[i], odd[i], id[i] = float64(i)/4, dtype.F16From(float32(i)), i%2 == 1, int64(-i)
	}
	return []arrow.Column{
		{Name: "x", Values: engine.MustFromSlice(x).Array()},
		{Name: "half", Values: engine.MustFromSlice(half).Array()},
		{Name: "odd", Values: engine.MustFromSlice(odd).Array()},
		{Name: "id", Values: engine.MustFromSlice(id).Array(), Null: engine.MustFromSlice(odd)},
	}
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	want := columns(7)
	if err := parquet.WriteFile(path, want...); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.ReadFile(path)
	if err != nil || len(got) != 4 {
		t.Fatal(got, err)
	}
	for i, c := range got {
		w := fmt.Sprint(want[i].Values)
		if c.Name == "id" {
			w = "[0 0 -2 0 -4 0 -6]"
		}
		if c.Name != want[i].Name || c.Values.DType() != want[i].Values.DType() || fmt.Sprint(c.Values) != w || (c.Null == nil) != (want[i].Null == nil) {
			t.Errorf("%v becomes %v", want[i], c)
		}
	}
	if !slices.Equal(got[3].Null.Values(), want[3].Null.Values()) {
		t.Errorf("the nulls are %v", got[3].Null)
	}
	got, err = parquet.ReadFile(path, parquet.Columns("odd", "x"))
	if err != nil || len(got) != 2 || got[0].Name != "odd" || got[1].Name != "x" {
		t.Errorf("two columns: %v, %v", got, err)
	}
}

// TestPython reads a file that pyarrow 26 wrote: two groups of rows, Zstandard,
// dictionaries, nulls.
func TestPython(t *testing.T) {
	got, err := parquet.ReadFile("testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, c := range got {
		text += fmt.Sprintln(c.Name, c.Values.DType(), c.Values, c.Null)
	}
	want, err := os.ReadFile("testdata/pyarrow.txt")
	if err != nil || text != string(want) {
		t.Errorf("got\n%swant\n%s%v", text, want, err)
	}
}

// TestDamagedArrowSchema damages the copy of Arrow's schema in a file, byte after byte. The types of the
// file do not depend on it, and nothing is allocated for what it says.
func TestDamagedArrowSchema(t *testing.T) {
	whole, err := os.ReadFile("testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	from := bytes.LastIndex(whole, []byte("ARROW:schema")) + len("ARROW:schema") + 3 // behind its type and length
	for i := from; i < from+400; i++ {
		damaged := bytes.Clone(whole)
		damaged[i] = '/'
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := parquet.ReadFile(path); err != nil || len(got) != 5 {
			t.Fatalf("byte %d: %d columns and %v", i, len(got), err)
		}
	}
}

func TestBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewWriter(f)
	for range 3 {
		if err := w.Write(columns(1000)...); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	rows, sum := 0, 0.
	for batch, err := range parquet.Batches(path, parquet.Columns("x"), parquet.Rows(300)) {
		if err != nil {
			t.Fatal(err)
		}
		x, err := engine.TensorOf[float64](batch[0].Values)
		if err != nil || x.Size() > 300 {
			t.Fatal(x.Shape(), err)
		}
		rows += x.Size()
		for _, v := range x.Values() {
			sum += v
		}
	}
	if want := 3 * 999 * 1000 / 8.; rows != 3000 || sum != want {
		t.Errorf("%d rows with the sum %v, not %v", rows, sum, want)
	}
	for range parquet.Batches(path) {
		break // ends the reading
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.parquet")
	if err := parquet.WriteFile(good, columns(50_000)...); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.parquet")
	if err := os.WriteFile(text, []byte("no file of this format"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(path string, o ...parquet.Option) func() error {
		return func() error { _, err := parquet.ReadFile(path, o...); return err }
	}
	for name, c := range map[string]struct {
		err  func() error
		kind error
	}{
		"another format": {read(text), expr.ErrValue},
		"no such file":   {read(filepath.Join(dir, "none")), os.ErrNotExist},
		"no such column": {read(good, parquet.Columns("y")), expr.ErrValue},
		"the limit":      {read(good, parquet.Limit(10_000)), expr.ErrOutOfMemory},
		"no rows":        {read(good, parquet.Rows(0)), expr.ErrValue},
		"nothing":        {func() error { return parquet.WriteFile(filepath.Join(dir, "n")) }, expr.ErrValue},
		"a matrix": {func() error {
			return parquet.WriteFile(filepath.Join(dir, "m"), arrow.Column{Name: "m", Values: engine.Zeros[float64](2, 2).Array()})
		}, expr.ErrShape},
		"a failed batch": {func() error {
			for _, err := range parquet.Batches(text) {
				return err
			}
			return nil
		}, expr.ErrValue},
	} {
		if err := c.err(); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, not %v", name, err, c.kind)
		}
	}
	for _, limit := range []int64{100, 50_000, 100_000, 1_500_000} { // in any goroutine of the library
		err := read(good, parquet.Limit(limit))()
		if !errors.Is(err, expr.ErrOutOfMemory) || !strings.Contains(err.Error(), fmt.Sprintf("more than %d bytes", limit)) {
			t.Errorf("%v does not name the limit of %d bytes", err, limit)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "m")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file that could not be written is there")
	}
}

// TestMessage checks that an error names the file once, and no place in this package.
func TestMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, []byte("PAR1xx"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := parquet.ReadFile(path)
	if want := "oneloop: parquet: " + path + ": file too small (size=6)"; err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

// FuzzReadFile changes and cuts files; reading must end with an error or with columns
// of one length.
func FuzzReadFile(f *testing.F) {
	var b bytes.Buffer
	w := parquet.NewWriter(&b)
	if err := errors.Join(w.Write(columns(20)...), w.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	path := filepath.Join(f.TempDir(), "x.parquet")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := parquet.ReadFile(path, parquet.Limit(1<<26))
		for _, c := range got {
			if err == nil && c.Values.Shape()[0] != got[0].Values.Shape()[0] {
				t.Errorf("column %q has %v, the first %v", c.Name, c.Values.Shape(), got[0].Values.Shape())
			}
		}
	})
}
