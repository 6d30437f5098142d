// Package element reads and writes single elements of arrays as float64.
package element

import (
	"encoding/binary"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/round"
)

// Float returns element i of b, of a real type, rounded to float64. A bool is 0 or 1.
func Float(t dtype.Type, b []byte, i int) float64 {
	switch t {
	case dtype.F32:
		return float64(dtype.Slice[float32](b)[i])
	case dtype.F64:
		return dtype.Slice[float64](b)[i]
	case dtype.F16:
		return float64(dtype.Slice[dtype.Float16](b)[i].Float32())
	case dtype.BF16:
		return float64(dtype.Slice[dtype.BFloat16](b)[i].Float32())
	}
	var word [8]byte
	copy(word[:], b[i*t.Size():][:t.Size()])
	bits := binary.LittleEndian.Uint64(word[:])
	if t.IsSigned() {
		return float64(int64(t.Extend(bits)))
	}
	return float64(bits)
}

// PutFloat stores x as element i of b, of a real type: rounded for a float, without its fraction for an
// integer. The integer must be in the range of the type and of int64.
func PutFloat(t dtype.Type, b []byte, i int, x float64) {
	switch t {
	case dtype.F32:
		dtype.Slice[float32](b)[i] = float32(x)
	case dtype.F64:
		dtype.Slice[float64](b)[i] = x
	case dtype.F16:
		dtype.Slice[dtype.Float16](b)[i] = dtype.F16From(round.ToOdd(x))
	case dtype.BF16:
		dtype.Slice[dtype.BFloat16](b)[i] = dtype.BF16From(round.ToOdd(x))
	default:
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(int64(x)))
		copy(b[i*t.Size():][:t.Size()], word[:])
	}
}
