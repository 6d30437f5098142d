package numpy

import (
	"cmp"
	"math"
	"math/big"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/syntax"
)

// constants are the names that NumPy has for numbers. They are Python floats.
var constants = map[string]float64{
	"pi": math.Pi, "e": math.E, "inf": math.Inf(1), "nan": math.NaN(), "euler_gamma": 0.57721566490153286060651209008240243,
}

// Predefined reports whether a name has a meaning where it is not bound: a
// constant or an element type.
func Predefined(name string) bool {
	_, constant := constants[name]
	return constant || typeNamed(name) != dtype.Invalid
}

// typeNamed returns the element type of NumPy's name, or Invalid.
func typeNamed(name string) dtype.Type {
	if t, err := dtype.Parse(name); err == nil && t.String() == name {
		return t
	}
	return otherNames[name]
}

// otherNames are further names that NumPy and Python have for element types.
var otherNames = map[string]dtype.Type{
	"bool_": dtype.Bool, "int": dtype.I64, "int_": dtype.I64, "intp": dtype.I64, "longlong": dtype.I64, "half": dtype.F16, "single": dtype.F32,
	"float": dtype.F64, "double": dtype.F64, "csingle": dtype.C64, "complex": dtype.C128, "cdouble": dtype.C128,
}

// codes are NumPy's short names of element types, which strings may have: of one letter, or with the bytes of an element.
var codes = map[string]dtype.Type{
	"?": dtype.Bool, "b": dtype.I8, "h": dtype.I16, "i": dtype.I32, "l": dtype.I64, "q": dtype.I64, "B": dtype.U8, "H": dtype.U16, "I": dtype.U32,
	"L": dtype.U64, "Q": dtype.U64, "e": dtype.F16, "f": dtype.F32, "d": dtype.F64, "F": dtype.C64, "D": dtype.C128,
	"b1": dtype.Bool, "i1": dtype.I8, "i2": dtype.I16, "i4": dtype.I32, "i8": dtype.I64, "u1": dtype.U8, "u2": dtype.U16, "u4": dtype.U32,
	"u8": dtype.U64, "f2": dtype.F16, "f4": dtype.F32, "f8": dtype.F64, "c8": dtype.C64, "c16": dtype.C128,
}

func classOf(t dtype.Type) syntax.Class {
	switch {
	case t.IsFloat():
		return syntax.Float
	case t.IsInt():
		return syntax.Int
	}
	return syntax.Bool
}

// natural returns the element type of NumPy's asarray of a Python scalar.
func natural(c syntax.Class) dtype.Type {
	return [...]dtype.Type{dtype.Invalid, dtype.Bool, dtype.I64, dtype.F64, dtype.C128}[c]
}

// fractional reports whether t has fractions: whether it is of floats, or complex.
func fractional(t dtype.Type) bool { return t.IsFloat() || t.IsComplex() }

// promote returns the common type of two element types, by NumPy's rules.
// float16 with bfloat16 gives float32. Invalid gives the other type.
func promote(a, b dtype.Type) dtype.Type {
	if a > b { // the constants are in the order invalid, bool, signed, unsigned, float, complex
		a, b = b, a
	}
	switch {
	case a == b || a == dtype.Bool || a == dtype.Invalid:
		return b
	case b.IsComplex():
		return cmp.Or(promote(a.Part(), promote(b.Part(), dtype.F32)).Complex(), dtype.C128)
	case a.IsFloat(): // both are
		if b.IsHalf() {
			return dtype.F32
		}
		return b
	case b.IsFloat() && a.Size() == 1:
		return b
	case b.IsFloat():
		return promote(b, floatFor(a))
	case a.IsSigned() == b.IsSigned():
		return b // of two signed or two unsigned types the wider one comes later
	case a.Size() > b.Size(): // signed and unsigned
		return a
	}
	return cmp.Or(dtype.Integer(2*b.Size(), true), dtype.F64)
}

// floatFor returns the type in which functions of floats compute for elements of
// type t. NumPy's loops have the same types.
func floatFor(t dtype.Type) dtype.Type {
	switch {
	case fractional(t):
		return t
	case t.Size() == 1:
		return dtype.F16
	case t.Size() == 2:
		return dtype.F32
	}
	return dtype.F64
}

// quotientType returns the type in which NumPy divides elements of type t.
func quotientType(t dtype.Type) dtype.Type {
	if fractional(t) {
		return t
	}
	return dtype.F64
}

// sumType returns the type in which NumPy adds up and multiplies elements of
// type t.
func sumType(t dtype.Type) dtype.Type {
	switch {
	case fractional(t):
		return t
	case t.IsUnsigned():
		return dtype.U64
	}
	return dtype.I64
}

// sameKind reports whether NumPy's casting rule same_kind lets a result of type
// from be stored in an array of type to.
func sameKind(from, to dtype.Type) bool {
	switch {
	case from == to || from == dtype.Bool || to.IsComplex():
		return true
	case from.IsComplex():
		return false
	case to.IsFloat():
		return true
	case from.IsFloat():
		return false
	case from.IsUnsigned():
		return to.IsInt()
	}
	return to.IsSigned()
}

// limits returns the least and the greatest value of an integer type.
func limits(t dtype.Type) (lo, hi *big.Int) {
	bits := uint(8 * t.Size())
	lo, hi = new(big.Int), big.NewInt(1)
	if t.IsSigned() {
		hi.Lsh(hi, bits-1)
		lo.Neg(hi)
	} else {
		hi.Lsh(hi, bits)
	}
	return lo, hi.Sub(hi, big.NewInt(1))
}
