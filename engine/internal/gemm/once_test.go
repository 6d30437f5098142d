package gemm

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestMultiplyAgain tests that calls find what an earlier call prepared for the same problem, and only for that: problems of
// one size differ in strides, savers and instruction sets.
func TestMultiplyAgain(t *testing.T) {
	const n = 6
	var a, b, want [n * n]float64
	for i := range a {
		a[i], b[i] = float64(i%5), float64(i%7-3)
	}
	at := func(m Matrix, i, j int) int { return i*m.Row + j*m.Col }
	for range 2 {
		for _, isa := range isas() {
			for bits := range 16 {
				byRow, byCol := Matrix{n, 1}, Matrix{1, n}
				p := Single{ISA: isa, Type: dtype.F64, M: n, N: n, K: n, A: byRow, B: byRow, C: byRow, Save: Set, Threads: 1}
				if bits&1 != 0 {
					p.A = byCol
				}
				if bits&2 != 0 {
					p.B = byCol
				}
				if bits&4 != 0 {
					p.Save = Add
				}
				if p.Scaled = bits&8 != 0; p.Scaled {
					p.C = byCol
				}
				c := want
				for i := range n {
					for j := range n {
						sum := 0.
						for k := range n {
							sum += a[at(p.A, i, k)] * b[at(p.B, k, j)]
						}
						if p.Scaled {
							sum *= 2
						}
						if p.Save == Add {
							sum += want[at(p.C, i, j)]
						}
						c[at(p.C, i, j)] = sum
					}
				}
				got, two, one := want, fromFloat(2), fromFloat(1)
				Multiply(p, [3]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&got)}, [2]uint64{two, one})
				if got != c {
					t.Fatalf("%+v: %v, want %v", p, got, c)
				}
				want = c
			}
			for i := range want { // small integers, whose sums are exact
				want[i] = float64(i % 3)
			}
		}
	}
	p := Single{ISA: isas()[len(isas())-1], Type: dtype.F64, M: n, N: n, K: n, A: Matrix{n, 1}, B: Matrix{n, 1}, C: Matrix{n, 1}, Threads: 1}
	if allocated := testlevel.Allocs(5, func() { // the collector may empty the pools
		Multiply(p, [3]unsafe.Pointer{unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&want)}, [2]uint64{})
	}); math.Round(allocated) != 0 {
		t.Errorf("a call allocates %v times", allocated)
	}
}

// TestMultiplyShared tests that calls which share a problem with helpers give the bits of one thread, and that calls with the
// same problem allocate nothing.
func TestMultiplyShared(t *testing.T) {
	const n = 200
	x, want, got := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range x {
		x[i] = 1 / float64(i+1)
	}
	for _, isa := range isas() {
		p := Single{ISA: isa, Type: dtype.F64, M: n, N: n, K: n, A: Matrix{n, 1}, B: Matrix{1, n}, C: Matrix{n, 1}}
		multiply := func(threads int, c []float64) {
			p.Threads = threads
			Multiply(p, [3]unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&c[0])}, [2]uint64{})
		}
		multiply(1, want)
		for range 20 {
			clear(got)
			if multiply(3, got); !slices.Equal(got, want) {
				t.Fatalf("%s: three threads give other bits", isa)
			}
		}
		if allocated := testlevel.Allocs(5, func() { multiply(3, got) }); math.Round(allocated) != 0 {
			t.Errorf("%s: a call allocates %v times", isa, allocated)
		}
	}
}

// TestMultiplyEdges tests calls whose last columns are computed as rows, between others of the same sizes.
func TestMultiplyEdges(t *testing.T) {
	const m, n, k = 70, 20, 64
	x := make([]float64, k*(m+n))
	for i := range x {
		x[i] = 1 / float64(i+1)
	}
	want := make([]float64, m*n)
	for round := range 3 {
		for i, isa := range isas() {
			for threads := 1; threads <= 3; threads += 2 {
				got := make([]float64, m*n)
				for cols := n; cols >= n-round; cols-- { // with fewer columns there is none
					p := Single{ISA: isa, Type: dtype.F64, M: m, N: cols, K: k, A: Matrix{k, 1}, B: Matrix{n, 1}, C: Matrix{n, 1}, Threads: threads}
					Multiply(p, [3]unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&x[m*k]), unsafe.Pointer(&got[0])}, [2]uint64{})
				}
				if round+i == 0 {
					copy(want, got)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %d threads, round %d: the bits differ", isa, threads, round)
				}
			}
		}
	}
}

func fromFloat(x float64) uint64 { return *(*uint64)(unsafe.Pointer(&x)) }
