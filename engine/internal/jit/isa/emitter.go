// Package isa allocates registers and finds the operands of single nodes. An [Emitter]
// writes them through a [Target], the interface of an instruction set. The package knows
// no instruction: a target has an encoder, and stands in a package below this one.
package isa

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// An Emitter writes the instructions of the nodes of one phase: it allocates registers
// and finds operands.
type Emitter struct {
	Asm
	Lanes Lanes
	Facts
	Listing bool
	Program *lower.Program
	Layout  *layout.Phase
	Phase   *lower.Phase
	layout.Variant
	W int // lanes of a vector
	// LaneSize is the bytes of all lanes if they are narrow, 1 or 2. If it is 0, lanes have
	// the 4 or 8 bytes of their types.
	LaneSize int
	NodeSize int // LaneSize of the nodes, also in InLanes
	Nodes    []lower.Node

	Values
	Vecs, Masks RegisterFile
	Slots       slots
	Spills      int
	cursor

	SiteReg   []int8 // register with the address of a site, or -1
	SiteApart []int  // distance in bytes from the address in that register to the address of a site; 0 unless sites share the register
	Operands  [2]Vec // of the program of a reduction
	// AnyOrder says that a vector may have its lanes in any order that is the same for all fields of
	// records: no other access has lanes. Their records then fill 8 or 16 bytes.
	AnyOrder   bool
	PlaneSlots map[int32]int32 // of a laid site that is interleaved from planes: its first slot
	LaidSlots  map[int32]int32 // of a laid site that is read before the loop: its first slot
	// ChosenSlots has the slot with the offsets of the rows of a laid site that an index selects.
	ChosenSlots map[int32]int32
	Takes       map[int32]Take // by the site of the elements
	Err         error
}

// A cursor says what the emitter writes.
type cursor struct {
	ID        int32 // the current node
	Cur       *lower.Node
	At        int32 // its position
	Copy      int   // its vector in the group
	Released  bool
	Masked    bool // only the lanes of the tail mask
	Ends      int  // of each so many vectors of a group, only the last is masked; 0: Masked is the same for all
	Step      int  // of a loop without a loop over its steps: the current one
	Tail      int  // lanes of the tail mask, or 0: only the code that runs knows them
	Prolog    bool // a uniform node, before the loop
	Result    int8 // its register
	InCold    bool
	Base      int  // vectors of the iteration before this group
	Iterated  int  // lanes of an iteration of a laid loop, all of which are there; 0: those up to the current vector are
	Half      int  // copies from half on have lanes from Count on; 0: all have lanes from Lane on
	Part64    bool // stores may write a part of a cache line
	Batch     int  // copies that are emitted one after the other; 0: all of the group
	PerRow    int  // the copies of a group are so many vectors of each of several rows; 0: all are of one row
	Back      int  // lanes by which the last copy of a group overlaps the one before
	FromStart bool // the lane at hand of a map is the first one
	Bounded   bool // loads of laid rows read no elements but those of their lanes
	AtRow     int  // of a loop over several rows of a map: the current one
	ByRow     bool // a lane is a row of those that are laid across vectors
}

// A Take is how a phase reads elements that an array of indices selects. General registers load each index from memory, so no vector has
// it. Another goroutine may change the array at any time: code compares an index after it has loaded it, and does not load it again.
type Take struct {
	Index          int32 // the site of the indices
	Size           int32 // node, the same in all lanes, that is added to negative indices, or lower.None
	Extent, Stride int   // of the axis. An index outside stands for the nearest one inside
	Step           int   // elements from one lane to the next beside the indices: 0 or 1
	Inside         bool  // the type of the indices has none outside
	Seen           int32 // slot with a word that is not 0 after an index was negative or outside
}

// networkVectors is the number of registers of phases with networks that blend.
const networkVectors = 16

