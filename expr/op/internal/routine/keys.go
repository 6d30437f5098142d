package routine

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A key is a value as an unsigned integer that has its order: -0 before +0, and NaN
// last. All NaNs have one key, the greatest. No other float has it.
type key interface{ dtype.Unsigned }

// keysOf writes the keys of count elements to dst. The elements begin at p, step
// elements apart. In descending order NaN is last too.
func keysOf[K key](dst []K, t dtype.Type, p unsafe.Pointer, step int, descending bool) {
	src := dst
	if step == 1 {
		src = unsafe.Slice((*K)(p), len(dst))
	} else {
		jump := step * sizeOf[K]()
		for i := range dst {
			dst[i] = *(*K)(unsafe.Add(p, i*jump))
		}
	}
	if t.IsFloat() {
		floatKeys(dst, src, descending)
		return
	}
	mask := K(0)
	if t.IsSigned() {
		mask = 1 << (8*sizeOf[K]() - 1)
	}
	if descending {
		mask = ^mask
	}
	flip(dst, src, mask)
}

// repeated returns the factor of a key that gives 8 bytes of this key.
func repeated[K key]() uint64 { return math.MaxUint64 / uint64(^K(0)) }

// flip writes elements to dst with the bits of mask changed, 32 bytes at a time. dst may be src.
func flip[K key](dst, src []K, mask K) {
	each, word := 32/sizeOf[K](), binary.NativeEndian
	masks := uint64(mask) * repeated[K]()
	for dst = dst[:len(src)]; len(src) >= each; dst, src = dst[each:], src[each:] {
		to, from := (*[32]byte)(unsafe.Pointer(&dst[0])), (*[32]byte)(unsafe.Pointer(&src[0]))
		word.PutUint64(to[:], word.Uint64(from[:])^masks)
		word.PutUint64(to[8:], word.Uint64(from[8:])^masks)
		word.PutUint64(to[16:], word.Uint64(from[16:])^masks)
		word.PutUint64(to[24:], word.Uint64(from[24:])^masks)
	}
	for i, b := range src {
		dst[i] = b ^ mask
	}
}

// floatKeys writes the keys of floats to dst.
func floatKeys[K key](dst, bits []K, descending bool) {
	var zero K
	shift := 8*unsafe.Sizeof(zero) - 1
	high, mask := K(1)<<shift, K(0)
	if descending {
		mask = ^mask
	}
	inf := floatInf[K]()
	dst = dst[:len(bits)]
	for i, b := range bits {
		k := b ^ (-(b >> shift) | high) ^ mask
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
	mask := K(0)
	if descending {
		mask = ^mask
	}
	float, signed := t.IsFloat(), t.IsSigned()
	if !float && step == 1 {
		if signed {
			mask ^= high
		}
		flip(unsafe.Slice((*K)(p), len(src)), src, mask)
		return
	}
	nan := floatInf[K]() | floatInf[K]()>>1
	for i, k := range src {
		switch {
		case float && k == ^zero:
			k = nan
		case float:
			k ^= mask
			k ^= ^(-(k >> (8*size - 1))) | high
		case signed:
			k ^= mask ^ high
		default:
			k ^= mask
		}
		*(*K)(unsafe.Add(p, i*jump)) = k
	}
}
