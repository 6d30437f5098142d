// Package prim is the vocabulary of all back ends. It has about 35 primitive
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

import (
	"cmp"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

//go:generate go run ./internal/gen

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
	Pred   Class = 1 << iota // predicates (dtype.Bool)
	Sint                     // signed integers
	Uint                     // unsigned integers
	Single                   // F32
	Double                   // F64
	Float  = Single | Double
	Int    = Sint | Uint
	Num    = Int | Float
	Any    = Pred | Num
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
	case t == dtype.F32:
		return Single
	case t == dtype.F64:
		return Double
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
	Name   string
	GoName string // of the constant, if it does not follow from Name
	Arity  int
	Types  Class  // of the operands (of the last two for Select, of the first for Scale)
	Result Result // rule of the result type
	Go     Code   // the meaning; nil for what Eval computes by hand
	Doc    string

	Commutes bool // whether the first two operands may be exchanged
	LowBits  bool // whether the lower bits of an integer follow from the lower bits of the integers among the operands
	Flops    int  // number of floating-point operations that it counts as, for floats
}

// Code defines a primitive: for each class a Go expression of x, y, z and their
// type T, from the packages math, math/bits, dtype and scalar. Predicates are 0
// or 1 in an unsigned type. The generators of [Eval] and of the interpreter's
// loops read it.
type Code map[Class]string

