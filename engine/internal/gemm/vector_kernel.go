package gemm

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// An alongWriter writes the kernel for results whose terms are contiguous. The lanes of each are a
// vector.
type alongWriter struct {
	writer
	prefetch prefetching
}

// alongAhead is the distance, in bytes, from which the kernel prefetches a row.
const alongAhead = 256

// Registers of the kernel along the terms.
const (
	alongGroup = x86.RSI // the first of some rows
	alongX     = x86.RDX
	alongLeft  = x86.R10
	alongC     = x86.R11
	alongN     = x86.R12
	alongNext  = x86.R13 // what is prefetched of rows that follow each other
)

var alongRow = [2]x86.Reg{x86.RAX, x86.RBX} // every fifth row

func (w *alongWriter) write() {
	w.l = groupBytes * 8
	w.arguments(argument{alongGroup, vectorA}, argument{stepA, vectorStep}, argument{alongC, vectorC}, argument{alongN, vectorN})
	w.I(x86.LEA, x86.W64, stepA3, x86.AtX(stepA, stepA, 2, 0))
	group, block, last, done := w.NewLabel(), w.NewLabel(), w.NewLabel(), w.NewLabel()
	w.Bind(group)
	w.arguments(argument{alongX, vectorX}, argument{alongLeft, vectorK})
	w.I(x86.MOV, x86.W64, alongRow[0], alongGroup)
	if w.s.rows > 5 {
		w.I(x86.LEA, x86.W64, alongRow[1], x86.AtX(alongGroup, stepA, 4, 0))
		w.I(x86.ADD, x86.W64, alongRow[1], stepA)
	}
	switch {
	case w.prefetch == nextBlock:
		w.arguments(argument{alongNext, vectorAhead})
		w.I(x86.ADD, x86.W64, alongNext, alongGroup)
	case w.prefetch == sameRow && w.s.rows == alongRows:
		w.prefetchNext()
	}
	for i := range w.totals() { // the sum of no terms is -0, which changes no other sum
		w.negativeZero(x86.L128, w.total(i))
	}
	w.I(x86.SUB, x86.W64, alongLeft, x86.Imm(VectorBlock))
	w.I(x86.JL, 0, last)
	w.Align(32)
	w.Bind(block)
	w.begin()
	for at := 0; at < VectorBlock*w.f.size; at += groupBytes {
		w.add(at)
	}
	w.advance(VectorBlock * w.f.size)
	w.reduce()
	w.I(x86.SUB, x86.W64, alongLeft, x86.Imm(VectorBlock))
	w.I(x86.JGE, 0, block)
	w.I(x86.CMP, x86.W64, alongLeft, x86.Imm(-VectorBlock))
	w.I(x86.JE, 0, done)
	w.Bind(last) // it has fewer terms, or none if there is no other
	w.begin()
	w.terms()
	w.reduce()
	w.Bind(done)
	w.store()
	w.I(x86.ADD, x86.W64, alongC, x86.Imm(w.s.rows*w.f.size))
	w.I(x86.ADD, x86.W64, alongGroup, x86.At(x86.RDI, vectorNext))
	w.I(x86.SUB, x86.W64, alongN, x86.Imm(1))
	w.I(x86.JNE, 0, group)
	w.end()
}

// begin begins a block.
func (w *alongWriter) begin() {
	for v := range x86.Vec(w.s.rows) {
		w.zero(v)
	}
}

// prefetchNext prefetches the beginnings of the next rows, which those of this group do not reach.
func (w *alongWriter) prefetchNext() {
	at := [2]x86.Reg{count, alongX}
	w.I(x86.MOV, x86.W64, at[0], x86.At(x86.RDI, vectorNext))
	w.I(x86.ADD, x86.W64, at[0], alongGroup)
	w.I(x86.LEA, x86.W64, at[1], x86.AtX(at[0], stepA, 4, 0))
	w.I(x86.ADD, x86.W64, at[1], stepA)
	for i := range w.s.rows {
		for line := 0; line < alongAhead; line += cacheLine {
			w.I(x86.PREFETCHT1, 0, times(at[i/5], stepA, stepA3, i%5, int32(line)))
		}
	}
	w.arguments(argument{alongX, vectorX})
}

// terms adds the terms of the last block.
func (w *alongWriter) terms() {
	lanes := groupBytes / w.f.size
	single, rest, done := w.NewLabel(), w.NewLabel(), w.NewLabel()
	w.I(x86.ADD, x86.W64, alongLeft, x86.Imm(VectorBlock-lanes))
	w.I(x86.JL, 0, rest)
	w.Bind(single)
	w.add(0)
	w.advance(groupBytes)
	w.I(x86.SUB, x86.W64, alongLeft, x86.Imm(lanes))
	w.I(x86.JGE, 0, single)
	w.Bind(rest)
	w.I(x86.CMP, x86.W64, alongLeft, x86.Imm(-lanes))
	w.I(x86.JE, 0, done)
	w.addLast()
	w.Bind(done)
}

