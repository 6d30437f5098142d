package npy

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

func TestReadByHand(t *testing.T) {
	deep := "(" + strings.Repeat("1, ", 64) + ")"
	tests := []struct {
		name    string
		file    []byte
		typ     dtype.Type
		fortran bool
		shape   []int
		data    string
	}{
		{"f4", file(1, dict("<f4", "False", "(1, 2)"), 1, 2, 3, 4, 5, 6, 7, 8), dtype.F32, false, []int{1, 2}, "\x01\x02\x03\x04\x05\x06\x07\x08"},
		{"version 2", file(2, dict("<i4", "True", "(1,)"), 1, 2, 3, 4), dtype.I32, true, []int{1}, "\x01\x02\x03\x04"},
		{"version 3", file(3, dict("<i8", "False", "()"), 1, 2, 3, 4, 5, 6, 7, 8), dtype.I64, false, nil, "\x01\x02\x03\x04\x05\x06\x07\x08"},
		{"big 2", file(1, dict(">f2", "False", "(2,)"), 1, 2, 3, 4), dtype.F16, false, []int{2}, "\x02\x01\x04\x03"},
		{"big 4", file(1, dict(">u4", "False", "(2,)"), 1, 2, 3, 4, 5, 6, 7, 8), dtype.U32, false, []int{2}, "\x04\x03\x02\x01\x08\x07\x06\x05"},
		{"big 8", file(1, dict(">f8", "False", "(1,)"), 1, 2, 3, 4, 5, 6, 7, 8), dtype.F64, false, []int{1}, "\x08\x07\x06\x05\x04\x03\x02\x01"},
		{"big 1", file(1, dict(">i1", "False", "(2,)"), 1, 2), dtype.I8, false, []int{2}, "\x01\x02"},
		{"native", file(1, dict("=u8", "False", "(1,)"), 1, 2, 3, 4, 5, 6, 7, 8), dtype.U64, false, []int{1}, "\x01\x02\x03\x04\x05\x06\x07\x08"},
		{"no order", file(1, dict("u1", "False", "(2,)"), 8, 9), dtype.U8, false, []int{2}, "\x08\x09"},
		{"bools", file(1, dict("|b1", "False", "(4,)"), 0, 1, 2, 255), dtype.Bool, false, []int{4}, "\x00\x01\x01\x01"},
		{"question mark", file(1, dict("?", "False", "(1,)"), 7), dtype.Bool, false, []int{1}, "\x01"},
		{"bf16 <V2", file(1, dict("<V2", "False", "(1,)"), 1, 2), dtype.BF16, false, []int{1}, "\x01\x02"},
		{"bf16 |V2", file(1, dict("|V2", "False", "(1,)"), 1, 2), dtype.BF16, false, []int{1}, "\x01\x02"},
		{"bf16 by name", file(1, dict("bfloat16", "False", "(1,)"), 1, 2), dtype.BF16, false, []int{1}, "\x01\x02"},
		{"empty", file(1, dict("<f4", "False", "(3, 0, 5)")), dtype.F32, false, []int{3, 0, 5}, ""},
		{"64 axes", file(1, dict("|u1", "False", deep), 5), dtype.U8, false, slices.Repeat([]int{1}, 64), "\x05"},
		{"extra bytes", file(1, dict("|u1", "False", "(1,)"), 5, 6, 7), dtype.U8, false, []int{1}, "\x05"},
		{"python 2", file(1, dict("|u1", "False", "(1L, 2L)"), 5, 6), dtype.U8, false, []int{1, 2}, "\x05\x06"},
		{"python 2, one axis", file(2, dict("|u1", "False", "(2L,)"), 5, 6), dtype.U8, false, []int{2}, "\x05\x06"},
		{"no last commas", file(1, "{'descr':'|u1','fortran_order':False,'shape':(1,2)}", 5, 6), dtype.U8, false, []int{1, 2}, "\x05\x06"},
		{"any layout", file(1, " {\n\"shape\" : ( 2 , )\t,'fortran_order':\r\nTrue ,'descr' : \"|u1\" } \n ", 5, 6), dtype.U8, true, []int{2}, "\x05\x06"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := &Array{tt.typ, tt.shape, tt.fortran, []byte(tt.data)}
			size := int64(len(tt.file))
			for _, r := range []io.Reader{bytes.NewReader(tt.file), iotest.OneByteReader(bytes.NewReader(tt.file)), iotest.DataErrReader(bytes.NewReader(tt.file))} {
				a, err := Read(r, size)
				if err != nil {
					t.Fatal(err)
				}
				if !same(a, want) {
					t.Errorf("got %+v, want %+v", a, want)
				}
				size = -1
			}
		})
	}
}

