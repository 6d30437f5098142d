package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

const (
	// rowTerms is the number of terms that the kernel for one row adds in a pass over the
	// sums: it reads so many rows of B at a time, from end to end.
	rowTerms = 8
	// rowUnroll is the number of vectors of sums that it adds to at a time.
	rowUnroll = 4
	// rowAhead is the distance, in bytes, from which it asks for a row.
	rowAhead = 256
	// rowSums is the largest size of the sums of a tile of one row, in bytes. They stay in a
	// first-level cache.
	rowSums = 16 << 10
	// rowLeast is the least size of a row of B for these kernels, in bytes. The sums of
	// shorter ones stay in registers.
	rowLeast = 1 << 10
)

// rowArgs is the argument block of the kernels for one row of C.
type rowArgs struct {
	a, b, sums unsafe.Pointer
	as, bs     int // bytes between terms of A and rows of B
	vecs       int // whole vectors of a row
	last       int // whether there is one more, which the mask selects
	_          [4]int
	mask       mask // where it is in args
}

const (
	rowA     = int32(unsafe.Offsetof(rowArgs{}.a))
	rowB     = int32(unsafe.Offsetof(rowArgs{}.b))
	rowTotal = int32(unsafe.Offsetof(rowArgs{}.sums))
	rowAs    = int32(unsafe.Offsetof(rowArgs{}.as))
	rowBs    = int32(unsafe.Offsetof(rowArgs{}.bs))
	rowVecs  = int32(unsafe.Offsetof(rowArgs{}.vecs))
	rowLast  = int32(unsafe.Offsetof(rowArgs{}.last))
)

// oneRow reports whether results are one row, and rows of B contiguous, long, and too many
// for a first-level cache.
func (e *machine) oneRow() bool {
	p := e.p
	return p.M == 1 && e.b.Col == e.size && !e.f.whole && !e.halfA && !e.halfB &&
		p.N*e.size >= rowLeast && p.N*p.K*e.size > cachedB
}

// row computes a tile of one row. It reports false if the kernels do not suit.
func (e *machine) row(t *tile, s *scratch, stop func() bool) bool {
	if !e.oneRow() || t.n*e.size > rowSums {
		return false
	}
	several, one := e.f.row(rowTerms), e.f.row(1)
	if several == nil || one == nil {
		return false
	}
	lanes := e.f.lanes()
	vecs := (t.n + lanes - 1) / lanes
	sums := unsafe.Slice((*byte)(s.ofA()), vecs*e.f.vector)
	args := rowArgs{sums: unsafe.Pointer(&sums[0]), as: e.a.Col, bs: e.b.Row, vecs: t.n / lanes, last: vecs - t.n/lanes}
	args.mask.set(t.n%lanes, e.size)
	for k := 0; k == 0 || k < t.k; k += Block {
		if stop() {
			return true
		}
		clear(sums)
		for l, end := k, min(k+Block, t.k); l < end; {
			code, n := one, 1
			if end-l >= rowTerms {
				code, n = several, rowTerms
			}
			args.a, args.b = unsafe.Add(t.a, l*e.a.Col), unsafe.Add(t.b, l*e.b.Row)
			code.Call(unsafe.Pointer(&args))
			l += n
		}
		if k == 0 {
			copy(unsafe.Slice((*byte)(t.c), t.n*e.size), sums)
		} else {
			e.do.add(t.c, args.sums, t.n)
		}
	}
	if t.save != keep {
		e.do.combine(t, e.size)
	}
	return true
}

// row returns the kernel for one row and so many terms; nil if there is no memory for it.
func (f *family) row(terms int) *exec.Code {
	return f.rowwise[terms].Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f, l: x86.Len(f.vector * 8), s: shape{rows: 1, vecs: 1, masked: true}}
		w.writeRow(terms)
		return w.Code()
	})
}

// writeRow writes the kernel that adds some terms to all sums of a row.
func (w *writer) writeRow(terms int) {
	const sums, left = x86.R11, x86.RCX
	a, b := [2]x86.Reg{x86.RSI, x86.RAX}, [2]x86.Reg{x86.RDX, x86.RBX} // of every fifth term
	factor := x86.Vec(rowUnroll)
	w.arguments(argument{a[0], rowA}, argument{b[0], rowB}, argument{sums, rowTotal}, argument{stepA, rowAs}, argument{stepB, rowBs}, argument{left, rowVecs})
	w.I(x86.LEA, x86.W64, stepA3, x86.AtX(stepA, stepA, 2, 0))
	w.I(x86.LEA, x86.W64, stepB3, x86.AtX(stepB, stepB, 2, 0))
	if terms > 5 {
		w.I(x86.LEA, x86.W64, a[1], x86.AtX(a[0], stepA, 4, 0))
		w.I(x86.ADD, x86.W64, a[1], stepA)
		w.I(x86.LEA, x86.W64, b[1], x86.AtX(b[0], stepB, 4, 0))
		w.I(x86.ADD, x86.W64, b[1], stepB)
	}
	for i := range terms {
		w.everywhere(factor+x86.Vec(i), times(a[i/5], stepA, stepA3, i%5, 0))
	}
	at := func(i, j int) x86.Mem { return times(b[i/5], stepB, stepB3, i%5, int32(j*w.f.vector)) }
	for _, n := range [2]int{rowUnroll, 1} {
		loop, done := w.NewLabel(), w.NewLabel()
		w.I(x86.SUB, x86.W64, left, x86.Imm(n))
		w.I(x86.JL, 0, done)
		w.Align(32)
		w.Bind(loop)
		for j := range n {
			w.I(x86.VMOVUPS, w.l, x86.Vec(j), x86.At(sums, int32(j*w.f.vector)))
		}
		for i := range terms {
			for j := range n {
				w.I(w.f.mul, w.l, x86.Vec(j), factor+x86.Vec(i), at(i, j))
				if n > 1 && (j+1)*w.f.vector%cacheLine == 0 {
					w.I(x86.PREFETCHT0, 0, times(b[i/5], stepB, stepB3, i%5, int32(j*w.f.vector+rowAhead)))
				}
			}
		}
		for j := range n {
			w.I(x86.VMOVUPS, w.l, x86.At(sums, int32(j*w.f.vector)), x86.Vec(j))
		}
		for i := 0; i < terms; i += 5 {
			w.I(x86.ADD, x86.W64, b[i/5], x86.Imm(n*w.f.vector))
		}
		w.I(x86.ADD, x86.W64, sums, x86.Imm(n*w.f.vector))
		w.I(x86.SUB, x86.W64, left, x86.Imm(n))
		w.I(x86.JGE, 0, loop)
		w.Bind(done)
		w.I(x86.ADD, x86.W64, left, x86.Imm(n))
	}
	end := w.NewLabel()
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, rowLast), x86.Imm(0))
	w.I(x86.JE, 0, end)
	w.loadMask()
	w.I(x86.VMOVUPS, w.l, x86.Vec(0), x86.At(sums, 0))
	for i := range terms {
		w.loadVec(1, at(i, 0), 0)
		w.I(w.f.mul, w.l, x86.Vec(0), factor+x86.Vec(i), x86.Vec(1))
	}
	w.I(x86.VMOVUPS, w.l, x86.At(sums, 0), x86.Vec(0))
	w.Bind(end)
	w.end()
}
