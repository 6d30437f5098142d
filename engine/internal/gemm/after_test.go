package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestAfter tests that what uses the results gets each element once, when it is complete,
// and that no part of it is stored later.
func TestAfter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		m, n, k, batch, columns int
		save                    Save
		scaled                  bool
	}{
		{40, 70, 30, 1, 70, Set, false},
		{40, 70, 30, 1, 11, Set, false},
		{300, 600, 300, 1, 256, Set, false},
		{1100, 200, 260, 1, 200, Set, true},
		{1300, 33, 40, 1, 16, Set, false},
		{7, 1221, 27, 2, 231, Set, false},
		{20, 20, 20, 9, 20, Set, false},
		{64, 40, 64, 5, 40, Add, false},
		{5, 3, Section + 300, 2, 2, Set, false},
		{1, 50, 20, 2, 7, Set, false},
		{50, 1, 20, 2, 1, Set, false},
		{30, 40, 0, 1, 40, Set, false},
		{5, 1300, 50, 1, 1300, Set, false},
		{9, 700, 300, 1, 700, Set, false},
		{4, 1300, 60, 1, 100, Set, false},
	} {
		operands := [2][]float32{make([]float32, c.batch*c.m*c.k+1), make([]float32, c.batch*c.k*c.n+1)}
		for _, x := range operands {
			for i := range x {
				x[i] = r.Float32() - .5
			}
		}
		p := Problem{Type: dtype.F32, M: c.m, N: c.n, K: c.k, A: Matrix{c.k, 1}, B: Matrix{c.n, 1}, Save: c.save, Scaled: c.scaled}
		for i := range c.batch {
			p.OffA, p.OffB = append(p.OffA, i*c.m*c.k), append(p.OffB, i*c.k*c.n)
		}
		for _, isa := range isas() {
			if isa == "interp" && c.m*c.n*c.k > 1<<20 {
				continue
			}
			for threads := 1; threads <= 3; threads++ {
				run := func(p Problem) []float32 {
					out := make([]float32, c.batch*c.m*c.n)
					for i := range out {
						out[i] = float32(i % 13)
					}
					if p.After != nil {
						p.After.NewWorker = func() func(row, rows, block, blocks int) {
							return func(row, rows, block, blocks int) {
								for i := row; i < row+rows; i++ {
									for j := block * c.columns; j < min((block+blocks)*c.columns, c.n); j++ {
										out[i*c.n+j] = 3 - 2*out[i*c.n+j]
									}
								}
							}
						}
					}
					bind := &ir.Binding{Bufs: make([]ir.BufBind, 3), Scalars: []uint64{0x40000000, 0x3f000000}}
					for i, x := range [][]float32{operands[0], operands[1], out} {
						bind.Bufs[i].Ptr = unsafe.Pointer(&x[0])
					}
					d := New(isa, p, bind, threads)
					d.Begin()
					w := d.NewWorker()
					n, _, _ := d.Units()
					for _, u := range r.Perm(n) {
						w.Run(u, u+1)
					}
					d.Finish(w)
					return out
				}
				want := run(p)
				for i, x := range want {
					want[i] = 3 - 2*x
				}
				q := p
				q.After = &After{Columns: c.columns}
				if got := run(q); !slices.Equal(got, want) {
					i := 0
					for got[i] == want[i] {
						i++
					}
					t.Fatalf("%+v, %s, %d threads: element %d is %v, want %v", c, isa, threads, i, got[i], want[i])
				}
			}
		}
	}
}
