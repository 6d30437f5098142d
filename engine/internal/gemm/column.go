package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

const (
	// columnGroups is the number of vectors of sums of the larger kernel for one column.
	columnGroups = 4
	// columnVector is the size of a vector in bytes: the processor has more units for
	// vectors of 256 bits where registers are transposed.
	columnVector = 32
	// columnAhead is the distance, in bytes, from which the kernels ask for a row.
	columnAhead = 320
)

// columnArgs is the argument block of the kernels for one column of C.
type columnArgs struct {
	a, b unsafe.Pointer
	as   int // bytes between rows of A
	k    int // terms; the kernel changes it
	sums [columnGroups * columnVector]byte
}

const (
	columnA    = int32(unsafe.Offsetof(columnArgs{}.a))
	columnB    = int32(unsafe.Offsetof(columnArgs{}.b))
	columnAs   = int32(unsafe.Offsetof(columnArgs{}.as))
	columnK    = int32(unsafe.Offsetof(columnArgs{}.k))
	columnSums = int32(unsafe.Offsetof(columnArgs{}.sums))
)

// chunk is the number of bytes of a row that a kernel for one column loads at a time.
const chunk = 16

// column computes a tile of one column, whose rows of A are contiguous: the lanes of
// a vector are the sums of rows. It reports false if the kernels do not suit.
func (e *machine) column(t *tile, s *scratch, stop func() bool) bool {
	lanes := columnVector / e.size
	if !e.columns() || t.m < lanes || t.k < chunk/e.size {
		return false
	}
	large, small := e.f.column(columnGroups), e.f.column(1)
	if large == nil || small == nil {
		return false
	}
	args := columnArgs{b: t.b, as: e.a.Row}
	if e.b.Row != e.size {
		args.b = s.ofB(t.k * e.size)
		gather(e.size, args.b, t.b, t.k, e.b.Row)
	}
	for i := 0; i < t.m && !stop(); {
		code, rows := small, lanes
		if t.m-i > lanes && t.m >= columnGroups*lanes {
			code, rows = large, columnGroups*lanes
		}
		first := min(i, t.m-rows) // some rows may be computed again
		args.a, args.k = unsafe.Add(t.a, first*e.a.Row), t.k
		code.Call(unsafe.Pointer(&args))
		if t.save == keep && t.ldo == e.size {
			n := (first + rows - i) * e.size
			copy(unsafe.Slice((*byte)(unsafe.Add(t.out, i*e.size)), n), args.sums[(i-first)*e.size:])
			i = first + rows
			continue
		}
		part := tile{m: first + rows - i, n: 1, c: unsafe.Pointer(&args.sums[(i-first)*e.size]), ldc: e.size, combination: t.combination}
		part.out = unsafe.Add(t.out, i*t.ldo)
		e.do.combine(&part, e.size)
		i = first + rows
	}
	return true
}

// columns reports whether results are one column, and rows of A contiguous.
func (e *machine) columns() bool {
	return e.p.N == 1 && e.a.Col == e.size && !e.f.whole && !e.halfA && !e.halfB
}

// column returns the kernel for some vectors of rows; nil if there is no memory for
// it.
func (f *family) column(groups int) *exec.Code {
	return f.single[groups-1].Make(func() ([]byte, error) {
		w := columnWriter{writer: writer{Asm: x86.New(), f: f, l: x86.L256}, groups: groups, lanes: columnVector / f.size, chunk: chunk / f.size}
		w.write()
		return w.Code()
	})
}

// A columnWriter writes a kernel for one column. It transposes chunks of rows, so that
// the sums of rows are chains of multiply-adds, as in all products.
type columnWriter struct {
	writer
	groups int // vectors of rows
	lanes  int // elements of a vector
	chunk  int // elements
}

// columnPtr are the addresses of every fifth row.
var columnPtr = [7]x86.Reg{x86.RAX, x86.RBX, x86.RCX, x86.RSI, x86.R11, x86.R12, x86.R13}

const (
	columnTotals = x86.Vec(columnGroups) // after the sums of a block
	columnLoaded = x86.Vec(2 * columnGroups)
	columnHalves = columnLoaded + 4
	columnTerms  = columnHalves + 4 // of AVX-512, which has so many registers
)

func (w *columnWriter) write() {
	const terms = x86.R10
	rows := w.groups * w.lanes
	w.arguments(argument{columnPtr[0], columnA}, argument{ptrB, columnB}, argument{stepA, columnAs})
	w.I(x86.LEA, x86.W64, stepA3, x86.AtX(stepA, stepA, 2, 0))
	for i := 5; i < rows; i += 5 {
		w.I(x86.LEA, x86.W64, columnPtr[i/5], x86.AtX(columnPtr[i/5-1], stepA, 4, 0))
		w.I(x86.ADD, x86.W64, columnPtr[i/5], stepA)
	}
	for g := range x86.Vec(w.groups) { // the sum of no terms is -0, which changes no other sum
		w.everywhere(columnTotals+g, w.negativeZero())
	}
	block, last := w.NewLabel(), w.NewLabel()
	w.Bind(block)
	w.I(x86.MOV, x86.W64, terms, x86.At(x86.RDI, columnK))
	w.I(x86.CMP, x86.W64, terms, x86.Imm(Block))
	w.I(x86.JLE, 0, last)
	w.I(x86.MOV, x86.W32, terms, x86.Imm(Block))
	w.Bind(last)
	w.I(x86.SUB, x86.W64, x86.At(x86.RDI, columnK), terms)
	for g := range x86.Vec(w.groups) {
		w.I(x86.VXORPS, x86.L256, g, g, g)
	}
	w.loop(terms, unroll)
	w.loop(terms, 1)
	w.rest(terms)
	for g := range x86.Vec(w.groups) {
		w.I(w.f.add, w.l, columnTotals+g, columnTotals+g, g)
	}
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, columnK), x86.Imm(0))
	w.I(x86.JNE, 0, block)
	for g := range w.groups {
		w.I(x86.VMOVUPS, w.l, x86.At(x86.RDI, columnSums+int32(g*columnVector)), columnTotals+x86.Vec(g))
	}
	w.end()
}

