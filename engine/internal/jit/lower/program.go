package lower

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// The operations of nodes beyond those of the IR.
const (
	OpCell    = ir.Next + 1 + iota // the value in cell aux
	OpExport                       // args[0] to cell aux
	OpIota                         // I64: lane times imm
	OpOperand                      // operand aux of the program of a reduction
	// OpGather is a load from computed offsets. Its arguments are the offsets, the mask
	// and the fill value. A Store has computed offsets in args[1]. A masked load of
	// contiguous lanes has its mask there.
	OpGather
	// OpTake is a load of elements that an array of indices selects: see isa.Take. It has no arguments.
	OpTake
	// The parts of a shift of lanes of 8 bits by a uniform count. OpShift shifts args[0] in
	// direction imm, Shl or Shr, by the first lane of args[1], and keeps the bits of
	// args[2]. OpCount is args[0], at most imm, as such a count. OpShifted is the byte aux,
	// shifted in direction imm by count args[0].
	OpShift
	OpCount
	OpShifted
	// OpTernary is a function of the bits of three operands: bit 4x+2y+z of Imm is the
	// result for the bits x, y and z.
	OpTernary
	// OpMulLow is the product of the lower halves of lanes of 64 bits.
	OpMulLow
	// OpShiftUp moves the lanes of args[0] up by Aux lanes, or if Imm is not 0 those of each Imm lanes among themselves. The lowest
	// lanes are those of args[1], a constant.
	OpShiftUp
	// OpLast is the last lane of args[0] in all lanes.
	OpLast
	// OpLeave ends a loop that carries values if args[0] holds in no lane.
	OpLeave
	// OpQuotient is args[0] divided by args[1], which is uniform. OpReciprocal args[2] is the
	// reciprocal of args[1], or NaN where the target does not compute quotients from it.
	OpQuotient
	OpReciprocal
	// OpAverage is half of args[0] + args[1] + 1, of narrow lanes without sign. The sum has one bit more than a lane.
	OpAverage
	// OpTimes is Imm times args[0], by a few additions of lanes of 8 bits.
	OpTimes
	// OpLesser is args[0] where it is less than args[1], and OpGreater where it is greater; else, and for NaN, they are args[1].
	OpLesser
	OpGreater
	// OpLeast and OpGreatest are the minimum and the maximum of floats, but of a number and NaN the number. Where args[2] is a predicate that
	// does not hold, they are NaN. OpOrdered reports whether neither args[0] nor args[1] is NaN, and args[2] holds if there is one.
	OpLeast
	OpGreatest
	OpOrdered
)

// The signs of a fused multiply-add, in its Imm: the product or the addend is negated.
// Only targets that say so in their facts see them.
const (
	NegProduct = 1 << iota
	NegAddend
)

// NotGreatest is the Imm of a comparison for less, or at most, with a uniform number that is not the greatest one.
const NotGreatest = 1

// Complement is the bit of the Imm of a comparison that holds in the other lanes, as in the immediate of the instruction. Only targets with
// predicates see it, and those with Complements, which have it in the Imm of a load and a store of predicates, too.
const Complement = 4

// InRange is the Imm of a conversion of floats to a narrow integer type whose operand is NaN or in the range of the type.
const InRange = 1

// Whole is the Imm of a Cold region that computes all lanes if any lane needs it.
const Whole = 1

// A Node is an instruction of a phase; operands are nodes of the same phase. Its fields are in an
// order in which they fill a cache line.
type Node struct {
	Body  []int32 // of a Cold
	Imm   uint64
	Args  [3]int32
	Aux   int32
	Yield int32
	At    int32 // position in the order of emission
	Op    prim.Op
	Type  dtype.Type // of the result
	In    dtype.Type // of the operands that decide the instruction
	Cold  bool       // in a cold region
	Bytes bool       // see findBytes: only stored, the upper bits of a lane do not matter

	Rounded bool // of a store to elements of 16 bits: the operand is rounded
	Folded  bool // a load that the instruction of its only use does, see [isa.Facts.FromMemory]
}

const None = int32(-1)

