package formula

import "github.com/oneloop/oneloop/expr/dtype"

// promote returns the common type of two element types, by NumPy's rules. NumPy
// promotes int8 with uint8 to int16, which this library lacks; here they give
// int32. float16 with bfloat16 gives float32.
func promote(a, b dtype.Type) dtype.Type {
	if a > b { // the constants are in the order bool, signed, unsigned, float
		a, b = b, a
	}
	switch {
	case a == b || a == dtype.Bool:
		return b
	case a.IsFloat(): // both are
		if b.IsHalf() {
			return dtype.F32
		}
		return b
	case b.IsFloat():
		if a.Size() == 1 {
			return b
		}
		return dtype.F64
	case a.IsSigned() == b.IsSigned():
		return b // of one family the wider one comes later
	case a.Size() > b.Size(): // signed and unsigned
		return a
	}
	switch b {
	case dtype.U8:
		return dtype.I32
	case dtype.U32:
		return dtype.I64
	}
	return dtype.F64
}

// promoteValues is the common type of operands by NEP 50: arrays decide, and a
// Python scalar counts only where it is of a higher kind than they are. Without
// arrays run-time scalars decide before literals do.
func promoteValues(vs ...value) dtype.Type {
	var strong, weak dtype.Type
	highest := kNone
	for _, v := range vs {
		k := v.weakKind()
		if k == kNone {
			strong = promoteInto(strong, v.n.DType())
			continue
		}
		if k > highest {
			highest, weak = k, dtype.Invalid
		}
		if k == highest && v.kind == vTree {
			weak = promoteInto(weak, v.n.DType())
		}
	}
	if weak == dtype.Invalid {
		weak = highest.natural()
	}
	if strong == dtype.Invalid {
		return weak
	}
	switch highest {
	case kFloat:
		if !strong.IsFloat() {
			return dtype.F64
		}
	case kInt:
		if strong == dtype.Bool {
			return dtype.I64
		}
	}
	return strong
}

func promoteInto(have, t dtype.Type) dtype.Type {
	if have == dtype.Invalid {
		return t
	}
	return promote(have, t)
}

// weakKind is the Python type of a scalar, or kNone for an array.
func (v value) weakKind() kind {
	if v.kind == vScalar {
		return v.s.kind
	}
	return v.weak
}

// floatFor returns the type in which functions of floats compute for elements of
// type t. NumPy's loops have the same types.
func floatFor(t dtype.Type) dtype.Type {
	switch {
	case t.IsFloat():
		return t
	case t.Size() == 1:
		return dtype.F16
	}
	return dtype.F64
}

// sameKind reports whether NumPy's casting rule same_kind lets a result of type
// from be stored in an array of type to.
func sameKind(from, to dtype.Type) bool {
	switch {
	case from == to || from == dtype.Bool:
		return true
	case to.IsFloat():
		return true
	case from.IsFloat():
		return false
	case from.IsUnsigned():
		return to.IsInt()
	}
	return to.IsSigned()
}