// Begin prepares an emitter for a phase, with all registers free. The caller sets W and
// Lanes.
func (f *Emitter) Begin(target Target, a Asm, listing bool, p *lower.Program, bp *layout.Phase, v layout.Variant) {
	facts := target.Facts()
	nodes, size := bp.Nodes(v)
	if !facts.NarrowLanes {
		nodes, size = bp.Lowered.Nodes, 0
	}
	facts.Broadcasts = facts.Broadcasts && size == 0
	if bp.NetworksBlend(v) { // which takes the lowest registers alone
		facts.Vectors = min(facts.Vectors, networkVectors)
	}
	*f = Emitter{
		Asm: a, Facts: facts, LaneSize: size, NodeSize: size, Listing: listing, Program: p, Layout: bp, Phase: bp.Lowered, Variant: v,
		Nodes: append(f.Nodes, nodes...), Values: f.Values,
		Vecs: NewRegisterFile(1<<facts.Vectors - 1), Masks: NewRegisterFile(2<<facts.Predicates - 2),
		SiteReg: f.SiteReg, SiteApart: f.SiteApart,
	}
	for range bp.Sites {
		f.SiteReg, f.SiteApart = append(f.SiteReg, -1), append(f.SiteApart, 0)
	}
}

// Empty drops all but the storage of lists, for the next phase.
func (f *Emitter) Empty() {
	clear(f.Nodes)
	v := &f.Values
	*f = Emitter{Nodes: f.Nodes[:0], SiteReg: f.SiteReg[:0], SiteApart: f.SiteApart[:0], Values: Values{
		Uniform: v.Uniform[:0], UniformSlot: v.UniformSlot[:0], Home: v.Home[:0], Last: v.Last[:0], Places: v.Places[:0],
	}}
}

// VecBytes returns the size in bytes of a vector of register type t.
func (f *Emitter) VecBytes(t dtype.Type) int {
	switch {
	case f.LaneSize > 0:
		return f.LaneSize * f.W
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
func (f *Emitter) Slot(s int32) Mem { return At(Frame, f.Program.SlotBase+int(s)*SlotBytes) }

// SlotBytes is the bytes of a slot.
const SlotBytes = 64

// CellAt returns the memory of a cell.
func (f *Emitter) CellAt(cell int32) Mem { return At(Frame, f.Program.CellBase+int(cell)*8) }

func (f *Emitter) fail(format string, args ...any) {
	if f.Err == nil {
		f.Err = lower.Unsupported(fmt.Sprintf(format, args...))
	}
}

// Choose makes c the current copy.
func (f *Emitter) Choose(c int) {
	if f.Copy = c; f.Ends > 0 {
		if f.PerRow > 0 {
			c %= f.PerRow
		}
		f.Masked = (f.Base+c)%f.Ends == f.Ends-1
	}
}

// Across reports whether a seq loop goes along one row after the other.
func (f *Emitter) Across() bool { return f.Layout.Across && f.Runs == 0 }

// Wide reports whether a type has 64 bits.
func Wide(t dtype.Type) bool { return t.Size() == 8 }

// Narrow reports whether t is an integer type of less than 32 bits.
func Narrow(t dtype.Type) bool { return frame.Narrow(t) }

// Lane32 returns the 32-bit type of the lanes of a narrow type, or t.
func Lane32(t dtype.Type) dtype.Type { return frame.Lane32(t) }

// The types of registers.
var (
	Floats = []dtype.Type{dtype.F32, dtype.F64}
	Ints   = dtype.Integers()
	Nums   = slices.Concat(Floats, Ints)
	All    = slices.Concat([]dtype.Type{dtype.Bool}, Nums)
)

// IntsOf returns the integer types of at most some bytes, signed or unsigned.
func IntsOf(signed bool, most int) (out []dtype.Type) {
	for _, t := range Ints {
		if t.IsSigned() == signed && t.Size() <= most {
			out = append(out, t)
		}
	}
	return out
}

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