func (n *Node) numArgs() int {
	c := 0
	for c < len(n.Args) && n.Args[c] != None {
		c++
	}
	return c
}

// HasResult reports whether a node has a value.
func (n *Node) HasResult() bool {
	return n.Op != ir.Store && n.Op != ir.Fault && n.Op != OpExport && n.Op != OpLeave
}

// A site is one access or one index expression of a phase.
type site struct {
	Access int32 // index in the kernel, or -1
	Ix     prim.Ix
	Type   dtype.Type // in memory
	Buf    int32      // or -1
	Array  int32      // scratch array, or -1
	Store  bool
	Cold   bool
	values []valueRef
	Coords []Coord // of an access whose offsets machine code may compute
	Coord  bool    // a coordinate of another site
}

// A Coord is a coordinate of an access: a node, or the index of the site that has
// its expression.
type Coord struct{ Node, Site int32 }

// A valueRef is a value in an index expression, and its node.
type valueRef struct {
	value ir.Value
	node  int32
}

// A Red is a reduction of a phase.
type Red struct {
	Kern  *reduce.Kern
	Prog  *Phase // combines values if no instructions do, or nil
	Arg   int32  // node
	Type  dtype.Type
	Out   dtype.Type
	Cell  int32 // of the result, in a vec loop
	Array int32 // of the result, in a seq loop
	State int32 // index of its state in the worker
}

// A Carry is a value that a seq loop carries in a scratch array: the load at the start
// of each row, and the store at its end.
type Carry struct {
	Load, Store int32 // nodes
	Array       int32
	Type        dtype.Type
}

type phaseKind uint8

const (
	ScalarPhase phaseKind = iota
	MapPhase
	SeqPhase
)

// A Phase is straight code: a list of nodes, and the accesses that they make.
type Phase struct {
	Kind    phaseKind
	ID      int32
	Vec     *VecLoop
	Seq     []int32 // axes
	Nodes   []Node
	Top     []int32
	Sites   []site
	Reds    []Red
	Carries []Carry
	Yield   int32 // of the program of a reduction: the new accumulator
	ops     int
	// LaneSize is the bytes of the narrow lanes that hold all its values, 1 or 2, or 0.
	LaneSize int
	Widest   int  // the size of the widest register type in bytes, at least 4
	Widens   bool // see widens
	Counts   bool // see counts
	// Prefixes says that the steps of a loop that carries values may be combined in any
	// grouping: see prefixes.
	Prefixes bool
	LaneStep int        // of a seq loop in the order of a vec loop: steps from one element of a lane to the next, or 0
	Leaves   bool       // it has an OpLeave
	ArgBase  int        // offset of its sites in the frame
	Lanes    int        // offset of its number of lanes in the frame
	Scratch  int32      // number of its first site
	Named    []ir.Value // of each node: the value it computes, or None

	cells map[int32]int32 // nodes; the maps are nil without entries
	konst map[constKey]int32
	saved map[ir.Value]int32 // exported values: cell or array
	list  *[]int32
	cold  int
}

type constKey struct {
	t    dtype.Type
	bits uint64
}

// A VecLoop is a vec loop of a kernel, as phases that run one after the other.
type VecLoop struct {
	Axes   []int32
	Phases []*Phase
	Arrays []dtype.Type // scratch arrays, in memory types
	Reds   []*Red       // of its map phases
}

// An Item is a step of the entry or a par body.
type Item struct {
	Scalar *Phase
	Vec    *VecLoop
	Par    []Item
	Axes   []int32 // of par
}

// A Program is a lowered kernel.
type Program struct {
	IR     *ir.Kernel
	Items  []Item
	Phases []*Phase
	cells  []dtype.Type // types of the cells; scalars first
	Halves []Half
	States int

	CellBase int // offsets in the frame
	RedBase  int
	SlotBase int

	Main  int // index in items of the loop that units divide, or -1
	Units bound.UnitKind
}

// A Half is a cell with the bits of a float32 scalar that is rounded to 16 bits.
type Half struct {
	Scalar, Cell int32
	Type         dtype.Type
}

