package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestRefused(t *testing.T) {
	u1 := func(shape string) string { return dict("|u1", "False", shape) }
	tests := []struct {
		name string
		dict string
		at   int64 // in the dict
		msg  string
	}{
		{"nothing", "", 1, "expected '{' at the start of the header, found the end of the header"},
		{"not a dict", "[1]", 0, `expected '{' at the start of the header, found "[1]"`},
		{"code", "__import__('os').system('id')", 0, "expected '{'"},
		{"code as a value", "{'descr': str('<f4')}", 10, "expected a descr in quotes"},
		{"comprehension", "{k: 1 for k in 'ab'}", 1, "expected a key in quotes"},
		{"comment", "{'descr': '<f4', # hi", 17, "expected a key in quotes"},
		{"no keys", "{}", 2, `no key "descr"`},
		{"no shape", "{'descr': '<f4', 'fortran_order': True}", 39, `no key "shape"`},
		{"no order", "{'descr': '<f4', 'shape': ()}", 29, `no key "fortran_order"`},
		{"repeated key", "{'descr': '<f4', 'descr': '<f4'}", 17, `the key "descr" is repeated`},
		{"extra key", "{'descr': '<f4', 'x': 1}", 17, `the key "x" is not known`},
		{"escape", `{'d\x65scr': '<f4'}`, 3, "0x5c is not allowed"},
		{"raw byte", "{'d\x00scr': '<f4'}", 3, "0x00 is not allowed"},
		{"joined strings", "{'descr': '<f' '4'}", 15, "expected ',' or '}' after the value of \"descr\""},
		{"bytes key", "{b'descr': '<f4'}", 1, "expected a key in quotes"},
		{"open string", "{'descr", 1, "not closed"},
		{"open dict", "{'descr': '<f4',", 17, "expected a key in quotes, found the end"},
		{"lone comma", "{,}", 1, "expected a key"},
		{"no colon", "{'descr' '<f4'}", 9, `expected ':' after the key "descr"`},
		{"junk after", u1("(1,)") + " import os", int64(len(u1("(1,)"))) + 1, `"import os" follows the header's dict`},
		{"NUL after", u1("(1,)") + "\x00", int64(len(u1("(1,)"))), "follows the header's dict"},
		{"descr None", "{'descr': None}", 10, "expected a descr in quotes"},
		{"order 1", "{'fortran_order': 1}", 18, `fortran_order must be True or False, found "1}"`},
		{"order true", "{'fortran_order': true}", 18, "fortran_order must be True or False"},
		{"order Truer", "{'fortran_order': Truer}", 18, "fortran_order must be True or False"},
		{"shape an int", "{'shape': 3}", 10, "the shape must be a tuple"},
		{"shape an int in brackets", "{'shape': (3)}", 10, "the shape (3) is an integer; the tuple is (3,)"},
		{"shape a long in brackets", "{'shape': (3L)}", 10, "the shape (3) is an integer"},
		{"shape a list", "{'shape': [3]}", 10, "the shape must be a tuple"},
		{"shape of a comma", "{'shape': (,)}", 11, "expected a decimal integer"},
		{"two commas", "{'shape': (1,,2)}", 13, "expected a decimal integer"},
		{"no comma", "{'shape': (1 2)}", 13, "expected ',' or ')'"},
		{"open shape", "{'shape': (1,", 14, "expected a decimal integer in the shape, found the end"},
		{"open shape, no comma", "{'shape': (1", 13, "expected ',' or ')' in the shape, found the end"},
		{"negative", "{'shape': (2, -1)}", 14, "negative length"},
		{"plus", "{'shape': (+1,)}", 11, "expected a decimal integer"},
		{"NaN", "{'shape': (nan,)}", 11, `expected a decimal integer in the shape, found "nan,)}`},
		{"float", "{'shape': (3.0,)}", 11, "expected a decimal integer"},
		{"exponent", "{'shape': (3e0,)}", 11, "expected a decimal integer"},
		{"hexadecimal", "{'shape': (0x3,)}", 11, "expected a decimal integer"},
		{"underscore", "{'shape': (1_0,)}", 11, "expected a decimal integer"},
		{"LL", "{'shape': (1LL,)}", 11, "expected a decimal integer"},
		{"True", "{'shape': (True,)}", 11, "expected a decimal integer"},
		{"octal", "{'shape': (010,)}", 11, "leading zeros"},
		{"length beyond int", "{'shape': (9223372036854775808,)}", 11, "overflows int"},
		{"endless length", "{'shape': (" + strings.Repeat("9", 1000) + ",)}", 11, "overflows"},
		{"65 axes", "{'shape': (" + strings.Repeat("1,", 65) + ")}", 10, "more than 64 axes"},
		{"nested shape", "{'shape': ((1,),)}", 11, "expected a decimal integer"},
		{"product", dict("<f8", "False", "(1073741824, 1073741824)"), 50, "overflows int64"},
		{"product of elements", u1("(1073741824, 1073741824, 1073741824)"), 50, "overflows int64"},
		{"product of an empty array", u1("(1073741824, 1073741824, 1073741824, 0)"), 50, "overflows int64"},
		{"open list", "{'descr': [('a', '<f4'", 10, "not closed"},
		{"crossed brackets", "{'descr': [('a'])}", 15, "closes no bracket"},
		{"deep brackets", "{'descr': " + strings.Repeat("[", 60000), 10, "not closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := file(1, tt.dict)
			_, err := Read(bytes.NewReader(b), int64(len(b)))
			var fe *FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("got %v", err)
			}
			if fe.Offset != 10+tt.at || !strings.Contains(fe.Msg, tt.msg) || errors.Is(err, ErrUnsupported) {
				t.Errorf("got %v\nwant offset %d: %s", err, 10+tt.at, tt.msg)
			}
			if s := err.Error(); strings.ContainsAny(s, "\n\r\x00") || len(s) > 250 {
				t.Errorf("not one short line: %q", s)
			}
		})
	}
}

