//go:build darwin || linux

package engine_test

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
)

// TestLoadMapped maps a sparse file that few machines could read.
func TestLoadMapped(t *testing.T) {
	n := 1 << 26 // elements
	if strconv.IntSize == 64 {
		n <<= 14 // 4 TiB
	}
	path := filepath.Join(t.TempDir(), "large.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npy.WriteHeader(f, dtype.F32, []int{n / 1024, 1024}); err != nil {
		t.Fatal(err)
	}
	at, err := f.Seek(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	last := binary.LittleEndian.AppendUint32(nil, math.Float32bits(2.5))
	if _, err := f.WriteAt(last, at+4*int64(n-1)); err != nil {
		t.Skip("no large files: ", err)
	}
	x, unmap, err := engine.LoadMapped[float32](path)
	if err != nil {
		t.Skip("no address space: ", err)
	}
	rows := x.Slice(n/1024-3, n/1024)
	if s, err := engine.Item(op.Sum(rows)); s != 2.5 || err != nil {
		t.Errorf("the sum of the last rows is %v, %v", s, err)
	}
	if err := rows.Assign(op.AddScalar(rows, 1)); err != nil || x.At(n/1024-1, 1023) != 3.5 {
		t.Errorf("%v, the last element is %v", err, x.At(n/1024-1, 1023))
	}
	if _, err := f.ReadAt(last, at+4*int64(n-1)); err != nil || math.Float32frombits(binary.LittleEndian.Uint32(last)) != 2.5 {
		t.Errorf("the file has %v, %v", last, err)
	}
	if err := unmap(); err != nil || rows.At(2, 1023) != 0 {
		t.Errorf("unmapped: %v, the last element of a view is %v", err, rows.At(2, 1023))
	}
	if _, err := engine.Item(op.Sum(x)); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "is not mapped any more (file_mapped_test.go:") {
		t.Errorf("the sum after unmap: %v", err)
	}
	if _, _, err := engine.LoadMapped[float64](path); !errors.Is(err, expr.ErrType) {
		t.Errorf("float32 as float64: %v", err)
	}
}
