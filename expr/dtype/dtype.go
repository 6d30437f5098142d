// Package dtype names the element types that arrays, kernels and files hold,
// and gives Go types to the two that Go lacks: [Float16] and [BFloat16].
package dtype

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"
)

// A Type is an element type. The zero value is [Invalid].
type Type uint8

// The element types: bool, the signed integers, the unsigned ones, the floats, and the complex types. In memory a Bool is one byte, 0 or 1; inside a kernel it
// is a predicate. An F16 or BF16 is two bytes in memory and a float32 inside a
// kernel (see docs/numerics.md). A C64 or C128 is two numbers, the real part and
// then the imaginary part. No kernel holds one: see [Type.Part].
const (
	Invalid Type = iota
	Bool
	I8
	I16
	I32
	I64
	U8
	U16
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

// A row has what the other packages need to know about an element type.
type row struct {
	name, short string // NumPy's name, and the name in IR texts and CUDA C
	size        int
	npy         string       // NumPy's code of the type in .npy files, without the order of bytes
	goType      reflect.Type // of the elements of slices
}

var rows = [count]row{
	Invalid: {"invalid", "?", 0, "", nil},
	Bool:    {"bool", "bool", 1, "b1", reflect.TypeFor[bool]()},
	I8:      {"int8", "i8", 1, "i1", reflect.TypeFor[int8]()},
	I16:     {"int16", "i16", 2, "i2", reflect.TypeFor[int16]()},
	I32:     {"int32", "i32", 4, "i4", reflect.TypeFor[int32]()},
	I64:     {"int64", "i64", 8, "i8", reflect.TypeFor[int64]()},
	U8:      {"uint8", "u8", 1, "u1", reflect.TypeFor[uint8]()},
	U16:     {"uint16", "u16", 2, "u2", reflect.TypeFor[uint16]()},
	U32:     {"uint32", "u32", 4, "u4", reflect.TypeFor[uint32]()},
	U64:     {"uint64", "u64", 8, "u8", reflect.TypeFor[uint64]()},
	F16:     {"float16", "f16", 2, "f2", reflect.TypeFor[Float16]()},
	BF16:    {"bfloat16", "bf16", 2, "V2", reflect.TypeFor[BFloat16]()},
	F32:     {"float32", "f32", 4, "f4", reflect.TypeFor[float32]()},
	F64:     {"float64", "f64", 8, "f8", reflect.TypeFor[float64]()},
	C64:     {"complex64", "c64", 8, "c8", reflect.TypeFor[complex64]()},
	C128:    {"complex128", "c128", 16, "c16", reflect.TypeFor[complex128]()},
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

// Registers lists the types that values have inside kernels: bool, the integers, F32 and
// F64.
func Registers() []Type {
	return slices.DeleteFunc(Real(), func(t Type) bool { return t.Register() != t })
}

// Integers lists the integer types, in the order of the constants.
func Integers() []Type { return slices.DeleteFunc(Real(), func(t Type) bool { return !t.IsInt() }) }

func (t Type) row() *row {
	if t >= count {
		t = Invalid
	}
	return &rows[t]
}

// String is the NumPy name: "float32", "bool", "bfloat16". For types that Go has it is
// the name of the Go type too.
func (t Type) String() string { return t.row().name }

// Short is the name used in IR texts and in CUDA C: "f32", "bool", "bf16".
func (t Type) Short() string { return t.row().short }

// Size is the number of bytes of one element in memory.
func (t Type) Size() int { return t.row().size }

// Code is NumPy's code of the type in .npy files, without the order of bytes: "f4",
// "b1", "V2".
func (t Type) Code() string { return t.row().npy }

// GoType is the Go type of the elements, or nil for Invalid.
func (t Type) GoType() reflect.Type { return t.row().goType }

// Valid reports whether t is one of the listed types.
func (t Type) Valid() bool { return t > Invalid && t < count }

// IsFloat reports whether t is a floating-point type, halves included.
func (t Type) IsFloat() bool { return t >= F16 && t <= F64 }

// IsHalf reports whether t is F16 or BF16.
func (t Type) IsHalf() bool { return t == F16 || t == BF16 }

// IsSigned reports whether t is a signed integer type.
func (t Type) IsSigned() bool { return t >= I8 && t <= I64 }

// IsUnsigned reports whether t is an unsigned integer type.
func (t Type) IsUnsigned() bool { return t >= U8 && t <= U64 }

// IsInt reports whether t is an integer type; Bool is not one.
func (t Type) IsInt() bool { return t >= I8 && t <= U64 }

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

// Integer returns the integer type of a size in bytes, or Invalid if there is none.
func Integer(size int, signed bool) Type {
	for t := Bool; t < count; t++ {
		if t.IsInt() && t.Size() == size && t.IsSigned() == signed {
			return t
		}
	}
	return Invalid
}

// Unsigned is the unsigned type of the size of an integer type. For every other type it
// is the type itself.
func (t Type) Unsigned() Type {
	if !t.IsSigned() {
		return t
	}
	return Integer(t.Size(), false)
}

// Extend returns the bits of a register type, of which x has the low ones, extended to 64
// bits: with copies of the sign for a signed integer, and with zeros for all others.
func (t Type) Extend(x uint64) uint64 {
	above := 64 - 8*t.Size()
	if t.IsSigned() {
		return uint64(int64(x<<above) >> above)
	}
	return x << above >> above
}

// Mask is the largest value of an unsigned type of the size of t. Sizes above 8 bytes
// have the mask of 8 bytes.
func (t Type) Mask() uint64 { return ^uint64(0) >> (64 - 8*min(t.Size(), 8)) }

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

// Signed is the constraint of the signed integer element types. An int has the type and
// the memory of an int64, or of an int32 where the processor has 32 bits.
type Signed interface {
	int8 | int16 | int32 | int64 | int
}

// Unsigned is the constraint of the unsigned integer element types.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Int is the constraint of the integer element types.
type Int interface {
	Signed | Unsigned
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
func Of[T Elem]() Type { return OfGo(reflect.TypeFor[T]()) }

// kinds has the types of the Go types that have a kind of their own.
var kinds = func() (of [reflect.UnsafePointer + 1]Type) {
	for _, t := range All() {
		if k := t.GoType().Kind(); k != reflect.Struct {
			of[k] = t
		}
	}
	of[reflect.Int] = Integer(bits.UintSize/8, true)
	return of
}()

// OfGo returns the Type of the elements of a slice with elements of a Go type, or Invalid
// if arrays have no such elements. A named type counts as its kind.
func OfGo(t reflect.Type) Type {
	if t == nil {
		return Invalid
	}
	if k := t.Kind(); k != reflect.Struct {
		return kinds[k]
	}
	switch t {
	case rows[F16].goType:
		return F16
	case rows[BF16].goType:
		return BF16
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
