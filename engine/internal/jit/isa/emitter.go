// Package isa emits the instructions of single nodes. An [Emitter] allocates registers and
// finds operands; a [Target] is what it must know of an instruction set. The rules of
// this package serve all targets that have none of their own. A target is a package beside
// this one.
package isa

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// General registers: RDI has the frame, RSI the lane, R8 to R13 the addresses of
// sites. RAX, RCX, RDX and RBX hold temporaries. RDX and RBX are counters in some
// loops. In the loop of halves RBX is the lane in the second half.

// An Emitter writes the instructions of the nodes of one phase: it allocates registers
// and finds operands.
type Emitter struct {
	Target      Target
	Registers   int // vector registers
	VectorBytes int // bytes of a vector register
	Asm         *x86.Asm
	Program     *lower.Program
	Layout      *layout.Phase
	Phase       *lower.Phase
	layout.Variant
	W     int // lanes of a vector
	Nodes []lower.Node

	Values
	Vecs, Masks RegisterFile
	Slots       slots
	Spills      int
	cursor

	SiteReg  []int8 // register with the address of a site, or -1
	Tables   []Table
	Operands [2]x86.Vec // of the program of a reduction
	Err      error
}

// A cursor says what the emitter writes.
type cursor struct {
	ID       int32 // the current node
	Cur      *lower.Node
	At       int32 // its position
	Copy     int
	Released bool
	Masked   bool // only the lanes of the tail mask
	Prolog   bool // a uniform node, before the loop
	Result   int8 // its register
	InCold   bool
	Base     int  // vectors of the iteration before this group
	Half     int  // copies from half on have lanes from RBX on; 0: all have lanes from RSI on
	Part64   bool // stores may write a part of a cache line
}

// LenOf returns the size in bits of a vector of register type t.
func (f *Emitter) LenOf(t dtype.Type) x86.Len {
	if t == dtype.Bool && f.predicateVectors() {
		return x86.Len(8 * f.VectorBytes)
	}
	if t.Size() == 8 {
		return x86.Len(f.W * 64)
	}
	return x86.Len(f.W * 32)
}

// Wide reports whether a type has 64 bits.
func Wide(t dtype.Type) bool { return t.Size() == 8 }

// Pick returns q if t has 64 bits, d otherwise.
func Pick(t dtype.Type, d, q x86.Op) x86.Op {
	if Wide(t) {
		return q
	}
	return d
}

// I appends an instruction.
func (f *Emitter) I(op x86.Op, l x86.Len, ops ...x86.Operand) { f.Asm.I(op, l, ops...) }

// IsMask reports whether node n is in a mask register.
func (f *Emitter) IsMask(n int32) bool { return !f.predicateVectors() && f.Nodes[n].Type == dtype.Bool }

// slot returns the memory of slot s.
func (f *Emitter) slot(s int32) x86.Mem { return x86.At(x86.RDI, int32(f.Program.SlotBase)+s*64) }

func (f *Emitter) fail(format string, args ...any) {
	if f.Err == nil {
		f.Err = lower.Unsupported(fmt.Sprintf(format, args...))
	}
}

// A Rule emits one copy of a node.
type Rule func(f *Emitter, n *lower.Node)

