package gemm

import (
	"sync/atomic"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// A family is the kernels for an instruction set and an element type.
type family struct {
	avx512      bool
	size        int    // bytes of an element
	vector      int    // bytes of a vector
	rows        int    // of the largest kernel of several vectors
	mul         x86.Op // a product of integers, or what adds a product to a sum
	add         x86.Op
	times       x86.Op // a product, where mul is a fused multiply-add
	div         x86.Op
	apart       bool // mul and add are two instructions
	whole       bool // the elements are integers
	parts       bool // their products are made of those of their halves
	group       int  // they have at most 16 bits; packing puts so many terms into one element; 0: they have more
	transposing bool // kernels read B by columns for few rows
	made        atomic.Pointer[table]
}

// A table has the kernels of a family.
type table struct {
	kernels     [mostRows + 1][mostVecs + 1][2][4][savers][rates]exec.Lazy
	packing     [mostRows + 1][mostPacked + 1][2][4][savers]exec.Lazy // by rows, vectors, whether A is across, whether B is by columns, a grid, or one of pieces
	copying     [mostRows + 1][mostPacked + 1][savers]exec.Lazy
	copiers     [mostVecs + 1][2][2][2]exec.Lazy
	transposing [mostLanes + 1][transposeTerms + 1][2][2]exec.Lazy // by rows and terms
	gathering   exec.Lazy
	widening    [2]exec.Lazy // of bfloat16, float16
	fencing     exec.Lazy
	transposed  transposedKernels
	resumed     resumed
	fews        [groupBytes/4 + 1][prefetchings][2]exec.Lazy             // by terms, what they prefetch, and whether rows follow each other
	alongs      [5][prefetchings]exec.Lazy                               // by the bits of rows, and what they prefetch
	sweeps      [VectorBlock + 1][mostPasses + 1][prefetchings]exec.Lazy // by terms, passes, and what they prefetch
}

// table returns the table of f. It has about 900 KB, so only the families have one that a program uses.
func (f *family) table() *table {
	if t := f.made.Load(); t != nil {
		return t
	}
	f.made.CompareAndSwap(nil, new(table))
	return f.made.Load()
}

// families has the kernels by instruction set and element type. Integers of one size
// share theirs.
var families = map[string]map[dtype.Type]*family{
	"avx512": {
		dtype.F32: avx512Floats(4, x86.VFMADD231PS, x86.VADDPS, x86.VMULPS, x86.VDIVPS),
		dtype.F64: avx512Floats(8, x86.VFMADD231PD, x86.VADDPD, x86.VMULPD, x86.VDIVPD),
		dtype.U8:  avx512Groups(4, x86.VPDPBUSD),
		dtype.U16: avx512Groups(2, x86.VPDPWSSD),
		dtype.U32: {avx512: true, size: 4, vector: 64, rows: 14, mul: x86.VPMULLD, add: x86.VPADDD, apart: true, whole: true},
		dtype.U64: {avx512: true, size: 8, vector: 64, rows: 14, mul: x86.VPMULLQ, add: x86.VPADDQ, apart: true, whole: true},
	},
	"avx2": {
		dtype.F32: {size: 4, vector: 32, rows: 6, mul: x86.VFMADD231PS, add: x86.VADDPS, times: x86.VMULPS, div: x86.VDIVPS, transposing: true},
		dtype.F64: {size: 8, vector: 32, rows: 6, mul: x86.VFMADD231PD, add: x86.VADDPD, times: x86.VMULPD, div: x86.VDIVPD, transposing: true},
		dtype.U8:  {size: 4, vector: 32, rows: 5, mul: x86.VPMADDWD, add: x86.VPADDD, apart: true, whole: true, group: 2},
		dtype.U16: {size: 4, vector: 32, rows: 5, mul: x86.VPMADDWD, add: x86.VPADDD, apart: true, whole: true, group: 2},
		dtype.U32: {size: 4, vector: 32, rows: 5, mul: x86.VPMULLD, add: x86.VPADDD, apart: true, whole: true},
		dtype.U64: {size: 8, vector: 32, rows: 4, mul: x86.VPMULUDQ, add: x86.VPADDQ, apart: true, whole: true, parts: true},
	},
}

// avx512Floats returns the kernels of AVX-512 for floats.
func avx512Floats(size int, mul, add, times, div x86.Op) *family {
	return &family{avx512: true, size: size, vector: 64, rows: 14, mul: mul, add: add, times: times, div: div, transposing: true}
}

// avx512Groups returns the kernels of AVX-512 for integers of at most 16 bits. Processors with
// AVX512_VNNI add the products of a group of terms to a sum by one instruction. That for bytes
// takes those of A as unsigned and those of B as signed, which changes no lowest 8 bits.
func avx512Groups(terms int, mul x86.Op) *family {
	f := &family{avx512: true, size: 4, vector: 64, rows: 14, mul: mul, add: x86.VPADDD, whole: true, group: terms}
	if !cpu.X86.HasAVX512VNNI {
		f.mul, f.apart, f.group = x86.VPMADDWD, true, 2
	}
	return f
}

// rowStep is the number of bytes from row to row of A packed by rows: they begin in different sets of the first-level cache.
func (f *family) rowStep() int { return Block*f.size + cacheLine }

// lanes is the number of elements of a vector.
func (f *family) lanes() int { return f.vector / f.size }

// vecs is the largest number of vectors of a kernel with so many rows. Whole says that it needs no mask of AVX2. Twelve floating
// sums leave no register for one: see step.
func (f *family) vecs(rows int, whole bool) int {
	if f.avx512 {
		return [mostRows + 1]int{0, 16, 14, 9, 6, 5, 4, 3, 3, 3, 2, 2, 2, 2, 2}[rows]
	}
	if f.parts {
		return [5]int{0, 8, 4, 2, 2}[rows]
	}
	switch {
	case f.apart:
		return [9]int{0, 8, 5, 3, 2, 2, 2}[rows]
	case whole:
		return [9]int{0, 8, 5, 4, 3, 2, 2, 1, 1}[rows]
	}
	return [9]int{0, 8, 5, 3, 3, 2, 2, 1, 1}[rows]
}

// most is the number of rows of the largest kernel for so many vectors. Multiply-adds of one vector wait for sums, of which
// six are too few for AVX2.
func (f *family) most(vecs int) int {
	if vecs == 1 && !f.avx512 && !f.apart {
		return 8
	}
	return f.rows
}

// mostNearB is the size of the packed blocks of B, in bytes, that stay in the second-level cache.
func mostNearB() int { return l2() / 2 }

// repays is the number of strips of B, but one, from which packing A of a large product takes less time
// than it saves. Apart says that A is by columns, parts of so many lines or pages that they leave the caches.
func (f *family) repays(apart bool) int {
	switch {
	case f.avx512:
		return 4
	case apart:
		return 8
	}
	return 24
}

// kernel returns the kernel of a shape, which is made when it is first needed;
// nil if there is no memory for it.
func (f *family) kernel(s shape) *exec.Code {
	t := f.table()
	forms := &t.kernels[s.rows][s.vecs][scalar.FromBool[int](s.across)]
	lazy := &forms[scalar.FromBool[int](s.masked)+2*scalar.FromBool[int](s.half)][s.save][s.rate]
	if s.transposed {
		lazy = t.transposed.of(s)
	}
	if s.resumes {
		lazy = t.resumed.of(s)
	}
	if s.packs {
		bit := scalar.FromBool[int]
		lazy = &t.packing[s.rows][s.vecs][bit(s.across)][bit(s.transposed)+2*bit(s.grid)+bit(s.pieces)][s.save]
	}
	if s.copies {
		lazy = &t.copying[s.rows][s.vecs][s.save]
	}
	return lazy.Make(func() ([]byte, error) {
		w := writer{Asm: x86.New(), f: f, s: s}
		w.write()
		return w.Code()
	})
}

// fence returns code that orders stores that bypass the caches before later ones; nil
// if there is no memory for it.
func (f *family) fence() *exec.Code {
	return f.table().fencing.Make(func() ([]byte, error) {
		a := x86.New()
		a.I(x86.SFENCE, 0)
		a.I(x86.RET, 0)
		return a.Code()
	})
}
