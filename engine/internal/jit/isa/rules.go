package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A RuleTable has rules by operation and type of the operands. The rule of Invalid is
// for the types that have none.
type RuleTable map[prim.Op]map[dtype.Type]Rule

// Set sets the rule of an operation for types of operands, or for all without a rule.
func (r RuleTable) Set(op prim.Op, emit Rule, ts ...dtype.Type) {
	if r[op] == nil {
		r[op] = map[dtype.Type]Rule{}
	}
	if len(ts) == 0 {
		ts = []dtype.Type{dtype.Invalid}
	}
	for _, t := range ts {
		r[op][t] = emit
	}
}

// Find returns the rule of an operation, or nil.
func (r RuleTable) Find(op prim.Op, t dtype.Type) Rule {
	if emit := r[op][t]; emit != nil {
		return emit
	}
	return r[op][dtype.Invalid]
}

// genericRules are the rules of operations for which a target has no rule of its own.
var genericRules = RuleTable{}

func init() {
	r := genericRules
	for _, op := range []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Min, prim.Max, prim.And, prim.Or, prim.Xor, prim.Shl, prim.Shr} {
		r.Set(op, Binary, Ints...)
	}
	for _, op := range []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Div} {
		r.Set(op, Binary, Floats...)
	}
	r.Set(prim.Min, floatMinMax, Floats...)
	r.Set(prim.Max, floatMinMax, Floats...)
	r.Set(prim.Fma, fma, Floats...)
	r.Set(prim.Neg, negInt, Ints...)
	r.Set(prim.Abs, absInt, dtype.I8, dtype.I32)
	r.Set(prim.Cvt, convert, append([]dtype.Type{dtype.Bool}, Nums...)...)
	r.Set(prim.Abs, Move, dtype.U8, dtype.U32, dtype.U64)
	r.Set(prim.Sqrt, UnaryOp(x86.VSQRTPS, x86.VSQRTPD), Floats...)
	r.Set(prim.MulHi, mulHi8, dtype.U8)
	r.Set(prim.MulHi, mulHi64, dtype.U64)
	r.Set(prim.Div, scalarDivide, Ints...)
	r.Set(prim.Rem, scalarDivide, Ints...)
	r.Set(prim.Rem, scalarRem, Floats...)
	r.Set(prim.Bitcast, bitcast, Nums...)
	r.Set(prim.RoundF16, roundF16, dtype.F32)
	r.Set(ir.Store, (*Emitter).storeNode)
	r.Set(lower.OpOperand, (*Emitter).operandNode)
}

// rule returns the rule that emits n, or nil if the target has none.
func (f *Emitter) rule(n *lower.Node) Rule {
	if emit := f.Target.Native(n.Op, n.In); emit != nil {
		return emit
	}
	return genericRules.Find(n.Op, n.In)
}

// Emit emits copy c of a node.
func (f *Emitter) Emit(id int32, c int) {
	f.EmitNode(id, c)
	f.End()
}

// EmitNode emits copy c of a node and keeps its temporaries. The caller must call end.
func (f *Emitter) EmitNode(id int32, c int) {
	f.ID, f.Cur, f.Copy, f.Released = id, &f.Nodes[id], c, false
	emit := f.rule(f.Cur)
	if emit == nil {
		f.fail("%s of %s with %s", f.Cur.Op, f.Cur.In, f.Target.Name())
		return
	}
	emit(f, f.Cur)
}
