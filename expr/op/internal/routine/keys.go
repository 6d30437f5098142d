package routine

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A key is a value as an unsigned integer that has its order: -0 before +0, and NaN
// last. All NaNs have one key, the greatest. No other float has it.
type key interface{ dtype.Unsigned }

// keySize returns the size of the keys of a type in bytes.
func keySize(t dtype.Type) int { return t.Register().Size() }

// keysOf writes the keys of count elements to dst. The elements begin at p, step
// elements apart. In descending order NaN is last too.
func keysOf[K key](dst []K, t dtype.Type, p unsafe.Pointer, step int, descending bool) {
	src := dst
	if step == 1 {
		src = unsafe.Slice((*K)(p), len(dst))
	} else {
		bitsOf(dst, p, step)
	}
	if t.IsFloat() {
		floatKeys(dst, src, descending)
		return
	}
	turn := K(0)
	if t.IsSigned() {
		turn = 1 << (8*sizeOf[K]() - 1)
	}
	if descending {
		turn = ^turn
	}
	dst = dst[:len(src)]
	for i, b := range src {
		dst[i] = b ^ turn
	}
}

// bitsOf writes elements to dst as they are.
func bitsOf[K key](dst []K, p unsafe.Pointer, step int) {
	if step == 1 {
		copy(dst, unsafe.Slice((*K)(p), len(dst)))
		return
	}
	jump := step * sizeOf[K]()
	for i := range dst {
		dst[i] = *(*K)(unsafe.Add(p, i*jump))
	}
}

// floatKeys writes the keys of floats to dst.
func floatKeys[K key](dst, bits []K, descending bool) {
	var zero K
	shift := 8*unsafe.Sizeof(zero) - 1
	high, turn := K(1)<<shift, K(0)
	if descending {
		turn = ^turn
	}
	inf := floatInf[K]()
	dst = dst[:len(bits)]
	for i, b := range bits {
		k := b ^ (-(b >> shift) | high) ^ turn
		if b&^high > inf {
			k = ^zero
		}
		dst[i] = k
	}
}

// floatInf returns the bits of infinity.
func floatInf[K key]() K {
	var zero K
	if unsafe.Sizeof(zero) == 4 {
		bits := uint64(math.Float32bits(float32(math.Inf(1))))
		return K(bits)
	}
	bits := math.Float64bits(math.Inf(1))
	return K(bits)
}

// valuesOf writes the values of keys to memory, as keysOf reads them.
func valuesOf[K key](src []K, t dtype.Type, p unsafe.Pointer, step int, descending bool) {
	var zero K
	size := unsafe.Sizeof(zero)
	jump := step * int(size)
	high := K(1) << (8*size - 1)
	turn := K(0)
	if descending {
		turn = ^turn
	}
	float, signed := t.IsFloat(), t.IsSigned()
	nan := floatInf[K]() | floatInf[K]()>>1
	for i, k := range src {
		switch {
		case float && k == ^zero:
			k = nan
		case float:
			k ^= turn
			k ^= ^(-(k >> (8*size - 1))) | high
		case signed:
			k ^= turn ^ high
		default:
			k ^= turn
		}
		*(*K)(unsafe.Add(p, i*jump)) = k
	}
}
