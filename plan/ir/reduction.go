package ir

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
)

// The constants of the order of a reduction. docs/numerics.md has the rules.
const (
	Block = 4096 // positions of a vec loop that one set of lanes accumulates
	Run   = 64   // positions of a seq loop that one accumulator takes
	// MaxLanes is the number of lanes of a block for accumulators of up to four
	// bytes; see Lanes.
	MaxLanes = 64
)

// Lanes returns the number of lanes of a block for accumulators of type t: 64,
// or 32 for types of eight bytes.
func Lanes(t dtype.Type) int {
	if t.Size() == 8 {
		return MaxLanes / 2
	}
	return MaxLanes
}

// Blocks returns the number of blocks of n positions.
func Blocks(n int) int { return (n + Block - 1) / Block }

// reductions is the table of reductions. A row is all that a reduction needs.
// From it follow the constructor, the name in formulas, the documentation, the
// check of types, every back end, the random kernels and the conformance suite.
// Package op adds derivatives for reductions of floats.
var reductions = lists.Map([]prim.ReductionRow{
	{Name: "sum", Doc: "the sum over axes, in the documented order; 0 if empty.", Types: prim.Num, Op: prim.Add, Identity: prim.MinusZero, Empty: prim.Zero, Order: prim.Float},
	{Name: "prod", Doc: "the product over axes, in the documented order; 1 if empty.", Types: prim.Num, Op: prim.Mul, Identity: prim.One, Order: prim.Float},
	{Name: "min", Doc: "the minimum over axes; NaN if an element is NaN, -0 < +0.", Types: prim.Num, Op: prim.Min, Identity: prim.Highest, NeedsElement: true},
	{Name: "max", Doc: "the maximum over axes; NaN if an element is NaN, -0 < +0.", Types: prim.Num, Op: prim.Max, Identity: prim.Lowest, NeedsElement: true},
	{Name: "fmin", Operator: "nanmin", GoName: "NaNMin", Doc: "the minimum over axes, NaN ignored.", Types: prim.Num, Op: prim.Min, IgnoreNaN: true, Identity: prim.NaNOrHighest, NeedsElement: true},
	{Name: "fmax", Operator: "nanmax", GoName: "NaNMax", Doc: "the maximum over axes, NaN ignored.", Types: prim.Num, Op: prim.Max, IgnoreNaN: true, Identity: prim.NaNOrLowest, NeedsElement: true},
	{Name: "argmin", GoName: "ArgMin", Doc: "the position of the first minimum, or of the first NaN.", Types: prim.Num, Op: prim.Min, Position: true, Identity: prim.Highest, NeedsElement: true},
	{Name: "argmax", GoName: "ArgMax", Doc: "the position of the first maximum, or of the first NaN.", Types: prim.Num, Op: prim.Max, Position: true, Identity: prim.Lowest, NeedsElement: true},
	{Name: "any", Doc: "whether any element holds; false if empty.", Types: prim.Pred, Op: prim.Or, Identity: prim.Zero},
	{Name: "all", Doc: "whether all elements hold; true if empty.", Types: prim.Pred, Op: prim.And, Identity: prim.Ones},
	{Name: "and", Operator: "reduce_and", Doc: "the bits that are set in all elements; all bits if empty.", Types: prim.Int, Op: prim.And, Identity: prim.Ones},
	{Name: "or", Operator: "reduce_or", Doc: "the bits that are set in any element; 0 if empty.", Types: prim.Int, Op: prim.Or, Identity: prim.Zero},
	{Name: "xor", Operator: "reduce_xor", Doc: "the exclusive or of the elements' bits; 0 if empty.", Types: prim.Int, Op: prim.Xor, Identity: prim.Zero},
}, prim.NewReduction)

// Reductions returns the reductions of the table.
func Reductions() []*prim.Reduction { return slices.Clone(reductions) }

// ReductionByName returns the row of the table called name, or nil.
func ReductionByName(name string) *prim.Reduction {
	i := slices.IndexFunc(reductions, func(r *prim.Reduction) bool { return r.Name() == name })
	if i < 0 {
		return nil
	}
	return reductions[i]
}

// Reducer returns the reducer of a Reduce instruction.
func (k *Kernel) Reducer(in *Ins) *Reducer { return &k.Reducers[in.Aux] }

// Ordered reports whether the result depends on the order of combination.
func (r *Reducer) Ordered() bool { return r.Reduction.Ordered(r.Type) }

// Bits returns the bits of the identity and of the result for no values.
func (r *Reducer) Bits() (identity, nothing uint64) { return r.Identity(r.Type), r.Nothing(r.Type) }

// Scalar returns the program that combines two values. Rows of positions have
// no such program.
func (r *Reducer) Scalar() (*prim.Program, error) {
	return prim.NewProgram([]dtype.Type{r.Type, r.Type}, r.Lower)
}

// replay writes the program of a reducer to a builder of lowerings, for kernels
// that were parsed. It is the inverse of Builder.reducer.
func (k *Kernel) replay(r *Reducer, b *prim.B, x ...prim.V) prim.V {
	vals := map[Value]prim.V{r.X: x[0], r.Y: x[1]}
	k.replayRegion(r.Body, b, vals)
	return vals[r.Yield]
}

func (k *Kernel) replayRegion(region int32, b *prim.B, vals map[Value]prim.V) {
	code := k.Regions[region].Code
	for i := range code {
		in := &code[i]
		args := lists.Map(in.Args[:in.NumArgs()], func(a Value) prim.V { return vals[a] })
		switch in.Op {
		case Cold:
			vals[in.Dst] = b.Cold(args[0], args[1], func() prim.V {
				k.replayRegion(in.Aux, b, vals)
				return vals[Value(in.Imm)]
			})
		case prim.Const:
			vals[in.Dst] = b.Bits(in.Type, in.Imm)
		case prim.Lookup:
			vals[in.Dst] = b.Lookup(in.Type, k.Tables[in.Aux].Bits, args[0])
		case prim.Cvt:
			vals[in.Dst] = b.Cvt(in.Type, args[0])
		case prim.Bitcast:
			vals[in.Dst] = b.Bitcast(in.Type, args[0])
		case prim.Scale:
			vals[in.Dst] = b.Scale(args[0], args[1])
		default:
			vals[in.Dst] = b.Op(in.Op, args...)
		}
	}
}