func TestReadHeader(t *testing.T) {
	b := file(2, dict(">f4", "True", "(2, 3)"), []byte("data")...)
	r := bytes.NewReader(b)
	h, at, err := ReadHeader(r)
	if err != nil {
		t.Fatal(err)
	}
	if h.Type != dtype.F32 || !h.BigEndian || !h.Fortran || !slices.Equal(h.Shape, []int{2, 3}) || h.Major != 2 || h.Minor != 0 || h.Elems() != 6 {
		t.Errorf("got %+v", h)
	}
	if rest, _ := io.ReadAll(r); string(rest) != "data" || at != int64(len(b)-4) {
		t.Errorf("offset %d, then %q", at, rest)
	}
	if n := (Header{Shape: []int{-1}}).Elems(); n != -1 {
		t.Errorf("Elems of a negative axis: %d", n)
	}
}

func TestAligned(t *testing.T) {
	for n := range 200 {
		b, err := alloc(n)
		if err != nil || len(b) != n || cap(b) != n || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64 != 0 {
			t.Fatalf("alloc(%d): len %d, cap %d, at %p, %v", n, len(b), cap(b), b, err)
		}
	}
}

// Several chunks, a last one that is not whole, growth where the size is not
// known, and swapping across chunks.
func TestReadLarge(t *testing.T) {
	for _, n := range []int{chunk / 8, chunk/8 + 1, 5*chunk/8 + 3} {
		a := sample(dtype.F64, false, n)
		b := append(file(1, dict(">f8", "False", "("+itoa(n)+",)")), a.Data...)
		for _, size := range []int64{int64(len(b)), -1} {
			got, err := Read(bytes.NewReader(b), size)
			if err != nil {
				t.Fatal(err)
			}
			if uintptr(unsafe.Pointer(&got.Data[0]))%64 != 0 {
				t.Error("data are not aligned")
			}
			for i := 0; i < len(got.Data); i += 8 {
				slices.Reverse(got.Data[i : i+8])
			}
			if !same(got, a) {
				t.Errorf("n=%d size=%d: differs", n, size)
			}
		}
	}
}

// Two arrays in one stream are read one after the other.
func TestReadLeavesRest(t *testing.T) {
	b := append(file(1, dict("|u1", "False", "(1,)"), 7), file(1, dict("|u1", "False", "()"), 8)...)
	r := bytes.NewReader(b)
	for want := byte(7); want <= 8; want++ {
		if a, err := Read(r, int64(r.Len())); err != nil || a.Data[0] != want {
			t.Fatalf("got %v %v, want %d", a, err, want)
		}
	}
}

func TestReadPassesErrors(t *testing.T) {
	broken := errors.New("the disk is broken")
	b := file(1, dict("<f4", "False", "(2,)"), 1, 2, 3)
	for _, n := range []int{0, 9, 20, len(b)} {
		_, err := Read(io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(broken)), -1)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "offset "+itoa(n)) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFile(filepath.Join(dir, "none.npy")); err == nil || !strings.Contains(err.Error(), "none.npy") {
		t.Errorf("missing file: %v", err)
	}
	if _, err := ReadFile(dir); err == nil {
		t.Error("a folder was read")
	}
	path := filepath.Join(dir, "short.npy")
	mustWrite(t, path, file(1, dict("<f4", "False", "(2,)"), 1, 2, 3), 0o666)
	_, err := ReadFile(path)
	var fe *FormatError
	if !errors.As(err, &fe) || fe.Path != path || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), path) {
		t.Errorf("short file: %v", err)
	}
}
