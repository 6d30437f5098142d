package blob_test

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/blob"
	"github.com/oneloop/oneloop/expr"
)

// goldens are messages and their bytes as protoc's Python library writes them,
// with the fields of BlobProto from Caffe's schema.
var goldens = []struct {
	name  string
	bytes string
	proto blob.Proto
}{
	{"floats", "2a180000803f000020c000000000000040406f12833a0000807f32180000003f0000003f0000003f0000003f0000003f0000003f3a040a020203", blob.Proto{
		Data:  []float32{1, -2.5, 0, 3, 1e-3, float32(math.Inf(1))},
		Diff:  []float32{.5, .5, .5, .5, .5, .5},
		Shape: &blob.ProtoShape{Dim: []int64{2, 3}},
	}},
	{"empty", "3a050a03ac0200", blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{300, 0}}}},
	{"legacy", "08011000180220014210000000000000f03f00000000000000404a10000000000000f0bf9a9999999999b93f", blob.Proto{
		Num: new(int32(1)), Channels: new(int32(0)), Height: new(int32(2)), Width: new(int32(1)),
		DoubleData: []float64{1, 2}, DoubleDiff: []float64{-1, .1},
	}},
	{"scalar", "2a040000e0403a00", blob.Proto{Data: []float32{7}, Shape: &blob.ProtoShape{}}},
}

func TestGoldens(t *testing.T) {
	for _, c := range goldens {
		got, err := c.proto.MarshalBinary()
		if err != nil || hex.EncodeToString(got) != c.bytes {
			t.Errorf("%s: %x, %v, want %s", c.name, got, err, c.bytes)
		}
		raw, err := hex.DecodeString(c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		var p blob.Proto
		check(t, c.name, p.UnmarshalBinary(raw), nil)
		if !reflect.DeepEqual(p, c.proto) {
			t.Errorf("%s: read %+v", c.name, p)
		}
		// Every message that is cut off is refused or shorter, and never panics.
		for n := range raw {
			var p blob.Proto
			if p.UnmarshalBinary(raw[:n]) == nil && reflect.DeepEqual(p, c.proto) {
				t.Errorf("%s: %d of %d bytes read as the whole message", c.name, n, len(raw))
			}
		}
	}
}

// TestUnpacked reads floats that are not packed, and fields in another order.
func TestUnpacked(t *testing.T) {
	raw := []byte{
		5<<3 | 5, 0, 0, 0x80, 0x3f, // data: 1
		7<<3 | 2, 2, 1 << 3, 2, // shape { dim: 2 }
		15<<3 | 2, 1, 0, // a field that BlobProto does not have
		5<<3 | 5, 0, 0, 0, 0x40, // data: 2
	}
	var p blob.Proto
	check(t, "read", p.UnmarshalBinary(raw), nil)
	b := must[float64](t)
	check(t, "FromProto", b.FromProto(&p, true), nil)
	if !b.Shape().Equal([]int{2}) || !slices.Equal(b.Data().Values(), []float64{1, 2}) {
		t.Errorf("%v %v", b.Shape(), b.Data())
	}
}

func TestHostile(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
	}{
		{"a length of 2^60", []byte{5<<3 | 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10}},
		{"three bytes of floats", []byte{5<<3 | 2, 3, 0, 0, 0}},
		{"a string for num", []byte{1<<3 | 2, 1, 0}},
		{"a varint without an end", []byte{1 << 3, 0x80}},
		{"field 0", []byte{0, 0}},
		{"an end of a group", []byte{1<<3 | 4}},
	} {
		var p blob.Proto
		err := p.UnmarshalBinary(c.raw)
		if check(t, c.name, err, expr.ErrValue); err != nil && !strings.Contains(err.Error(), "byte ") {
			t.Errorf("%s: the error names no offset: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		name string
		p    blob.Proto
	}{
		{"fewer elements", blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{3}}, Data: []float32{1}}},
		{"a negative extent", blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{-1}}}},
		{"a large shape", blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{1 << 31, 1 << 31, 1 << 31}}}},
		{"an extent of 2^63-1", blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{math.MaxInt64}}}},
		{"33 axes", blob.Proto{Shape: &blob.ProtoShape{Dim: make([]int64, 33)}}},
		{"a negative num", blob.Proto{Num: new(int32(-1))}},
		{"a short diff", blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{2}}, Data: []float32{1, 2}, Diff: []float32{1}}},
	} {
		b := must[float32](t, 2)
		b.Data().Data()[0] = 5
		check(t, c.name, b.FromProto(&c.p, true), expr.ErrShape)
		if x, err := b.DataAt(0); x != 5 || err != nil || !b.Shape().Equal([]int{2}) {
			t.Errorf("%s: the blob has changed: %v %v", c.name, b.Shape(), err)
		}
	}
}

