package csv_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/csv"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func Example() {
	const text = `date,open,close
2026-01-02,100,110
2026-01-05,110,99
`
	t, err := csv.Read[float64](strings.NewReader(text), csv.Columns("open", "close"))
	if err != nil {
		fmt.Println(err)
		return
	}
	change := engine.Zeros[float64](t.Rows())
	if err := change.Assign(op.SubScalar(op.Div(t.Column("close"), t.Column("open")), 1)); err != nil {
		fmt.Println(err)
		return
	}
	out, err := csv.New([]string{"close", "change"}, t.Column("close"), change)
	if err == nil {
		err = csv.Write(os.Stdout, out)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// close,change
	// 110,0.10000000000000009
	// 99,-0.09999999999999998
}

func TestRead(t *testing.T) {
	got, err := csv.Read[float32](strings.NewReader("\ufeffa; \"b \"\"c\";d\r\n1; 2.5;\r\n-3e2;inf;4\r\n"), csv.Comma(';'))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", `b "c`, "d"}; !slices.Equal(got.Names, want) || got.Rows() != 2 {
		t.Errorf("names %q, %d rows", got.Names, got.Rows())
	}
	if a := got.Column("a").Values(); !slices.Equal(a, []float32{1, -300}) {
		t.Errorf("a is %v", a)
	}
	if d := got.Column("d").Values(); !math.IsNaN(float64(d[0])) || d[1] != 4 {
		t.Errorf("d is %v", d)
	}
	if m := got.Matrix(); !m.Shape().Equal([]int{2, 3}) || m.At(1, 0) != -300 {
		t.Errorf("the matrix is %v", m)
	}
	tabs, err := csv.Read[float64](strings.NewReader("a\tb\tc\n1\t\t3\n\t\t4\n"), csv.Comma('\t'))
	if err != nil || tabs.Rows() != 2 || tabs.Column("a").At(0) != 1 || !math.IsNaN(tabs.Column("b").At(0)) || tabs.Column("c").At(1) != 4 {
		t.Errorf("empty cells between tabs: %v %v", tabs, err)
	}
	if err := got.Column("x").Err(); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), `no column "x"; there are "a"`) {
		t.Errorf("a column that is not there: %v", err)
	}
	empty, err := csv.Read[int64](strings.NewReader("a,b\n"))
	if err != nil || empty.Rows() != 0 || empty.Column("b").Err() != nil {
		t.Errorf("a table without rows: %v %v", empty, err)
	}
}

// TestRoundTrip writes and reads the ends of the range of each type.
func TestNoHeader(t *testing.T) {
	const text = "1,2.5,3\n4,5,6\n"
	x, err := csv.Read[float64](strings.NewReader(text), csv.NoHeader())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(x.Names, []string{"0", "1", "2"}) || !slices.Equal(x.Matrix().Values(), []float64{1, 2.5, 3, 4, 5, 6}) {
		t.Errorf("%q, %v", x.Names, x.Matrix())
	}
	var out strings.Builder
	if err := csv.Write(&out, x, csv.NoHeader()); err != nil || out.String() != text {
		t.Errorf("%q, %v", out.String(), err)
	}
	x, err = csv.Read[float64](strings.NewReader(text), csv.NoHeader(), csv.Columns("2"))
	if err != nil || !slices.Equal(x.Data.Values(), []float64{3, 6}) {
		t.Errorf("%v, %v", x, err)
	}
	for _, bad := range []string{"", "a,b\n1,2\n", "1,2\n3\n"} {
		if _, err := csv.Read[float64](strings.NewReader(bad), csv.NoHeader()); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	round(t, math.MaxFloat64, math.SmallestNonzeroFloat64, -0.1, math.Inf(-1))
	round[float32](t, math.MaxFloat32, math.SmallestNonzeroFloat32, .1)
	round[int8](t, math.MinInt8, math.MaxInt8)
	round[int16](t, math.MinInt16, math.MaxInt16)
	round[uint16](t, 0, math.MaxUint16)
	round[int](t, math.MinInt32, math.MaxInt32)
	round[int32](t, math.MinInt32, math.MaxInt32)
	round[int64](t, math.MinInt64, math.MaxInt64)
	round[uint8](t, 0, math.MaxUint8)
	round[uint32](t, 0, math.MaxUint32)
	round[uint64](t, 0, math.MaxUint64)
}

// A line without characters is no row to a reader, so a single empty name is quoted.
func TestEmptyName(t *testing.T) {
	in, err := csv.New([]string{""}, engine.MustFromSlice([]float64{1, 2}))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := csv.Write(&b, in); err != nil || b.String() != "\"\"\n1\n2\n" {
		t.Fatalf("wrote %q, %v", b.String(), err)
	}
	out, err := csv.Read[float64](&b)
	if err != nil || !slices.Equal(out.Names, in.Names) || !slices.Equal(out.Data.Values(), in.Data.Values()) {
		t.Errorf("%v becomes %v, %v", in, out, err)
	}
}

func round[T csv.Number](t *testing.T, values ...T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	in, err := csv.New([]string{"a", "b,\nc"}, engine.MustFromSlice(values), engine.MustFromSlice(values))
	if err == nil {
		err = csv.WriteFile(path, in)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := csv.ReadFile[T](path)
	if err != nil || !slices.Equal(out.Names, in.Names) || !slices.Equal(out.Data.Values(), in.Data.Values()) {
		t.Errorf("%v becomes %v %v", in.Data, out, err)
	}
}

// TestFloats reads what other programs write as floats, and nothing that only Go does.
func TestFloats(t *testing.T) {
	x, err := csv.Read[float64](strings.NewReader("a\n1.5e3\n-Inf\n+.5\n"))
	if err != nil || !slices.Equal(x.Data.Values(), []float64{1500, math.Inf(-1), .5}) {
		t.Errorf("%v, %v", x, err)
	}
	for _, cell := range []string{"1_000", "0x1p4", "0X1P4", "1,5", "one"} {
		if _, err := csv.Read[float64](strings.NewReader("a\n\"" + cell + "\"\n")); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%q: %v", cell, err)
		}
	}
	_, err = csv.Read[float64](strings.NewReader("a,a\n1,2\n"), csv.Columns("a"))
	if err == nil || !strings.Contains(err.Error(), `two columns are named "a"`) {
		t.Errorf("two columns of the name to read: %v", err)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "there is no header",
		"a,a\n1,2\n":               `two columns are named "a"`,
		"a,b\n1\n":                 "line 2: wrong number of fields",
		"a,b\n1,2\n\n3,x\n":        `line 4, column "b": "x" is no int8`,
		"a,b\n1,200\n":             `line 2, column "b": "200" does not fit int8`,
		"a,b\n1,\n":                `line 2, column "b": "" is no int8`,
		"a,b\n1,\"2\n":             "line 2: extraneous or missing",
		"a,b\n1,2.5\n":             `"2.5" is no int8`,
		"a\n" + rep("9", 300):      `..." does not fit int8`,
		"a\n" + rep("1\n", 200_00): "longer than the limit of 1000 bytes",
	} {
		_, err := csv.Read[int8](strings.NewReader(text), csv.Limit(1000))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "oneloop: csv: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
	if _, err := csv.Read[float64](strings.NewReader("a\n1\n"), csv.Columns("b")); err == nil {
		t.Error("a column that is not there is read")
	}
	if _, err := csv.Read[float64](strings.NewReader("a\n1\n"), csv.Limit(4)); err != nil {
		t.Errorf("a text of the length of the limit: %v", err)
	}
	if _, err := csv.ReadFile[float64]("none.csv"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	path := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(path, []byte("a\nx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := csv.ReadFile[float64](path); !errors.Is(err, expr.ErrValue) || !strings.HasSuffix(err.Error(), `bad.csv: line 2, column "a": "x" is no float64`) {
		t.Errorf("a bad file: %v", err)
	}
	x, y := engine.Zeros[float64](2), engine.Zeros[float64](3)
	if _, err := csv.New([]string{"x", "y"}, x, y); !errors.Is(err, expr.ErrShape) {
		t.Errorf("columns of two lengths: %v", err)
	}
	if _, err := csv.New([]string{"x"}, x, y); !errors.Is(err, expr.ErrShape) {
		t.Errorf("columns without names: %v", err)
	}
	if _, err := csv.New[float64](nil); err == nil {
		t.Error("a table without columns")
	}
	if _, err := csv.New([]string{"x"}, (*engine.Tensor[float64])(nil)); err == nil {
		t.Error("a nil column")
	}
}

func rep(s string, n int) string { return strings.Repeat(s, n) }

// TestWriteFile checks that a failure leaves the old file.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := csv.WriteFile(path, &csv.Table[float64]{Names: []string{"a"}, Data: engine.Zeros[float64](2, 2)}); err == nil {
		t.Error("a table with a name too few is written")
	}
	if err := csv.WriteFile[float64](path, nil); err == nil {
		t.Error("nil is written")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("%q %v", b, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n3,4\n"))
	f.Add([]byte("\ufeff\"a\nb\";c\n;\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, err := csv.Read[float32](bytes.NewReader(b), csv.NoHeader()); err == nil && x.Rows() == 0 {
			t.Fatal("a table without a header has no rows")
		}
		x, err := csv.Read[float64](bytes.NewReader(b))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		var w bytes.Buffer
		if err := csv.Write(&w, x); err != nil {
			t.Fatal(err)
		}
	})
}

func TestZeroTable(t *testing.T) {
	if n := (&csv.Table[float64]{}).Rows(); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// TestManyColumns reads a short text with many columns, which took a time of the square of
// their number: more than a minute.
func TestManyColumns(t *testing.T) {
	const n = 50000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,", i)
	}
	x, err := csv.Read[float32](strings.NewReader(b.String() + "\n"))
	if err != nil || x.Rows() != 0 || len(x.Names) != n+1 {
		t.Errorf("%v", err)
	}
	if _, err = csv.Read[float32](strings.NewReader(b.String() + "0\n")); !errors.Is(err, expr.ErrValue) {
		t.Errorf("two columns of one name: %v", err)
	}
}

func TestWrongComma(t *testing.T) {
	_, err := csv.Read[float32](strings.NewReader("a\n1\n"), csv.Comma('\n'))
	if !errors.Is(err, expr.ErrValue) || strings.Contains(err.Error(), "csv: csv") {
		t.Error(err)
	}
}
