package nn_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
)

// golden is what safetensors 0.8 of Python writes for the arrays of goldenArrays.
const golden = "00010000000000007b225f5f6d657461646174615f5f223a7b2273746570223a2233227d2c2262223a7b226474797065223a22493634222c227368617065223a5b315d2c22646174615f6f666673657473223a5b302c385d7d2c227a223a7b226474797065223a22463634222c227368617065223a5b302c335d2c22646174615f6f666673657473223a5b382c385d7d2c2261223a7b226474797065223a22463332222c227368617065223a5b322c335d2c22646174615f6f666673657473223a5b382c33325d7d2c22635c22223a7b226474797065223a22463136222c227368617065223a5b5d2c22646174615f6f666673657473223a5b33322c33345d7d7d20202020202020ffffffffffffffff000000000000803f0000004000004040000080400000a040003e"

func goldenArrays(t testing.TB) map[string]*engine.Array {
	t.Helper()
	z, err := engine.New[float64](0, 3)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*engine.Array{
		"a":   engine.MustFromSlice([]float32{0, 1, 2, 3, 4, 5}, 2, 3).Array(),
		"b":   engine.MustFromSlice([]int64{-1}).Array(),
		"c\"": engine.MustFromSlice([]dtype.Float16{dtype.F16From(1.5)}).Reshape().Array(),
		"z":   z.Array(),
	}
}

func TestSafetensors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	check(t, "SaveTensors", nn.SaveTensors(path, goldenArrays(t), map[string]string{"step": "3"}), nil)
	raw, err := os.ReadFile(path)
	if err != nil || hex.EncodeToString(raw) != golden {
		t.Errorf("wrote %x, %v", raw, err)
	}
	arrays, meta, err := nn.LoadTensors(path)
	check(t, "LoadTensors", err, nil)
	if !maps.Equal(meta, map[string]string{"step": "3"}) || len(arrays) != 4 {
		t.Errorf("read %v, %v", arrays, meta)
	}
	for name, want := range goldenArrays(t) {
		got := arrays[name]
		a, err := got.Bytes()
		b, err2 := want.Bytes()
		if errors.Join(err, err2) != nil || got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) || !slices.Equal(a, b) {
			t.Errorf("%s: %v%v %v", name, got.DType(), got.Shape(), got)
		}
	}
	err = nn.SaveTensors(path, map[string]*engine.Array{"__metadata__": arrays["a"]}, nil)
	check(t, "a reserved name", err, expr.ErrValue)
	err = nn.SaveTensors(path, map[string]*engine.Array{"z": engine.Zeros[complex128](2).Array()}, nil)
	check(t, "complex numbers", err, expr.ErrType)
	if again, err := os.ReadFile(path); !slices.Equal(again, raw) || err != nil {
		t.Error("a save that failed has changed the file")
	}
}

// file returns a file with a header and a number of bytes after it.
func file(header string, data int) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, data)...)
}

func TestHostileSafetensors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	whole, err := hex.DecodeString(golden)
	if err != nil {
		t.Fatal(err)
	}
	one := func(entry string) string { return `{"a":` + entry + `}` }
	for name, c := range map[string]struct {
		raw  []byte
		kind error
	}{
		"empty":                 {nil, expr.ErrValue},
		"a header of 2^63":      {binary.LittleEndian.AppendUint64(nil, 1<<63), expr.ErrValue},
		"a header of 99 MB":     {binary.LittleEndian.AppendUint64(nil, 99_000_000), expr.ErrValue},
		"no object":             {file(`[]`, 0), expr.ErrValue},
		"no end":                {file(`{"a":`, 0), expr.ErrValue},
		"something after":       {file(`{} x`, 0), expr.ErrValue},
		"a name twice":          {file(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`, 0), expr.ErrValue},
		"an unknown member":     {file(one(`{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":0}`), 1), expr.ErrValue},
		"an unknown type":       {file(one(`{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}`), 2), expr.ErrUnsupported},
		"a negative extent":     {file(one(`{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}`), 1), expr.ErrValue},
		"an overflowing shape":  {file(one(`{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}`), 0), expr.ErrValue},
		"an extent of 1e30":     {file(one(`{"dtype":"U8","shape":[1e30],"data_offsets":[0,1]}`), 1), expr.ErrValue},
		"a terabyte":            {file(one(`{"dtype":"U8","shape":[1099511627776],"data_offsets":[0,1099511627776]}`), 1), expr.ErrValue},
		"a hole":                {file(one(`{"dtype":"U8","shape":[1],"data_offsets":[1,2]}`), 2), expr.ErrValue},
		"an overlap":            {file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}`, 3), expr.ErrValue},
		"offsets upside down":   {file(one(`{"dtype":"U8","shape":[1],"data_offsets":[1,0]}`), 1), expr.ErrValue},
		"more bytes than said":  {file(one(`{"dtype":"U8","shape":[1],"data_offsets":[0,1]}`), 2), expr.ErrValue},
		"fewer bytes than said": {whole[:len(whole)-1], expr.ErrValue},
		"a number as text":      {file(`{"__metadata__":{"step":3}}`, 0), expr.ErrValue},
	} {
		if err := os.WriteFile(path, c.raw, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := nn.LoadTensors(path)
		check(t, name, err, c.kind)
		if !strings.HasPrefix(err.Error(), "oneloop: nn: "+path+": ") || strings.Contains(err.Error(), ".go:") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := nn.LoadTensors(path); !errors.Is(err, expr.ErrValue) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// TestSafetensorsBools reads bytes that are no Go bools as true.
func TestSafetensorsBools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	raw := append(file(`{"a":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]}}`, 0), 0, 1, 2, 255)
	check(t, "writing", os.WriteFile(path, raw, 0o600), nil)
	arrays, _, err := nn.LoadTensors(path)
	check(t, "LoadTensors", err, nil)
	if got := arrays["a"].Memory().Bytes(); !slices.Equal(got, []byte{0, 1, 1, 1}) {
		t.Errorf("the bools are the bytes %v", got)
	}
}

// TestSafetensorsNames refuses names that JSON cannot hold: the file would not be read.
func TestSafetensorsNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	a := engine.Zeros[float32](1).Array()
	check(t, "no UTF-8", nn.SaveTensors(path, map[string]*engine.Array{"a\xff": a, "a\xfe": a}, nil), expr.ErrValue)
}

// FuzzLoadTensors reads files. What is read is a header again that fits the file.
func FuzzLoadTensors(f *testing.F) {
	whole, err := hex.DecodeString(golden)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(file(`{"__metadata__":{"a":"b"},"x":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]}}  `, 4))
	f.Add(file(`{"x":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]},"y":{"dtype":"U8","shape":[0,9],"data_offsets":[1,1]}}`, 1))
	path := filepath.Join(f.TempDir(), "x.safetensors")
	f.Fuzz(func(t *testing.T, raw []byte) {
		check(t, "writing", os.WriteFile(path, raw, 0o600), nil)
		arrays, _, err := nn.LoadTensors(path)
		if err != nil {
			return
		}
		size := 8 + int(binary.LittleEndian.Uint64(raw))
		for name, a := range arrays {
			size += len(a.Memory().Bytes())
			if _, err := a.MarshalBinary(); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		if size != len(raw) {
			t.Errorf("header and arrays have %d bytes, the file %d", size, len(raw))
		}
	})
}
