package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// again computes a product by whole runs of one worker: first, with the same binding, by the calls that repeat it, and then all of
// these with another result. It reports whether calls repeat runs.
func (s *sample[T]) again(t *testing.T, isa string) (repeats bool) {
	t.Helper()
	bind := &ir.Binding{Bufs: make([]ir.BufBind, 3)}
	d := New(isa, s.p, bind, 1)
	w := d.NewWorker().(*worker) // before it has addresses
	if w.own != nil {
		t.Errorf("%s: a worker has memory of its own before it repeats runs", isa)
	}
	calls, _, _ := w.Again()
	for range 2 {
		c := make([]T, len(s.want)+2)
		bind.Bufs[0].Ptr, bind.Bufs[1].Ptr, bind.Bufs[2].Ptr = unsafe.Pointer(&s.a[s.first[0]]), unsafe.Pointer(&s.b[s.first[1]]), unsafe.Pointer(&c[1])
		for run := range 4 {
			clear(c)
			c[0], c[len(c)-1] = 77, 77
			if run < 3 {
				w.RunAll(run > 0)
			} else if _, _, repeats = w.Again(); repeats {
				for x := calls; x != nil; x = x.Next {
					exec.Put(x.Words)
					x.Call()
				}
			} else {
				break
			}
			if c[0] != 77 || c[len(c)-1] != 77 {
				t.Fatalf("%s: %+v, run %d stores beside the result", isa, s.p, run)
			}
			for i, x := range c[1 : len(c)-1] {
				if !same(x, s.want[i]) {
					t.Fatalf("%s: %+v, run %d, element %d: %v, want %v", isa, s.p, run, i, x, s.want[i])
				}
			}
		}
	}
	return repeats
}

// TestRepeats tests which products the calls of kernels repeat: those of one tile, whose results kernels store, and of which at most a small B
// is packed.
func TestRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	rows, columns := layouts[0], layouts[1]
	for _, c := range []struct {
		m, n, k, batch int
		la, lb         layout
		want           bool
	}{
		{4, 4, 4, 1, rows, rows, true},
		{16, 16, 16, 1, columns, rows, true},
		{64, 64, 2, 1, rows, rows, true}, // several tiles in a call
		{13, 17, 300, 1, rows, rows, true},
		{50, 60, 20, 8, rows, rows, true}, // no more than four calls each
		{3, 17, 20, 1, rows, columns, true},
		{8, 8, 8, 5, rows, rows, true},
		{8, 8, 8, mostCalls + 1, rows, rows, false},
		{1, 1, 10, 1, rows, rows, true},
		{20, 1, 20, 1, rows, rows, true},
		{20, 1, 100, 1, columns, rows, true},
		{1, 30, 70, 3, rows, rows, true},
		{20, 1, 1, 1, columns, layouts[3], true}, // steps between terms are of no account
		{1, 20, 1, 3, layouts[3], columns, true},
		{1, 1, 1, 1, layouts[3], layouts[3], true},
		{20, 20, 20, 1, rows, columns, true}, // B is packed
		{20, 33, 3, 2, columns, columns, true},
		{20, 20, 20, 1, rows, layouts[3], true},
		{20, 20, 20, 1, rows, layouts[6], false}, // without a kernel
		{20, 20, 20, 1, layouts[3], rows, false}, // A is packed
		{70, 4, 70, 1, rows, rows, true},         // computed as rows
		{90, 3, 100, 2, columns, rows, true},
		{60, 20, 100, 1, rows, rows, true}, // the last columns are
		{200, 61, 70, 1, rows, rows, true}, // many tiles and strips
		{150, 90, 33, 2, columns, rows, true},
		{20, 1000, 20, 1, rows, columns, false},
		{9000, 1, 20, 1, columns, rows, false},
	} {
		for _, isa := range isas() {
			f := newSample(r, dtype.F32, c.m, c.n, c.k, c.batch, c.la, c.lb, r.Float32, scalar.Fma32)
			if got := f.again(t, isa); got != (c.want && isa != "interp") {
				t.Errorf("%s: %d of %dx%dx%d, %s, %s: %v", isa, c.batch, c.m, c.n, c.k, c.la.name, c.lb.name, got)
			}
		}
	}
}

// TestRepeatedMirrors tests that a product of a matrix and its own transpose, which kernels compute by half, is not repeated by calls.
func TestRepeatedMirrors(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, isa := range isas() {
		s := newSample(r, dtype.F64, 48, 48, 70, 1, layouts[0], layouts[1], r.NormFloat64, fma64)
		other := slices.Clone(s.b)
		copy(s.b, s.a) // the same elements at another address
		s.define(fma64)
		if s.again(t, isa) != (isa != "interp") {
			t.Errorf("%s: no calls", isa)
		}
		if s.b = s.a; s.again(t, isa) {
			t.Errorf("%s: the calls do not copy results", isa)
		}
		s.b = other
		s.define(fma64)
		s.again(t, isa)
	}
}

// TestRandomRepeats runs products of random extents, layouts and types again.
func TestRandomRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range testlevel.Every(5000, 300) {
		m, n, k, la, lb := extent(r), extent(r), extent(r), layouts[r.IntN(len(layouts))], layouts[r.IntN(len(layouts))]
		if r.IntN(4) == 0 {
			n = 1
		}
		if m*n*k > 100_000 {
			continue
		}
		for _, isa := range isas() {
			if r.IntN(2) == 0 {
				newSample(r, dtype.F32, m, n, k, 1+r.IntN(3), la, lb, r.Float32, scalar.Fma32).again(t, isa)
			} else {
				newSample(r, dtype.F64, m, n, k, 1+r.IntN(3), la, lb, r.NormFloat64, fma64).again(t, isa)
			}
		}
	}
}
