package prim

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
)

// Eval returns the result of one instruction on bits. A value is in the low
// bytes of a uint64, with zeros above: floats by their IEEE bits, predicates as
// 0 or 1. Lookup reads tables. A combination of primitive and type that [Info]
// excludes gives 0.
func Eval(ins Ins, args [3]uint64, tables [][]uint64) uint64 {
	if ins.Op == Lookup {
		if ins.Imm >= uint64(len(tables)) {
			return 0
		}
		t := tables[ins.Imm]
		return t[args[0]&uint64(len(t)-1)]
	}
	out, _ := evalCode(codeOf(ins), &ins, args[0], args[1], args[2])
	return out
}

// A code is a primitive and the type that decides its meaning. The evaluator
// dispatches on it.
type code uint16

const typeBits = 5

func codeOf(ins Ins) code {
	t := ins.Type
	if ins.Op.Info().Arity > 0 {
		t = ins.Args[ins.Op.Typed()].Type
	}
	return code(ins.Op)<<typeBits | code(t)
}

// evalCode returns the result of every primitive except Lookup. ok is false if
// the primitive is not defined for the type.
func evalCode(c code, ins *Ins, x, y, z uint64) (out uint64, ok bool) {
	op := Op(c >> typeBits)
	switch op {
	case Const:
		return ins.Imm, Any.Has(ins.Type)
	case Select:
		if x != 0 {
			return y, true
		}
		return z, true
	case Bitcast:
		return x, true
	case Cvt:
		return evalCvt(ins.Args[0].Type, ins.Type, x)
	}
	switch t := dtype.Type(c & (1<<typeBits - 1)); t {
	case dtype.Bool:
		return evalPred(op, x, y)
	case dtype.F32:
		if op == Scale {
			return uint64(math.Float32bits(scalar.Ldexp32(math.Float32frombits(uint32(x)), int32(y)))), true
		}
		return evalSingle(op, math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)), math.Float32frombits(uint32(z)))
	case dtype.F64:
		if op == Scale {
			return math.Float64bits(scalar.Ldexp64(math.Float64frombits(x), int64(y))), true
		}
		return evalDouble(op, math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(z))
	default:
		return evalInt(t, op, x, y)
	}
}

// floatBits returns the bits of a float in the low bits of a word.
func floatBits[T float32 | float64](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}

// evalCvt converts the bits x from one register type to another.
func evalCvt(from, to dtype.Type, x uint64) (uint64, bool) {
	switch {
	case from == dtype.Bool || from.IsUnsigned():
		return fromInt(to, x)
	case from.IsSigned():
		return fromInt(to, int64(from.Extend(x)))
	case from == dtype.F32 && to == dtype.F32:
		return x, true
	case from == dtype.F32:
		return fromFloat(to, float64(math.Float32frombits(uint32(x))))
	case from == dtype.F64:
		return fromFloat(to, math.Float64frombits(x))
	}
	return 0, false
}

func fromInt[T int64 | uint64](to dtype.Type, x T) (uint64, bool) {
	switch {
	case to == dtype.Bool:
		return scalar.FromBool[uint64](x != 0), true
	case to == dtype.F32:
		return uint64(math.Float32bits(scalar.ToF32(x))), true
	case to == dtype.F64:
		return math.Float64bits(float64(x)), true
	case to.IsInt():
		return uint64(x) & to.Mask(), true
	}
	return 0, false
}

func fromFloat(to dtype.Type, x float64) (uint64, bool) {
	switch {
	case to == dtype.Bool:
		return scalar.FromBool[uint64](x != 0), true
	case to == dtype.F32:
		return uint64(math.Float32bits(float32(x))), true
	case to == dtype.F64:
		return math.Float64bits(x), true
	case to.IsInt():
		return scalar.ToInt(to, x), true
	}
	return 0, false
}
