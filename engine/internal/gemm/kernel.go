package gemm

import (
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// A shape says what a kernel computes: the sums of one block of terms for some
// rows and vectors of columns of C, which stay in registers.
type shape struct {
	rows, vecs int
	// across says that the rows of A are neighbours in memory; else its columns
	// are.
	across bool
	half   bool // the last vector has half as many bytes: the other half would have no columns
	masked bool // the last vector has fewer columns than it has room for
	packs  bool // the kernel packs the strip of B that it reads
	grid   bool // which is one of a grid: a table has the places of its terms
	pieces bool // its columns are not neighbours in memory, with AVX-512: see pieces
	copies bool // the kernel packs the rows of A that it reads
	rate   rate // at which the kernel prefetches
	save   saver
	// transposed says that the terms of B are neighbours in memory, else its columns are. Then cols is the number of columns
	// of the last vector.
	transposed bool
	cols       int
	// resumes says that sums begin with those of the pass before, else with +0.
	resumes bool
}

// args is the argument block of a kernel. Distances are in bytes.
type args struct {
	a, b, c    unsafe.Pointer
	as, bs, cs int // between columns of A if its rows are neighbours, else rows; rows of B, or columns if transposed; rows of C
	k          int // terms
	add        int // 0: the sums are stored; 1: they are added to C
	left       int // rows of C that the kernel still prefetches; of a kernel that reads B by columns: lines of a later product
	// The kernel prefetches some bytes from here, and aheadStep farther with each few terms: see rate. It
	// may be the address of anything.
	ahead     uintptr
	aheadStep int
	mask      mask
	// Of the combination, and the bytes between rows of the result.
	out         unsafe.Pointer
	os          int
	alpha, beta uint64
	// The kernel computes so many tiles, at least one. Those that follow are at these distances
	// in A, C and the result, and what they prefetch at this distance from ahead.
	tiles                            int
	tileA, tileC, tileOut, tileAhead int
	// Then it computes as many tiles of more strips, of which there may be none. From the last tile of a strip to
	// the first one of the next these are the distances.
	more, again                      int
	stripA, stripB, stripC, stripOut int
	// Of kernels that resume: the sums of the pass before, and the bytes between their rows, tiles and strips.
	begin                         unsafe.Pointer
	begins, tileBegin, stripBegin int
	pieces
	rows unsafe.Pointer // where the kernel packs rows of A
}

// mostPacked is the largest number of vectors of a kernel that packs.
const mostPacked = 3

// pieces says where a kernel reads a strip of a grid: columns of one run, then those of
// another one. A table has the bytes from both to the terms.
type pieces struct {
	table  unsafe.Pointer
	second uintptr // where the first column would be, if it were in the second run; maybe outside of the array
	packed unsafe.Pointer
	masks  [2 * mostPacked]uint64 // of the runs, by vectors
}

// Offsets in the argument block.
const (
	argA     = int32(unsafe.Offsetof(args{}.a))
	argB     = int32(unsafe.Offsetof(args{}.b))
	argC     = int32(unsafe.Offsetof(args{}.c))
	argAs    = int32(unsafe.Offsetof(args{}.as))
	argBs    = int32(unsafe.Offsetof(args{}.bs))
	argCs    = int32(unsafe.Offsetof(args{}.cs))
	argK     = int32(unsafe.Offsetof(args{}.k))
	argAdd   = int32(unsafe.Offsetof(args{}.add))
	argLeft  = int32(unsafe.Offsetof(args{}.left))
	argAhead = int32(unsafe.Offsetof(args{}.ahead))
	argNext  = int32(unsafe.Offsetof(args{}.aheadStep))
	argMask  = int32(unsafe.Offsetof(args{}.mask))
	argLast  = argMask + int32(unsafe.Offsetof(mask{}.n))
	argOut   = int32(unsafe.Offsetof(args{}.out))
	argOs    = int32(unsafe.Offsetof(args{}.os))
	argAlpha = int32(unsafe.Offsetof(args{}.alpha))
	argBeta  = int32(unsafe.Offsetof(args{}.beta))
	argTiles = int32(unsafe.Offsetof(args{}.tiles))
	argTileA = int32(unsafe.Offsetof(args{}.tileA))
	argTileC = int32(unsafe.Offsetof(args{}.tileC))
	argTileO = int32(unsafe.Offsetof(args{}.tileOut))
	argMore  = int32(unsafe.Offsetof(args{}.more))
	argAgain = int32(unsafe.Offsetof(args{}.again))
	argNextA = int32(unsafe.Offsetof(args{}.stripA))
	argNextB = int32(unsafe.Offsetof(args{}.stripB))
	argNextC = int32(unsafe.Offsetof(args{}.stripC))
	argNextO = int32(unsafe.Offsetof(args{}.stripOut))
	argTable = int32(unsafe.Offsetof(args{}.table))
	argTwo   = int32(unsafe.Offsetof(args{}.second))
	argPack  = int32(unsafe.Offsetof(args{}.packed))
	argMasks = int32(unsafe.Offsetof(args{}.masks))
	argRows  = int32(unsafe.Offsetof(args{}.rows))
	argBegin = int32(unsafe.Offsetof(args{}.begin))
	argStart = int32(unsafe.Offsetof(args{}.begins))
	argTileS = int32(unsafe.Offsetof(args{}.tileBegin))
	argNextS = int32(unsafe.Offsetof(args{}.stripBegin))
	argTileN = int32(unsafe.Offsetof(args{}.tileAhead))
)

// A mask selects the first elements of the last vector.
type mask struct {
	bits  uint64    // for AVX-512
	lanes [4]uint64 // for AVX2
	n     int       // how many
}

// set makes the last vector have n elements of size bytes.
func (m *mask) set(n, size int) {
	m.bits, m.n = 1<<n-1, n
	lanes := unsafe.Slice((*byte)(unsafe.Pointer(&m.lanes)), len(m.lanes)*8)
	for i := range lanes {
		lanes[i] = 0
		if i < n*size {
			lanes[i] = 0xff
		}
	}
}

const (
	mostRows = 14
	mostVecs = 16
	// mostLanes is the largest number of elements of a vector.
	mostLanes = 16
)

// A writer writes the code of a kernel.
type writer struct {
	*x86.Asm
	f *family
	s shape
	l x86.Len
	// Registers: sums, then those of B, then those of A.
	rowB, colA x86.Vec
	inA, inB   int  // how many at a time
	storesB    bool // what is loaded of B is stored at packedRow
}

// The registers of addresses. A has a pointer for each five rows.
var ptrA = [3]x86.Reg{x86.RSI, x86.RAX, x86.RBX}

const (
	stepA  = x86.R8
	stepA3 = x86.R9
	ptrB   = x86.RDX
	stepB  = x86.R10
	stepB3 = x86.R13
	count  = x86.RCX
	ptrC   = x86.R11
	stepC  = x86.R12
	ahead  = stepC // until C is stored
	// Of kernels that pack.
	tableB = stepB
	placeB = stepB3
	second = stepC // until C is stored
	packed = x86.R14
	rowsA  = x86.R15

	unroll    = 4
	cacheLine = 64
	maskReg   = x86.Vec(15) // of AVX2
	pieceMask = x86.K1      // the first of those of pieces
	partMask  = x86.K2      // the first of those of loadParts
)

func (w *writer) write() {
	w.l = x86.Len(w.f.vector * 8)
	s := &w.s
	w.rowB = x86.Vec(s.rows * s.vecs)
	w.inB, w.inA = s.vecs, 1 // the vectors of B stay for all rows
	if s.vecs > s.rows {
		w.inB, w.inA = 1, s.rows // the rows of A stay for all vectors
	}
	if s.masked && !w.f.avx512 && w.inB > 1 && w.rowB+x86.Vec(w.inB) == maskReg { // see step
		w.inB--
	}
	w.colA = w.rowB + x86.Vec(w.inB)
	if s.transposed {
		w.colA = w.rowB
		w.loadParts(ptrA[1])
	}
	w.storesB = s.packs && !s.pieces
	next := w.NewLabel()
	w.Bind(next)
	if s.transposed {
		w.prefetchNext()
	}
	w.load()
	if s.resumes {
		w.resume()
	} else {
		for v := range w.rowB {
			w.zero(v)
		}
		w.prefetchC()
	}
	end := w.NewLabel()
	if last := w.lastTerms(); last > 0 {
		const least = 24 // terms after prefetchC: with fewer of them B is loaded too often
		few := w.NewLabel()
		w.I(x86.CMP, x86.W64, count, x86.Imm(least))
		w.I(x86.JL, 0, few)
		w.I(x86.SUB, x86.W64, count, x86.Imm(last))
		w.addTerms()
		w.finish(last)
		w.I(x86.JMP, 0, end)
		w.Bind(few)
	}
	w.addTerms()
	w.finish(0)
	w.Bind(end)
	w.again(next)
	w.end()
}

// groups adds groups of n terms while so many are left. The flags then say whether no term is left.
func (w *writer) groups(n int, group func()) {
	rest, loop := w.NewLabel(), w.NewLabel()
	w.I(x86.SUB, x86.W64, count, x86.Imm(n))
	w.I(x86.JL, 0, rest)
	w.Align(32)
	w.Bind(loop)
	group()
	w.I(x86.SUB, x86.W64, count, x86.Imm(n))
	w.I(x86.JGE, 0, loop)
	w.Bind(rest)
	w.I(x86.ADD, x86.W64, count, x86.Imm(n))
}

// terms adds as many terms as are left: many adds n of them and goes on, and one adds a single one.
func (w *writer) terms(n int, many, one func()) {
	single, done := w.NewLabel(), w.NewLabel()
	w.groups(n, many)
	w.I(x86.JE, 0, done)
	w.Bind(single)
	one()
	w.advance(1)
	w.I(x86.SUB, x86.W64, count, x86.Imm(1))
	w.I(x86.JNE, 0, single)
	w.Bind(done)
}

// addTerms adds the terms that are left.
func (w *writer) addTerms() {
	if w.s.transposed {
		if w.together(2*transposeTerms) == w.s.vecs {
			w.groups(2*transposeTerms, func() { w.addTransposed(2 * transposeTerms) })
		}
		w.terms(transposeTerms, func() { w.addTransposed(transposeTerms) }, w.gatherTerm)
		return
	}
	n := unroll
	if w.s.resumes {
		n = passTerms
	}
	w.terms(n, func() {
		for u := range n {
			w.prefetch(u % unroll)
			w.copyA(u%unroll, unroll)
			w.step(u%unroll, 0, w.s.rows)
			if u%unroll == unroll-1 {
				w.advance(unroll)
			}
		}
	}, func() {
		w.copyA(0, 1)
		w.step(0, 0, w.s.rows)
	})
}

// zero makes a register have +0 in all lanes.
func (w *writer) zero(v x86.Vec) {
	if w.f.avx512 {
		w.I(x86.VPXORD, w.l, v, v, v)
	} else {
		w.I(x86.VXORPS, w.l, v, v, v)
	}
}

// again goes on with the next tile, if there is one.
func (w *writer) again(next x86.Label) {
	const at = x86.RAX
	last, end := w.NewLabel(), w.NewLabel()
	move := func(by ...[2]int32) {
		for _, x := range by {
			if x[0] == argBegin && !w.s.resumes {
				continue
			}
			w.I(x86.MOV, x86.W64, at, x86.At(x86.RDI, x[0]))
			w.I(x86.ADD, x86.W64, at, x86.At(x86.RDI, x[1]))
			w.I(x86.MOV, x86.W64, x86.At(x86.RDI, x[0]), at)
		}
		w.I(x86.JMP, 0, next)
	}
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, argTiles), x86.Imm(1))
	w.I(x86.JLE, 0, last)
	w.I(x86.SUB, x86.W64, x86.At(x86.RDI, argTiles), x86.Imm(1))
	move([2]int32{argA, argTileA}, [2]int32{argAhead, argTileN}, [2]int32{argC, argTileC}, [2]int32{argOut, argTileO}, [2]int32{argBegin, argTileS})
	w.Bind(last)
	w.I(x86.CMP, x86.W64, x86.At(x86.RDI, argMore), x86.Imm(0))
	w.I(x86.JLE, 0, end)
	w.I(x86.SUB, x86.W64, x86.At(x86.RDI, argMore), x86.Imm(1))
	w.arguments(argument{at, argAgain})
	w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argTiles), at)
	move([2]int32{argA, argNextA}, [2]int32{argB, argNextB}, [2]int32{argAhead, argTileN}, [2]int32{argC, argNextC}, [2]int32{argOut, argNextO}, [2]int32{argBegin, argNextS})
	w.Bind(end)
}

