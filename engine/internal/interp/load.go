package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/expr/dtype"
)

// loadKernels and storeKernels have the kernels of Load and Store by buffer type.
var loadKernels, storeKernels [numTypes]kernel

func init() {
	raw := [9][2]kernel{
		1: {loadRaw[uint8], storeRaw[uint8]}, 2: {loadRaw[uint16], storeRaw[uint16]},
		4: {loadRaw[uint32], storeRaw[uint32]}, 8: {loadRaw[uint64], storeRaw[uint64]},
	}
	for _, t := range dtype.Real() {
		fns := raw[t.Size()]
		switch t {
		case dtype.Bool:
			fns[0] = loadBool
		case dtype.F16:
			fns = [2]kernel{loadF16, storeF16}
		case dtype.BF16:
			fns = [2]kernel{loadBF16, storeBF16}
		}
		loadKernels[t], storeKernels[t] = fns[0], fns[1]
	}
}

// A rawElem is the bits of an element in memory.
type rawElem = gather.Elem

// base returns the address of coordinate (0, 0, ...) of a buffer.
func (f *frame) base(buf int32) unsafe.Pointer {
	if p := f.rows[buf]; p != nil {
		return p
	}
	return f.inst.bind.Bufs[buf].Ptr
}

func loadRaw[T rawElem](f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	if s.view && !f.inst.overlap {
		f.set(in.d, unsafe.Pointer(elem[T](f.base(s.buf), s.Line.At(f.Pos)+f.lo)))
		return
	}
	d := vec[T](f, in.d, n)
	fetch(f, s, d)
	patch(f, s, in, d)
}

func loadBool(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d := vec[uint8](f, in.d, n)
	fetch(f, s, d)
	for i, x := range d {
		d[i] = min(x, 1)
	}
	patch(f, s, in, d)
}

func loadF16(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d, raw := vec[float32](f, in.d, n), f.scratch(n)
	fetch(f, s, raw)
	widenF16(d, raw)
	patch(f, s, in, d)
}

func loadBF16(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d, raw := vec[float32](f, in.d, n), f.scratch(n)
	fetch(f, s, raw)
	for i := range d {
		d[i] = dtype.BF16Value(raw[i])
	}
	patch(f, s, in, d)
}

// scratch returns the worker's memory for n halves. The next call reuses it.
func (f *frame) scratch(n int) []uint16 { return (*[block]uint16)(f.raw)[:n:n] }

// fetch reads the elements of a site as bits. Lanes outside a guarded array become
// 0; patch sets them later.
func fetch[T rawElem](f *frame, s *site, d []T) {
	if s.Kind == gather.Skip {
		clear(d)
		return
	}
	gather.Load(&f.Scratch, &s.Access, f.base(s.buf), f.lo, d)
}

// patch stores the fill value in the lanes that fetch found outside the array.
func patch[T any](f *frame, s *site, in *ins, d []T) {
	if s.Masked() {
		gather.Fill(&f.Scratch, &s.Access, d, vec[T](f, in.a, len(d)))
	}
}

// storeRaw writes a register to the array. It writes nothing if the register
// points at the array; see vecInfo.direct.
func storeRaw[T rawElem](f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d := vec[T](f, in.a, n)
	if s.view && f.at(in.a) == unsafe.Pointer(elem[T](f.base(s.buf), s.Line.At(f.Pos)+f.lo)) {
		return
	}
	put(f, s, d)
}

func storeF16(f *frame, in *ins, n int) {
	a, raw := vec[float32](f, in.a, n), f.scratch(n)
	narrowF16(raw, a)
	put(f, &f.sites[in.aux], raw)
}

func storeBF16(f *frame, in *ins, n int) {
	a, raw := vec[float32](f, in.a, n), f.scratch(n)
	for i := range raw {
		raw[i] = dtype.BF16Bits(a[i])
	}
	put(f, &f.sites[in.aux], raw)
}

// put writes bits to the elements of a site. All of them are inside the array.
func put[T rawElem](f *frame, s *site, d []T) {
	gather.Store(&f.Scratch, &s.Access, f.base(s.buf), f.lo, d)
}

func indexKernel(f *frame, in *ins, n int) {
	if s := &f.sites[in.aux]; s.Kind != gather.Skip {
		f.Index(&s.Access, f.lo, vec[int64](f, in.d, n))
	}
}

// Value copies a register, or its only lane, to dst for an index expression.
func (f *frame) Value(reg int32, dst []int64) {
	if f.inst.code.regs[reg].vector {
		copy(dst, vec[int64](f, reg*regSize, len(dst)))
	} else {
		fill(dst, one[int64](f, reg*regSize))
	}
}