// Bits returns the cell for a value of the scalar.
func (h *Half) Bits(scalar uint64) uint64 {
	x, to := math.Float32frombits(uint32(scalar)), dtype.F16Bits
	if h.Type == dtype.BF16 {
		to = dtype.BF16Bits
	}
	return frame.Canonical(dtype.I16, uint64(to(x)))
}

// rounded returns the cell with the bits of a scalar as an element of type t.
func (p *Program) rounded(scalar int32, t dtype.Type) int32 {
	i := slices.IndexFunc(p.Halves, func(h Half) bool { return h.Scalar == scalar && h.Type == t })
	if i < 0 {
		i = len(p.Halves)
		p.Halves = append(p.Halves, Half{scalar, int32(len(p.cells)), t})
		p.cells = append(p.cells, dtype.I16)
	}
	return p.Halves[i].Cell
}

// place assigns offsets in the frame.
func (p *Program) place() {
	off := frame.Sites
	scratch := 0
	for _, ph := range p.Phases {
		ph.Lanes = off
		off += 8
		ph.ArgBase = off
		off += (len(ph.Sites) + 2*len(ph.Reds)) * frame.SiteBytes
		ph.Scratch = int32(scratch)
		scratch += len(ph.Sites)
	}
	p.CellBase = off
	off += len(p.cells) * 8
	p.RedBase = (off + 63) &^ 63
	p.SlotBase = p.RedBase + p.States*frame.RedBytes
}

// Acts reports whether the phase stores something or may raise a fault.
func (ph *Phase) Acts() bool {
	return slices.ContainsFunc(ph.Nodes, func(n Node) bool { return n.Op == ir.Store || n.Op == ir.Fault })
}

// InLanes lets the ordered reductions of a seq loop have the order of those of a vec loop. It reports whether it can.
func (ph *Phase) InLanes() bool {
	for i := range ph.Reds {
		r, step := &ph.Reds[i], 0
		if r.Kern.Ordered {
			step = ir.Lanes(r.Kern.Type)
		}
		if r.Kern.Ordered && r.Prog != nil || i > 0 && step != ph.LaneStep {
			return false
		}
		ph.LaneStep = step
	}
	return true
}

func (ph *Phase) add(n Node, v ir.Value) int32 {
	n.Cold = ph.cold > 0
	ph.Nodes = append(ph.Nodes, n)
	ph.Named = append(ph.Named, v)
	id := int32(len(ph.Nodes) - 1)
	*ph.list = append(*ph.list, id)
	ph.ops++
	return id
}

// leafNode adds a node to no list and returns it. Constants and cells need no list.
func (ph *Phase) leafNode(n Node, v ir.Value) int32 {
	ph.Nodes = append(ph.Nodes, n)
	ph.Named = append(ph.Named, v)
	return int32(len(ph.Nodes) - 1)
}

func (ph *Phase) constant(t dtype.Type, bits uint64, v ir.Value) int32 {
	key := constKey{t, bits}
	if id, ok := ph.konst[key]; ok {
		return id
	}
	id := ph.leafNode(Node{Op: prim.Const, Type: t, In: t, Imm: bits, Args: [3]int32{None, None, None}}, v)
	zero.Put(&ph.konst, key, id)
	return id
}

func (ph *Phase) cell(t dtype.Type, cell int32, v ir.Value) int32 {
	if id, ok := ph.cells[cell]; ok {
		return id
	}
	id := ph.leafNode(Node{Op: OpCell, Type: t, In: t, Aux: cell, Args: [3]int32{None, None, None}}, v)
	zero.Put(&ph.cells, cell, id)
	return id
}

// save records the cell or array that has v for other phases.
func (ph *Phase) save(v ir.Value, id int32) {
	zero.Put(&ph.saved, v, id)
}

// CellOf returns the cell that holds v in the phase, or none.
func (ph *Phase) CellOf(v ir.Value) int32 {
	for _, s := range ph.Sites {
		for _, r := range s.values {
			if r.value == v && ph.Nodes[r.node].Op == OpCell {
				return ph.Nodes[r.node].Aux
			}
		}
	}
	return None
}