// prefetch prefetches what later kernels need, before the u-th term of unroll.
func (w *writer) prefetch(u int) {
	terms, lines := w.s.rate.terms(), w.s.rate.bytes()/cacheLine
	if w.s.packs || w.s.rate == silent {
		return
	}
	for i := range lines {
		if i*terms/lines == u%terms {
			w.I(x86.PREFETCHT1, 0, x86.At(ahead, int32(i*cacheLine)))
		}
	}
	if u%terms == terms-1 {
		w.I(x86.ADD, x86.W64, ahead, x86.At(x86.RDI, argNext))
	}
}

func (w *writer) end() {
	w.I(x86.VZEROUPPER, 0)
	w.I(x86.RET, 0)
}

// An argument is a register and the place of its value in the argument block.
type argument struct {
	to x86.Reg
	at int32
}

func (w *writer) arguments(list ...argument) {
	for _, x := range list {
		w.I(x86.MOV, x86.W64, x.to, x86.At(x86.RDI, x.at))
	}
}

// load loads the arguments.
func (w *writer) load() {
	w.arguments(argument{ptrA[0], argA}, argument{ptrB, argB}, argument{ptrC, argC}, argument{stepA, argAs},
		argument{stepB, argBs}, argument{ahead, argAhead}, argument{count, argK})
	w.I(x86.LEA, x86.W64, stepA3, x86.AtX(stepA, stepA, 2, 0))
	if w.s.copies {
		w.arguments(argument{rowsA, argRows})
	}
	if w.s.pieces {
		w.arguments(argument{second, argTwo})
		for i := range 2 * w.s.vecs {
			w.I(x86.KMOVW, 0, pieceMask+x86.Mask(i), x86.At(x86.RDI, argMasks+int32(i*wordSize)))
		}
	}
	if w.s.grid {
		w.arguments(argument{tableB, argTable})
	} else {
		w.I(x86.LEA, x86.W64, stepB3, x86.AtX(stepB, stepB, 2, 0))
	}
	if w.s.packs {
		w.arguments(argument{w.packedRow(), argPack})
	}
	if !w.s.across {
		for i := 5; i < w.s.rows; i += 5 {
			w.I(x86.LEA, x86.W64, ptrA[i/5], x86.AtX(ptrA[i/5-1], stepA, 4, 0))
			w.I(x86.ADD, x86.W64, ptrA[i/5], stepA)
		}
	}
	w.pointColumns()
	if !w.s.transposed {
		w.loadMask()
	}
}

