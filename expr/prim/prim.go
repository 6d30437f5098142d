// Package prim is the vocabulary of all back ends. It has about forty primitive
// scalar operations ([Op]), the builder with which operators write their
// lowerings ([B]), the index arithmetic of views ([Ix]), and the scalar meaning
// of each primitive ([Eval]).
//
// # Semantics
//
// Floating-point primitives round once, to nearest even. They keep subnormals,
// and are never contracted or reassociated. The bits of a NaN result are
// unspecified. Integer arithmetic wraps. A primitive never traps. Div and Rem
// by zero give zero; the kernel raises the fault separately. MinInt / -1 wraps.
// A shift by the width or more gives 0, and a signed right shift then gives the
// sign.
package prim

import "github.com/oneloop/oneloop/expr/dtype"

// An Op is a primitive scalar operation.
type Op uint8

// The primitives. The table below gives operands, results and types.
const (
	Invalid Op = iota
	Const
	Add
	Sub
	Mul
	Div
	Rem
	Fma
	Neg
	Abs
	Min
	Max
	Sqrt
	Floor
	Ceil
	Trunc
	Rint
	Scale
	And
	Or
	Xor
	Not
	Shl
	Shr
	MulHi
	Eq
	Ne
	Lt
	Le
	Select
	Cvt
	Bitcast
	RoundF16
	RoundBF16
	Lookup
	NumOps // the number of primitives; IR-only operations start here
)

// A Class is a set of register types.
type Class uint8

// The register types that a primitive takes.
const (
	Pred  Class = 1 << iota // predicates (dtype.Bool)
	Sint                    // I8 I32 I64
	Uint                    // U8 U32 U64
	Float                   // F32 F64
	Int   = Sint | Uint
	Num   = Int | Float
	Any   = Pred | Num
)

// Has reports whether t, a register type, is in the class.
func (c Class) Has(t dtype.Type) bool { return c&ClassOf(t) != 0 }

// ClassOf returns the class of a register type. It returns 0 for halves, which
// have no registers.
func ClassOf(t dtype.Type) Class {
	switch {
	case t == dtype.Bool:
		return Pred
	case t.IsSigned():
		return Sint
	case t.IsUnsigned():
		return Uint
	case t == dtype.F32 || t == dtype.F64:
		return Float
	}
	return 0
}

// A Result tells how the type of a result follows from the operands.
type Result uint8

// The rules of result types.
const (
	Same     Result = iota // the type of the last operand
	IsPred                 // a predicate
	Explicit               // stated in the instruction
)

// Info is the table row of a primitive.
type Info struct {
	Name     string
	Arity    int
	Types    Class  // of the operands (of the last two for Select, of the first for Scale)
	Result   Result // rule of the result type
	Doc      string
	Commutes bool // whether the first two operands may be exchanged
	Flops    int  // number of floating-point operations that it counts as, for floats
}

// Typed returns the number of the operand whose type decides the meaning of the
// primitive: the first one for Scale, and the last one for all others.
func (op Op) Typed() int {
	if op == Scale {
		return 0
	}
	return max(op.Info().Arity-1, 0)
}

