package gemm

import (
	"sync"
	"sync/atomic"

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
	rows        int    // of the largest kernel
	mul         x86.Op // a fused multiply-add, or a product of integers
	add         x86.Op
	times       x86.Op // a product, where mul is a fused multiply-add
	div         x86.Op
	whole       bool // the elements are integers
	parts       bool // their products are made of those of their halves
	pairs       bool // they are bytes; packing widens two terms to the halves of one element
	mu          sync.Mutex
	kernels     [mostRows + 1][mostVecs + 1][2][2][savers]atomic.Pointer[exec.Code]
	copiers     [mostVecs + 1][3]atomic.Pointer[exec.Code]
	transposing [mostLanes + 1]atomic.Pointer[exec.Code] // by rows
	gathering   atomic.Pointer[exec.Code]
	long        atomic.Pointer[exec.Code]
	widening    [2]atomic.Pointer[exec.Code] // of bfloat16, float16
	fencing     atomic.Pointer[exec.Code]
	single      [columnGroups]atomic.Pointer[exec.Code]
	rowwise     [rowTerms + 1]atomic.Pointer[exec.Code] // by terms
}

// families has the kernels by instruction set and element type. Integers of one size
// share theirs.
var families = map[string]map[dtype.Type]*family{
	"avx512": {
		dtype.F32: {avx512: true, size: 4, vector: 64, rows: 14, mul: x86.VFMADD231PS, add: x86.VADDPS, times: x86.VMULPS, div: x86.VDIVPS},
		dtype.F64: {avx512: true, size: 8, vector: 64, rows: 14, mul: x86.VFMADD231PD, add: x86.VADDPD, times: x86.VMULPD, div: x86.VDIVPD},
		dtype.U8:  {avx512: true, size: 4, vector: 64, rows: 14, mul: x86.VPMADDWD, add: x86.VPADDD, whole: true, pairs: true},
		dtype.U32: {avx512: true, size: 4, vector: 64, rows: 14, mul: x86.VPMULLD, add: x86.VPADDD, whole: true},
		dtype.U64: {avx512: true, size: 8, vector: 64, rows: 14, mul: x86.VPMULLQ, add: x86.VPADDQ, whole: true},
	},
	"avx2": {
		dtype.F32: {size: 4, vector: 32, rows: 6, mul: x86.VFMADD231PS, add: x86.VADDPS, times: x86.VMULPS, div: x86.VDIVPS},
		dtype.F64: {size: 8, vector: 32, rows: 6, mul: x86.VFMADD231PD, add: x86.VADDPD, times: x86.VMULPD, div: x86.VDIVPD},
		dtype.U8:  {size: 4, vector: 32, rows: 5, mul: x86.VPMADDWD, add: x86.VPADDD, whole: true, pairs: true},
		dtype.U32: {size: 4, vector: 32, rows: 5, mul: x86.VPMULLD, add: x86.VPADDD, whole: true},
		dtype.U64: {size: 8, vector: 32, rows: 4, mul: x86.VPMULUDQ, add: x86.VPADDQ, whole: true, parts: true},
	},
}

// lanes is the number of elements of a vector.
func (f *family) lanes() int { return f.vector / f.size }

// vecs is the largest number of vectors of a kernel with so many rows.
func (f *family) vecs(rows int) int {
	if f.avx512 {
		return [mostRows + 1]int{0, 16, 12, 8, 6, 5, 4, 3, 3, 3, 2, 2, 2, 2, 2}[rows]
	}
	if f.parts {
		return [5]int{0, 8, 4, 2, 2}[rows]
	}
	return [7]int{0, 8, 5, 3, 2, 2, 2}[rows]
}

// made returns the code at a place. write makes it where there is none; nil if
// there is no memory for it.
func (f *family) made(at *atomic.Pointer[exec.Code], write func() *x86.Asm) *exec.Code {
	if c := at.Load(); c != nil {
		return c
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := at.Load(); c != nil {
		return c
	}
	o, err := write().Finish()
	if err != nil {
		panic("gemm: " + err.Error()) // a kernel that has no encoding is a defect of this package
	}
	c, err := exec.Install(o.Bytes)
	if err != nil {
		return nil
	}
	at.Store(c)
	return c
}

// kernel returns the kernel of a shape, which is made when it is first needed;
// nil if there is no memory for it.
func (f *family) kernel(s shape) *exec.Code {
	at := &f.kernels[s.rows][s.vecs][scalar.FromBool[int](s.across)][scalar.FromBool[int](s.masked)][s.save]
	if c := at.Load(); c != nil {
		return c
	}
	return f.made(at, func() *x86.Asm {
		w := writer{Asm: x86.New(), f: f, s: s}
		w.write()
		return w.Asm
	})
}

// fence returns code that orders stores that bypass the caches before later ones; nil
// if there is no memory for it.
func (f *family) fence() *exec.Code {
	return f.made(&f.fencing, func() *x86.Asm {
		a := x86.New()
		a.I(x86.SFENCE, 0)
		a.I(x86.RET, 0)
		return a
	})
}