func (w *alongWriter) advance(n int) {
	for i := 0; i < w.s.rows; i += 5 {
		w.I(x86.ADD, x86.W64, alongRow[i/5], x86.Imm(n))
	}
	w.I(x86.ADD, x86.W64, alongX, x86.Imm(n))
	if w.prefetch == nextBlock {
		w.I(x86.ADD, x86.W64, alongNext, x86.Imm(n*w.s.rows))
	}
}

// row is the place of a row.
func (w *alongWriter) row(i, at int) x86.Mem {
	return times(alongRow[i/5], stepA, stepA3, i%5, int32(at))
}

// add adds a group of terms.
func (w *alongWriter) add(at int) {
	x := x86.Vec(w.s.rows)
	w.I(x86.VMOVUPS, w.l, x, x86.At(alongX, int32(at)))
	for i := range w.s.rows {
		w.I(w.f.mul, w.l, x86.Vec(i), x, w.row(i, at))
		w.request(i, at)
	}
}

// request prefetches what is needed later, once for each cache line, for a group of terms of a row.
func (w *alongWriter) request(row, at int) {
	switch next := at*w.s.rows + row*groupBytes; {
	case w.prefetch == sameRow && at%cacheLine == 0:
		w.I(x86.PREFETCHT0, 0, w.row(row, at+alongAhead))
	case w.prefetch == nextBlock && next%cacheLine == 0:
		w.I(x86.PREFETCHT0, 0, x86.At(alongNext, int32(next)))
	}
}

// addLast adds the first terms of a group. Lanes without terms add -0, which changes no sum.
func (w *alongWriter) addLast() {
	x, value, mask := x86.Vec(w.s.rows), x86.Vec(w.s.rows+1), x86.Vec(w.s.rows+2)
	w.negativeZero(w.l, value)
	if w.f.avx512 {
		w.I(x86.KMOVW, 0, x86.K1, x86.At(x86.RDI, argMask))
		w.I(w.maskedMove(), w.l, value, x86.At(alongX, 0), x86.Merge(x86.K1))
		x, value = value, x
	} else {
		w.I(x86.VMOVUPS, w.l, mask, x86.At(x86.RDI, argMask+8))
		w.I(w.maskMove(), w.l, x, mask, x86.At(alongX, 0))
		w.I(w.of(x86.VBLENDVPS, x86.VBLENDVPD), w.l, x, value, x, mask)
	}
	for i := range w.s.rows {
		if w.f.avx512 {
			w.I(w.maskedMove(), w.l, value, w.row(i, 0), x86.Zero(x86.K1))
		} else {
			w.I(w.maskMove(), w.l, value, mask, w.row(i, 0))
		}
		w.I(w.f.mul, w.l, x86.Vec(i), x, value)
		w.request(i, 0)
	}
}

// totals is the number of registers of sums of all blocks, of 16 bytes each.
func (w *alongWriter) totals() int { return (w.s.rows*w.f.size + 15) / 16 }

func (w *alongWriter) total(i int) x86.Vec { return x86.Vec(15 - i) }

// negativeZero makes a register have -0. Totals have 16 bytes: with more a call takes 7 ns longer.
func (w *alongWriter) negativeZero(l x86.Len, to x86.Vec) {
	if w.f.size == 4 {
		w.I(x86.VBROADCASTSS, l, to, w.Const32(1<<31))
	} else {
		w.I(x86.VPBROADCASTQ, l, to, w.Const64(1<<63))
	}
}

// reduce adds the lanes of all rows, and adds the sums to the totals.
func (w *alongWriter) reduce() {
	free := x86.Vec(w.s.rows)
	for sum := range x86.Vec(w.s.rows) {
		w.I(x86.VEXTRACTF128, w.l, free, sum, x86.Imm(1))
		w.I(w.f.add, x86.L128, sum, sum, free)
	}
	row := func(i int) x86.Vec { return x86.Vec(min(i, w.s.rows-1)) }
	each := 16 / w.f.size
	for t := range w.totals() {
		first := row(t * each)
		for i := 0; i < each && t*each+i < w.s.rows; i += 2 { // two rows with two lanes each
			a, b := row(t*each+i), row(t*each+i+1)
			w.I(x86.VUNPCKHPD, x86.L128, free, a, b)
			if a != b {
				w.I(x86.VUNPCKLPD, x86.L128, a, a, b)
			}
			w.I(w.f.add, x86.L128, a, a, free)
		}
		if second := row(t*each + 2); w.f.size == 4 {
			w.I(x86.VSHUFPS, x86.L128, free, first, second, x86.Imm(0xdd))
			if first != second {
				w.I(x86.VSHUFPS, x86.L128, first, first, second, x86.Imm(0x88))
			}
			w.I(w.f.add, x86.L128, first, first, free)
		}
		w.I(w.f.add, x86.L128, w.total(t), w.total(t), first)
	}
}

// store stores the totals.
func (w *alongWriter) store() {
	switch w.s.rows * w.f.size {
	case 4:
		w.I(x86.VMOVSS, x86.L128, x86.At(alongC, 0), w.total(0))
	case 8:
		w.I(x86.VMOVSD, x86.L128, x86.At(alongC, 0), w.total(0))
	default:
		for t := range w.totals() {
			w.I(x86.VMOVUPS, x86.L128, x86.At(alongC, int32(16*t)), w.total(t))
		}
	}
}