// A Target is an instruction set: what the emitter must know of it. It embeds [Generic]
// and defines the methods that differ.
type Target interface {
	Name() string
	// Vectors returns the number of vector registers that the emitter may use, and
	// the bytes of each.
	Vectors() (registers, bytes int)
	// Predicates returns the number of mask registers that may hold predicates. If it
	// is 0, predicates are vectors of lanes that are all ones or all zeros.
	Predicates() int
	// Broadcasts reports whether an operand in memory may be one element that stands
	// for all lanes. If not, uniform values in memory have a copy for every lane.
	Broadcasts() bool

	// Native returns the target's own rule for an operation on operands of type t, or
	// nil if the target uses the generic rule.
	Native(op prim.Op, t dtype.Type) Rule
	// Simple returns the target's own instruction for a primitive of two operands, or 0
	// if the target uses binaryOps.
	Simple(op prim.Op, t dtype.Type) x86.Op
	// MinMax emits the IEEE 754-2019 minimum or maximum of floats.
	MinMax(f *Emitter, op prim.Op, t dtype.Type, d, x, y x86.Vec)

	// FromPredicate, ToPredicate, IntToFloat and FloatToInt emit a conversion. A float
	// out of range saturates, and NaN becomes 0. Narrow takes the lower halves of 64-bit
	// lanes.
	FromPredicate(f *Emitter, n *lower.Node)
	ToPredicate(f *Emitter, n *lower.Node)
	IntToFloat(f *Emitter, n *lower.Node)
	FloatToInt(f *Emitter, n *lower.Node)
	Narrow(f *Emitter, d, x x86.Vec)

	// LoadMask loads uniform predicate n into a mask register.
	LoadMask(f *Emitter, d x86.Mask, n int32)

	// SetTail makes the tail mask for RCX lanes, fewer than 256.
	SetTail(f *Emitter)
	// TailBits puts one bit for each lane of the tail mask into RAX.
	TailBits(f *Emitter)
	// StoreTail stores the lanes of the tail of a vector of lanes of type t.
	StoreTail(f *Emitter, t dtype.Type, m x86.Mem, x x86.Vec)
	// StoreTo stores the operand of n as neighbouring elements of type t.
	StoreTo(f *Emitter, n *lower.Node, t dtype.Type, m x86.Mem, masked bool)
	// UpperHalf moves the upper 16 of 32 bytes of x to the lower half of d.
	UpperHalf(f *Emitter, d, x x86.Vec)

	// PredicateLanes returns predicate p, or its complement, as lanes of 32 bits for a
	// reduction.
	PredicateLanes(f *Emitter, p int32, complement bool) x86.Vec
	// StepValue combines x with an accumulator. stepArg replaces d and its position idx
	// in the lanes where x is a better minimum or maximum.
	StepValue(f *Emitter, k *reduce.Kern, d, x x86.Vec)
	StepArg(f *Emitter, k *reduce.Kern, d, idx, x x86.Vec)
	// PairArg combines two values with their positions. Of equal values the lower
	// position wins.
	PairArg(f *Emitter, k *reduce.Kern, d, di, x, xi x86.Vec)

	// AddNeed adds the lanes of predicate p to the lanes that need a cold region.
	// skipCold jumps if there are none. mergeCold replaces these lanes of node id by its
	// yield.
	AddNeed(f *Emitter, p int32, first bool)
	SkipCold(f *Emitter, skip x86.Label)
	MergeCold(f *Emitter, id int32, n *lower.Node)
}

// Generic has the methods of a target without mask registers or forms of its own.
type Generic struct{}

func (Generic) Predicates() int                    { return 0 }
func (Generic) Broadcasts() bool                   { return false }
func (Generic) Simple(prim.Op, dtype.Type) x86.Op  { return 0 }
func (Generic) LoadMask(*Emitter, x86.Mask, int32) {}

// predicateVectors reports whether predicates are vectors.
func (f *Emitter) predicateVectors() bool { return f.Target.Predicates() == 0 }

// Fits reports whether the target can hold a number of predicates at once.
func (f *Emitter) Fits(predicates int) bool {
	return f.predicateVectors() || predicates < f.Target.Predicates()
}

// NewEmitter returns an emitter with all registers free. The caller sets W.
func NewEmitter(target Target, a *x86.Asm, p *lower.Program, bp *layout.Phase, v layout.Variant) Emitter {
	nv, vbytes := target.Vectors()
	return Emitter{
		Target: target, Registers: nv, VectorBytes: vbytes, Asm: a, Program: p, Layout: bp, Phase: bp.Lowered, Variant: v,
		Nodes: slices.Clone(bp.Lowered.Nodes), Vecs: NewRegisterFile(1<<nv - 1), Masks: NewRegisterFile(2<<target.Predicates() - 2),
		SiteReg: slices.Repeat([]int8{-1}, len(bp.Sites)),
	}
}
