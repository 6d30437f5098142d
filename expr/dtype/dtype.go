// Package dtype names the element types that arrays, kernels and files hold,
// and gives Go types to the two that Go lacks: [Float16] and [BFloat16].
package dtype

import (
	"fmt"
	"unsafe"
)

// A Type is an element type. The zero value is [Invalid].
type Type uint8

// The element types. In memory a Bool is one byte, 0 or 1; inside a kernel it
// is a predicate. An F16 or BF16 is two bytes in memory and a float32 inside a
// kernel (see docs/numerics.md). A C64 or C128 is two numbers, the real part and
// then the imaginary part. No kernel holds one: see [Type.Part].
const (
	Invalid Type = iota
	Bool
	I8
	I32
	I64
	U8
	U32
	U64
	F16
	BF16
	F32
	F64
	C64
	C128
	count
)

type class uint8

const (
	boolean class = iota
	signed
	unsigned
	floating
	complexes
)

type row struct {
	name, short string
	size        int
	class       class
}

var rows = [count]row{
	Invalid: {"invalid", "?", 0, boolean},
	Bool:    {"bool", "bool", 1, boolean},
	I8:      {"int8", "i8", 1, signed},
	I32:     {"int32", "i32", 4, signed},
	I64:     {"int64", "i64", 8, signed},
	U8:      {"uint8", "u8", 1, unsigned},
	U32:     {"uint32", "u32", 4, unsigned},
	U64:     {"uint64", "u64", 8, unsigned},
	F16:     {"float16", "f16", 2, floating},
	BF16:    {"bfloat16", "bf16", 2, floating},
	F32:     {"float32", "f32", 4, floating},
	F64:     {"float64", "f64", 8, floating},
	C64:     {"complex64", "c64", 8, complexes},
	C128:    {"complex128", "c128", 16, complexes},
}

// All lists every valid type, in the order of the constants.
func All() []Type {
	out := make([]Type, 0, count-1)
	for t := Bool; t < count; t++ {
		out = append(out, t)
	}
	return out
}

// Real lists the types that are not complex, in the order of the constants. These
// are the types that kernels hold.
func Real() []Type { return All()[:F64] }

func (t Type) row() *row {
	if t >= count {
		t = Invalid
	}
	return &rows[t]
}

// String is the NumPy name: "float32", "bool", "bfloat16".
func (t Type) String() string { return t.row().name }

// Short is the name used in IR texts: "f32", "bool", "bf16".
func (t Type) Short() string { return t.row().short }

// Size is the number of bytes of one element in memory.
func (t Type) Size() int { return t.row().size }

// Valid reports whether t is one of the listed types.
func (t Type) Valid() bool { return t > Invalid && t < count }

// IsFloat reports whether t is a floating-point type, halves included.
func (t Type) IsFloat() bool { return t.Valid() && t.row().class == floating }

// IsHalf reports whether t is F16 or BF16.
func (t Type) IsHalf() bool { return t == F16 || t == BF16 }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return t.Valid() && t.row().class == signed }

// IsUnsigned reports whether t is an unsigned integer type.
func (t Type) IsUnsigned() bool { return t.Valid() && t.row().class == unsigned }

// IsInt reports whether t is an integer type; Bool is not one.
func (t Type) IsInt() bool { return t.IsSigned() || t.IsUnsigned() }

// IsComplex reports whether t is C64 or C128.
func (t Type) IsComplex() bool { return t == C64 || t == C128 }

// Part is the type of the real part and of the imaginary part of a complex type.
// For every other type it is the type itself.
func (t Type) Part() Type {
	switch t {
	case C64:
		return F32
	case C128:
		return F64
	}
	return t
}

// Complex is the complex type whose parts have type t, or Invalid if there is none.
func (t Type) Complex() Type {
	switch t {
	case F32:
		return C64
	case F64:
		return C128
	}
	return Invalid
}

// Register is the type that a value of type t has inside a kernel: halves are
// held as F32, every other type as itself.
func (t Type) Register() Type {
	if t.IsHalf() {
		return F32
	}
	return t
}

// Parse reads a long or short name.
func Parse(name string) (Type, error) {
	for t := Bool; t < count; t++ {
		if name == rows[t].name || name == rows[t].short {
			return t, nil
		}
	}
	return Invalid, fmt.Errorf("oneloop: unknown element type %q", name)
}

// Number is the constraint of element types with arithmetic in Go terms.
type Number interface {
	Int | Float
}

// Int is the constraint of the integer element types.
type Int interface {
	int8 | int32 | int64 | uint8 | uint32 | uint64
}

// Float is the constraint of the floating-point element types.
type Float interface {
	float32 | float64 | Float16 | BFloat16
}

// Complex is the constraint of the complex element types.
type Complex interface {
	complex64 | complex128
}

// Elem is the constraint of all element types.
type Elem interface {
	Number | Complex | bool
}

// Of returns the Type of the Go type T.
func Of[T Elem]() Type {
	var z T
	switch any(z).(type) {
	case bool:
		return Bool
	case int8:
		return I8
	case int32:
		return I32
	case int64:
		return I64
	case uint8:
		return U8
	case uint32:
		return U32
	case uint64:
		return U64
	case Float16:
		return F16
	case BFloat16:
		return BF16
	case float32:
		return F32
	case float64:
		return F64
	case complex64:
		return C64
	case complex128:
		return C128
	}
	return Invalid
}

// Bytes views a slice of elements as its bytes, without copying.
func Bytes[T Elem](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// Slice views bytes as elements, without copying. The bytes must be aligned
// for T; a trailing partial element is left out.
func Slice[T Elem](b []byte) []T {
	var z T
	n := len(b) / int(unsafe.Sizeof(z))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
