package gemm

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// A portable is the definition of the product, and the engine where there is no
// machine code.
type portable[T number] struct {
	p *Problem
	// axpy sets y[j] to the fused a*x[j*step] + y[j].
	axpy func(y []T, a T, x *T, step int)
}

// strip is the number of columns that portable sums at a time.
const strip = 256

func (e *portable[T]) grain(p *Problem, _ int) (rows, cols int, cost float64) {
	return 32, strip, 1.5
}

func (e *portable[T]) packs() bool { return true }

func (e *portable[T]) compute(t *tile, s *scratch, stop func() bool) {
	block, lanes := e.p.block()
	sums := unsafe.Slice((*T)(s.ofA()), lanes*strip)
	size := int(unsafe.Sizeof(sums[0]))
	sizeA, sizeB := e.p.sizes()
	a, b := e.p.A.times(sizeA), e.p.B.times(sizeB)
	stepB, left := e.p.B.Col, e.p.GridA.placement(t.a, a.Col, a.Row, t.term, t.row)
	var one float32
	for j := 0; j < t.n; j += strip {
		y := sums[:min(strip, t.n-j)]
		for k := 0; k == 0 || k < t.k; k += block {
			rowK := unsafe.Add(t.b, k*b.Row+j*b.Col)
			b := b
			if e.p.HalfB != dtype.Invalid {
				rowK, b.Row, stepB = wideRows(e.p.HalfB, s.ofB(strip*block*4), rowK, min(block, t.k-k), len(y), b), len(y)*size, 1
			}
			if g := e.p.GridB; g != nil {
				rowK, b.Row, stepB = g.rows(s.ofB(strip*block*size), t, k, j, len(y), size), len(y)*size, 1
			}
			for i := range t.m {
				if stop() {
					return
				}
				clear(sums[:lanes*strip])
				for l := k; l < min(k+block, t.k); l++ {
					at := unsafe.Add(t.a, left.place(i, l))
					if e.p.HalfA != dtype.Invalid {
						widen(e.p.HalfA, unsafe.Pointer(&one), at, 1, 0)
						at = unsafe.Pointer(&one)
					}
					e.axpy(sums[l%lanes*strip:][:len(y)], *(*T)(at), (*T)(unsafe.Add(rowK, (l-k)*b.Row)), stepB)
				}
				for h := lanes / 2; h > 0; h /= 2 {
					for l := range h {
						addTo[T](unsafe.Pointer(&sums[l*strip]), unsafe.Pointer(&sums[(l+h)*strip]), len(y))
					}
				}
				c := unsafe.Slice((*T)(unsafe.Add(t.c, i*t.ldc+j*size)), len(y))
				if k == 0 {
					copy(c, y)
					continue
				}
				for n := range c {
					c[n] += y[n]
				}
			}
		}
	}
	if t.save != keep {
		combine[T, T](t, size)
	}
}

// wideRows converts rows of n halves, and returns their place.
func wideRows(half dtype.Type, to, from unsafe.Pointer, rows, n int, b Matrix) unsafe.Pointer {
	for l := range rows {
		widen(half, unsafe.Add(to, l*n*4), unsafe.Add(from, l*b.Row), n, b.Col)
	}
	return to
}

// element is x[i*step].
func element[T number](x *T, i, step int) T {
	return *(*T)(unsafe.Add(unsafe.Pointer(x), i*step*int(unsafe.Sizeof(*x))))
}

func axpyF32(y []float32, a float32, x *float32, step int) {
	f := float64(a)
	for j := range y {
		v := element(x, j, step)
		s := f*float64(v) + float64(y[j]) // the product is exact, so a fusion changes nothing
		if u := math.Float64bits(s); u&0x1fffffff == 0x10000000 || u<<1-1 < 897<<53-1 {
			y[j] = scalar.Fma32(a, v, y[j])
			continue
		}
		y[j] = float32(s)
	}
}

func axpyF64(y []float64, a float64, x *float64, step int) {
	for j := range y {
		y[j] = math.FMA(a, element(x, j, step), y[j])
	}
}

func axpyInt[T dtype.Unsigned](y []T, a T, x *T, step int) {
	if step == 1 {
		for j, v := range unsafe.Slice(x, len(y)) {
			y[j] += a * v
		}
		return
	}
	for j := range y {
		y[j] += a * element(x, j, step)
	}
}

// A number is an element type: signed integers are multiplied as unsigned ones.
type number interface {
	float32 | float64 | dtype.Unsigned
}
