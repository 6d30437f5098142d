package engine_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

type twoTensors struct {
	Name string
	X    *engine.Tensor[float32]
	Y    engine.Tensor[int64]
	Z    *engine.Array
}

// samples returns arrays of all element types in all layouts.
func samples(t *testing.T) []*engine.Array {
	t.Helper()
	var list []*engine.Array
	for _, typ := range dtype.All() {
		data := make([]byte, 12*typ.Size())
		for i := range data {
			data[i] = byte(i % (12 * typ.Part().Size()) * 37) // no NaN, whose bits JSON drops
		}
		if typ == dtype.Bool {
			for i := range data {
				data[i] &= 1
			}
		}
		for _, dims := range [][]int{{12}, {3, 4}, {2, 1, 6}, {0, 3}, {}} {
			a, err := engine.NewArray(typ, dims...)
			if err != nil {
				t.Fatal(err)
			}
			copy(a.Memory().Bytes(), data)
			turned, err := a.Transpose()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, a, turned)
		}
	}
	return list
}

func same(t *testing.T, what string, a, b *engine.Array) {
	t.Helper()
	x, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) || !bytes.Equal(x, y) {
		t.Errorf("%s: %+v returns as %+v", what, a, b)
	}
}

func TestMarshal(t *testing.T) {
	for _, a := range samples(t) {
		var b, c, d engine.Array
		data, err := a.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		same(t, "binary", a, &b)
		var w bytes.Buffer
		if err := gob.NewEncoder(&w).Encode(a); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&w).Decode(&c); err != nil {
			t.Fatal(err)
		}
		same(t, "gob", a, &c)
		if text, err := json.Marshal(a); err != nil {
			t.Fatal(err)
		} else if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		same(t, "JSON", a, &d)
	}
}

func TestMarshalStruct(t *testing.T) {
	in := twoTensors{"a", engine.MustFromSlice([]float32{1, 2.5}), *engine.MustFromSlice([]int64{1 << 62, -7}), engine.MustFromSlice([]bool{true, false}).Array()}
	var out, back twoTensors
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Name":"a","X":{"type":"float32","shape":[2],"data":[1,2.5]},` +
		`"Y":{"type":"int64","shape":[2],"data":[4611686018427387904,-7]},"Z":{"type":"bool","shape":[2],"data":[true,false]}}`
	if string(text) != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := gob.NewEncoder(&w).Encode(in); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&w).Decode(&back); err != nil {
		t.Fatal(err)
	}
	for _, got := range []twoTensors{out, back} {
		same(t, "X", in.X.Array(), got.X.Array())
		same(t, "Y", in.Y.Array(), got.Y.Array())
		same(t, "Z", in.Z, got.Z)
	}
}

// TestMarshalText checks that text keeps every element, and that logs do not have them all.
func TestMarshalText(t *testing.T) {
	in := twoTensors{"a", engine.MustFromSlice([]float32{1, 2.5}), *engine.MustFromSlice([]int64{1 << 62, -7}), engine.MustFromSlice([]bool{true, false}).Array()}
	var out twoTensors
	text, err := xml.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	same(t, "X", in.X.Array(), out.X.Array())
	same(t, "Y", in.Y.Array(), out.Y.Array())
	same(t, "Z", in.Z, out.Z)
	var broken *engine.Tensor[float32]
	if text, err := xml.Marshal(struct{ X engine.Tensor[float32] }{}); err == nil {
		t.Errorf("the zero tensor is written as %s", text)
	}
	if err := broken.UnmarshalText([]byte("[1]")); err == nil {
		t.Error("a nil tensor can be read into")
	}
	var none *engine.Array
	for _, nothing := range []any{broken, none} {
		var w bytes.Buffer
		if slog.New(slog.NewTextHandler(&w, nil)).Info("step", "x", nothing); !strings.Contains(w.String(), " x=<nil>") {
			t.Errorf("nil is logged as %s", w.String())
		}
	}
	for _, large := range []any{engine.Zeros[float64](1 << 20), engine.Zeros[float64](1 << 20).Array()} {
		for name, h := range map[string]func(w io.Writer) slog.Handler{
			"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
			"JSON": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		} {
			var w bytes.Buffer
			slog.New(h(&w)).Info("step", "x", large)
			if s := w.String(); !strings.Contains(s, `float64 (1048576,)\n[0 0 0 ... 0 0 0]`) {
				t.Errorf("%s logs %s", name, s[:min(len(s), 200)])
			}
		}
	}
}

