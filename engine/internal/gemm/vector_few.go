package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// Rows of at most [Lanes] terms fill no vector, and adding the lanes of each takes longer than to multiply them. So a kernel transposes as many
// rows as a vector has lanes: each chain is a vector then, which has one term of all rows.

// few returns the kernel for rows of so many terms, or nil if they are too few or too many, if they are far and do not follow each other, or if
// there is no memory for it. No processor follows loads under masks, so the kernel prefetches rows that are far. With AVX2 as many terms as
// Lanes take longer.
func (f *family) few(terms, step int, prefetch prefetching) *exec.Code {
	if terms < 2 || terms > Lanes(f.size) || terms == Lanes(f.size) && !f.avx512 || prefetch != nothing && prefetch != nextBlock {
		return nil
	}
	separates := f.separates(terms, step)
	return f.table().fews[terms][prefetch][scalar.FromBool[int](separates)].Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f, l: x86.Len(f.vector * 8), s: shape{vecs: 1, transposed: true, cols: f.lanes()}}
		w.writeFew(terms, prefetch == nextBlock, separates)
		return w.Code()
	})
}

// separates reports whether the kernel loads whole vectors of rows with step bytes between them, whose terms permutations separate. So few terms
// fill a part of what a transposition loads of each row.
func (f *family) separates(terms, step int) bool {
	return f.avx512 && terms < transposeTerms && step == terms*f.size
}

// chooseFew sets the kernel for rows of a few terms. It reads whole groups of terms, so one more row must follow those that are shorter.
func (e *vectors) chooseFew() {
	row, step := e.p.K*e.f.size, e.matrix.result
	e.few, e.leastFew = e.f.few(e.p.K, step, e.prefetch), 2*e.f.lanes()
	if e.lastFew = 0; row < e.f.atOnce(e.p.K)*e.f.size && !e.f.separates(e.p.K, step) {
		if e.lastFew = 1; step < row {
			e.few = nil
		}
	}
}

// runFew computes the first of n results in groups of a vector. It returns their number.
func (e *vectors) runFew(args *vectorArgs, o vectorArrays, n, k, some int, stop func() bool) (done int) {
	lanes, step := e.f.lanes(), e.matrix.result
	args.next = lanes * step
	for groups := (n - e.lastFew) / lanes; groups > 0 && !stop(); groups -= args.n {
		args.n = min(groups, some/(lanes*k))
		args.a, args.c = uintptr(unsafe.Add(o.a, done*step)), unsafe.Add(o.c, done*e.f.size)
		args.call(e.few, noWords)
		done += args.n * lanes
	}
	return done
}

func (w *writer) writeFew(terms int, far, separates bool) {
	const x, results, next, zero, factor = x86.RSI, x86.RAX, x86.R15, x86.Vec(15), x86.Vec(14)
	w.arguments(argument{ptrB, vectorA}, argument{stepB, vectorStep}, argument{x, vectorX}, argument{results, vectorC}, argument{count, vectorN}, argument{next, vectorAhead})
	w.I(x86.ADD, x86.W64, next, ptrB)
	w.I(x86.LEA, x86.W64, stepB3, x86.AtX(stepB, stepB, 2, 0))
	w.pointColumns()
	w.loadParts(stepA)
	w.zero(zero)
	loop := w.NewLabel()
	w.Align(32)
	w.Bind(loop)
	for at := 0; far && at < terms*w.f.vector; at += cacheLine {
		w.I(x86.PREFETCHT0, 0, x86.At(next, int32(at)))
	}
	w.I(x86.ADD, x86.W64, next, x86.At(x86.RDI, vectorNext))
	chains := make([]x86.Vec, terms)
	multiply := func(k int) {
		w.everywhere(factor, x86.At(x, int32(k*w.f.size)))
		w.I(w.of(x86.VFMADD213PS, x86.VFMADD213PD), w.l, chains[k], factor, zero)
	}
	if separates {
		w.separate(chains, factor)
		for k := range terms {
			multiply(k)
		}
	}
	group := w.f.atOnce(min(terms, transposeTerms))
	to := []x86.Vec{2, 0} // where terms go: see transposeVecs
	if group == transposeTerms {
		to = []x86.Vec{transposedTemps, 1, 3, 0}
	}
	for u := 0; u < terms && !separates; u += group { // the last group shares some terms with the one before
		first, free := max(0, min(u, terms-group)), x86.Vec(u/group*(transposedTemps+1))
		last := w.transpose(transposition{l: w.l, free: free, terms: group}, func(i int, disp int32) x86.Mem { return w.placeB(0, i, disp+int32(first*w.f.size)) })
		for i := u - first; i < group && first+i < terms; i++ {
			chains[first+i] = free + to[i]
			last[i](free + to[i])
			multiply(first + i)
		}
	}
	for h := Lanes(w.f.size) / 2; h > 0; h /= 2 {
		for j := h; j < min(2*h, terms); j++ {
			w.I(w.f.add, w.l, chains[j-h], chains[j-h], chains[j])
		}
	}
	if terms < Lanes(w.f.size) { // chains without terms are +0
		w.I(w.f.add, w.l, chains[0], chains[0], zero)
	}
	w.I(x86.VMOVUPS, w.l, x86.At(results, 0), chains[0])
	w.I(x86.ADD, x86.W64, results, x86.Imm(w.f.vector))
	for i := 0; i < w.f.lanes(); i += 5 {
		w.I(x86.ADD, x86.W64, transposedB[i/5], x86.At(x86.RDI, vectorNext))
	}
	w.I(x86.SUB, x86.W64, count, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	w.end()
}

// separate makes vectors of the terms of rows that follow each other. Each takes its elements of one vector of memory after the other, by a free
// register.
func (w *writer) separate(chains []x86.Vec, index x86.Vec) {
	terms, lanes, size := len(chains), w.f.lanes(), w.f.size
	for r := range terms {
		w.I(x86.VMOVUPS, w.l, x86.Vec(r), x86.At(ptrB, int32(r*w.f.vector)))
	}
	for k := range terms {
		chains[k] = x86.Vec(terms + k)
		w.I(x86.VMOVUPS, w.l, chains[k], x86.Vec(0))
		for r := 1; r < terms; r++ {
			places := make([]byte, w.f.vector)
			for i := range lanes {
				at := k + i*terms
				place := i // it has its element
				switch {
				case at/lanes == r:
					place = lanes + at%lanes
				case r == 1:
					place = at % lanes
				}
				places[i*size] = byte(place)
			}
			w.I(x86.VMOVUPS, w.l, index, w.Const(places))
			w.I(w.of(x86.VPERMT2PS, x86.VPERMT2PD), w.l, chains[k], index, x86.Vec(r))
		}
	}
}
