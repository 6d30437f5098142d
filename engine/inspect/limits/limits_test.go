package limits

import (
	"bytes"
	"testing"
	"time"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
)

var traffics = []Traffic{
	Read, Copy, Triad, Update,
	{Reads: 1, Writes: 1, Stream: true},
	{Reads: 6, Writes: 1},
	{Reads: 1, Updates: 3},
	{Updates: 1},
	{Reads: 3, Updates: 2, Writes: 4, Stream: true},
}

// TestPass checks that the probes read and write what their Traffic names, and
// change no other memory.
func TestPass(t *testing.T) {
	c := newCode()
	defer c.release()
	for _, tr := range traffics {
		for _, n := range []int{unit, 3 * unit, block + 5*unit} {
			checkPass(t, "Go", nil, tr, n)
			if c != nil {
				for _, probe := range c.memory(tr, inner) {
					checkPass(t, c.isa, probe, tr, n)
				}
			}
		}
	}
}

func checkPass(t *testing.T, name string, probe *exec.Code, tr Traffic, n int) {
	t.Helper()
	const guard = 64
	mem, free, err := reserve((n + guard) * tr.Arrays())
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	for i := range mem {
		mem[i] = byte(i*7 + i>>8)
	}
	var a args
	arrays := make([][]byte, tr.Arrays())
	for k := range arrays {
		arrays[k] = mem[k*(n+guard):][:n]
		a.array[k] = unsafe.Pointer(&arrays[k][0])
	}
	want := bytes.Clone(mem)
	view := func(k int) []byte { return want[k*(n+guard):][:n] }
	for i := range n {
		all := byte(0xff)
		for k := range tr.Reads {
			all &= view(k)[i]
		}
		for k := tr.Reads; k < tr.Reads+tr.Updates; k++ {
			view(k)[i] &= all
		}
		if tr.Reads > 0 { // without reads the written value is not defined
			for k := tr.Reads + tr.Updates; k < tr.Arrays(); k++ {
				view(k)[i] = all
			}
		}
	}
	pass(probe, tr, a, n, 2)
	if !bytes.Equal(mem, want) {
		t.Errorf("%s: %+v of %d bytes: wrong memory", name, tr, n)
	}
}

// TestRates tests that rates are plausible, also of a process that is held up for seconds.
func TestRates(t *testing.T) {
	m, err := New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.Budget = time.Millisecond
	for _, threads := range []int{1, 2} {
		for _, tr := range append(traffics, Traffic{}, Traffic{Reads: 20, Updates: 3}) {
			for _, size := range []int{0, 1 << 14, 1 << 30} {
				if r := m.Bandwidth(tr, size, threads); !(r > 1e3) || r > 1e18 {
					t.Errorf("%+v of %d bytes with %d threads: %v bytes/s", tr, size, threads, r)
				}
			}
		}
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			if r := m.Flops(typ, threads); !(r > 1e3) || r > 1e18 {
				t.Errorf("%v with %d threads: %v flops/s", typ, threads, r)
			}
		}
	}
}
