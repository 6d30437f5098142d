package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// cvt converts with Go's conversion, where that meets the contract: integers wrap,
// and floating-point results round to nearest even.
func cvt[From, To dtype.Int | float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[To](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = To(a[i])
	}
}

func cvtToF32[From int64 | uint64](f *frame, in *ins, n int) {
	d, a := vec[float32](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = scalar.ToF32(a[i])
	}
}

func cvtPred[From dtype.Int | float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[bool](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = a[i] != 0
	}
}

func cvtToI8[From float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[int8](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = scalar.ToI8(float64(a[i]))
	}
}

// cvtToI32 tests for the usual case in the loop. There the conversion is one
// instruction; the others call scalar.ToI32.
func cvtToI32[From float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[int32](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		x := a[i]
		if -0x1p31 <= x && x < 0x1p31 {
			d[i] = int32(x)
		} else {
			d[i] = scalar.ToI32(float64(x))
		}
	}
}

func cvtToI64[From float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[int64](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = scalar.ToI64(float64(a[i]))
	}
}

func cvtToU8[From float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[uint8](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = scalar.ToU8(float64(a[i]))
	}
}

func cvtToU32[From float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[uint32](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = scalar.ToU32(float64(a[i]))
	}
}

func cvtToU64[From float32 | float64](f *frame, in *ins, n int) {
	d, a := vec[uint64](f, in.d, n), vec[From](f, in.a, n)
	for i := range d {
		d[i] = scalar.ToU64(float64(a[i]))
	}
}

// cvtFromInt sets the conversions from an integer type, or from Bool. A predicate
// is 0 or 1.
func cvtFromInt[From dtype.Int](from dtype.Type) {
	cvtKernels[from] = [numTypes]kernel{
		dtype.Bool: cvtPred[From],
		dtype.I8:   cvt[From, int8],
		dtype.I32:  cvt[From, int32],
		dtype.I64:  cvt[From, int64],
		dtype.U8:   cvt[From, uint8],
		dtype.U32:  cvt[From, uint32],
		dtype.U64:  cvt[From, uint64],
		dtype.F32:  cvt[From, float32],
		dtype.F64:  cvt[From, float64],
	}
}

func cvtFromFloat[From float32 | float64](from dtype.Type) {
	cvtKernels[from] = [numTypes]kernel{
		dtype.Bool: cvtPred[From],
		dtype.I8:   cvtToI8[From],
		dtype.I32:  cvtToI32[From],
		dtype.I64:  cvtToI64[From],
		dtype.U8:   cvtToU8[From],
		dtype.U32:  cvtToU32[From],
		dtype.U64:  cvtToU64[From],
		dtype.F32:  cvt[From, float32],
		dtype.F64:  cvt[From, float64],
	}
}

func init() {
	cvtFromInt[uint8](dtype.Bool)
	cvtFromInt[int8](dtype.I8)
	cvtFromInt[int32](dtype.I32)
	cvtFromInt[int64](dtype.I64)
	cvtFromInt[uint8](dtype.U8)
	cvtFromInt[uint32](dtype.U32)
	cvtFromInt[uint64](dtype.U64)
	cvtKernels[dtype.I64][dtype.F32] = cvtToF32[int64]
	cvtKernels[dtype.U64][dtype.F32] = cvtToF32[uint64]
	cvtFromFloat[float32](dtype.F32)
	cvtFromFloat[float64](dtype.F64)
}

// lookup reads entry a mod length of table aux. imm is the length minus one; the
// length is a power of two, at most 64.
func lookup[I dtype.Int, T any](f *frame, in *ins, n int) {
	d, a := vec[T](f, in.d, n), vec[I](f, in.a, n)
	t := (*[64]T)(f.inst.code.tables[in.aux])
	mask := in.imm & 63
	for i := range d {
		d[i] = t[uint64(a[i])&mask]
	}
}

func lookupRow[I dtype.Int](index dtype.Type) {
	for t := range numTypes {
		switch dtype.Type(t) {
		case dtype.I8, dtype.U8:
			lookupKernels[index][t] = lookup[I, uint8]
		case dtype.I32, dtype.U32, dtype.F32:
			lookupKernels[index][t] = lookup[I, uint32]
		case dtype.I64, dtype.U64, dtype.F64:
			lookupKernels[index][t] = lookup[I, uint64]
		}
	}
}

func init() {
	lookupRow[int8](dtype.I8)
	lookupRow[int32](dtype.I32)
	lookupRow[int64](dtype.I64)
	lookupRow[uint8](dtype.U8)
	lookupRow[uint32](dtype.U32)
	lookupRow[uint64](dtype.U64)
}

// packTable returns a copy of a constant table with elements of type t, in memory
// for 64 elements.
func packTable(t dtype.Type, bits []uint64) unsafe.Pointer {
	mem := new([64]uint64)
	p := unsafe.Pointer(mem)
	for i, b := range bits {
		setBits(unsafe.Add(p, i*t.Size()), t.Size(), b)
	}
	return p
}
