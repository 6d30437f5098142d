package prim

import (
	"fmt"
	"math"
	"strconv"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// B builds programs of primitives. It checks types and passes instructions to a
// [Sink]. It records the first mistake instead of panicking; see [B.Err].
type B struct {
	sink Sink
	err  error
}

// NewB returns a builder that writes to sink.
func NewB(sink Sink) *B { return &B{sink: sink} }

// Err returns the first mistake made with b: operands of different types, or of
// a type that the primitive does not take.
func (b *B) Err() error { return zero.IfNil(b).err }

// to returns the sink, or for a builder that NewB did not make one without values.
func (b *B) to() Sink {
	if b == nil || b.sink == nil {
		return nowhere{}
	}
	return b.sink
}

type nowhere struct{}

func (nowhere) Has(V) bool                     { return false }
func (nowhere) Emit(Ins) (v V)                 { return v }
func (nowhere) Table(dtype.Type, []uint64) int { return 0 }
func (nowhere) Cold(V, V, func() V) (v V)      { return v }

// Op emits a primitive whose result type follows from its operands, and returns
// its value.
func (b *B) Op(op Op, args ...V) V {
	in := op.Info()
	if len(args) != in.Arity || len(args) == 0 || in.Result == Explicit {
		return b.fail(op, args, "wrong number of operands, or a primitive that needs a type")
	}
	last := args[len(args)-1].Type
	if !in.Types.Has(last) {
		return b.fail(op, args, "operand type not supported")
	}
	for i, a := range args {
		if want := last; a.Type != want && !(op == Select && i == 0 && a.Type == dtype.Bool) {
			return b.fail(op, args, "operand types differ")
		}
	}
	if op == Select && args[0].Type != dtype.Bool {
		return b.fail(op, args, "the condition is not a predicate")
	}
	t := last
	if in.Result == IsPred {
		t = dtype.Bool
	}
	return b.emit(op, t, 0, args...)
}

func (b *B) emit(op Op, t dtype.Type, imm uint64, args ...V) V {
	to := b.to()
	for _, a := range args {
		if !to.Has(a) {
			return b.fail(op, args, "an operand is no value of this program")
		}
	}
	ins := Ins{Op: op, Type: t, Imm: imm}
	copy(ins.Args[:], args)
	return to.Emit(ins)
}

func (b *B) fail(op Op, args []V, why string) V {
	types := lists.Map(args, func(a V) string { return a.Type.Short() })
	b.Fail(fmt.Errorf("%s%v: %s", op, types, why))
	t := dtype.F32
	if len(args) > 0 && args[len(args)-1].Type.Valid() {
		t = args[len(args)-1].Type
	}
	return b.to().Emit(Ins{Op: Const, Type: t})
}

// A Placer is a sink that knows where a loop computes its values.
type Placer interface {
	// Uniform reports whether v is the same for all elements of all loops.
	Uniform(v V) bool
}

// Uniform reports whether v is known to be the same for all elements. A lowering may compute more from such
// a value, once. The result must not depend on what Uniform reports.
func (b *B) Uniform(v V) bool {
	p, ok := b.to().(Placer)
	return ok && b.to().Has(v) && p.Uniform(v)
}

// Fail records an error of a lowering, for example an unsupported element type.
// Later errors are ignored.
func (b *B) Fail(err error) {
	if b != nil && b.err == nil {
		b.err = err
	}
}

// Gt returns x > y.
func (b *B) Gt(x, y V) V { return b.Op(Lt, y, x) }

// Ge returns x >= y.
func (b *B) Ge(x, y V) V { return b.Op(Le, y, x) }

// Scale returns x * 2^n, rounded once; n is an I32 for F32 and an I64 for F64.
func (b *B) Scale(x, n V) V {
	if !Float.Has(x.Type) || n.Type != IntOf(x.Type) {
		return b.fail(Scale, []V{x, n}, "needs a float and the signed integer of its width")
	}
	return b.emit(Scale, x.Type, 0, x, n)
}

// Cvt converts x to the register type t; see [Cvt] for the rules.
func (b *B) Cvt(t dtype.Type, x V) V {
	if t == x.Type {
		return x
	}
	if !Any.Has(t) {
		return b.fail(Cvt, []V{x}, "not a register type: "+t.String())
	}
	return b.emit(Cvt, t, 0, x)
}

// Bitcast reads the bits of x as type t of the same size.
func (b *B) Bitcast(t dtype.Type, x V) V {
	if t == x.Type {
		return x
	}
	if !Num.Has(t) || !Num.Has(x.Type) || t.Size() != x.Type.Size() {
		return b.fail(Bitcast, []V{x}, "sizes differ")
	}
	return b.emit(Bitcast, t, 0, x)
}

// Const returns the constant of type t nearest to v. For integer types v must
// be an integer.
func (b *B) Const(t dtype.Type, v float64) V { return b.Bits(t, FromFloat(t, v)) }

// Int returns the constant of type t with value v, wrapped for integer types.
func (b *B) Int(t dtype.Type, v int64) V { return b.Bits(t, FromInt(t, v)) }

// Bits returns the constant of type t with the given bits.
func (b *B) Bits(t dtype.Type, bits uint64) V {
	if !Any.Has(t) {
		return b.fail(Const, nil, "not a register type: "+t.String())
	}
	return b.emit(Const, t, bits)
}

// Like returns the constant nearest to v in the type of x.
func (b *B) Like(x V, v float64) V { return b.Const(x.Type, v) }

// Lookup reads entry i (modulo the length) of a constant table of type t. The
// entries are bits; their number is a power of two from 2 to 64.
func (b *B) Lookup(t dtype.Type, entries []uint64, i V) V {
	if n := len(entries); n < 2 || n > 64 || n&(n-1) != 0 || !Int.Has(i.Type) || !Num.Has(t) {
		return b.fail(Lookup, []V{i}, "a table has 2..64 entries, a power of two, and an integer index")
	}
	return b.emit(Lookup, t, uint64(b.to().Table(t, entries)), i)
}

// Cold returns fast where p does not hold, and the value of body where it does.
// body runs only if p holds in some lane, so it may be costly. It may use every
// earlier value. No value of it can be used outside.
func (b *B) Cold(p, fast V, body func() V) V {
	if p.Type != dtype.Bool {
		return b.fail(Select, []V{p, fast}, "the condition is not a predicate")
	}
	if !b.to().Has(p) || !b.to().Has(fast) {
		return b.fail(Select, []V{p, fast}, "an operand is no value of this program")
	}
	return b.to().Cold(p, fast, func() V {
		v := body()
		if v.Type != fast.Type || !b.to().Has(v) {
			v = b.fail(Select, []V{fast, v}, "the region has no value of the type of the fast one")
		}
		return v
	})
}

// IntOf returns the signed integer type as wide as the float type t.
func IntOf(t dtype.Type) dtype.Type {
	if t == dtype.F64 {
		return dtype.I64
	}
	return dtype.I32
}

// FromFloat returns the bits of v as a constant of register type t.
func FromFloat(t dtype.Type, v float64) uint64 {
	switch {
	case t == dtype.F64:
		return math.Float64bits(v)
	case t == dtype.F32:
		return uint64(math.Float32bits(float32(v)))
	case t == dtype.Bool:
		return scalar.FromBool[uint64](v != 0)
	case t == dtype.U64 && v >= 1<<63:
		return uint64(v-(1<<63)) + 1<<63
	}
	return FromInt(t, int64(v))
}

// FromInt returns the bits of v as a constant of register type t.
func FromInt(t dtype.Type, v int64) uint64 {
	switch {
	case t.Register() == dtype.F32:
		return uint64(math.Float32bits(scalar.ToF32(v)))
	case t.IsFloat():
		return FromFloat(t.Register(), float64(v))
	case t == dtype.Bool:
		return scalar.FromBool[uint64](v != 0)
	}
	return uint64(v) & t.Mask()
}

// Text returns a constant in decimal notation: "1.5", "-3", "true".
func Text(t dtype.Type, bits uint64) string {
	switch {
	case t == dtype.Bool:
		return strconv.FormatBool(bits != 0)
	case t == dtype.F64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case t.IsFloat():
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case t.IsSigned():
		return strconv.FormatInt(int64(t.Extend(bits)), 10)
	}
	return strconv.FormatUint(bits, 10)
}