func TestMarshalSpecial(t *testing.T) {
	x := engine.MustFromSlice([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64, .1})
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	if want := `["NaN","Infinity","-Infinity",-0,5e-324,1.7976931348623157e+308,0.1]`; !strings.Contains(string(text), want) {
		t.Errorf("got %s, want %s", text, want)
	}
	var y engine.Tensor[float64]
	if err := json.Unmarshal(text, &y); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%x", y.Values()), fmt.Sprintf("%x", x.Values()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var z engine.Tensor[float32]
	if err := json.Unmarshal([]byte(" [[1, 2], [3, 4.5]] "), &z); err != nil || z.At(1, 1) != 4.5 || len(z.Shape()) != 2 {
		t.Errorf("nested lists give %v, %v", &z, err)
	}
	if err := json.Unmarshal([]byte("7"), &z); err != nil || z.At() != 7 {
		t.Errorf("a number gives %v, %v", &z, err)
	}
	var none engine.Array
	for _, x := range []any{&z, &struct{ Z, Zero *engine.Tensor[float32] }{&z, nil}, z.Array(), &none} {
		text := " null "
		if _, ok := x.(json.Unmarshaler); !ok {
			text = `{"Zero": null}`
		}
		if err := json.Unmarshal([]byte(text), x); err != nil || z.At() != 7 {
			t.Errorf("null in %T gives %v, %v", x, &z, err)
		}
	}
	var field struct{ Z engine.Tensor[float32] }
	if err := json.Unmarshal([]byte(`{"Z": null}`), &field); err != nil {
		t.Errorf("null in a field: %v", err)
	}
}