func TestPrefixRefused(t *testing.T) {
	good := file(1, dict("|u1", "False", "(1,)"), 5)
	tests := []struct {
		name string
		file string
		at   int64
		msg  string
	}{
		{"a short text", "hi\n", 0, `not an .npy file: it is "hi\n"`},
		{"a zip", "PK\x03\x04aaaaaaaa", 0, `not an .npy file: it begins with "PK\x03\x04aa"`},
		{"version 0", "\x93NUMPY\x00\x00aaaa", 6, "version 0.0 of the format is unknown"},
		{"version 1.1", "\x93NUMPY\x01\x01aaaa", 6, "version 1.1"},
		{"version 4", "\x93NUMPY\x04\x00aaaa", 6, "version 4.0"},
		{"4 GiB header", "\x93NUMPY\x02\x00\xff\xff\xff\xff", 8, "4294967295 bytes is beyond the limit"},
		{"long in version 3", string(file(3, dict("|u1", "False", "(1L,)"), 5)), 63, "expected a decimal integer"},
		{"header claims too much", "\x93NUMPY\x01\x00\xff\xff" + string(good[10:]), int64(len(good)), "truncated"},
		{"header claims too little", "\x93NUMPY\x01\x00\x05\x00" + string(good[10:]), 11, "not closed"},
	}
	for _, tt := range tests {
		for _, size := range []int64{int64(len(tt.file)), -1} {
			_, err := Read(strings.NewReader(tt.file), size)
			var fe *FormatError
			if !errors.As(err, &fe) || fe.Offset != tt.at || !strings.Contains(fe.Msg, tt.msg) {
				t.Errorf("%s: got %v, want offset %d: %s", tt.name, err, tt.at, tt.msg)
			}
		}
	}
}

func TestUnsupported(t *testing.T) {
	const pickles = "pickled objects are not loaded"
	tests := []struct{ descr, msg string }{
		{"'<i3'", `descr "<i3"`},
		{"'<c32'", `descr "<c32"`},
		{"'<U5'", `descr "<U5"`},
		{"'|S3'", `descr "|S3"`},
		{"'<M8[ns]'", `descr "<M8[ns]"`},
		{"'<f16'", `descr "<f16"`},
		{"'|V4'", `descr "|V4"`},
		{"'>V2'", "big-endian bfloat16"},
		{"'float32'", `descr "float32"`},
		{"'<<f4'", `descr "<<f4"`},
		{"'<'", `descr "<"`},
		{"''", `descr ""`},
		{"'|O'", pickles},
		{"'O'", pickles},
		{"'|O8'", pickles},
		{`[('a', '<f4'), ('b]', "<i4", (2,))]`, "structured types are not supported"},
		{`[('a\'', '|O')]`, pickles},
		{`[["x", "O"]]`, pickles},
		{"('<f4', (2,))", "structured"},
		{"{'names': ['a']}", "structured"},
	}
	for _, tt := range tests {
		b := file(1, "{'descr': "+tt.descr+", 'fortran_order': False, 'shape': (1,), }", 0)
		_, err := Read(bytes.NewReader(b), int64(len(b)))
		var fe *FormatError
		if !errors.Is(err, ErrUnsupported) || !errors.As(err, &fe) || fe.Offset != 20 || !strings.Contains(fe.Msg, tt.msg) {
			t.Errorf("%s: got %v, want %s", tt.descr, err, tt.msg)
		}
	}
}

