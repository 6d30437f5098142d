package gemm

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

const (
	// transposeChunk is the number of bytes of a row that a transposition loads at a time.
	transposeChunk = 16
	// transposeTerms is the number of columns that it reads at a time.
	transposeTerms = 4
	// wordSize is the size of an int in tables, in bytes.
	wordSize = 8
)

// packArgs is the argument block of the kernels that pack.
type packArgs struct {
	to, from         unsafe.Pointer
	toStep, fromStep int            // bytes between rows
	n                int            // rows of a copy, columns of a transposition in groups of transposeTerms
	vecs             int            // of a row of halves; of the rows of a transposition
	table            unsafe.Pointer // of the bytes from the first element to each row, for kernels by table
	// Of a transposition: the bytes from the rows of a vector to those of the next one, and back to the last group of columns, which
	// shares some with the one before; 0 if there is none.
	fromVec, toBack, fromBack int
	_                         int
	mask                      mask      // where it is in args
	places                    [16]int32 // of the lanes of a gather, in bytes
}

// Offsets in the argument block.
const (
	packTo       = int32(unsafe.Offsetof(packArgs{}.to))
	packFrom     = int32(unsafe.Offsetof(packArgs{}.from))
	packToStep   = int32(unsafe.Offsetof(packArgs{}.toStep))
	packFromStep = int32(unsafe.Offsetof(packArgs{}.fromStep))
	packN        = int32(unsafe.Offsetof(packArgs{}.n))
	packVecs     = int32(unsafe.Offsetof(packArgs{}.vecs))
	packTable    = int32(unsafe.Offsetof(packArgs{}.table))
	packFromVec  = int32(unsafe.Offsetof(packArgs{}.fromVec))
	packToBack   = int32(unsafe.Offsetof(packArgs{}.toBack))
	packFromBack = int32(unsafe.Offsetof(packArgs{}.fromBack))
	packPlaces   = int32(unsafe.Offsetof(packArgs{}.places))
)

// A copying is a kernel that copies rows of some vectors.
type copying struct {
	vecs    int
	masked  bool // the last vector has fewer elements
	exact   bool // nothing is stored in place of those that are not there, else zeros
	byTable bool // a table has the places of the rows
}

// copier returns a kernel that copies; nil if there is no memory for it.
func (f *family) copier(c copying) *exec.Code {
	bit := scalar.FromBool[int]
	return f.table().copiers[c.vecs][bit(c.masked)][bit(c.exact)][bit(c.byTable)].Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f, s: shape{rows: 1, vecs: c.vecs, masked: c.masked}}
		w.writeCopy(c)
		return w.Code()
	})
}

// widener returns the kernel that converts rows of halves; nil if there is no memory for
// it.
func (f *family) widener(half dtype.Type) *exec.Code {
	return f.table().widening[scalar.FromBool[int](half == dtype.F16)].Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f}
		w.writeWiden(half)
		return w.Code()
	})
}

// gatherer returns the kernel that gathers vectors; nil if there is no memory for it.
func (f *family) gatherer() *exec.Code {
	return f.table().gathering.Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f, s: shape{rows: 1, vecs: 1, masked: true}}
		w.writeGather()
		return w.Code()
	})
}

// transposer returns the kernel that transposes groups of so many terms of rows, whose places a table has or which
// are at equal distances, and stores nothing behind them if it is exact; nil if there is no memory for it.
func (f *family) transposer(rows, terms int, byTable, exact bool) *exec.Code {
	bit := scalar.FromBool[int]
	return f.table().transposing[rows][terms][bit(byTable)][bit(exact)].Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f, l: x86.Len(f.vector * 8)}
		w.s.columns(f, rows)
		w.writeTranspose(rows, terms, byTable, exact)
		return w.Code()
	})
}