// loadMask loads the mask of the last vector.
func (w *writer) loadMask() {
	switch {
	case !w.s.masked:
	case w.f.avx512:
		w.I(x86.KMOVW, 0, x86.K1, x86.At(x86.RDI, argMask))
	default:
		w.I(x86.VMOVUPS, w.l, maskReg, x86.At(x86.RDI, argMask+8))
	}
}

// ownResults is the number of terms from which a kernel prefetches the results that it stores.
const ownResults = Block / 4

// prefetchC adds the first terms, and prefetches a row of C with each few: the kernel needs
// C at its end. All lines at once would keep those of A and B waiting.
func (w *writer) prefetchC() {
	if w.s.save == stream || w.s.transposed {
		return
	}
	rest, loop := w.NewLabel(), w.NewLabel()
	terms := w.s.rows * unroll
	w.I(x86.CMP, x86.W64, count, x86.Imm(max(terms, ownResults)))
	w.I(x86.JL, 0, rest)
	w.I(x86.SUB, x86.W64, count, x86.Imm(terms))
	w.I(x86.MOV, x86.W64, x86.At(x86.RDI, argLeft), x86.Imm(w.s.rows))
	w.Align(32)
	w.Bind(loop)
	for u := range unroll {
		w.prefetch(u)
		w.copyA(u, unroll)
		w.step(u, 0, w.s.rows)
		for at := u * cacheLine; at < w.s.vecs*w.f.vector; at += unroll * cacheLine {
			w.I(x86.PREFETCHT0, 0, x86.At(ptrC, int32(at)))
		}
		if u == unroll-1 { // C may begin within a line
			w.I(x86.PREFETCHT0, 0, x86.At(ptrC, int32(w.s.vecs*w.f.vector-1)))
		}
	}
	w.I(x86.ADD, x86.W64, ptrC, x86.At(x86.RDI, argCs))
	w.advance(unroll)
	w.I(x86.SUB, x86.W64, x86.At(x86.RDI, argLeft), x86.Imm(1))
	w.I(x86.JNE, 0, loop)
	w.Bind(rest)
}

