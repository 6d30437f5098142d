package jit

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestTwice tests that lanes are computed twice only where no load sees what they stored: rows
// to another array, in place, and in place by two buffers.
func TestTwice(t *testing.T) {
	apart := parse(t, `kernel apart
axis i0 i1
buf x f32 in 2
buf y f32 out 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    %1 = add f32 %0 %0
    store f32 y[i0, i1] %1
  }
}`)
	within := parse(t, `kernel within
axis i0 i1
buf x f32 inout 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    %1 = add f32 %0 %0
    store f32 x[i0, i1] %1
  }
}`)
	const rows, pitch = 5, 140
	rnd := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		k     *ir.Kernel
		bufs  []int // the memory of each
		twice bool
	}{{apart, []int{0, 1}, true}, {apart, []int{0, 0}, false}, {within, []int{0}, false}} {
		for _, n := range []int{15, 16, 17, 31, 64, 65, 100, 127, 129} {
			mem := [2][]float32{make([]float32, rows*pitch+1), make([]float32, rows*pitch+1)}
			for i := range mem[0] {
				mem[0][i] = float32(rnd.IntN(1000))
			}
			want := append([]float32(nil), mem[0]...)
			for _, be := range isas(t) {
				b := &ir.Binding{Extents: []int{rows, n}}
				for _, m := range c.bufs {
					b.Bufs = append(b.Bufs, ir.BufBind{Ptr: unsafe.Pointer(&mem[m][1]), Strides: []int{pitch, 1}, Extents: b.Extents, Memory: 1 + m})
				}
				code, err := be.Compile(c.k)
				if err != nil {
					t.Fatal(err)
				}
				inst, err := code.Bind(b)
				if err != nil {
					t.Fatal(err)
				}
				if got := inst.(*instance).phases[0].Repeats; got != c.twice {
					t.Errorf("%s, memories %v: lanes are computed twice: %v", c.k.Name, c.bufs, got)
				}
				runAll(inst)
				for i := range rows {
					for j := range n {
						if at := 1 + i*pitch + j; mem[c.bufs[len(c.bufs)-1]][at] != 2*want[at] {
							t.Fatalf("%s, %s, memories %v, rows of %d: element %d of row %d is not twice %v", be.Name(), c.k.Name, c.bufs, n, j, i, want[at])
						}
					}
				}
				copy(mem[0], want)
			}
		}
	}
}

// TestAligned tests copies and scaled copies to addresses that are not aligned, with arrays between guard pages: a vector that
// overlaps the next one comes first.
func TestAligned(t *testing.T) {
	for _, c := range []struct {
		typ   string
		size  int
		apply string
	}{{"u8", 1, "%1 = or u8 %0 %0"}, {"u16", 2, "%1 = or u16 %0 %0"}, {"f32", 4, "%1 = add f32 %0 %0"}, {"f64", 8, "%1 = add f64 %0 %0"}} {
		k := parse(t, strings.NewReplacer("TYPE", c.typ, "APPLY", c.apply).Replace(`kernel aligned
axis i0
buf x TYPE in 1
buf y TYPE out 1
{
  vec i0 {
    %0 = load TYPE x[i0]
    APPLY
    store TYPE y[i0] %1
  }
}`))
		for _, n := range []int{64*8 - 1, 64 * 8, 64*16 + 1, 64*32 - 1, 64*64 + 65} {
			for off := 1; off < 64/c.size; off = 2*off + 1 {
				for _, atEnd := range []bool{false, true} {
					checkAligned(t, k, n, off, c.size, atEnd)
				}
			}
		}
	}
}

// checkAligned compares kernel k, from n elements to as many others that begin or end off elements from a guard page, on all targets
// with the interpreter.
func checkAligned(t *testing.T, k *ir.Kernel, n, off, size int, atEnd bool) {
	x, freeX := guarded(t, n*size, atEnd)
	defer freeX()
	y, freeY := guarded(t, (n+off)*size, atEnd)
	defer freeY()
	for i := range x {
		x[i] = byte(i*7 + i>>8)
	}
	at := off * size // after the page
	if atEnd {
		at = 0
	}
	var want []byte
	for _, be := range append([]backend.Backend{interp.New()}, isas(t)...) {
		for i := range y {
			y[i] = 0xa5
		}
		code, err := be.Compile(k)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := code.Bind(&ir.Binding{Extents: []int{n}, Bufs: []ir.BufBind{
			{Ptr: unsafe.Pointer(&x[0]), Strides: []int{1}, Extents: []int{n}, Memory: 1},
			{Ptr: unsafe.Pointer(&y[at]), Strides: []int{1}, Extents: []int{n}, Memory: 2},
		}})
		if err != nil {
			t.Fatal(err)
		}
		runAll(inst)
		if want == nil {
			want = bytes.Clone(y)
		} else if !bytes.Equal(y, want) {
			t.Fatalf("%s, %s: %d elements of %d bytes from %d on differ from the interpreter", be.Name(), k.Name, n, size, off)
		}
	}
}