// Widest returns the size of the widest register type of nodes in bytes, at least 4.
func Widest(nodes []Node) int {
	w := 4
	for i := range nodes {
		n := &nodes[i]
		if n.Type != dtype.Bool {
			w = max(w, n.Type.Size())
		}
		if n.In.Valid() && n.In != dtype.Bool {
			w = max(w, n.In.Size())
		}
	}
	return w
}

// Alone reports whether a map without reductions is the only phase of its loop, which has no arrays of its own.
func (ph *Phase) Alone() bool {
	return ph.Kind == MapPhase && len(ph.Reds) == 0 && len(ph.Vec.Phases) <= 1 && len(ph.Vec.Arrays) == 0
}

// Copies reports whether a map only loads elements and stores them with their type.
func (ph *Phase) Copies() bool { return len(ph.Moves(ph.Nodes, ph.Top)) > 0 }

// A Move is a pair of sites: one is loaded, and the other stored.
type Move struct{ From, To int32 }

// Moves returns the pairs of sites between which the nodes of top move elements, or nil if one of them does anything else.
func (ph *Phase) Moves(nodes []Node, top []int32) (moves []Move) {
	for _, id := range top {
		switch n := &nodes[id]; {
		case n.Op == ir.Load:
		case n.Op != ir.Store || nodes[n.Args[0]].Op != ir.Load || ph.Sites[nodes[n.Args[0]].Aux].Type != ph.Sites[n.Aux].Type:
			return nil
		default:
			moves = append(moves, Move{nodes[n.Args[0]].Aux, n.Aux})
		}
	}
	return moves
}

// Predicates reports whether a phase computes with masks.
func (ph *Phase) Predicates() bool {
	for i := range ph.Nodes {
		if ph.Nodes[i].Type == dtype.Bool || ph.Nodes[i].In == dtype.Bool {
			return true
		}
	}
	return false
}

// findBytes finds the nodes of 8 bits, and the conversions to 16 bits, that are only stored as they are.
func (ph *Phase) findBytes() {
	other := func(id int32) {
		if id != None {
			ph.Nodes[id].Bytes = false
		}
	}
	some := false
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		n.Bytes = (n.Type.Size() == 1 || n.Type.Size() == 2 && n.Op == prim.Cvt) && n.Type.IsInt() && n.HasResult() && !n.Cold
		some = some || n.Bytes
	}
	if !some {
		return
	}
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		for k, a := range n.Args {
			if n.Op != ir.Store || k > 0 || a != None && ph.Sites[n.Aux].Type.Size() != ph.Nodes[a].Type.Size() || n.Cold {
				other(a)
			}
		}
		if n.Op == ir.Cold {
			other(n.Yield)
		}
	}
	ph.eachResult(other)
}

// Conflict reports whether another site accesses the array of site i so that staging
// would change the order of accesses: loads before the phase, stores after it.
func (ph *Phase) Conflict(i int) bool {
	for j := range ph.Sites {
		if j == i || ph.Sites[i].Buf < 0 || ph.Sites[j].Buf != ph.Sites[i].Buf {
			continue
		}
		first, second := &ph.Sites[min(i, j)], &ph.Sites[max(i, j)]
		if first.Store || second.Store && ph.Kind == SeqPhase {
			return true
		}
	}
	return false
}

// uses returns how often nodes, reductions and sites use each node.
func (ph *Phase) uses() []int32 {
	uses := make([]int32, len(ph.Nodes))
	use := func(id int32) {
		if id != None {
			uses[id]++
		}
	}
	ph.eachResult(use)
	for i := range ph.Nodes {
		for _, x := range ph.Nodes[i].Args {
			use(x)
		}
	}
	return uses
}

// eachResult calls f with the nodes, or None, that reductions and sites of the phase use.
func (ph *Phase) eachResult(f func(id int32)) {
	for i := range ph.Reds {
		f(ph.Reds[i].Arg)
	}
	for i := range ph.Sites {
		for _, r := range ph.Sites[i].values {
			f(r.node)
		}
		for _, c := range ph.Sites[i].Coords {
			f(c.Node)
		}
	}
}