// times is the memory n steps after that at base.
func times(base, step, step3 x86.Reg, n int, disp int32) x86.Mem {
	switch n {
	case 0:
		return x86.At(base, disp)
	case 3:
		return x86.AtX(base, step3, 1, disp)
	}
	return x86.AtX(base, step, uint8(n), disp)
}

// step adds the products of the u-th term from here, of some rows. Where AVX2 has no register for the mask beside all vectors of
// B, the last one comes after the others, and elements of A are loaded for it again.
func (w *writer) step(u, first, end int) {
	if w.inB > 1 || w.s.vecs == 1 {
		for from, to := 0, w.inB; from < w.s.vecs; from, to = to, w.s.vecs {
			for j := from; j < to; j++ {
				w.loadB(w.rowB+x86.Vec(j-from), u, j)
			}
			for i := first; i < end; i++ {
				if w.s.vecs == 1 && w.f.avx512 && !w.f.apart { // it is used once
					w.I(w.f.mul, w.length(0), w.sum(i, 0), w.rowB, w.placeA(u, i).Bcast())
					continue
				}
				w.loadA(w.colA, u, i)
				for j := from; j < to; j++ {
					w.multiply(i, j, w.colA, w.rowB+x86.Vec(j-from))
				}
			}
		}
		return
	}
	for i := first; i < end; i++ {
		w.loadA(w.colA+x86.Vec(i), u, i)
	}
	for j := range w.s.vecs {
		w.loadB(w.rowB, u, j)
		for i := first; i < end; i++ {
			w.multiply(i, j, w.colA+x86.Vec(i), w.rowB)
		}
	}
}

