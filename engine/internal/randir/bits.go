package randir

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// SpecialFloats are numbers at which something changes.
var SpecialFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 127, 128, 255, 256, -128, -129, 65504, 65520, 1 << 31, -1 << 31, 1<<31 - 128,
	1 << 32, 1 << 63, -1 << 63, 1 << 64, 1e38, -1e38, 1e300, 1e-40, -1e-45, 1e-310, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.MaxFloat64, 5e-8, 6e-8, 2147483647, 4294967295,
}

// specialInts are integers at which something changes.
var specialInts = []uint64{0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1}

// FloatBits is x as an element or a value of type t.
func FloatBits(t dtype.Type, x float64) uint64 {
	switch t {
	case dtype.F32:
		return uint64(math.Float32bits(float32(x)))
	case dtype.F16:
		return uint64(dtype.F16From(float32(x)).Bits())
	case dtype.BF16:
		return uint64(dtype.BF16From(float32(x)).Bits())
	}
	return math.Float64bits(x)
}

// ScalarBits is a random value of a register type.
func ScalarBits(r *rand.Rand, t dtype.Type) uint64 {
	switch {
	case t.IsFloat():
		return FloatBits(t, r.NormFloat64())
	case t == dtype.Bool:
		return uint64(r.IntN(2))
	}
	return MemoryBits(r, t)
}

// MemoryBits is a random element of an array, often one at which something
// changes, and of bools also bytes that are not 0 or 1.
func MemoryBits(r *rand.Rand, t dtype.Type) uint64 {
	mask := t.Mask()
	switch {
	case t == dtype.Bool:
		return []uint64{0, 0, 1, 2, 255}[r.IntN(5)]
	case t.IsFloat():
		switch r.IntN(20) {
		case 0:
			return FloatBits(t, SpecialFloats[r.IntN(len(SpecialFloats))])
		case 1:
			return r.Uint64() & mask
		}
		return FloatBits(t, r.NormFloat64())
	}
	switch r.IntN(4) {
	case 0:
		return r.Uint64() & mask
	case 1:
		return -specialInts[r.IntN(len(specialInts))] & mask
	case 2:
		return (uint64(1)<<r.IntN(64) - r.Uint64()&1) & mask
	}
	return specialInts[r.IntN(len(specialInts))] & mask
}

// period is the number of elements after which the contents of an array repeat. It is a prime, so
// that elements that are a power of two, or a row of common lengths, apart differ.
const period = 1021

// Fill sets the elements of an array to what bits returns, one after the other. A longer array than
// the period repeats them: a random number takes longer than all that tests do with an element.
func Fill(b []byte, t dtype.Type, bits func(dtype.Type) uint64) {
	size := t.Size()
	first := min(len(b), period*size)
	for i := 0; i < first; i += size {
		Put(b[i:], size, bits(t))
	}
	for n := first; n < len(b); n += n {
		copy(b[n:], b[:n])
	}
}

// Layout makes random strides of an array: axes in any order, some backwards, some
// with gaps, and of inputs some of stride 0. A plain array is contiguous. The
// array has total elements, the first at offset lo <= 0 from coordinate (0, 0,
// ...); an empty one has one, so that it has an address.
func Layout(r *rand.Rand, d *ir.Buf, shape []int, plain bool) (strides []int, lo, total int) {
	strides = make([]int, d.Rank)
	order := r.Perm(d.Rank)
	n := 1
	if plain {
		slices.Sort(order)
		slices.Reverse(order)
	} else {
		n += r.IntN(2)
	}
	hi := 0
	for _, j := range order {
		strides[j] = n
		if !plain {
			switch r.IntN(6) {
			case 0:
				strides[j] = -n
			case 1:
				if d.Mode == ir.In {
					strides[j] = 0
					continue
				}
			case 2:
				strides[j] = n + r.IntN(3)
			}
		}
		if reach := strides[j] * max(shape[j]-1, 0); reach < 0 {
			lo += reach
		} else {
			hi += reach
		}
		n = max(strides[j], -strides[j]) * max(shape[j], 1)
	}
	if slices.Contains(shape, 0) {
		return strides, 0, 1
	}
	return strides, lo, hi - lo + 1
}

// Put stores the low bytes of x.
func Put(b []byte, size int, x uint64) {
	switch size {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.NativeEndian.PutUint16(b, uint16(x))
	case 4:
		binary.NativeEndian.PutUint32(b, uint32(x))
	default:
		binary.NativeEndian.PutUint64(b, x)
	}
}

// Get is what Put has stored.
func Get(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// Differ returns the first element at which two arrays of the same length differ, or -1. All
// NaNs are equal. It looks at single elements only where bytes differ.
func Differ(t dtype.Type, x, y []byte) int {
	const part = 256
	for from := 0; from < len(x); from += part {
		to := min(from+part, len(x))
		if bytes.Equal(x[from:to], y[from:to]) {
			continue
		}
		for i := from / t.Size(); i < to/t.Size(); i++ {
			if at := i * t.Size(); !Same(t, Get(x[at:], t.Size()), Get(y[at:], t.Size())) {
				return i
			}
		}
	}
	return -1
}

// Same reports whether two elements are equal; all NaNs are.
func Same(t dtype.Type, x, y uint64) bool {
	if x == y {
		return true
	}
	switch t {
	case dtype.F32:
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		return a != a && b != b
	case dtype.F64:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		return a != a && b != b
	case dtype.F16:
		return x&0x7fff > 0x7c00 && y&0x7fff > 0x7c00
	case dtype.BF16:
		return x&0x7fff > 0x7f80 && y&0x7fff > 0x7f80
	}
	return false
}
