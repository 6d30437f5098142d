package prim

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
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

const typeBits = 4

func makeCode(op Op, t dtype.Type) code { return code(op)<<typeBits | code(t) }

func codeOf(ins Ins) code {
	if ins.Op.Info().Arity == 0 {
		return makeCode(ins.Op, ins.Type)
	}
	return makeCode(ins.Op, ins.Args[ins.Op.Typed()].Type)
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
		return evalF32(op, x, y, z)
	case dtype.F64:
		return evalF64(op, x, y, z)
	case dtype.I8:
		out, ok = evalInt(op, int8(x), int8(y))
		return out & math.MaxUint8, ok
	case dtype.I32:
		out, ok = evalInt(op, int32(x), int32(y))
		return out & math.MaxUint32, ok
	case dtype.I64:
		return evalInt(op, int64(x), int64(y))
	case dtype.U8:
		if op == MulHi {
			return uint64(MulHiU8(uint8(x), uint8(y))), true
		}
		return evalInt(op, uint8(x), uint8(y))
	case dtype.U32:
		if op == MulHi {
			return uint64(MulHiU32(uint32(x), uint32(y))), true
		}
		return evalInt(op, uint32(x), uint32(y))
	case dtype.U64:
		if op == MulHi {
			return MulHiU64(x, y), true
		}
		return evalInt(op, x, y)
	}
	return 0, false
}

func bit(p bool) uint64 {
	if p {
		return 1
	}
	return 0
}

func evalPred(op Op, x, y uint64) (uint64, bool) {
	switch op {
	case And:
		return x & y, true
	case Or:
		return x | y, true
	case Xor, Ne:
		return x ^ y, true
	case Not:
		return x ^ 1, true
	case Eq:
		return x ^ y ^ 1, true
	}
	return 0, false
}

func evalInt[T dtype.Int](op Op, x, y T) (uint64, bool) {
	var r T
	switch op {
	case Add:
		r = x + y
	case Sub:
		r = x - y
	case Mul:
		r = x * y
	case Div:
		r = DivInt(x, y)
	case Rem:
		r = RemInt(x, y)
	case Neg:
		r = -x
	case Abs:
		r = AbsInt(x)
	case Min:
		r = min(x, y)
	case Max:
		r = max(x, y)
	case And:
		r = x & y
	case Or:
		r = x | y
	case Xor:
		r = x ^ y
	case Not:
		r = ^x
	case Shl:
		r = ShiftLeft(x, y)
	case Shr:
		r = ShiftRight(x, y)
	case Eq:
		return bit(x == y), true
	case Ne:
		return bit(x != y), true
	case Lt:
		return bit(x < y), true
	case Le:
		return bit(x <= y), true
	default:
		return 0, false
	}
	return uint64(r), true
}

func evalF32(op Op, xb, yb, zb uint64) (uint64, bool) {
	x, y := math.Float32frombits(uint32(xb)), math.Float32frombits(uint32(yb))
	var r float32
	switch op {
	case Add:
		r = x + y
	case Sub:
		r = x - y
	case Mul:
		r = x * y
	case Div:
		r = x / y
	case Rem:
		r = RemF32(x, y)
	case Fma:
		r = FmaF32(x, y, math.Float32frombits(uint32(zb)))
	case Neg:
		return xb ^ 1<<31, true
	case Abs:
		return xb &^ (1 << 31), true
	case Min:
		r = min(x, y)
	case Max:
		r = max(x, y)
	case Sqrt:
		r = SqrtF32(x)
	case Floor:
		r = FloorF32(x)
	case Ceil:
		r = CeilF32(x)
	case Trunc:
		r = TruncF32(x)
	case Rint:
		r = RintF32(x)
	case Scale:
		r = ScaleF32(x, int32(yb))
	case RoundF16:
		r = NearestF16(x)
	case RoundBF16:
		r = NearestBF16(x)
	case Eq:
		return bit(x == y), true
	case Ne:
		return bit(x != y), true
	case Lt:
		return bit(x < y), true
	case Le:
		return bit(x <= y), true
	default:
		return 0, false
	}
	return uint64(math.Float32bits(r)), true
}

func evalF64(op Op, xb, yb, zb uint64) (uint64, bool) {
	x, y := math.Float64frombits(xb), math.Float64frombits(yb)
	var r float64
	switch op {
	case Add:
		r = x + y
	case Sub:
		r = x - y
	case Mul:
		r = x * y
	case Div:
		r = x / y
	case Rem:
		r = RemF64(x, y)
	case Fma:
		r = FmaF64(x, y, math.Float64frombits(zb))
	case Neg:
		return xb ^ 1<<63, true
	case Abs:
		return xb &^ (1 << 63), true
	case Min:
		r = min(x, y)
	case Max:
		r = max(x, y)
	case Sqrt:
		r = math.Sqrt(x)
	case Floor:
		r = math.Floor(x)
	case Ceil:
		r = math.Ceil(x)
	case Trunc:
		r = math.Trunc(x)
	case Rint:
		r = math.RoundToEven(x)
	case Scale:
		r = ScaleF64(x, int64(yb))
	case Eq:
		return bit(x == y), true
	case Ne:
		return bit(x != y), true
	case Lt:
		return bit(x < y), true
	case Le:
		return bit(x <= y), true
	default:
		return 0, false
	}
	return math.Float64bits(r), true
}

// evalCvt converts the bits x from one register type to another.
func evalCvt(from, to dtype.Type, x uint64) (uint64, bool) {
	switch from {
	case dtype.Bool, dtype.U8, dtype.U32, dtype.U64:
		return fromInt(to, x)
	case dtype.I8:
		return fromInt(to, int64(int8(x)))
	case dtype.I32:
		return fromInt(to, int64(int32(x)))
	case dtype.I64:
		return fromInt(to, int64(x))
	case dtype.F32:
		if to == dtype.F32 {
			return x, true
		}
		return fromFloat(to, float64(math.Float32frombits(uint32(x))))
	case dtype.F64:
		return fromFloat(to, math.Float64frombits(x))
	}
	return 0, false
}

func fromInt[T int64 | uint64](to dtype.Type, x T) (uint64, bool) {
	switch to {
	case dtype.Bool:
		return bit(x != 0), true
	case dtype.F32:
		return uint64(math.Float32bits(ToF32(x))), true
	case dtype.F64:
		return math.Float64bits(float64(x)), true
	case dtype.I8, dtype.U8:
		return uint64(uint8(x)), true
	case dtype.I32, dtype.U32:
		return uint64(uint32(x)), true
	case dtype.I64, dtype.U64:
		return uint64(x), true
	}
	return 0, false
}

func fromFloat(to dtype.Type, x float64) (uint64, bool) {
	switch to {
	case dtype.Bool:
		return bit(x != 0), true
	case dtype.I8:
		return uint64(uint8(ToI8(x))), true
	case dtype.I32:
		return uint64(uint32(ToI32(x))), true
	case dtype.I64:
		return uint64(ToI64(x)), true
	case dtype.U8:
		return uint64(ToU8(x)), true
	case dtype.U32:
		return uint64(ToU32(x)), true
	case dtype.U64:
		return ToU64(x), true
	case dtype.F32:
		return uint64(math.Float32bits(float32(x))), true
	case dtype.F64:
		return math.Float64bits(x), true
	}
	return 0, false
}