// sum is the register of vector j of row i.
func (w *writer) sum(i, j int) x86.Vec { return x86.Vec(i*w.s.vecs + j) }

// length is the length of vector j.
func (w *writer) length(j int) x86.Len {
	if w.s.half && j == w.s.vecs-1 {
		return w.l / 2
	}
	return w.l
}

func (w *writer) multiply(i, j int, a, b x86.Vec) {
	l := w.length(j)
	if !w.f.apart {
		w.I(w.f.mul, l, w.sum(i, j), a, b)
		return
	}
	product := w.colA + x86.Vec(w.inA) // a free register
	w.times(l, product, a, b, product+1)
	w.I(w.f.add, l, w.sum(i, j), w.sum(i, j), product)
}

// times multiplies elements of a and b. Products of parts need three registers from free on.
func (w *writer) times(l x86.Len, to, a, b, free x86.Vec) {
	switch {
	case w.f.parts:
		high := free + 1
		w.I(x86.VPSRLQ, l, high, a, x86.Imm(32))
		w.I(w.f.mul, l, high, high, b)
		w.I(x86.VPSRLQ, l, free+2, b, x86.Imm(32))
		w.I(w.f.mul, l, free, a, free+2)
		w.I(w.f.add, l, high, high, free)
		w.I(x86.VPSLLQ, l, high, high, x86.Imm(32))
		w.I(w.f.mul, l, to, a, b)
		w.I(w.f.add, l, to, to, high)
	case w.f.whole:
		w.I(w.f.mul, l, to, a, b)
	default:
		w.I(w.f.times, l, to, a, b)
	}
}

// loadA loads an element of A into all lanes.
func (w *writer) loadA(to x86.Vec, u, i int) { w.everywhere(to, w.placeA(u, i)) }

