package gemm

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// sweptAhead is the distance, in bytes, from which the kernel prefetches a row.
const sweptAhead = 8192

// swept is the largest size of the sums of a pass, in bytes. With AVX-512 they stay in a first-level
// cache; the passes of AVX2 are too many for that, and faster if rows are read from end to end.
func (f *family) swept() int {
	if f.avx512 {
		return 16 << 10
	}
	return 64 << 10
}

// mostPasses is the largest number of passes of a block. A pass has its factors in registers: 8 of AVX2, 16 of AVX-512.
const mostPasses = 4

// sweptPasses is the number of passes of a block with so many bytes between its terms. A pass of AVX-512 has the more rows; if these
// share a set of the first-level cache, which they overfill, fewer are faster.
func (f *family) sweptPasses(step int) int {
	if f.avx512 && !conflict(2*step) {
		return 2
	}
	return mostPasses
}

// waiting is the number of passes, of so many, whose sums wait for those of other passes, next to each other for each vector of results.
func waiting(passes int) int { return bits.Len(uint(passes)) - 1 }

// sweep returns the kernel for blocks of so many terms and passes; nil if there is no memory for it.
func (f *family) sweep(terms, passes int, prefetch prefetching) *exec.Code {
	return f.table().sweeps[terms][passes][prefetch].Make(func() ([]byte, error) {
		w := sweepWriter{writer: writer{Asm: x86.New(), f: f, l: x86.Len(f.vector * 8), s: shape{rows: 1, vecs: 1, masked: true}}, terms: terms, passes: passes, prefetch: prefetch}
		w.write()
		return w.Code()
	})
}

// A prefetching says what a kernel prefetches before it is read.
type prefetching uint8

const (
	nothing   prefetching = iota
	sameRow               // what is farther on in the rows that it reads
	nextBlock             // what follows the block, where rows follow each other in memory
	nextLines             // a few lines farther on in the rows that it reads
	prefetchings
)

// A sweepWriter writes the kernel for results that are contiguous, which reads across the terms. A
// pass over the results adds as many terms as there are registers for their factors: every second
// row of a block, or every fourth one. It reads them from end to end. Chains of a block are added
// as soon as both are there; so the sums of a pass wait in memory for those of another one.
type sweepWriter struct {
	writer
	terms    int
	prefetch prefetching
	passes   int // of a block
	chains   int // of a pass
	rows     int // of this pass
	number   int // of this pass
	first    x86.Vec
}

// Registers of the kernel.
const (
	sweepSums  = x86.R11
	sweepC     = x86.R12
	sweepLeft  = x86.R10
	sweepNext  = x86.RCX
	sweepAhead = x86.R13
)

var sweepRow = [4]x86.Reg{x86.RSI, x86.RAX, x86.RBX, x86.RDX} // every fourth row of a pass

func (w *sweepWriter) write() {
	w.first = x86.Vec(VectorBlock / w.passes)
	w.chains = Lanes(w.f.size) / w.passes
	w.arguments(argument{stepA, vectorStep})
	for p := 1; p < w.passes; p *= 2 {
		w.I(x86.ADD, x86.W64, stepA, stepA)
	}
	w.I(x86.LEA, x86.W64, stepA3, x86.AtX(stepA, stepA, 2, 0))
	block := w.NewLabel()
	w.Bind(block)
	if w.prefetch == nextBlock {
		w.arguments(argument{sweepAhead, vectorA})
		w.I(x86.ADD, x86.W64, sweepAhead, x86.At(x86.RDI, vectorAhead))
	}
	for w.number = range w.passes {
		w.pass(int(bits.Reverse8(uint8(w.number)) >> (9 - bits.Len(uint(w.passes)))))
	}
	w.I(x86.MOV, x86.W64, x86.At(x86.RDI, vectorAdd), x86.Imm(1))
	w.I(x86.ADD, x86.W64, x86.At(x86.RDI, vectorX), x86.Imm(w.terms*w.f.size))
	w.arguments(argument{sweepNext, vectorNext})
	w.I(x86.ADD, x86.W64, x86.At(x86.RDI, vectorA), sweepNext)
	w.I(x86.SUB, x86.W64, x86.At(x86.RDI, vectorN), x86.Imm(1))
	w.I(x86.JNE, 0, block)
	w.end()
}