func (w *columnWriter) negativeZero() x86.Mem {
	if w.f.size == 4 {
		return w.Const32(1 << 31)
	}
	return w.Const64(1 << 63)
}

// loop adds n chunks at a time, as long as there are so many.
func (w *columnWriter) loop(terms x86.Reg, n int) {
	step := n * w.chunk
	loop, done := w.NewLabel(), w.NewLabel()
	w.I(x86.SUB, x86.W64, terms, x86.Imm(step))
	w.I(x86.JL, 0, done)
	w.Align(32)
	w.Bind(loop)
	for i := range n {
		w.add(int32(i*chunk), int32(i*chunk), 0)
		for row := i; n > 1 && row < w.groups*w.lanes; row += n {
			w.I(x86.PREFETCHT0, 0, times(columnPtr[row/5], stepA, stepA3, row%5, columnAhead))
		}
	}
	for i := 0; i < w.groups*w.lanes; i += 5 {
		w.I(x86.ADD, x86.W64, columnPtr[i/5], x86.Imm(n*chunk))
	}
	w.I(x86.ADD, x86.W64, ptrB, x86.Imm(n*chunk))
	w.I(x86.SUB, x86.W64, terms, x86.Imm(step))
	w.I(x86.JGE, 0, loop)
	w.Bind(done)
	w.I(x86.ADD, x86.W64, terms, x86.Imm(step))
}

// rest adds the terms of the last chunk, which begins before them.
func (w *columnWriter) rest(terms x86.Reg) {
	done := w.NewLabel()
	for n := 1; n < w.chunk; n++ {
		next := w.NewLabel()
		w.I(x86.CMP, x86.W64, terms, x86.Imm(n))
		w.I(x86.JNE, 0, next)
		before := w.chunk - n
		w.add(int32(-before*w.f.size), int32(-before*w.f.size), before)
		w.I(x86.JMP, 0, done)
		w.Bind(next)
	}
	w.Bind(done)
}

// add adds the terms of a chunk from number first on. a and b are its places in rows of A
// and in B.
func (w *columnWriter) add(a, b int32, first int) {
	for q := first; q < w.chunk && w.f.avx512; q++ {
		w.everywhere(columnTerms+x86.Vec(q), x86.At(ptrB, b+int32(q*w.f.size)))
	}
	for g := range w.groups {
		for q := range w.chunk {
			v := columnLoaded + x86.Vec(q)
			for lane := range columnVector / chunk {
				row := g*w.lanes + lane*w.chunk + q
				at := times(columnPtr[row/5], stepA, stepA3, row%5, a)
				if lane == 0 {
					w.I(x86.VMOVUPS, x86.L128, v, at)
				} else {
					w.I(x86.VINSERTF128, w.l, v, v, at, x86.Imm(lane))
				}
			}
		}
		w.transposeChunk()
		for q := first; q < w.chunk; q++ {
			term := columnTerms + x86.Vec(q)
			if !w.f.avx512 {
				term = columnHalves
				w.everywhere(term, x86.At(ptrB, b+int32(q*w.f.size)))
			}
			w.I(w.f.mul, w.l, x86.Vec(g), columnLoaded+x86.Vec(q), term)
		}
	}
}

// transposeChunk transposes the loaded chunks: register q has term q of all rows then.
func (w *columnWriter) transposeChunk() {
	const v, u = columnLoaded, columnHalves
	if w.chunk == 2 {
		w.I(x86.VUNPCKLPD, w.l, u, v, v+1)
		w.I(x86.VUNPCKHPD, w.l, v+1, v, v+1)
		w.I(x86.VMOVAPS, w.l, v, u)
		return
	}
	w.I(x86.VUNPCKLPS, w.l, u, v, v+1)
	w.I(x86.VUNPCKHPS, w.l, u+1, v, v+1)
	w.I(x86.VUNPCKLPS, w.l, u+2, v+2, v+3)
	w.I(x86.VUNPCKHPS, w.l, u+3, v+2, v+3)
	w.I(x86.VUNPCKLPD, w.l, v, u, u+2)
	w.I(x86.VUNPCKHPD, w.l, v+1, u, u+2)
	w.I(x86.VUNPCKLPD, w.l, v+2, u+1, u+3)
	w.I(x86.VUNPCKHPD, w.l, v+3, u+1, u+3)
}
