package npy

import (
	"bytes"
	"errors"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// FuzzRead holds that no input panics, that nothing is allocated for data that
// are not there, that every error is one line with an offset in the input, and
// that what was read is read again after Write.
func FuzzRead(f *testing.F) {
	for _, typ := range dtype.All() {
		var w bytes.Buffer
		if err := Write(&w, sample(typ, typ.IsFloat(), 2, 3)); err != nil {
			f.Fatal(err)
		}
		f.Add(w.Bytes())
	}
	f.Add(file(1, dict(">f4", "True", "(1, 2)"), 1, 2, 3, 4, 5, 6, 7, 8))
	f.Add(file(2, dict("|b1", "False", "(3L,)"), 0, 1, 2))
	f.Add(file(3, dict("bfloat16", "False", "()"), 0, 1))
	f.Add(file(1, dict("<f8", "False", "(1099511627776,)"), 0, 1))
	f.Add(file(1, dict("<f8", "False", "(0, 4294967296, 4294967296)")))
	f.Add(file(1, dict("|O", "False", "(1,)"), 0x80, 4))
	f.Add(file(1, "{'descr': [('a', '<f4', (2,)), ('b\\'', '|O')], 'fortran_order': False, 'shape': (1,)}"))
	f.Add(file(1, "{'descr': '<f4', 'descr': \"<f4\", 'shape': (3), 'fortran_order': nan}"))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\x00\x00{"))

	heap := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	f.Fuzz(func(t *testing.T, b []byte) {
		size := int64(len(b))
		var a *Array
		var err error
		most, took := 4*uint64(size)+64<<10, uint64(0) // the slack is for errors
		for range 10 {
			metrics.Read(heap)
			before := heap[0].Value.Uint64()
			a, err = Read(bytes.NewReader(b), size)
			metrics.Read(heap)
			if took = heap[0].Value.Uint64() - before; took <= most {
				break
			}
			// The counter is the whole process's and the fuzzer allocates
			// meanwhile; what Read takes it takes every time.
		}
		if took > most {
			t.Fatalf("allocated %d bytes for an input of %d", took, size)
		}
		stream, serr := Read(bytes.NewReader(b), -1)
		if (err == nil) != (serr == nil) || err == nil && !same(a, stream) {
			t.Fatalf("with the size: %v; without: %v", err, serr)
		}
		if err != nil {
			var fe *FormatError
			if !errors.As(err, &fe) || fe.Offset < 0 || fe.Offset > size || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		if int64(len(a.Data)) > size || cap(a.Data) != len(a.Data) {
			t.Fatalf("%d bytes of data (capacity %d) from an input of %d", len(a.Data), cap(a.Data), size)
		}
		var w bytes.Buffer
		if err := Write(&w, a); err != nil {
			t.Fatalf("Write: %v", err)
		}
		again, err := Read(&w, int64(w.Len()))
		if err != nil || !same(a, again) {
			t.Fatalf("read %+v, then %+v %v", a, again, err)
		}
	})
}
