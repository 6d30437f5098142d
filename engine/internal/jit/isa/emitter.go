// Package isa allocates registers and finds the operands of single nodes. An [Emitter]
// writes them through a [Target], the interface of an instruction set. The package knows
// no instruction: a target has an encoder, and stands in a package below this one.
package isa

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// An Emitter writes the instructions of the nodes of one phase: it allocates registers
// and finds operands.
type Emitter struct {
	Asm
	Lanes Lanes
	*Facts
	Listing bool
	Program *lower.Program
	Layout  *layout.Phase
	Phase   *lower.Phase
	layout.Variant
	W int // lanes of a vector
	// Octets says that all lanes have 8 bits, not the widest of the phase.
	Octets bool
	Nodes  []lower.Node

	Values
	Vecs, Masks RegisterFile
	Slots       slots
	Spills      int
	cursor

	SiteReg  []int8 // register with the address of a site, or -1
	Operands [2]Vec // of the program of a reduction
	Err      error
}

// A cursor says what the emitter writes.
type cursor struct {
	ID       int32 // the current node
	Cur      *lower.Node
	At       int32 // its position
	Copy     int   // its vector in the group
	Released bool
	Masked   bool // only the lanes of the tail mask
	Prolog   bool // a uniform node, before the loop
	Result   int8 // its register
	InCold   bool
	Base     int  // vectors of the iteration before this group
	Half     int  // copies from half on have lanes from Count on; 0: all have lanes from Lane on
	Part64   bool // stores may write a part of a cache line
}

// NewEmitter returns an emitter with all registers free. The caller sets W and Lanes.
func NewEmitter(target Target, a Asm, listing bool, p *lower.Program, bp *layout.Phase, v layout.Variant) Emitter {
	facts := *target.Facts()
	octets := bp.Octets && facts.Octets
	facts.Broadcasts = facts.Broadcasts && !octets
	return Emitter{
		Asm: a, Facts: &facts, Octets: octets, Listing: listing, Program: p, Layout: bp, Phase: bp.Lowered, Variant: v,
		Nodes: slices.Clone(bp.Lowered.Nodes), Vecs: NewRegisterFile(1<<facts.Vectors - 1), Masks: NewRegisterFile(2<<facts.Predicates - 2),
		SiteReg: slices.Repeat([]int8{-1}, len(bp.Sites)),
	}
}

// VecBytes returns the size in bytes of a vector of register type t.
func (f *Emitter) VecBytes(t dtype.Type) int {
	switch {
	case f.Octets:
		return f.W
	case t == dtype.Bool && f.Predicates == 0:
		return f.Bytes
	case Wide(t):
		return 8 * f.W
	}
	return 4 * f.W
}

// IsMask reports whether node n is in a mask register.
func (f *Emitter) IsMask(n int32) bool { return f.Predicates > 0 && f.Nodes[n].Type == dtype.Bool }

// Fits reports whether the target can hold a number of predicates at once.
func (f *Emitter) Fits(predicates int) bool { return f.Predicates == 0 || predicates < f.Predicates }

// Slot returns the memory of slot s. CellAt returns that of a cell.
func (f *Emitter) Slot(s int32) Mem { return At(Frame, f.Program.SlotBase+int(s)*64) }

// CellAt returns the memory of a cell.
func (f *Emitter) CellAt(cell int32) Mem { return At(Frame, f.Program.CellBase+int(cell)*8) }

func (f *Emitter) fail(format string, args ...any) {
	if f.Err == nil {
		f.Err = lower.Unsupported(fmt.Sprintf(format, args...))
	}
}

// Emit emits copy c of a node.
func (f *Emitter) Emit(id int32, c int) {
	f.EmitNode(id, c)
	f.End()
}

// EmitNode emits copy c of a node and keeps its temporaries. The caller must call End.
func (f *Emitter) EmitNode(id int32, c int) {
	f.ID, f.Cur, f.Copy, f.Released = id, &f.Nodes[id], c, false
	switch n := f.Cur; {
	case n.Op == ir.Store:
		f.store(n)
	case n.Op == lower.OpOperand: // the operand of a program has its register
		f.give(&f.Vecs, int8(f.Operands[n.Aux]))
	case !f.Lanes.Emit(n):
		f.fail("%s of %s with %s", n.Op, n.In, f.Facts.Name)
	}
}

// Wide reports whether a type has 64 bits.
func Wide(t dtype.Type) bool { return t.Size() == 8 }

// Narrow reports whether a type has 8 bits. Registers hold such integers extended to 32
// bits.
func Narrow(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 }

// Lane32 returns the 32-bit type of the lanes of an 8-bit type, or t.
func Lane32(t dtype.Type) dtype.Type {
	switch t {
	case dtype.I8:
		return dtype.I32
	case dtype.U8:
		return dtype.U32
	}
	return t
}

// The types of registers.
var (
	Floats = []dtype.Type{dtype.F32, dtype.F64}
	Ints   = []dtype.Type{dtype.I8, dtype.I32, dtype.I64, dtype.U8, dtype.U32, dtype.U64}
	Nums   = slices.Concat(Floats, Ints)
	All    = slices.Concat([]dtype.Type{dtype.Bool}, Nums)
)

// Rules are the functions of a target that emit one copy of a node, by operation and type
// of the operands. The rule of Invalid is for the types that have none.
type Rules[F any] struct {
	rules  []F
	number [1 << 8][dtype.F64 + 1]uint8 // of a rule, from 1; 0: there is none
}

// A Row is a rule for some operations on operands of some types, or of all that have no
// rule.
type Row[F any] struct {
	Emit  F
	Types []dtype.Type
	Ops   []prim.Op
}

// Table returns the rules of rows, at most 255. If two rows have the same operation and
// type, the later one is the rule.
func Table[F any](rows ...Row[F]) *Rules[F] {
	r := &Rules[F]{}
	for i, row := range rows {
		r.rules = append(r.rules, row.Emit)
		if row.Types == nil {
			row.Types = []dtype.Type{dtype.Invalid}
		}
		for _, op := range row.Ops {
			for _, t := range row.Types {
				r.number[op][t] = uint8(i + 1)
			}
		}
	}
	for op := range r.number {
		for t, k := range r.number[op] {
			if k == 0 {
				r.number[op][t] = r.number[op][dtype.Invalid]
			}
		}
	}
	return r
}

// Find returns the rule of an operation, and whether there is one.
func (r *Rules[F]) Find(op prim.Op, t dtype.Type) (emit F, ok bool) {
	k := r.number[op][t]
	if k == 0 {
		return emit, false
	}
	return r.rules[k-1], true
}