func TestProto(t *testing.T) {
	b := must[float32](t, 2, 3)
	copy(b.Data().Data(), []float32{1, 2, 3, 4, 5, 6})
	copy(b.Diff().Data(), []float32{6, 5, 4, 3, 2, 1})
	p, err := b.ToProto(true)
	check(t, "ToProto", err, nil)
	path := filepath.Join(t.TempDir(), "w.binaryproto")
	check(t, "WriteFile", blob.WriteFile(path, p), nil)
	q, err := blob.ReadFile(path)
	check(t, "ReadFile", err, nil)
	same, double := must[float32](t, 2, 3), must[float64](t)
	check(t, "FromProto", same.FromProto(q, false), nil)
	check(t, "FromProto", double.FromProto(q, true), nil)
	if !slices.Equal(same.Data().Values(), b.Data().Values()) || !slices.Equal(double.Diff().Values(), []float64{6, 5, 4, 3, 2, 1}) {
		t.Errorf("read %v, %v", same.Data(), double.Diff())
	}
	check(t, "another shape", must[float32](t, 3, 2).FromProto(q, false), expr.ErrShape)
	p, err = double.ToProto(false)
	if err != nil || p.Diff != nil || p.Data != nil || p.DoubleDiff != nil || len(p.DoubleData) != 6 {
		t.Errorf("ToProto of float64: %+v, %v", p, err)
	}

	check(t, "WriteFile", os.WriteFile(path, []byte{0x80}, 0o600), nil)
	_, err = blob.ReadFile(path)
	if check(t, "a broken file", err, expr.ErrValue); err != nil && !strings.HasPrefix(err.Error(), "oneloop: blob: "+path+": byte 0: ") {
		t.Errorf("the error does not name the file: %v", err)
	}
	if _, err = blob.ReadFile(path + "x"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "oneloop: blob: open ") {
		t.Errorf("no file: %v", err)
	}
}

