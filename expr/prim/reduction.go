package prim

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A ReductionRow states how a loop combines its values into one. NewReduction
// makes a Reduction of it.
type ReductionRow struct {
	Name     string // in IR texts
	Operator string // name of the operator, if it is not Name
	GoName   string // name of the constructor, if it does not follow from the operator's name
	Doc      string // one sentence

	Types     Class // register types of the operand
	Op        Op    // the primitive that combines two values; Invalid if Combine does
	IgnoreNaN bool  // NaNs are ignored unless all values are NaN; Op is Min or Max
	Position  bool  // the result is the I64 position of the first extreme; Op is Min or Max

	// Identity returns the bits that every accumulator of type t begins with. If
	// Op is given, the identity changes no value. If Combine is given, it may be
	// any value.
	Identity func(t dtype.Type) uint64
	// Empty returns the result for no values. If it is nil, that result is the
	// identity.
	Empty func(t dtype.Type) uint64
	// NeedsElement means that a reduction of no values is an error.
	NeedsElement bool
	// Order holds the types for which the result depends on the order of
	// combination.
	Order Class

	// Combine is the program that combines an accumulator x[0] with x[1], a value
	// or a later accumulator. It is nil if Op is given.
	Combine func(b *B, x ...V) V
}

// A Reduction is a reduction of the table, or a user's. It does not change. Back
// ends read its facts and never the name. docs/numerics.md states the order in
// which values are combined.
type Reduction struct{ row ReductionRow }

// NewReduction returns the reduction that row states.
func NewReduction(row ReductionRow) *Reduction { return &Reduction{row} }

// Row returns what the reduction was made of.
func (r *Reduction) Row() ReductionRow { return r.row }

// Name returns the name in texts of the IR.
func (r *Reduction) Name() string { return r.row.Name }

// Doc returns a sentence that describes the reduction.
func (r *Reduction) Doc() string { return r.row.Doc }

// Types returns the register types of the operand.
func (r *Reduction) Types() Class { return r.row.Types }

// Op returns the primitive that combines two values, or Invalid if a program does.
func (r *Reduction) Op() Op { return r.row.Op }

// Position reports whether the result is the I64 position of the first extreme.
func (r *Reduction) Position() bool { return r.row.Position }

// NeedsElement reports whether a reduction of no values is an error.
func (r *Reduction) NeedsElement() bool { return r.row.NeedsElement }

// Identity returns the bits that every accumulator of type t begins with. If the
// row is native, the identity changes no value.
func (r *Reduction) Identity(t dtype.Type) uint64 { return r.row.Identity(t) }

// Complete reports whether the row has everything that back ends need.
func (r *Reduction) Complete() bool {
	return r != nil && r.row.Identity != nil && r.row.Types != 0 && r.Native() == (r.row.Combine == nil)
}

// Native reports whether the columns alone describe the row, so that a back end
// may use its own code for it. The identity of a native row changes no value,
// so accumulators without elements may be left out.
func (r *Reduction) Native() bool { return r.row.Op != Invalid }

// Ordered reports whether the result for operands of type t depends on the order
// of combination.
func (r *Reduction) Ordered(t dtype.Type) bool { return r.row.Order.Has(t) }

// Result returns the register type of the result for operands of type t.
func (r *Reduction) Result(t dtype.Type) dtype.Type {
	if r.row.Position {
		return dtype.I64
	}
	return t
}

// Nothing returns the bits of the result for no values of type t. For a row
// that needs an element it returns the identity, and for positions 0.
func (r *Reduction) Nothing(t dtype.Type) uint64 {
	switch {
	case r.row.Position:
		return 0
	case r.row.Empty != nil:
		return r.row.Empty(t)
	}
	return r.row.Identity(t)
}

// Quiet reports whether the row ignores NaN in operands of type t. Integers
// have none.
func (r *Reduction) Quiet(t dtype.Type) bool { return r.row.IgnoreNaN && Float.Has(t) }

// Lower returns the combination of two values in primitives. Rows of positions
// have none.
func (r *Reduction) Lower(b *B, x ...V) V {
	if !r.Native() {
		return r.row.Combine(b, x...)
	}
	z := b.Op(r.row.Op, x[0], x[1])
	if r.Quiet(x[0].Type) {
		z = b.Select(b.Ne(x[1], x[1]), x[0], z)
		z = b.Select(b.Ne(x[0], x[0]), x[1], z)
	}
	return z
}

// The identities of the built-in rows.

// Zero returns 0.
func Zero(dtype.Type) uint64 { return 0 }

// One returns 1.
func One(t dtype.Type) uint64 { return FromInt(t, 1) }

// MinusZero returns -0, or 0 for integers.
func MinusZero(t dtype.Type) uint64 { return FromFloat(t, math.Copysign(0, -1)) }

// Ones returns the value with all bits set, true for predicates.
func Ones(t dtype.Type) uint64 { return FromInt(t, -1) }

// Highest returns the greatest value, infinity for floats.
func Highest(t dtype.Type) uint64 {
	switch {
	case Float.Has(t):
		return FromFloat(t, math.Inf(1))
	case t.IsSigned():
		return Ones(t) >> 1
	}
	return Ones(t)
}

// Lowest returns the least value, minus infinity for floats.
func Lowest(t dtype.Type) uint64 {
	switch {
	case Float.Has(t):
		return FromFloat(t, math.Inf(-1))
	case t.IsSigned():
		return 1 << (8*t.Size() - 1)
	}
	return 0
}

// NaNOrHighest returns NaN, or the greatest integer.
func NaNOrHighest(t dtype.Type) uint64 {
	if Float.Has(t) {
		return FromFloat(t, math.NaN())
	}
	return Highest(t)
}

// NaNOrLowest returns NaN, or the least integer.
func NaNOrLowest(t dtype.Type) uint64 {
	if Float.Has(t) {
		return FromFloat(t, math.NaN())
	}
	return Lowest(t)
}