// Of returns the expression for a class of one type.
func (c Code) Of(class Class) string {
	for k, text := range c {
		if k&class != 0 {
			return text
		}
	}
	return ""
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
	Const: {Name: "const", Types: Any, Result: Explicit, Doc: "the constant whose bits are given"},
	Add:   {Name: "add", Arity: 2, Types: Num, Go: Code{Num: "x + y"}, Doc: "x + y", Commutes: true, LowBits: true, Flops: 1},
	Sub:   {Name: "sub", Arity: 2, Types: Num, Go: Code{Num: "x - y"}, Doc: "x - y", LowBits: true, Flops: 1},
	Mul:   {Name: "mul", Arity: 2, Types: Num, Go: Code{Num: "x * y"}, Doc: "x * y", Commutes: true, LowBits: true, Flops: 1},
	Div: {
		Name: "div", Arity: 2, Types: Num, Go: Code{Float: "x / y", Int: "scalar.Div(x, y)"},
		Doc: "x / y; integers truncate, by zero gives 0", Flops: 1,
	},
	Rem: {
		Name: "rem", Arity: 2, Types: Num, Go: Code{Float: "T(math.Mod(float64(x), float64(y)))", Int: "scalar.Rem(x, y)"},
		Doc: "x - y*trunc(x/y), exact, with the sign of x; integers by zero give 0",
	},
	Fma: {
		Name: "fma", Arity: 3, Types: Float, Go: Code{Single: "scalar.Fma32(x, y, z)", Double: "math.FMA(x, y, z)"},
		Doc: "x*y + z, rounded once", Commutes: true, Flops: 2,
	},
	Neg: {Name: "neg", Arity: 1, Types: Num, Go: Code{Num: "-x"}, Doc: "-x", LowBits: true},
	Abs: {
		Name: "abs", Arity: 1, Types: Num,
		Go:  Code{Int: "scalar.Abs(x)", Single: "math.Float32frombits(math.Float32bits(x) &^ (1 << 31))", Double: "math.Abs(x)"},
		Doc: "x with the sign cleared; MinInt stays",
	},
	Min: {
		Name: "min", Arity: 2, Types: Num, Go: Code{Num: "min(x, y)"},
		Doc: "IEEE 754-2019 minimum: NaN if an operand is NaN, -0 < +0", Commutes: true,
	},
	Max: {
		Name: "max", Arity: 2, Types: Num, Go: Code{Num: "max(x, y)"},
		Doc: "IEEE 754-2019 maximum: NaN if an operand is NaN, -0 < +0", Commutes: true,
	},
	Sqrt: {
		Name: "sqrt", Arity: 1, Types: Float, Go: Code{Float: "T(math.Sqrt(float64(x)))"},
		Doc: "the correctly rounded square root", Flops: 1,
	},
	Floor: {Name: "floor", Arity: 1, Types: Float, Go: Code{Float: "T(math.Floor(float64(x)))"}, Doc: "the greatest integer <= x"},
	Ceil:  {Name: "ceil", Arity: 1, Types: Float, Go: Code{Float: "T(math.Ceil(float64(x)))"}, Doc: "the least integer >= x"},
	Trunc: {Name: "trunc", Arity: 1, Types: Float, Go: Code{Float: "T(math.Trunc(float64(x)))"}, Doc: "x without its fraction"},
	Rint: {
		Name: "rint", Arity: 1, Types: Float, Go: Code{Float: "T(math.RoundToEven(float64(x)))"},
		Doc: "the nearest integer, ties to even",
	},
	Scale: {
		Name: "scale", Arity: 2, Types: Float, Result: Explicit, Go: Code{Single: "scalar.Ldexp32(x, y)", Double: "scalar.Ldexp64(x, y)"},
		Doc: "x * 2^n for a signed integer n of x's width, rounded once",
	},
	And: {Name: "and", Arity: 2, Types: Int | Pred, Go: Code{Int | Pred: "x & y"}, Doc: "bitwise and", Commutes: true, LowBits: true},
	Or:  {Name: "or", Arity: 2, Types: Int | Pred, Go: Code{Int | Pred: "x | y"}, Doc: "bitwise or", Commutes: true, LowBits: true},
	Xor: {Name: "xor", Arity: 2, Types: Int | Pred, Go: Code{Int | Pred: "x ^ y"}, Doc: "bitwise exclusive or", Commutes: true, LowBits: true},
	Not: {Name: "not", Arity: 1, Types: Int | Pred, Go: Code{Int: "^x", Pred: "x ^ 1"}, Doc: "bitwise complement", LowBits: true},
	Shl: {Name: "shl", Arity: 2, Types: Int, Go: Code{Int: "x << uint64(y)"}, Doc: "x << y; y < 0 or >= width gives 0"},
	Shr: {
		Name: "shr", Arity: 2, Types: Int, Go: Code{Int: "x >> uint64(y)"},
		Doc: "x >> y, arithmetic if signed; y < 0 or >= width gives 0 or the sign",
	},
	MulHi: {
		Name: "mulhi", GoName: "MulHi", Arity: 2, Types: Uint, Go: Code{Uint: "scalar.MulHi(x, y)"},
		Doc: "the high half of the double-width product", Commutes: true,
	},
	Eq: {
		Name: "eq", Arity: 2, Types: Any, Result: IsPred, Go: Code{Num: "x == y", Pred: "x ^ y ^ 1"},
		Doc: "x == y", Commutes: true,
	},
	Ne: {
		Name: "ne", Arity: 2, Types: Any, Result: IsPred, Go: Code{Num: "x != y", Pred: "x ^ y"},
		Doc: "x != y, true for NaN", Commutes: true,
	},
	Lt:     {Name: "lt", Arity: 2, Types: Num, Result: IsPred, Go: Code{Num: "x < y"}, Doc: "x < y"},
	Le:     {Name: "le", Arity: 2, Types: Num, Result: IsPred, Go: Code{Num: "x <= y"}, Doc: "x <= y"},
	Select: {Name: "select", Arity: 3, Types: Any, Doc: "y where the predicate x holds, else z", LowBits: true},
	Cvt: {
		Name: "cvt", Arity: 1, Types: Any, Result: Explicit, LowBits: true,
		Doc: "the value in another type: to float rounds to nearest even; float to int truncates, saturates, NaN gives 0; int to int wraps; to a predicate: != 0",
	},
	Bitcast: {Name: "bitcast", Arity: 1, Types: Num, Result: Explicit, Doc: "the same bits as another type of the same size"},
	RoundF16: {
		Name: "roundf16", GoName: "RoundF16", Arity: 1, Types: Single, Go: Code{Single: "dtype.F16Value(dtype.F16Bits(x))"},
		Doc: "the nearest binary16 value",
	},
	RoundBF16: {
		Name: "roundbf16", GoName: "RoundBF16", Arity: 1, Types: Single, Go: Code{Single: "dtype.BF16Value(dtype.BF16Bits(x))"},
		Doc: "the nearest bfloat16 value",
	},
	Lookup: {
		Name: "lookup", Arity: 1, Types: Int, Result: Explicit,
		Doc: "entry x of a constant table of at most 64 entries; the index is taken modulo its length, a power of two",
	},
}

// Info returns the row of op.
func (op Op) Info() *Info {
	if op >= NumOps {
		op = Invalid
	}
	return &infos[op]
}

func (op Op) String() string { return op.Info().Name }

// GoName returns the name of the constant op of this package, "" for [Invalid].
func (op Op) GoName() string {
	in := op.Info()
	if in.Name == "" {
		return ""
	}
	return cmp.Or(in.GoName, strings.ToUpper(in.Name[:1])+in.Name[1:])
}

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