// TestMarshal checks that a blob keeps its data and its diff as JSON and in package gob.
func TestMarshal(t *testing.T) {
	for _, dims := range [][]int{{2, 3}, {}, {0, 2}} {
		want := must[float64](t, dims...)
		for i, x := range want.Data().Data() {
			want.Data().Data()[i], want.Diff().Data()[i] = x+float64(i)+.1, -float64(i)
		}
		same := func(how string, got *blob.Blob[float64], err error) {
			t.Helper()
			if err != nil || !got.Shape().Equal(want.Shape()) || !slices.Equal(got.Data().Values(), want.Data().Values()) || !slices.Equal(got.Diff().Values(), want.Diff().Values()) {
				t.Errorf("%s of shape %v: %v %v %v, %v", how, dims, got.Shape(), got.Data(), got.Diff(), err)
			}
		}
		text, err := json.Marshal(want)
		got := &blob.Blob[float64]{}
		same("json", got, errors.Join(err, json.Unmarshal(text, got)))
		text, err = json.Marshal(*want)
		same("json of a value", got, errors.Join(err, json.Unmarshal(text, got)))
		var w bytes.Buffer
		got = must[float64](t, 1)
		same("gob", got, errors.Join(gob.NewEncoder(&w).Encode(want), gob.NewDecoder(&w).Decode(got)))
	}
	b := must[float32](t, 1)
	b.Data().Data()[0] = float32(math.NaN())
	for _, x := range []*blob.Blob[float32]{b, {}} {
		if text, err := json.Marshal(x); err == nil {
			t.Errorf("%s", text)
		}
	}
	check(t, "no JSON", b.UnmarshalJSON([]byte("{")), expr.ErrValue)
	check(t, "too few elements", b.UnmarshalJSON([]byte(`{"Shape": {"Dim": [2]}, "Data": [1]}`)), expr.ErrShape)
	check(t, "nil", (*blob.Blob[float32])(nil).UnmarshalBinary(nil), expr.ErrType)
	check(t, "nil from null", (*blob.Blob[float32])(nil).UnmarshalJSON([]byte("null")), expr.ErrType)
	field := struct{ B blob.Blob[float32] }{*must[float32](t, 2)}
	if err := json.Unmarshal([]byte(`{"B": null}`), &field); err != nil || !field.B.Shape().Equal([]int{2}) {
		t.Errorf("null in a field: %v, %v", field.B.Shape(), err)
	}
}

func TestShapeEquals(t *testing.T) {
	legacy := &blob.Proto{Num: new(int32(1)), Channels: new(int32(1)), Height: new(int32(2)), Width: new(int32(3))}
	for _, c := range []struct {
		dims []int
		p    *blob.Proto
		want bool
	}{
		{[]int{2, 3}, legacy, true},
		{[]int{1, 1, 2, 3}, legacy, true},
		{[]int{1, 1, 1, 2, 3}, legacy, false},
		{[]int{3, 2}, legacy, false},
		{[]int{2, 3}, &blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{2, 3}}}, true},
		{[]int{1, 2, 3}, &blob.Proto{Shape: &blob.ProtoShape{Dim: []int64{2, 3}}}, false},
		{[]int{}, &blob.Proto{}, true},
	} {
		if got := must[float32](t, c.dims...).ShapeEquals(c.p); got != c.want {
			t.Errorf("%v and %+v: %t", c.dims, c.p, got)
		}
	}
	b := must[float32](t)
	legacy.Data = []float32{1, 2, 3, 4, 5, 6}
	check(t, "FromProto", b.FromProto(legacy, true), nil)
	if !b.Shape().Equal([]int{1, 1, 2, 3}) {
		t.Errorf("an old file has shape %v", b.Shape())
	}
}

func FuzzProto(f *testing.F) {
	for _, c := range goldens {
		raw, _ := hex.DecodeString(c.bytes)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p, q blob.Proto
		if p.UnmarshalBinary(raw) != nil {
			return
		}
		again, _ := p.MarshalBinary()
		if err := q.UnmarshalBinary(again); err != nil {
			t.Fatalf("%x: %v", again, err)
		}
		b, err := blob.New[float32]()
		if err != nil {
			t.Fatal(err)
		}
		if b.FromProto(&p, true) == nil && b.FromProto(&q, false) != nil {
			t.Errorf("%x is read, and %x is not", raw, again)
		}
	})
}

// TestWriteFile replaces a file as a whole: another name of the old one keeps its contents.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	write := func(v float32) {
		if err := blob.WriteFile(path, &blob.Proto{Data: []float32{v}}); err != nil {
			t.Fatal(err)
		}
	}
	write(1)
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	write(2)
	for name, want := range map[string]float32{path: 2, other: 1} {
		if p, err := blob.ReadFile(name); err != nil || !slices.Equal(p.Data, []float32{want}) {
			t.Errorf("%s has %v, %v", name, p, err)
		}
	}
}
