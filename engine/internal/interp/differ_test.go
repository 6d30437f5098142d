package interp_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// A setup is a kernel with random data in arrays of random layout.
type setup struct {
	k     *ir.Kernel
	b     *ir.Binding
	arrs  []*array
	base  []int
	total []int // number of elements of each array
}

// newSetup returns a setup with arrays of the given extents. If plain, the arrays
// are contiguous.
func newSetup(r *rand.Rand, k *ir.Kernel, extents, params []int, shapes [][]int, plain bool) *setup {
	s := &setup{k: k, b: &ir.Binding{Extents: extents, Params: params}}
	for _, t := range k.Scalars {
		s.b.Scalars = append(s.b.Scalars, tame(r, t))
	}
	for i, d := range k.Bufs {
		if d.Mode == ir.Row {
			s.arrs, s.base, s.total = append(s.arrs, nil), append(s.base, 0), append(s.total, 0)
			s.b.Bufs = append(s.b.Bufs, ir.BufBind{})
			continue
		}
		strides, lo, total := randir.Layout(r, &d, shapes[i], plain)
		a := newArray(d.Type, total)
		for j := range total {
			a.set(j, memoryBits(r, d.Type))
		}
		s.arrs, s.base, s.total = append(s.arrs, a), append(s.base, -lo), append(s.total, total)
		s.b.Bufs = append(s.b.Bufs, ir.BufBind{Ptr: unsafe.Add(a.ptr(), -lo*d.Type.Size()), Strides: strides, Extents: shapes[i]})
	}
	return s
}

// tame returns the bits of a random scalar. A float is small, so that many results
// stay finite.
func tame(r *rand.Rand, t dtype.Type) uint64 {
	if t.IsFloat() {
		return fromF(t, r.NormFloat64())
	}
	return randomBits(r, t)
}

func memoryBits(r *rand.Rand, t dtype.Type) uint64 {
	switch {
	case t == dtype.Bool:
		return []uint64{0, 0, 1, 2, 255}[r.IntN(5)]
	case t.IsHalf():
		if r.IntN(20) == 0 {
			return uint64(r.Uint32() & 0xffff)
		}
		return toMemory(t, tame(r, dtype.F32))
	case t.IsFloat() && r.IntN(50) != 0:
		return tame(r, t)
	}
	return randomBits(r, t)
}

func (s *setup) snapshot() (out [][]uint64) {
	for _, a := range s.arrs {
		if a == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, slices.Clone(a.mem))
	}
	return out
}

func (s *setup) restore(snap [][]uint64) {
	for i, a := range s.arrs {
		if a != nil {
			copy(a.mem, snap[i])
		}
	}
}

// differ runs a kernel with one worker and in random chunks, and compares the
// results with the reference.
func differ(t *testing.T, r *rand.Rand, s *setup) {
	t.Helper()
	before := s.snapshot()
	ref := newReference(s.k, s.b, s.arrs, s.base)
	ref.region(0)
	want := s.snapshot()
	code, err := interp.New().Compile(s.k)
	if err != nil {
		t.Fatalf("%v\n%v", err, s.k)
	}
	inst, err := code.Bind(s.b)
	if err != nil {
		t.Fatalf("%v\n%v", err, s.k)
	}
	for try := range 3 {
		s.restore(before)
		var fault ir.FaultKind
		if try == 0 {
			fault = runAll(inst)
		} else {
			fault = runChunks(r, inst, 1+r.IntN(8))
		}
		if fault != ref.fault {
			t.Fatalf("fault %v, want %v\n%v", fault, ref.fault, s.k)
		}
		for i, a := range s.arrs {
			if a == nil || slices.Equal(a.mem, want[i]) { // else NaNs may differ
				continue
			}
			w := &array{a.t, want[i]}
			for j := range s.total[i] {
				got, want := fromMemory(a.t, a.get(j)), fromMemory(a.t, w.get(j))
				if !sameBits(a.t.Register(), got, want) {
					t.Fatalf("try %d: %s[%d] = %#x, want %#x\nextents %v strides %v params %v\n%v", try, s.k.Bufs[i].Name, j, got, want,
						s.b.Extents, s.b.Bufs[i].Strides, s.b.Params, s.k)
				}
			}
		}
	}
}

// TestTexts runs every text of package ir against the reference.
func TestTexts(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/ir/*.ir")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ir")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			k := parse(t, string(text))
			c, ok := randir.Texts[name]
			if !ok {
				t.Fatal("no way to bind it here")
			}
			r := rand.New(rand.NewPCG(3, 4))
			for i := range testlevel.Every(40, 5) {
				e, p, shapes := c(r)
				if k.Params == 0 {
					p = nil
				}
				s := newSetup(r, k, e, p, shapes, i%2 == 0)
				differ(t, r, s)
			}
		})
	}
}

func TestReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i, c := range randir.Reductions(dtype.Real()...) {
		for j, n := range []int{0, 1, 2, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 193, 320, 511, 512, 513, 4095, 4096, 4097, 10000, 40000} {
			if n == 0 && c.Extreme() {
				continue // the engine returns an error before it runs the kernel
			}
			if (i+j)%testlevel.Every(1, 11) != 0 {
				continue
			}
			if n > 10000 && (!c.Alone() || !c.Long()) || !c.Row.Native() && n > 200 && n != 4097 {
				continue
			}
			axes, arrays := c.Extents(3, n)
			differ(t, r, newSetup(r, c.Kernel, axes, nil, arrays, true))
		}
	}
}

// TestExtremes reduces NaN, zeros and infinities, which random data rarely
// combines.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range randir.Reductions(dtype.F32, dtype.F64) {
		if !c.Extreme() {
			continue
		}
		for range testlevel.Every(60, 10) {
			n := 1 + r.IntN(9)
			if r.IntN(4) == 0 {
				n = 4090 + r.IntN(12)
			}
			axes, arrays := c.Extents(3, n)
			s := newSetup(r, c.Kernel, axes, nil, arrays, true)
			pick := []float64{0, negZero, nan, 1, -1, inf, -inf}[r.IntN(3):]
			pick = pick[:1+r.IntN(len(pick))]
			for i := range n {
				s.arrs[0].set(i, fromF(c.Type, pick[r.IntN(len(pick))]))
			}
			differ(t, r, s)
			if n > 4096 { // put the extreme in the first element of a block
				for i := range n {
					s.arrs[0].set(i, 0)
				}
				s.arrs[0].set(4096, fromF(c.Type, map[prim.Op]float64{prim.Min: -5, prim.Max: 5}[c.Row.Op()]))
				differ(t, r, s)
			}
		}
	}
}