// placeA is the place of the element of A in row i of the u-th term from here.
func (w *writer) placeA(u, i int) x86.Mem {
	switch {
	case w.s.across:
		return times(ptrA[0], stepA, stepA3, u, int32(i*w.f.size))
	case w.s.copies:
		return x86.At(rowsA, int32(i*w.f.rowStep()+u*w.f.size))
	}
	return times(ptrA[i/5], stepA, stepA3, i%5, int32(u*w.f.size))
}

// loadB loads vector j of a row of B.
func (w *writer) loadB(to x86.Vec, u, j int) {
	if w.s.grid && j == 0 {
		w.I(x86.MOV, x86.W64, placeB, x86.At(tableB, int32(u*wordSize)))
	}
	if w.s.pieces {
		w.loadPieces(to, u, j)
		return
	}
	w.loadVec(to, w.vectorB(u, j), j)
	w.keepB(u, j, to)
}

// vectorB is the place of vector j of a row of B.
func (w *writer) vectorB(u, j int) x86.Mem {
	at := int32(j * w.f.vector)
	if w.s.grid {
		return x86.AtX(ptrB, placeB, 1, at)
	}
	return times(ptrB, stepB, stepB3, u, at)
}

func (w *writer) last(j int) bool { return w.s.masked && j == w.s.vecs-1 }

// loadVec loads a vector of column j.
func (w *writer) loadVec(to x86.Vec, at x86.Mem, j int) { w.moveVec(to, at, j, x86.Zero(x86.K1)) }

// storeVec stores a vector of column j.
func (w *writer) storeVec(at x86.Mem, from x86.Vec, j int) {
	w.moveVec(at, from, j, x86.Merge(x86.K1))
}

// moveVec moves a vector of column j, of which the last one has a mask.
func (w *writer) moveVec(to, from x86.Operand, j int, mask x86.With) {
	switch l := w.length(j); {
	case !w.last(j):
		w.I(x86.VMOVUPS, l, to, from)
	case w.f.avx512:
		w.I(w.maskedMove(), l, to, from, mask)
	default:
		w.I(w.maskMove(), l, to, maskReg, from)
	}
}

// of returns the instruction for elements of the size.
func (w *writer) of(single, double x86.Op) x86.Op {
	if w.f.size == 8 {
		return double
	}
	return single
}

// maskMove and maskedMove are the moves under a mask of AVX2 and AVX-512.
func (w *writer) maskMove() x86.Op   { return w.of(x86.VMASKMOVPS, x86.VMASKMOVPD) }
func (w *writer) maskedMove() x86.Op { return w.of(x86.VMOVUPS, x86.VMOVUPD) }

// advance moves the pointers by n terms.
func (w *writer) advance(n int) {
	w.advanceA(n)
	w.advanceB(n)
}

// advanceA moves those of A.
func (w *writer) advanceA(n int) {
	if w.s.copies {
		w.I(x86.ADD, x86.W64, rowsA, x86.Imm(n*w.f.size))
	}
	if w.s.across {
		w.move(ptrA[0], stepA, n)
	} else {
		for i := 0; i < w.s.rows; i += 5 {
			w.I(x86.ADD, x86.W64, ptrA[i/5], x86.Imm(n*w.f.size))
		}
	}
}

// advanceB moves those of B.
func (w *writer) advanceB(n int) {
	if w.s.packs {
		w.I(x86.ADD, x86.W64, w.packedRow(), x86.Imm(n*w.s.vecs*w.f.vector))
	}
	if w.s.grid {
		w.I(x86.ADD, x86.W64, tableB, x86.Imm(n*wordSize))
		return
	}
	if w.s.transposed {
		for i := 0; i < w.transposedColumns(); i += 5 {
			w.I(x86.ADD, x86.W64, transposedB[i/5], x86.Imm(n*w.f.size))
		}
		return
	}
	w.move(ptrB, stepB, n)
}

// move adds n steps, 1 or 4.
func (w *writer) move(p, step x86.Reg, n int) {
	if bits.OnesCount(uint(n)) != 1 || n > 8 {
		panic("gemm: no such step")
	}
	w.I(x86.LEA, x86.W64, p, x86.AtX(p, step, uint8(n), 0))
}

// everywhere loads an element into all lanes.
func (w *writer) everywhere(to x86.Vec, at x86.Mem) {
	w.I(w.of(x86.VBROADCASTSS, x86.VBROADCASTSD), w.l, to, at)
}
