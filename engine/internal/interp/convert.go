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

// cvtToInt tests for the usual case in the loop. There the conversion is Go's.
func cvtToInt[From float32 | float64, To dtype.Int](f *frame, in *ins, n int) {
	d, a := vec[To](f, in.d, n), vec[From](f, in.a, n)
	t := dtype.Of[To]()
	least, above := scalar.Limits(t)
	lo, hi := From(least), From(above)
	for i := range d {
		if x := a[i]; lo <= x && x < hi {
			d[i] = To(x)
		} else {
			d[i] = To(scalar.ToInt(t, float64(x)))
		}
	}
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
	sizes := [9]kernel{1: lookup[I, uint8], 2: lookup[I, uint16], 4: lookup[I, uint32], 8: lookup[I, uint64]}
	for _, t := range dtype.Registers()[1:] {
		lookupKernels[index][t] = sizes[t.Size()]
	}
}

// packTable returns a copy of a constant table with elements of type t, in memory
// for 64 elements.
func packTable(t dtype.Type, bits []uint64) unsafe.Pointer {
	mem := new([64]uint64)
	p := unsafe.Pointer(mem)
	for i, b := range bits {
		setBits(unsafe.Add(p, i*t.Size()), t.Size(), b, 1)
	}
	return p
}