// pass writes a pass, whose first row has this number in the block.
func (w *sweepWriter) pass(row int) {
	w.rows = max(0, (w.terms-row+w.passes-1)/w.passes)
	w.arguments(argument{sweepRow[0], vectorA}, argument{sweepNext, vectorX}, argument{sweepSums, vectorSums}, argument{sweepC, vectorC}, argument{sweepLeft, vectorVecs})
	for range row {
		w.I(x86.ADD, x86.W64, sweepRow[0], x86.At(x86.RDI, vectorStep))
	}
	for i := range w.rows {
		w.everywhere(w.first+x86.Vec(i), x86.At(sweepNext, int32((i*w.passes+row)*w.f.size)))
	}
	for i := 4; i < w.rows; i += 4 {
		w.I(x86.LEA, x86.W64, sweepRow[i/4], x86.AtX(sweepRow[i/4-1], stepA, 4, 0))
	}
	unroll := int(w.first) / 2 / w.chains
	if !w.f.avx512 { // a line of each row, then the next line: the processor does not follow eight rows of two lines
		unroll = cacheLine / w.f.vector
	}
	for _, n := range [2]int{unroll, 1} {
		loop, done := w.NewLabel(), w.NewLabel()
		w.I(x86.SUB, x86.W64, sweepLeft, x86.Imm(n))
		w.I(x86.JL, 0, done)
		w.Align(32)
		w.Bind(loop)
		w.columns(n, false)
		for i := 0; i < w.rows; i += 4 {
			w.I(x86.ADD, x86.W64, sweepRow[i/4], x86.Imm(n*w.f.vector))
		}
		w.I(x86.ADD, x86.W64, sweepSums, x86.Imm(n*w.f.vector*waiting(w.passes)))
		w.I(x86.ADD, x86.W64, sweepC, x86.Imm(n*w.f.vector))
		w.I(x86.SUB, x86.W64, sweepLeft, x86.Imm(n))
		w.I(x86.JGE, 0, loop)
		w.Bind(done)
		w.I(x86.ADD, x86.W64, sweepLeft, x86.Imm(n))
	}
	end := w.NewLabel()
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, vectorLast), x86.Imm(0))
	w.I(x86.JE, 0, end)
	w.columns(1, true)
	w.Bind(end)
}

// columns adds the terms of a pass to n vectors of results.
func (w *sweepWriter) columns(n int, masked bool) {
	w.s.masked = masked
	sum := func(q, j int) x86.Vec { return x86.Vec(q*n + j) }
	value := x86.Vec(w.chains) // of masked ones, which are single
	factor := func(i int) x86.Vec { return w.first + x86.Vec(i) }
	if masked {
		if last := factor(w.rows - 1); last == maskReg && !w.f.avx512 {
			w.I(x86.VMOVAPS, w.l, value+1, maskReg)
			factor = func(i int) x86.Vec {
				if i == w.rows-1 {
					return value + 1
				}
				return w.first + x86.Vec(i)
			}
		}
		w.loadMask()
	}
	for v := range x86.Vec(w.chains * n) {
		w.zero(v)
	}
	for i := range w.rows {
		for j := range n {
			at := times(sweepRow[i/4], stepA, stepA3, i%4, int32(j*w.f.vector))
			if masked {
				w.loadVec(value, at, 0)
				w.I(w.f.mul, w.l, sum(i%w.chains, j), factor(i), value)
			} else {
				w.I(w.f.mul, w.l, sum(i%w.chains, j), factor(i), at)
			}
			w.prefetchAt(at, i*n+j, j)
		}
	}
	if w.prefetch == nextBlock && w.rows > 0 {
		w.I(x86.ADD, x86.W64, sweepAhead, x86.Imm(w.rows*n*w.f.vector))
	}
	for h := w.chains / 2; h > 0; h /= 2 {
		for q := range h {
			for j := range n {
				w.I(w.f.add, w.l, sum(q, j), sum(q, j), sum(q+h, j))
			}
		}
	}
	w.keep(n, masked)
}

// prefetchAt prefetches what is needed later, once for each cache line: for the i-th vector that the columns
// read, which is the j-th one of a row.
func (w *sweepWriter) prefetchAt(at x86.Mem, i, j int) {
	switch {
	case w.prefetch == nextLines && j*w.f.vector%cacheLine == 0:
		at.Disp += alongAhead
		w.I(x86.PREFETCHT0, 0, at)
	case w.prefetch == sameRow && j*w.f.vector%cacheLine == 0:
		at.Disp += sweptAhead
		w.I(x86.PREFETCHT1, 0, at)
	case w.prefetch == nextBlock && i*w.f.vector%cacheLine == 0:
		w.I(x86.PREFETCHT0, 0, x86.At(sweepAhead, int32(i*w.f.vector)))
	}
}

// keep adds the sums of a pass to those that wait for them, and stores the sums.
func (w *sweepWriter) keep(n int, masked bool) {
	level := bits.TrailingZeros(^uint(w.number))
	waits := func(l, j int) x86.Mem { return x86.At(sweepSums, int32((j*waiting(w.passes)+l)*w.f.vector)) }
	for l := range level {
		for j := range n {
			w.I(w.f.add, w.l, x86.Vec(j), x86.Vec(j), waits(l, j))
		}
	}
	if w.number < w.passes-1 {
		for j := range n {
			w.I(x86.VMOVUPS, w.l, waits(level, j), x86.Vec(j))
		}
		return
	}
	first := w.NewLabel()
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, vectorAdd), x86.Imm(0))
	w.I(x86.JE, 0, first)
	for j := range n {
		at, old := x86.At(sweepC, int32(j*w.f.vector)), x86.Vec(n)
		if masked {
			w.loadVec(old, at, 0)
			w.I(w.f.add, w.l, x86.Vec(j), old, x86.Vec(j))
		} else {
			w.I(w.f.add, w.l, x86.Vec(j), x86.Vec(j), at)
		}
	}
	w.Bind(first)
	for j := range n {
		w.storeVec(x86.At(sweepC, int32(j*w.f.vector)), x86.Vec(j), 0)
	}
}
