package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// Few rows of A use each element of B so few times that memory binds, if B is large. A strip of B has a line or two of each row of a
// block of terms, and no processor reads these ahead. So one pass over all columns adds a few terms, and reads as many rows of B
// from end to end. The sums of a block, which are complete only after its last pass, wait in scratch memory. Each is the same
// chain of multiply-adds.

// passTerms is the number of terms of a pass: the processor follows so many rows, each of which has a load of its own.
const passTerms = 8

// resumed has the kernels whose sums go on from those of the pass before, by rows, vectors, whether A is across, what the last
// vector has, and savers.
type resumed [8][9][2][4][savers]exec.Lazy

// passes reports whether passes compute a product: of at most two tiles of rows, and a B that comes from memory or from afar in the third
// level, of which other programs use a part too. With AVX-512 passes take up to twice as long as other orders.
func (e *machine) passes(p *Problem) bool {
	return !e.f.avx512 && !e.packB && !e.transposed && p.M <= 2*e.rows && p.K > 2*passTerms && p.N > 4*e.width && p.K*p.N*e.size > l3()/8
}

// pass computes a tile by passes.
func (e *machine) pass(t *tile, s *scratch, stop func() bool) {
	sums := *t // those that wait
	sums.ldc = (t.n*e.size+cacheLine-1)/cacheLine*cacheLine + cacheLine
	sums.c = s.ofB(t.m * sums.ldc)
	c := call{e: e, s: s, begin: sums.c}
	c.args.os, c.args.alpha, c.args.beta, c.args.begins = t.ldo, t.alpha, t.beta, sums.ldc
	c.strip, c.args.bs = e.width*e.size, e.b.Row
	for k := 0; k < t.k && !stop(); k += Block {
		c.t, c.first, c.terms = t, k, min(Block, t.k-k)
		c.divide(t.m)
		c.rows(0)
		c.packRows(0, c.tiles())
		step := e.size
		if c.across {
			step = c.args.as
		}
		a := c.a
		for l := 0; l < c.terms; l += passTerms {
			c.a = unsafe.Add(a, l*step)
			c.resumes, c.waits = l > 0, l+passTerms < c.terms
			if c.t, c.args.add = t, k; c.waits {
				c.t, c.args.add = &sums, 0
			}
			c.b, c.c, c.out, c.args.k = unsafe.Add(t.b, (k+l)*e.b.Row), c.t.c, t.out, min(passTerms, c.terms-l)
			c.kernels()
			c.args.cs = c.t.ldc
			c.runTiles(0, c.tiles(), 0, c.strips())
		}
	}
	if t.done != nil {
		t.done.complete(0, t.m, 0, t.n)
	}
}

// resume makes the sums of a kernel begin with those of the pass before.
func (w *writer) resume() {
	w.arguments(argument{ptrC, argBegin}, argument{stepC, argStart})
	w.each(0, w.s.rows, ptrC, stepC, func(i, j int, at x86.Mem) { w.loadVec(w.sum(i, j), at, j) })
}

func (t *resumed) of(s shape) *exec.Lazy {
	bit := scalar.FromBool[int]
	return &t[s.rows][s.vecs][bit(s.across)][bit(s.masked)+2*bit(s.half)][s.save]
}
