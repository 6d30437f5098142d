package gemm

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/plan/ir"
)

// halves returns the bytes of float32 values that are halves.
func halves(half dtype.Type, x []float32) (out []byte) {
	for _, v := range x {
		if half == dtype.F16 {
			out = binary.LittleEndian.AppendUint16(out, dtype.F16Bits(v))
		} else {
			out = binary.LittleEndian.AppendUint16(out, dtype.BF16Bits(v))
		}
	}
	return out
}

// checkHalves compares the product of a sample, with A or B or both as halves, with that
// of float32. The operands lie beside pages that must not be touched.
func checkHalves(t *testing.T, s *sample[float32], half dtype.Type, which int, copied func(b []byte) []byte) {
	t.Helper()
	p, bufs := s.p, make([]ir.BufBind, 3)
	c := make([]float32, len(s.want)+1)
	bufs[0].Ptr, bufs[1].Ptr, bufs[2].Ptr = unsafe.Pointer(&s.a[s.first[0]]), unsafe.Pointer(&s.b[s.first[1]]), unsafe.Pointer(&c[0])
	if which&1 != 0 {
		p.HalfA = half
		bufs[0].Ptr = unsafe.Pointer(&copied(halves(half, s.a))[2*s.first[0]])
	}
	if which&2 != 0 {
		p.HalfB = half
		bufs[1].Ptr = unsafe.Pointer(&copied(halves(half, s.b))[2*s.first[1]])
	}
	for _, isa := range isas() {
		clear(c)
		d := New(isa, p, &ir.Binding{Bufs: bufs}, 2)
		w := d.NewWorker()
		n, _, _ := d.Units()
		d.Begin()
		w.Run(0, n)
		d.Finish(w)
		for i, x := range s.want {
			if !same(c[i], x) {
				t.Fatalf("%s, %v, %d: %+v, element %d: %v, want %v", isa, half, which, p, i, c[i], x)
			}
		}
		if c[len(s.want)] != 0 {
			t.Fatalf("%s: %+v: stored behind the result", isa, p)
		}
	}
}

// TestHalves tests products of halves in all layouts.
func TestHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, half := range []dtype.Type{dtype.F16, dtype.BF16} {
		value := func() float32 {
			if half == dtype.F16 {
				return dtype.F16Value(uint16(r.Uint32())) // infinities, NaNs and subnormals too
			}
			return dtype.BF16Value(uint16(r.Uint32()))
		}
		for la := range layouts {
			for lb := range layouts {
				d := [][3]int{{1 + r.IntN(40), 1 + r.IntN(70), r.IntN(60)}, {1 + r.IntN(40), 1, 1 + r.IntN(300)}, {1, 1 + r.IntN(300), 1 + r.IntN(50)}}[r.IntN(3)]
				s := newSample(r, dtype.F32, d[0], d[1], d[2], 1, layouts[la], layouts[lb], value, scalar.Fma32)
				s.a, s.b = s.a[:len(s.a)-8], s.b[:len(s.b)-8]
				s.b = s.b[:len(s.b)/2]
				if d[2] == 0 {
					continue // there is nothing to point to
				}
				checkHalves(t, s, half, 1+r.IntN(3), func(b []byte) []byte { return guarded(t, b, r.IntN(2) == 0) })
			}
		}
		s := newSample(r, dtype.F32, 31, 150, Block+9, 1, far, far, value, scalar.Fma32)
		s.a, s.b = s.a[:len(s.a)-8], s.b[:len(s.b)/2-4]
		checkHalves(t, s, half, 1+r.IntN(3), func(b []byte) []byte { return guarded(t, b, r.IntN(2) == 0) })
		for _, d := range [][3]int{{20, 30, 2*Block + 3}, {70, 65, 66}, {2, 1, Section + 300}, {1, 1, 2 * 16 * Block}} {
			s := newSample(r, dtype.F32, d[0], d[1], d[2], 2, layouts[r.IntN(3)], layouts[r.IntN(3)], value, scalar.Fma32)
			checkHalves(t, s, half, 1+r.IntN(3), func(b []byte) []byte { return b })
		}
	}
}