// Every proper prefix of a file is refused with the offset at which it ends.
func TestTruncated(t *testing.T) {
	for major := byte(1); major <= 3; major++ {
		b := file(major, dict("<f4", "False", "(2, 3)"), make([]byte, 24)...)
		for n := range b {
			for _, size := range []int64{int64(n), int64(len(b)), -1} {
				_, err := Read(bytes.NewReader(b[:n]), size)
				var fe *FormatError
				if !errors.As(err, &fe) || fe.Offset != int64(n) || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("version %d, %d of %d bytes, size %d: %v", major, n, len(b), size, err)
				}
			}
		}
	}
}

// allocated runs f several times and gives the fewest bytes that a run allocated: the
// runtime allocates now and then, too.
func allocated(f func()) int64 {
	least := int64(math.MaxInt64)
	for range 5 {
		var m0, m1 runtime.MemStats
		runtime.ReadMemStats(&m0)
		f()
		runtime.ReadMemStats(&m1)
		least = min(least, int64(m1.TotalAlloc-m0.TotalAlloc))
	}
	return least
}

// Claims are refused before their memory is taken.
func TestClaimsAllocateNothing(t *testing.T) {
	for _, shape := range []string{"(1099511627776,)", "(1152921504606846975,)", "(40000000000,)"} {
		b := file(1, dict("<f8", "False", shape), make([]byte, 1000)...)
		for size, most := range map[int64]int64{int64(len(b)): 64 << 10, -1: chunk + 64<<10} {
			var err error
			got := allocated(func() { _, err = Read(bytes.NewReader(b), size) })
			if err == nil || got > most {
				t.Errorf("%s, size %d: allocated %d: %v", shape, size, got, err)
			}
		}
	}
	// So is the header's, where the size is known.
	b := []byte("\x93NUMPY\x02\x00\x00\x00\x01\x00{")
	var err error
	got := allocated(func() { _, err = Read(bytes.NewReader(b), int64(len(b))) })
	if err == nil || !strings.Contains(err.Error(), "the header claims 65536 bytes, 1 remain") || got > 32<<10 {
		t.Errorf("header: allocated %d: %v", got, err)
	}
	// A size that lies, as a sparse file's may, must not panic in make. (With
	// 32-bit lengths it is one that fits.)
	if bits.UintSize == 32 {
		return
	}
	b = file(1, dict("|u1", "False", fmt.Sprintf("(%d,)", math.MaxInt-1000)))
	_, err = Read(bytes.NewReader(b), 1<<63-1)
	if err == nil || !strings.Contains(err.Error(), "do not fit in memory") {
		t.Errorf("8 EiB: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	tests := []struct {
		name string
		a    *Array
		msg  string
	}{
		{"nil", nil, "no array"},
		{"no type", &Array{}, "element type invalid"},
		{"type beyond the last", &Array{Type: 200}, "element type invalid"},
		{"negative", &Array{Type: dtype.U8, Shape: []int{-1, -1}, Data: []byte{1}}, "negative length"},
		{"65 axes", &Array{Type: dtype.U8, Shape: make([]int, 65)}, "65 axes"},
		{"overflow", &Array{Type: dtype.U8, Shape: []int{math.MaxInt, math.MaxInt, math.MaxInt}}, "overflows"},
		{"short data", &Array{Type: dtype.F32, Shape: []int{2}, Data: make([]byte, 7)}, "float32 of shape [2] needs 8 bytes of data, not 7"},
		{"long data", &Array{Type: dtype.F32, Data: make([]byte, 8)}, "needs 4 bytes"},
	}
	for _, tt := range tests {
		var w bytes.Buffer
		err := Write(&w, tt.a)
		if err == nil || !strings.Contains(err.Error(), tt.msg) || w.Len() != 0 {
			t.Errorf("%s: wrote %d bytes: %v", tt.name, w.Len(), err)
		}
		if err := WriteFile(path, tt.a); err == nil {
			t.Errorf("%s: file written", tt.name)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
	noTemps(t, filepath.Dir(path))
}
