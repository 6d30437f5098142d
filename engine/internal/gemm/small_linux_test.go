package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/plan/ir"
)

// testSmall tests stacks of small products with a B that is stored by columns, of which some follow each other with the
// same B. Operands lie beside pages that must not be touched.
func testSmall[T number](t *testing.T, typ dtype.Type, size [3]int, value func() T, fma func(x, y, z T) T) {
	m, n, k := size[0], size[1], size[2]
	r := rand.New(rand.NewPCG(uint64(m), uint64(k)))
	s := newOperands(r, typ, m, n, k, 7, layouts[r.IntN(3)], layouts[1+r.IntN(2)*2], value)
	s.p.OffB = []int{0, n * k, n * k, 0, 0, 0, n * k}
	if s.p.B.Col == 2 {
		s.p.OffB = make([]int, 7)
	}
	s.define(fma)
	s.a, s.b = guarded(t, s.a[:len(s.a)-8], true), guarded(t, s.b[:len(s.b)-8], s.p.B.Col != 2)
	for _, isa := range isas()[1:] {
		c := guarded(t, make([]T, len(s.want)), true)
		bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&s.a[s.first[0]])}, {Ptr: unsafe.Pointer(&s.b[s.first[1]])}, {Ptr: unsafe.Pointer(&c[0])}}}
		d := New(isa, s.p, bind, 1)
		packs := !typ.IsFloat() || m > families[isa][typ].mostTransposed() && !families[isa][typ].narrow(&s.p)
		if len(d.machine.cells) == 0 || packs && !d.machine.packB {
			t.Errorf("%s, %v: %d kernels are listed, B is packed: %v", isa, s.p, len(d.machine.cells), d.machine.packB)
		}
		w := d.NewWorker()
		for range 2 { // the second run finds what the first one has left
			d.Begin()
			w.Run(0, 5)
			w.Run(5, 7)
			d.Finish(w)
			for i, x := range s.want {
				if !same(c[i], x) {
					t.Fatalf("%s: %+v, element %d: %v, want %v", isa, s.p, i, c[i], x)
				}
			}
		}
	}
}

// TestSmallByColumns tests small products whose B is stored by columns or has gaps. Kernels read B as it is, also if they prefetch the B of a
// later product, or pack it.
func TestSmallByColumns(t *testing.T) {
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	r := rand.New(rand.NewPCG(6, 6))
	for _, m := range []int{2, 7, 10, 11, 13, 20, 31} {
		for k := 2; k <= 12; k++ {
			if l2, l3 = old, old3; k%2 == 0 { // the operands leave the caches
				l2 = func() int { return 4 << 10 }
				l3 = l2
			}
			size := [3]int{m, 2 + r.IntN(15), k}
			if m > 13 && k > 9 { // calls of several tiles and strips
				size[1] += 50
			}
			t.Run(fmt.Sprint(size), func(t *testing.T) {
				testSmall(t, dtype.F32, size, func() float32 { return float32(r.NormFloat64()) }, scalar.Fma32)
				testSmall(t, dtype.F64, size, r.NormFloat64, fma64)
				testSmall(t, dtype.I32, size, r.Uint32, func(x, y, z uint32) uint32 { return x*y + z })
			})
		}
	}
}