// TestBytes tests copies of rows that one instruction moves: of as many bytes as that takes, and of one element more and less, where the
// arrays do not fit into the first level. The instruction does not copy predicates, whose bytes become 0 or 1, nor what other stores change.
func TestBytes(t *testing.T) {
	m := defaultsWith(cpucache.Sizes{L1: 1 << 10, L2: 1 << 20, L3: 32 << 20})
	m.Copies = true
	defer useModel(m)()
	for _, c := range []struct {
		typ   string
		size  int
		moves bool
	}{{"u8", 1, true}, {"bool", 1, false}, {"u16", 2, true}, {"i32", 4, true}, {"f64", 8, true}} {
		k := parse(t, strings.ReplaceAll(`kernel bytes
axis i0
buf x TYPE in 1
buf y TYPE out 1
{
  vec i0 {
    %0 = load TYPE x[i0]
    store TYPE y[i0] %0
  }
}`, "TYPE", c.typ))
		least := 2048 / c.size
		for _, n := range []int{least - 1, least, least + 1, 2*least + 77} {
			for _, atEnd := range []bool{false, true} {
				checkAligned(t, k, n, 3, c.size, atEnd)
			}
		}
		x := make([]byte, 8192*c.size)
		for _, be := range isas(t) {
			for _, off := range []int{0, 1, 4096} {
				code, err := be.Compile(k)
				if err != nil {
					t.Fatal(err)
				}
				inst, err := code.Bind(&ir.Binding{Extents: []int{4096}, Bufs: []ir.BufBind{
					{Ptr: unsafe.Pointer(&x[off*c.size]), Strides: []int{1}, Extents: []int{4096}, Memory: 1},
					{Ptr: unsafe.Pointer(&x[0]), Strides: []int{1}, Extents: []int{4096}, Memory: 1},
				}})
				if err != nil {
					t.Fatal(err)
				}
				if bp := inst.(*instance).phases[0]; bp.Bytes != (off == 4096 && c.moves) {
					t.Errorf("%s, %s from %d elements on: moves bytes: %v", be.Name(), c.typ, off, bp.Bytes)
				}
			}
		}
	}
}

// TestBytesOfRows copies rows that are apart, some of which one instruction moves.
func TestBytesOfRows(t *testing.T) {
	m := defaultsWith(cpucache.Sizes{L1: 1 << 10, L2: 1 << 20, L3: 32 << 20})
	m.Copies = true
	defer useModel(m)()
	k := parse(t, `kernel rows
axis i0 i1
buf x f32 in 2
buf y f32 out 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    store f32 y[i0, i1] %0
  }
}`)
	const rows, pitch = 7, 1111
	for _, n := range []int{511, 512, 513, 1110} {
		x := make([]float32, rows*pitch)
		for i := range x {
			x[i] = float32(i)
		}
		for _, be := range isas(t) {
			y := make([]float32, rows*pitch)
			code, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			b := &ir.Binding{Extents: []int{rows, n}}
			for i, a := range [][]float32{x, y} {
				b.Bufs = append(b.Bufs, ir.BufBind{Ptr: unsafe.Pointer(&a[0]), Strides: []int{pitch, 1}, Extents: b.Extents, Memory: 1 + i})
			}
			inst, err := code.Bind(b)
			if err != nil {
				t.Fatal(err)
			}
			runAll(inst)
			for i, v := range y {
				if want := x[i]; i%pitch >= n && v != 0 || i%pitch < n && v != want {
					t.Fatalf("%s, rows of %d: element %d is %v", be.Name(), n, i, v)
				}
			}
		}
	}
}
