package jit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// An isa is an instruction set: what the emitter must know of a target. A target
// is the files avx512*.go or avx2*.go. It embeds [generic] and defines the methods
// that differ.
type isa interface {
	name() string
	// vectors returns the number of vector registers that the emitter may use, and
	// the bytes of each.
	vectors() (registers, bytes int)
	// predicates returns the number of mask registers that may hold predicates. If it
	// is 0, predicates are vectors of lanes that are all ones or all zeros.
	predicates() int
	// broadcasts reports whether an operand in memory may be one element that stands
	// for all lanes. If not, uniform values in memory have a copy for every lane.
	broadcasts() bool

	// native returns the target's own rule for an operation on operands of type t, or
	// nil if the target uses the generic rule.
	native(op prim.Op, t dtype.Type) rule
	// simple returns the target's own instruction for a primitive of two operands, or 0
	// if the target uses binaryOps.
	simple(op prim.Op, t dtype.Type) x86.Op
	// minMax emits the IEEE 754-2019 minimum or maximum of floats.
	minMax(f *emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec)

	// setTail makes the tail mask for RCX lanes, fewer than 256.
	setTail(f *emitter)
	// tailBits puts one bit for each lane of the tail mask into RAX.
	tailBits(f *emitter)
	// storeTail stores the lanes of the tail of a vector of lanes of type t.
	storeTail(f *emitter, t dtype.Type, m x86.Mem, x x86.Vec)
	// storeTo stores the operand of n as neighbouring elements of type t.
	storeTo(f *emitter, n *node, t dtype.Type, m x86.Mem, masked bool)
	// upperHalf moves the upper 16 of 32 bytes of x to the lower half of d.
	upperHalf(f *emitter, d, x x86.Vec)

	// predicateLanes returns predicate p, or its complement, as lanes of 32 bits for a
	// reduction.
	predicateLanes(f *emitter, p int32, complement bool) x86.Vec
	// stepValue combines x with an accumulator. stepArg replaces d and its position idx
	// in the lanes where x is a better minimum or maximum.
	stepValue(f *emitter, k *redKern, d, x x86.Vec)
	stepArg(f *emitter, k *redKern, d, idx, x x86.Vec)
	// foldArg folds the lanes of a (value, position) accumulator. It returns false if
	// the target uses the generic fold.
	foldArg(f *emitter, a *acc) bool

	// addNeed adds the lanes of predicate p to the lanes that need a cold region.
	// skipCold jumps if there are none. mergeCold replaces these lanes of node id by its
	// yield.
	addNeed(f *emitter, p int32, first bool)
	skipCold(f *emitter, skip x86.Label)
	mergeCold(f *emitter, id int32, n *node) x86.Operand
}

// generic has the methods of a target without mask registers or forms of its own.
type generic struct{}

func (generic) predicates() int                   { return 0 }
func (generic) broadcasts() bool                  { return false }
func (generic) simple(prim.Op, dtype.Type) x86.Op { return 0 }
func (generic) foldArg(*emitter, *acc) bool       { return false }

// targets are the supported instruction sets, the best first.
var targets = []isa{avx512{}, avx2{}}

// A rule emits one copy of a node.
type rule func(f *emitter, n *node)

// A ruleTable has rules by operation and type of the operands. The rule of Invalid is
// for the types that have none.
type ruleTable map[prim.Op]map[dtype.Type]rule

func (r ruleTable) set(op prim.Op, emit rule, ts ...dtype.Type) {
	if r[op] == nil {
		r[op] = map[dtype.Type]rule{}
	}
	if len(ts) == 0 {
		ts = []dtype.Type{dtype.Invalid}
	}
	for _, t := range ts {
		r[op][t] = emit
	}
}

func (r ruleTable) find(op prim.Op, t dtype.Type) rule {
	if emit := r[op][t]; emit != nil {
		return emit
	}
	return r[op][dtype.Invalid]
}

// genericRules are the rules of operations for which a target has no rule of its own.
var genericRules = ruleTable{}

func init() {
	r := genericRules
	for _, op := range []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Min, prim.Max, prim.And, prim.Or, prim.Xor, prim.Shl, prim.Shr} {
		r.set(op, binary, ints...)
	}
	for _, op := range []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Div} {
		r.set(op, binary, floats...)
	}
	r.set(prim.Min, floatMinMax, floats...)
	r.set(prim.Max, floatMinMax, floats...)
	r.set(prim.Fma, fma, floats...)
	r.set(prim.Abs, move, dtype.U8, dtype.U32, dtype.U64)
	r.set(prim.Sqrt, unaryOp(x86.VSQRTPS, x86.VSQRTPD), floats...)
	r.set(prim.MulHi, mulHi8, dtype.U8)
	r.set(prim.MulHi, mulHi64, dtype.U64)
	r.set(prim.Div, scalarDivide, ints...)
	r.set(prim.Rem, scalarDivide, ints...)
	r.set(prim.Rem, scalarRem, floats...)
	r.set(prim.Bitcast, bitcast, nums...)
	r.set(prim.RoundF16, roundF16, dtype.F32)
	r.set(ir.Store, (*emitter).storeNode)
	r.set(opOperand, (*emitter).operandNode)
}

// rule returns the rule that emits n, or nil if the target has none.
func (f *emitter) rule(n *node) rule {
	if emit := f.isa.native(n.op, n.in); emit != nil {
		return emit
	}
	return genericRules.find(n.op, n.in)
}

// predicateVectors reports whether predicates are vectors.
func (f *emitter) predicateVectors() bool { return f.isa.predicates() == 0 }

// fits reports whether the target can hold a number of predicates at once.
func (f *emitter) fits(predicates int) bool {
	return f.predicateVectors() || predicates < f.isa.predicates()
}