func (w *writer) writeCopy(c copying) {
	const to, from, toStep, fromStep, n, table, place = x86.RDX, x86.RSI, x86.R8, x86.R9, x86.RCX, x86.R10, x86.RAX
	w.l = x86.Len(w.f.vector * 8)
	w.arguments(argument{to, packTo}, argument{from, packFrom}, argument{toStep, packToStep}, argument{fromStep, packFromStep}, argument{n, packN})
	w.arguments(argument{table, packTable})
	w.loadMask()
	loop := w.NewLabel()
	w.Align(32)
	w.Bind(loop)
	if c.byTable {
		w.I(x86.MOV, x86.W64, place, x86.At(table, 0))
	}
	for j := range w.s.vecs {
		at := int32(j * w.f.vector)
		row := x86.At(from, at)
		if c.byTable {
			row = x86.AtX(from, place, 1, at)
		}
		w.loadVec(x86.Vec(j%4), row, j)
		if c.exact {
			w.storeVec(x86.At(to, at), x86.Vec(j%4), j)
		} else {
			w.I(x86.VMOVUPS, w.l, x86.At(to, at), x86.Vec(j%4))
		}
	}
	if c.byTable {
		w.I(x86.ADD, x86.W64, table, x86.Imm(wordSize))
	} else {
		w.I(x86.ADD, x86.W64, from, fromStep)
	}
	w.I(x86.ADD, x86.W64, to, toStep)
	w.I(x86.SUB, x86.W64, n, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	w.end()
}

// writeWiden writes the kernel that converts rows of whole vectors.
func (w *writer) writeWiden(half dtype.Type) {
	const to, from, toStep, fromStep, n, at, left = x86.RDX, x86.RSI, x86.R8, x86.R9, x86.RCX, x86.RAX, x86.R10
	const value = x86.Vec(0)
	w.l = x86.Len(w.f.vector * 8)
	w.arguments(argument{to, packTo}, argument{from, packFrom}, argument{toStep, packToStep}, argument{fromStep, packFromStep}, argument{n, packN})
	row, loop := w.NewLabel(), w.NewLabel()
	w.Bind(row)
	w.I(x86.XOR, x86.W32, at, at)
	w.arguments(argument{left, packVecs})
	w.Align(32)
	w.Bind(loop)
	if half == dtype.F16 {
		w.I(x86.VCVTPH2PS, w.l, value, x86.AtX(from, at, 1, 0))
	} else {
		w.I(x86.VPMOVZXWD, w.l, value, x86.AtX(from, at, 1, 0))
		w.I(x86.VPSLLD, w.l, value, value, x86.Imm(16))
	}
	w.I(x86.VMOVUPS, w.l, x86.AtX(to, at, 2, 0), value)
	w.I(x86.ADD, x86.W64, at, x86.Imm(w.f.vector/2))
	w.I(x86.SUB, x86.W64, left, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	w.I(x86.ADD, x86.W64, from, fromStep)
	w.I(x86.ADD, x86.W64, to, toStep)
	w.I(x86.SUB, x86.W64, n, x86.Imm(1))
	w.I(x86.JNE, 0, row)
	w.end()
}

// writeGather writes the kernel that stores a vector of elements from each term.
func (w *writer) writeGather() {
	const to, from, toStep, fromStep, n = x86.RDX, x86.RSI, x86.R8, x86.R9, x86.RCX
	const value, places, left = x86.Vec(0), x86.Vec(1), x86.Vec(2)
	op := x86.VGATHERDPS
	w.l = x86.Len(w.f.vector * 8)
	wide := w.l
	if w.f.size == 8 {
		op, wide = x86.VGATHERDPD, w.l/2
	}
	w.arguments(argument{to, packTo}, argument{from, packFrom}, argument{toStep, packToStep}, argument{fromStep, packFromStep}, argument{n, packN})
	w.loadMask()
	w.I(x86.VMOVUPS, wide, places, x86.At(x86.RDI, packPlaces))
	loop := w.NewLabel()
	w.Align(32)
	w.Bind(loop)
	if w.f.avx512 {
		w.I(x86.KMOVW, 0, x86.K2, x86.K1) // the gather clears its mask
		w.I(x86.VPXORD, w.l, value, value, value)
		w.I(op, w.l, value, x86.AtV(from, places, 1, 0), x86.Merge(x86.K2))
	} else {
		w.I(x86.VMOVAPS, w.l, left, maskReg)
		w.I(x86.VXORPS, w.l, value, value, value)
		w.I(op, w.l, value, x86.AtV(from, places, 1, 0), left)
	}
	w.I(x86.VMOVUPS, w.l, x86.At(to, 0), value)
	w.I(x86.ADD, x86.W64, from, fromStep)
	w.I(x86.ADD, x86.W64, to, toStep)
	w.I(x86.SUB, x86.W64, n, x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	w.end()
}

// writeTranspose writes the kernel that reads groups of so many columns from rows, and stores each
// as a vector, or its elements if it is exact. It goes on with the rows of the next vector, if there is one.
func (w *writer) writeTranspose(rows, terms int, byTable, exact bool) {
	const to, toStep, count = x86.RDX, x86.R10, x86.R14
	const table, place = x86.R12, x86.R13
	from := [4]x86.Reg{x86.RSI, x86.RAX, x86.RBX, x86.R11} // of every fifth row
	w.loadParts(place)
	if exact {
		w.loadMask()
	}
	next := w.NewLabel()
	w.Bind(next)
	w.arguments(argument{to, packTo}, argument{toStep, packToStep}, argument{from[0], packFrom}, argument{stepA, packFromStep}, argument{count, packN})
	w.I(x86.LEA, x86.W64, stepA3, x86.AtX(stepA, stepA, 2, 0))
	w.arguments(argument{table, packTable})
	pointers := rows
	if byTable {
		pointers = 1
	}
	for i := 5; i < pointers; i += 5 {
		w.I(x86.LEA, x86.W64, from[i/5], x86.AtX(from[i/5-1], stepA, 4, 0))
		w.I(x86.ADD, x86.W64, from[i/5], stepA)
	}
	loop := w.NewLabel()
	w.Align(32)
	w.Bind(loop)
	row := func(i int, disp int32) x86.Mem {
		i = min(i, rows-1) // it stands for those that are not there
		if byTable {
			w.I(x86.MOV, x86.W64, place, x86.At(table, int32(i*wordSize)))
			return x86.AtX(from[0], place, 1, disp)
		}
		return times(from[i/5], stepA, stepA3, i%5, disp)
	}
	for i := 0; i < terms; {
		columns := w.transpose(transposition{l: w.length(0), first: i, terms: terms}, row)
		for _, last := range columns[:min(len(columns), terms-i)] {
			last(x86.Vec(8 + i))
			if exact {
				w.storeSum(x86.At(to, 0), x86.Vec(8+i), 0)
			} else {
				w.I(x86.VMOVUPS, w.l, x86.At(to, 0), x86.Vec(8+i))
			}
			w.I(x86.ADD, x86.W64, to, toStep)
			i++
		}
	}
	for i := 0; i < pointers; i += 5 {
		w.I(x86.ADD, x86.W64, from[i/5], x86.Imm(transposeTerms*w.f.size))
	}
	done, end := w.NewLabel(), w.NewLabel()
	w.I(x86.SUB, x86.W64, count, x86.Imm(1))
	w.I(x86.JG, 0, loop)
	w.I(x86.JL, 0, done) // the last group has been read
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, packToBack), x86.Imm(0))
	w.I(x86.JE, 0, done)
	w.I(x86.SUB, x86.W64, to, x86.At(x86.RDI, packToBack))
	for i := 0; i < pointers; i += 5 {
		w.I(x86.SUB, x86.W64, from[i/5], x86.At(x86.RDI, packFromBack))
	}
	w.I(x86.JMP, 0, loop)
	w.Bind(done)
	w.I(x86.SUB, x86.W64, x86.At(x86.RDI, packVecs), x86.Imm(1))
	w.I(x86.JE, 0, end)
	w.I(x86.ADD, x86.W64, x86.At(x86.RDI, packTo), x86.Imm(w.f.vector))
	if byTable {
		w.I(x86.ADD, x86.W64, x86.At(x86.RDI, packTable), x86.Imm(rows*wordSize))
	} else {
		w.arguments(argument{to, packFromVec})
		w.I(x86.ADD, x86.W64, x86.At(x86.RDI, packFrom), to)
	}
	w.I(x86.JMP, 0, next)
	w.Bind(end)
	w.end()
}

// loadParts loads the masks of the parts of a vector of AVX-512, but the first, by a free register.
func (w *writer) loadParts(free x86.Reg) {
	for c := 1; w.f.avx512 && c < w.f.vector/transposeChunk; c++ {
		w.I(x86.MOV, x86.W32, free, x86.Imm(0xf<<(4*c)))
		w.I(x86.KMOVW, 0, partMask+x86.Mask(c-1), free)
	}
}

// atOnce is the number of columns, of so many, that one transposition has in registers.
func (f *family) atOnce(terms int) int {
	if f.size == 4 || f.avx512 && terms == transposeTerms {
		return transposeTerms
	}
	return transposeChunk / f.size
}

// A transposition makes vectors of length l of the columns of rows whose elements are neighbours. The rows have terms columns, one or two groups
// of them; the vectors are those of one group, from column first on. It uses five registers from free on, three for two columns. With the first
// of two groups it loads the second one too, and keeps that in four registers from kept on.
type transposition struct {
	l            x86.Len
	free, kept   x86.Vec
	first, terms int
}

// transpose emits a transposition. It returns a function for each column (see atOnce) that writes the last instruction, into a register, which may
// be the last of the free ones.
func (w *writer) transpose(x transposition, row func(i int, disp int32) x86.Mem) (last []func(to x86.Vec)) {
	l, free, first := x.l, x.free, x.first
	parts, chunk := int(l)/8/transposeChunk, x86.L128 // parts of a register have rows of their own
	per, broadcast := transposeChunk/w.f.size, x86.VBROADCASTF32X4
	four, two := w.f.atOnce(min(x.terms, transposeTerms)) == transposeTerms, x.terms > transposeTerms
	if four && w.f.size == 8 || two { // a row of the columns has 32 bytes
		parts, chunk, broadcast = parts/2, x86.L256, x86.VBROADCASTF64X4
	}
	even, odd := x86.Imm(0x88), x86.Imm(0xdd) // which 128 bits of a row VSHUFF64X2 takes
	if parts == 1 {
		even, odd = 0, 3
	}
	read := func(to, other x86.Vec, r int, disp int32) { // by blends, which take any unit: an insertion takes one of those for shuffles
		w.I(x86.VMOVUPS, chunk, to, row(r, disp))
		if l == x86.L256 && !w.f.avx512 {
			w.I(x86.VBROADCASTF128, l, other, row(r+per, disp))
			w.I(x86.VPBLENDD, l, to, to, other, x86.Imm(0xf0))
			return
		}
		for c := 1; c < parts; c++ {
			w.I(broadcast, l, to, row(r+c*per, disp), x86.Merge(partMask+x86.Mask(c-1)))
		}
	}
	load := func(to, other x86.Vec, r int) x86.Vec {
		kept := x.kept + x86.Vec(r)
		switch {
		case !two:
			read(to, other, r, 0)
		case first > 0:
			return kept
		default:
			read(other, 0, r, 0)
			read(kept, 0, r+per*parts, 0)
			w.I(x86.VSHUFF64X2, l, to, other, kept, even)
			w.I(x86.VSHUFF64X2, l, kept, other, kept, odd)
		}
		return to
	}
	b, low, c, lower, a := free, free+1, free+2, free+3, free+4
	if !four {
		at := int32(first / per * transposeChunk)
		read(b, free+2, 0, at)
		read(low, free+2, 1, at)
		for _, op := range [2]x86.Op{x86.VUNPCKLPD, x86.VUNPCKHPD} {
			last = append(last, func(to x86.Vec) { w.I(op, l, to, b, low) })
		}
		return last
	}
	type step struct {
		op  x86.Op
		imm []x86.Operand
	}
	do := func(s step, to, a, b x86.Vec) { w.I(s.op, l, append([]x86.Operand{to, a, b}, s.imm...)...) }
	steps, rows := [2][2]step{{{x86.VUNPCKLPS, nil}, {x86.VUNPCKHPS, nil}}, {{x86.VSHUFPS, []x86.Operand{x86.Imm(0x44)}}, {x86.VSHUFPS, []x86.Operand{x86.Imm(0xee)}}}}, [4]int{0, 1, 2, 3}
	if w.f.size == 8 {
		steps, rows = [2][2]step{{{x86.VSHUFF64X2, []x86.Operand{even}}, {x86.VSHUFF64X2, []x86.Operand{odd}}}, {{x86.VUNPCKLPD, nil}, {x86.VUNPCKHPD, nil}}}, [4]int{0, 2 * parts, 1, 2*parts + 1}
	}
	for i, pair := range [2][2]x86.Vec{{low, b}, {lower, c}} {
		one := load(a, pair[0], rows[2*i])
		other := load(pair[1], pair[0], rows[2*i+1])
		do(steps[0][0], pair[0], one, other)
		do(steps[0][1], pair[1], one, other)
	}
	for _, pair := range [2][2]x86.Vec{{low, lower}, {b, c}} {
		for _, s := range steps[1] {
			last = append(last, func(to x86.Vec) { do(s, to, pair[0], pair[1]) })
		}
	}
	return last
}

// copyA packs n terms of the rows of A before the first of them, if the kernel does. The multiply-adds read the packed terms: rows that share
// a set of the first-level cache are read once then.
func (w *writer) copyA(u, n int) {
	if u > 0 || !w.s.copies {
		return
	}
	l, op := max(x86.L128, x86.Len(n*w.f.size*8)), x86.VMOVUPS
	if n == 1 {
		op = w.of(x86.VMOVSS, x86.VMOVSD)
	}
	for i := range w.s.rows {
		w.I(op, l, w.free(), times(ptrA[i/5], stepA, stepA3, i%5, 0))
		w.I(op, l, w.placeA(0, i), w.free())
	}
}

// free is a register that holds nothing between multiply-adds.
func (w *writer) free() x86.Vec { return w.colA + x86.Vec(w.inA) }

// keepB stores vector j of a row of B, if the kernel packs it. Stores of 64 bytes would take nearly a cycle each from the multiply-adds of
// a Zen 5, of 32 bytes they take a tenth.
func (w *writer) keepB(u, j int, b x86.Vec) {
	if !w.storesB {
		return
	}
	to := x86.At(w.packedRow(), int32((u*w.s.vecs+j)*w.f.vector))
	if !w.f.avx512 {
		w.I(x86.VMOVUPS, w.l, to, b)
		return
	}
	from := w.vectorB(u, j)
	for range 2 {
		w.I(x86.VMOVUPS, w.l/2, w.free(), from)
		w.I(x86.VMOVUPS, w.l/2, to, w.free())
		to.Disp += int32(w.f.vector / 2)
		from.Disp += int32(w.f.vector / 2)
	}
}

// packedRow is the register with the address of what is packed. Kernels of AVX2 have no more than six rows, or five and no more than
// twenty columns of B.
func (w *writer) packedRow() x86.Reg {
	switch {
	case w.f.avx512:
		return packed
	case w.s.transposed:
		return ptrA[1]
	}
	return ptrA[2]
}

// loadPieces loads vector j of a row of a grid, and packs it.
func (w *writer) loadPieces(to x86.Vec, u, j int) {
	from, op, mask := w.vectorB(u, j), w.maskedMove(), pieceMask+x86.Mask(2*j)
	w.I(op, w.l, to, from, x86.Zero(mask))
	w.I(op, w.l, to, x86.AtX(second, placeB, 1, from.Disp), x86.Merge(mask+1))
	w.I(x86.VMOVUPS, w.l, x86.At(packed, int32((u*w.s.vecs+j)*w.f.vector)), to)
}