// TestUnmarshalHalves rounds a number of JSON once: of float32 the first one is the middle between two halves.
func TestUnmarshalHalves(t *testing.T) {
	x := engine.MustFromSlice([]dtype.Float16{dtype.F16From(7)})
	if err := json.Unmarshal([]byte(`[1.00048828125001, 65519.9999999, "Infinity", 1e-9]`), x); err != nil {
		t.Fatal(err)
	}
	want := []float32{1.0009765625, 65504, float32(math.Inf(1)), 0}
	for i, w := range want {
		if got := x.At(i).Float32(); got != w {
			t.Errorf("element %d is %v, want %v", i, got, w)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
	}{
		{`{}`, expr.ErrType},
		{`{"type":"complex256","shape":[1],"data":[1]}`, expr.ErrType},
		{`{"type":"complex64","shape":[1],"data":[1]}`, expr.ErrValue},
		{`{"type":"float64","shape":[1],"data":[1]}`, expr.ErrType},
		{`{"type":"float32","shape":[2],"data":[1]}`, expr.ErrShape},
		{`{"type":"float32","shape":[-1],"data":[1]}`, expr.ErrShape},
		{`{"type":"float32","shape":[0],"data":[1]}`, expr.ErrShape},
		{`{"type":"float32","shape":[2000000000],"data":[1]}`, expr.ErrShape},
		{`{"type":"float32","shape":[1],"data":["nan"]}`, expr.ErrValue},
		{`{"type":"float32","shape":[1],"data":[true]}`, expr.ErrValue},
		{`{"type":"float32","shape":[1],"data":[null]}`, expr.ErrValue},
		{`{"type":"float32","shape":[1],"data":[1e999]}`, expr.ErrValue},
		{`{"type":"float32","shape":[1]}`, expr.ErrValue},
		{`[[1,2],[3]]`, expr.ErrShape},
		{`[[1,2],3]`, expr.ErrShape},
		{`[1,[2]]`, expr.ErrValue},
		{`"x"`, expr.ErrValue},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), expr.ErrShape},
	} {
		x := engine.MustFromSlice([]float32{7})
		if err := json.Unmarshal([]byte(c.text), x); !errors.Is(err, c.want) {
			t.Errorf("%.80s: %v, want %v", c.text, err, c.want)
		}
		if x.At(0) != 7 {
			t.Errorf("%.80s changes the tensor", c.text)
		}
	}
	for text, typ := range map[string]any{
		`{"type":"int8","shape":[1],"data":[200]}`: new(engine.Tensor[int8]), `{"type":"uint8","shape":[1],"data":[-1]}`: new(engine.Tensor[uint8]),
		`{"type":"int32","shape":[1],"data":[1.5]}`: new(engine.Tensor[int32]), `{"type":"int32","shape":[1],"data":["NaN"]}`: new(engine.Tensor[int32]),
		`{"type":"bool","shape":[1],"data":[1]}`:        new(engine.Tensor[bool]),
		`{"type":"float16","shape":[1],"data":[65520]}`: new(engine.Tensor[dtype.Float16]),
		`{"type":"bfloat16","shape":[1],"data":[1e39]}`: new(engine.Tensor[dtype.BFloat16]),
	} {
		if err := json.Unmarshal([]byte(text), typ); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"[1, 2] 3", "[1]]", ""} {
		if err := engine.Zeros[float32](1).UnmarshalText([]byte(text)); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%q: %v", text, err)
		}
	}
	good, err := engine.Zeros[float32](2).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var y engine.Tensor[float64]
	for _, data := range [][]byte{nil, good[:len(good)-1], append(good[:len(good):len(good)], 0), []byte("oneloop")} {
		if err := new(engine.Array).UnmarshalBinary(data); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if err := y.UnmarshalBinary(good); !errors.Is(err, expr.ErrType) {
		t.Error(err)
	}
	if _, err := json.Marshal(engine.Zeros[float32](2).Reshape(7)); err == nil {
		t.Error("a tensor with an error is marshalled")
	}
	if _, err := json.Marshal(&engine.Tensor[float32]{}); !errors.Is(err, expr.ErrType) {
		t.Errorf("the zero tensor: %v", err)
	}
	for _, text := range []string{"null", "300", "1.5", `"x"`} { // the error shows what the text has
		err := json.Unmarshal([]byte("["+text+"]"), engine.MustFromSlice([]int8{7}))
		if err == nil || !strings.Contains(err.Error(), ": "+text+" is not a value of type int8") {
			t.Error(err)
		}
	}
}

// FuzzUnmarshalJSON reads texts. What is read is written and read again, and is the
// same.
func FuzzUnmarshalJSON(f *testing.F) {
	for _, text := range []string{
		`{"type":"float32","shape":[2,2],"data":[[1,2.5],[-0.1,"NaN"]]}`, `[[1,2],[3,"-Infinity"]]`, `{"type":"bool","shape":[2],"data":[true,false]}`,
		`{"type":"complex64","shape":[1],"data":[[1,"Infinity"]]}`, `{"type":"uint64","shape":[],"data":18446744073709551615}`, `{"type":"int8","shape":[0,3],"data":[]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var a, b engine.Array
		if json.Unmarshal(text, &a) != nil || strings.TrimSpace(string(text)) == "null" { // null stores nothing
			return
		}
		once, err := json.Marshal(a)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := json.Unmarshal(once, &b); err != nil {
			t.Fatalf("%q is written as %q: %v", text, once, err)
		}
		if twice, err := json.Marshal(b); err != nil || string(twice) != string(once) {
			t.Fatalf("%q becomes %q, %v", once, twice, err)
		}
	})
}