var infos = [NumOps]Info{
	Const:     {"const", 0, Any, Explicit, "the constant whose bits are given", false, 0},
	Add:       {"add", 2, Num, Same, "x + y", true, 1},
	Sub:       {"sub", 2, Num, Same, "x - y", false, 1},
	Mul:       {"mul", 2, Num, Same, "x * y", true, 1},
	Div:       {"div", 2, Num, Same, "x / y; integers truncate, by zero gives 0", false, 1},
	Rem:       {"rem", 2, Num, Same, "x - y*trunc(x/y), exact, with the sign of x; integers by zero give 0", false, 0},
	Fma:       {"fma", 3, Float, Same, "x*y + z, rounded once", true, 2},
	Neg:       {"neg", 1, Num, Same, "-x", false, 0},
	Abs:       {"abs", 1, Num, Same, "x with the sign cleared; MinInt stays", false, 0},
	Min:       {"min", 2, Num, Same, "IEEE 754-2019 minimum: NaN wins, -0 < +0", true, 0},
	Max:       {"max", 2, Num, Same, "IEEE 754-2019 maximum: NaN wins, -0 < +0", true, 0},
	Sqrt:      {"sqrt", 1, Float, Same, "the correctly rounded square root", false, 1},
	Floor:     {"floor", 1, Float, Same, "the greatest integer <= x", false, 0},
	Ceil:      {"ceil", 1, Float, Same, "the least integer >= x", false, 0},
	Trunc:     {"trunc", 1, Float, Same, "x without its fraction", false, 0},
	Rint:      {"rint", 1, Float, Same, "the nearest integer, ties to even", false, 0},
	Scale:     {"scale", 2, Float, Explicit, "x * 2^n for a signed integer n of x's width, rounded once", false, 0},
	And:       {"and", 2, Int | Pred, Same, "bitwise and", true, 0},
	Or:        {"or", 2, Int | Pred, Same, "bitwise or", true, 0},
	Xor:       {"xor", 2, Int | Pred, Same, "bitwise exclusive or", true, 0},
	Not:       {"not", 1, Int | Pred, Same, "bitwise complement", false, 0},
	Shl:       {"shl", 2, Int, Same, "x << y; y < 0 or >= width gives 0", false, 0},
	Shr:       {"shr", 2, Int, Same, "x >> y, arithmetic if signed; y < 0 or >= width gives 0 or the sign", false, 0},
	MulHi:     {"mulhi", 2, Uint, Same, "the high half of the double-width product", true, 0},
	Eq:        {"eq", 2, Any, IsPred, "x == y", true, 0},
	Ne:        {"ne", 2, Any, IsPred, "x != y, true for NaN", true, 0},
	Lt:        {"lt", 2, Num, IsPred, "x < y", false, 0},
	Le:        {"le", 2, Num, IsPred, "x <= y", false, 0},
	Select:    {"select", 3, Any, Same, "y where the predicate x holds, else z", false, 0},
	Cvt:       {"cvt", 1, Any, Explicit, "the value in another type: to float rounds to nearest even; float to int truncates, saturates, NaN gives 0; int to int wraps; to a predicate: != 0", false, 0},
	Bitcast:   {"bitcast", 1, Num, Explicit, "the same bits as another type of the same size", false, 0},
	RoundF16:  {"roundf16", 1, Float, Same, "an F32 rounded to the nearest binary16 value", false, 0},
	RoundBF16: {"roundbf16", 1, Float, Same, "an F32 rounded to the nearest bfloat16 value", false, 0},
	Lookup:    {"lookup", 1, Int, Explicit, "entry x of a constant table of at most 64 entries; the index is taken modulo its length, a power of two", false, 0},
}

// Info returns the row of op.
func (op Op) Info() *Info {
	if op >= NumOps {
		op = Invalid
	}
	return &infos[op]
}

func (op Op) String() string { return op.Info().Name }

// ByName returns the primitive with a name of IR texts. It returns false if
// there is none.
func ByName(name string) (Op, bool) {
	for op := Const; op < NumOps; op++ {
		if infos[op].Name == name {
			return op, true
		}
	}
	return Invalid, false
}

// V is a value in a program under construction: its number, which the sink
// chose, and its register type. The zero V is no value.
type V struct {
	ID   int32
	Type dtype.Type
}

// An Ins is one primitive instruction. Imm holds the bits of a Const in the low
// bytes, or the number of the table of a Lookup.
type Ins struct {
	Op   Op
	Type dtype.Type // of the result
	Args [3]V       // unused operands are the zero V
	Imm  uint64
}

// A Sink receives the instructions of a lowering: the plan compiler's IR
// builder, or the scalar evaluator of this package.
type Sink interface {
	// Emit appends an instruction and returns its value. It may return the value
	// of an equal instruction instead.
	Emit(Ins) V
	// Cold returns fast where p does not hold, and the value of body where it
	// does. Back ends run body only if p holds in some lane.
	Cold(p, fast V, body func() V) V
	// Table declares a constant table of type t and returns its number. The
	// number of entries is a power of two from 2 to 64.
	Table(t dtype.Type, bits []uint64) int
	// Has reports whether v is a value of this program that is visible here.
	Has(v V) bool
}
