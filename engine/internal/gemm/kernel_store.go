package gemm

import "github.com/oneloop/oneloop/engine/internal/jit/x86"

// lastTerms is the number of terms after which rows are stored one after the other: see finish. For AVX-512
// it was not measured.
func (w *writer) lastTerms() int {
	if w.f.avx512 || w.s.transposed || w.s.resumes {
		return 0
	}
	return unroll
}

// finish adds the last terms, and stores the sums. Some rows get all of these terms, and are stored, before the next
// ones: Zen 3 takes no more instructions while more than some six stores wait for sums, and 12 stores
// together took 28 cycles from the multiply-adds of the next tile.
func (w *writer) finish(terms int) {
	const most = 6 // stores
	some := w.s.rows
	if terms > 0 {
		some = max(1, most/w.s.vecs)
	}
	stores := w.storesB
	for first := 0; first < w.s.rows; first += some {
		end := min(first+some, w.s.rows)
		for u := range terms {
			if first == 0 {
				w.prefetch(u)
			}
			w.step(u, first, end)
		}
		if first == 0 {
			w.arguments(argument{ptrC, argC}, argument{stepC, argCs})
			if w.s.transposed { // its terms may need the register
				w.loadMask()
			}
		}
		w.store(first, end)
		w.storesB = false // once
	}
	w.storesB = stores
}

// store stores the sums of some rows, or adds them to C first.
func (w *writer) store(first, end int) {
	rows := func(f func(i, j int, at x86.Mem)) { w.each(first, end, ptrC, stepC, f) }
	switch w.s.save {
	case stream:
		rows(func(i, j int, at x86.Mem) {
			if j == w.s.vecs-1 && (w.s.masked || w.s.half) { // no whole lines
				w.storeSum(at, w.sum(i, j), j)
				return
			}
			w.I(x86.VMOVNTPS, w.l, at, w.sum(i, j))
		})
		return
	case scale, add, mul, div:
		w.combine(first, end)
		return
	}
	w.I(x86.MOV, x86.W64, partAt, ptrC)
	w.addSums(first, end, partAt)
	rows(func(i, j int, at x86.Mem) { w.storeSum(at, w.sum(i, j), j) })
}

// Registers of stores, which terms do not need after the loop. With AVX-512 they need none then.
const (
	partAt = count   // of storeSum, and of addSums before
	ptrOut = x86.RBX // of combine
)

// storeSum stores a sum of column j, which it may overwrite. A store of AVX2 under a mask takes 13 cycles and more
// on some processors; those of 16, 8 and 4 bytes take 5.
func (w *writer) storeSum(at x86.Mem, sum x86.Vec, j int) {
	if !w.last(j) || w.f.avx512 {
		w.storeVec(at, sum, j)
		return
	}
	w.I(x86.LEA, x86.W64, partAt, at)
	for bytes := int(w.length(j)) / 8 / 2; bytes >= w.f.size; bytes /= 2 {
		without := w.NewLabel()
		w.I(x86.TEST, x86.W64, x86.At(x86.RDI, argLast), x86.Imm(bytes/w.f.size))
		w.I(x86.JE, 0, without)
		part, last := x86.At(partAt, 0), bytes == w.f.size
		switch bytes {
		case 16:
			w.I(x86.VMOVUPS, x86.L128, part, sum)
			w.I(x86.VEXTRACTF128, x86.L256, sum, sum, x86.Imm(1))
		case 8:
			w.I(x86.VMOVSD, x86.L128, part, sum)
			if !last {
				w.I(x86.VUNPCKHPD, x86.L128, sum, sum, sum)
			}
		case 4:
			w.I(x86.VMOVSS, x86.L128, part, sum)
		}
		if !last {
			w.I(x86.ADD, x86.W64, partAt, x86.Imm(bytes))
		}
		w.Bind(without)
	}
}

// each calls f for all vectors of some rows, and moves a pointer to the row after them, if the tile has one.
func (w *writer) each(first, end int, p x86.Reg, step x86.Operand, f func(i, j int, at x86.Mem)) {
	for i := first; i < end; i++ {
		for j := range w.s.vecs {
			f(i, j, x86.At(p, int32(j*w.f.vector)))
		}
		if i < w.s.rows-1 {
			w.I(x86.ADD, x86.W64, p, step)
		}
	}
}

// addSums adds what C has to all sums of some rows, if there are several blocks of terms, and moves a pointer to C. Nothing is stored before:
// a load waits for a store to a row before it at a multiple of 4096 bytes.
func (w *writer) addSums(first, end int, p x86.Reg) {
	single := w.NewLabel()
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, argAdd), x86.Imm(0))
	w.I(x86.JE, 0, single)
	w.each(first, end, p, stepC, func(i, j int, at x86.Mem) {
		w.loadVec(w.colA, at, j)
		w.I(w.f.add, w.length(j), w.sum(i, j), w.sum(i, j), w.colA)
	})
	w.Bind(single)
}

// combine combines all sums of some rows with the result: see Save. The registers of A and B are
// free.
func (w *writer) combine(first, end int) {
	w.addSums(first, end, ptrC)
	old, alpha, beta, free := w.rowB, w.rowB+1, w.rowB+2, w.rowB+3
	w.everywhere(alpha, x86.At(x86.RDI, argAlpha))
	w.everywhere(beta, x86.At(x86.RDI, argBeta))
	if first == 0 {
		w.arguments(argument{ptrOut, argOut})
	}
	w.each(first, end, ptrOut, x86.At(x86.RDI, argOs), func(i, j int, at x86.Mem) {
		sum, l := w.sum(i, j), w.length(j)
		w.times(l, sum, sum, alpha, free)
		if w.s.save != scale {
			w.loadVec(old, at, j)
		}
		switch w.s.save {
		case add:
			w.times(l, old, old, beta, free)
			w.I(w.f.add, l, sum, old, sum)
		case mul:
			w.times(l, sum, old, sum, free)
		case div:
			w.I(w.f.div, l, sum, old, sum)
		}
		w.storeSum(at, sum, j)
	})
}
