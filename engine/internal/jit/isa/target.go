package isa

import (
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/jit/reg"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
)

// The operands that all encoders share.
type (
	Vec   = reg.Vec
	Mask  = reg.Mask
	Label = reg.Label
)

// A Target is an instruction set. A target of another processor needs an encoder, and one
// file with the methods of [Target], [Asm] and [Lanes].
type Target interface {
	Facts() Facts
	// New returns an assembler for one function. With listing set it keeps the text of
	// the instructions.
	New(listing bool) Asm
	// Lanes returns what emits the vector instructions of f, to the assembler of f.
	Lanes(f *Emitter) Lanes
	// Block emits the transposition of a block of a tile to a: n = 16/size elements of each
	// lane, for as many lanes as bytes bytes have: those of a vector, at most 32 for elements of less than
	// 4 bytes. With Facts.Blends bytes may also be 4 or 8. lane returns the address of a lane, and row the address of a row of the result.
	// Both are called in order. It uses the lowest n+1 vectors.
	Block(a Asm, size, bytes int, lane, row func(int) Mem)
}

// Facts are the numbers of a target.
type Facts struct {
	Name    string
	Vectors int // vector registers that the emitter may use
	Bytes   int // of each
	// Predicates is the number of mask registers that may hold predicates. If it is 0,
	// predicates are vectors of lanes that are all ones or all zeros.
	Predicates int
	// Broadcasts says that an operand in memory may be one element that stands for all
	// lanes. If not, uniform values in memory have a copy for every lane.
	Broadcasts bool
	Sites      int // general registers for the addresses of sites
	// NarrowLanes says that there are rules for lanes of 8 and of 16 bits. Operands in memory then
	// have a copy for every lane.
	NarrowLanes bool
	// Negates says that fused multiply-adds negate their product or their addend, and
	// Ternary that there is a rule for functions of three bits.
	Negates, Ternary bool
	// Halves says that there is a rule for products of the lower halves of lanes of 64 bits.
	Halves bool
	// Fields has bit n if loads of all n fields of records share their vectors, and Joins if stores
	// do. Without mask registers those of the tail do not.
	Fields, Joins uint32
	// LeastJoined is the least size in bytes of fields whose loads or stores share vectors. Stored fields of 1 and 2 bytes have lanes of
	// their size.
	LeastJoined int
	// MostNarrow is the most fields of 1 and 2 bytes whose loads or stores share vectors: registers limit it.
	MostNarrow int
	// Planes has bit n if vectors of n arrays are interleaved to vectors of rows of n elements.
	Planes uint32
	// Neighbours is the size in bytes of neighbouring fields whose loads share vectors, in records of
	// other numbers of fields, or 0.
	Neighbours int
	// RowsAtOnce is the number of rows that a loop along the rows of an array reads at once where it only
	// reduces them, or 0.
	RowsAtOnce int
	// Tails says that the code of a tail is cheaper if it knows the number of lanes.
	Tails bool
	// Prefixes says that scans combine neighbouring steps in narrow lanes.
	Prefixes bool
	// Blends says that blends or masks join loads of the parts of rows that are laid across vectors, that elements far
	// apart are loaded each by itself, that parts of rows are transposed in registers, and that [Target.Block] has rows of less than 16 bytes.
	Blends bool
	// Reciprocals says that there are rules for quotients from reciprocals.
	Reciprocals bool
	// Extremes says that there are rules for the lesser and the greater of floats.
	Extremes bool
	// Numbers says that there are rules for the extremes of the numbers among floats, and for predicates of floats that are no NaN.
	Numbers bool
	// Complements says that comparisons of floats, stores of predicates, and their loads in narrow lanes, may give the complement.
	Complements bool
	// Halving says that a store of integers of 32 bits takes lanes of 64 bits, of which it stores the lower halves.
	Halving bool
	// LoadsIndices says that there is a rule for elements that an array of indices selects: see [Take].
	LoadsIndices bool
	// OneCount says that lanes of 16 bits are shifted by one count for all.
	OneCount bool
	// Constants says that shifts by constants take no operand for the count, and selections none for zeros, nor for integers with a
	// sign whose bits are ones beside zeros.
	Constants bool
	// FromMemory reports whether the instruction of a node takes an operand that is a vector in memory: the
	// second one, or the first one of an operation that commutes or of a comparison. If it is nil, no instruction does.
	FromMemory func(n *lower.Node) bool
	// Together reports whether vectors of a group share instructions of a node. If it is nil, none do.
	Together func(n *lower.Node) bool
	// Signed says that instructions compare integers with a sign alone.
	Signed bool
	// Mirrors says that a maximum of floats takes two instructions more than a minimum.
	Mirrors bool
	// Sums says that vectors of predicates are summed in lanes of 4 bytes, where sums alone would have lanes of 8.
	Sums bool
	// Temporaries returns the most temporaries that the code of a node of a phase takes. If it is nil, they are
	// six for all nodes.
	Temporaries func(f *Emitter, n *lower.Node) int
}

// An Int is an operand of an instruction on general registers: a [Reg], a [Word] of the
// frame, or a number [K].
type Int int64

const (
	kindReg Int = iota
	kindWord
	kindK
)

// Word is 64 bits of the frame at an offset.
func Word(off int) Int { return Int(off)<<2 | kindWord }

// K is a number.
func K(x int) Int { return Int(x)<<2 | kindK }

// IsReg reports whether x is a register.
func (x Int) IsReg() bool { return x&3 == kindReg }

// IsWord reports whether x is a word of the frame.
func (x Int) IsWord() bool { return x&3 == kindWord }

// N returns the number of the register, the offset of the word, or the number.
func (x Int) N() int { return int(x >> 2) }

// A Reg is a general register by its role, as an operand.
type Reg = Int

// The general registers.
const (
	Frame Reg = iota << 2 // address of the frame
	Lane                  // the first lane of an iteration
	Count                 // a counter of some loops; in the loop of halves, the lane in the second half
	T0                    // temporaries
	T1
	T2
	site0 // addresses of sites
)

// SiteReg returns the i-th register for addresses of sites.
func SiteReg(i int) Reg { return site0 + Reg(i)<<2 }

// A Mem is the memory at Base + Index*Scale + Disp; a Scale of 0 means no index.
type Mem struct {
	Base, Index Reg
	Scale       uint8
	Disp        int32
}

// At returns the memory at base + disp.
func At(base Reg, disp int) Mem { return Mem{Base: base, Disp: int32(disp)} }

// Plus returns the memory some bytes behind m.
func (m Mem) Plus(bytes int) Mem {
	m.Disp += int32(bytes)
	return m
}

// AtX returns the memory at base + index*scale + disp.
func AtX(base, index Reg, scale, disp int) Mem { return Mem{base, index, uint8(scale), int32(disp)} }

// An IntOp is an operation of general registers.
type IntOp uint8

// The operations d = d op x. Those with 32 in their names read the lower 32 bits and clear
// the upper ones.
const (
	Mov IntOp = iota
	Add
	Sub
	Mul
	And
	Shl
	Shr
	Neg // d = -d; x is d
	Min // of signed numbers
	Mov32
	And32
	Xor32
	Shl32
	Sar32
)

// A Cond is a condition of a branch, on signed numbers.
type Cond uint8

// The conditions.
const (
	EQ Cond = iota
	NE
	LT
	LE
	GT
	GE
	NE32 // of the lower 32 bits
)

// An Asm assembles one function: loops, addresses and branches.
type Asm interface {
	NewLabel() Label
	Bind(Label)
	Align(bytes int)
	// Head begins a part of the listing. Note says what the code from here on computes.
	Head(string)
	Note(string)

	// Int sets d = d op x. d is a register, or a word if x is none.
	Int(op IntOp, d, x Int)
	// Boolean sets d to 1 if its lower 32 bits are not 0, and to 0 otherwise.
	Boolean(d Reg)
	// Address sets d to the address of m.
	Address(d Reg, m Mem)
	// Load reads an element of size bytes into d, and clears the upper bits. Store writes
	// one.
	Load(size int, d Reg, m Mem)
	Store(size int, m Mem, x Reg)
	// Prefetch fetches the line of m to the second-level cache.
	Prefetch(m Mem)

	Jump(Label)
	// Branch jumps if x cond y; x is no number.
	Branch(cond Cond, x, y Int, l Label)
	// BranchResult jumps if the result of the instruction before, an Int, cond 0.
	BranchResult(cond Cond, l Label)
	// Unset jumps if bit k of x is 0.
	Unset(x Reg, k int, l Label)

	// Finish adds the end of the function; passed says that stores bypassed the caches.
	// Nothing may use the assembler after it.
	Finish(passed bool) (*listing.Object, error)
}

// A Mover is the [Asm] of a target with an instruction that moves many bytes.
type Mover interface {
	// MoveBytes moves T1 bytes from the address T0 to the address T2. It overwrites these registers and Lane.
	MoveBytes()
}

// Lanes emits the vector instructions of a phase. Vectors have f.W lanes.
type Lanes interface {
	// Emit emits the current copy of a node, and reports whether the target has a rule
	// for it.
	Emit(n *lower.Node) bool

	// LoadVec and StoreVec move whole vectors of type t. CopyVec and CopyMask copy
	// registers.
	LoadVec(t dtype.Type, d Vec, m Mem)
	StoreVec(t dtype.Type, m Mem, x Vec)
	CopyVec(t dtype.Type, d, x Vec)
	LoadMask(d Mask, m Mem)
	StoreMask(m Mem, x Mask)
	CopyMask(d, x Mask)
	// Constant sets all lanes of d to a number.
	Constant(d Vec, t dtype.Type, x uint64)
	// LoadUniform loads uniform node n into all lanes of d. UniformMask does it for a
	// predicate, and UniformInt for a general register.
	LoadUniform(d Vec, n int32)
	UniformMask(d Mask, n int32)
	UniformInt(d Reg, n int32)
	// OffsetLane moves a lane of 64 bits to a general register.
	OffsetLane(d Reg, x Vec, lane int)
	// StoreFirst stores the first 1, 2, 4 or 8 bytes of x, or any number on targets whose tails the code may know.
	StoreFirst(size int, m Mem, x Vec)
	// UpperHalf moves the upper half of x, a vector of so many bytes, to the lower half
	// of d.
	UpperHalf(d, x Vec, bytes int)

	// SpreadFirst sets all lanes of d to the first lane of x, and LastLane to the last one.
	SpreadFirst(t dtype.Type, d, x Vec)
	LastLane(t dtype.Type, d, x Vec)

	// SetTail makes the tail mask for T1 lanes, fewer than 256.
	SetTail()
	// CopyLanes copies the lanes of the tail mask.
	CopyLanes(t dtype.Type, d, x Vec)
	// TailBits puts one bit for each lane of the tail mask into T0.
	TailBits()
	// StoreLanes stores a vector of an accumulator or of a state, or its lanes of the tail mask. The
	// memory has all lanes, and no other code stores the others at the same time.
	StoreLanes(t dtype.Type, m Mem, x Vec, masked bool)
	// StoreTo stores the operand of n as neighbouring elements of type t. It may
	// overwrite the temporaries.
	StoreTo(n *lower.Node, t dtype.Type, m Mem, masked bool)
	// StoreStepped stores the operand of n as elements of type t with the small step of
	// its site. It may overwrite the temporaries.
	StoreStepped(n *lower.Node, t dtype.Type)
	// GatherLaid reads the lanes of the current vector of a laid site one by one, all lanes or
	// those of the tail mask.
	GatherLaid(i int32, d Vec)
	// StoreLaid stores the operand of n as elements of type t of a laid site.
	StoreLaid(n *lower.Node, t dtype.Type)
	// Interleave makes vectors of whole rows from planes of a laid site, see [layout.Phase.Plane], and calls
	// use for each. Without keep the vector is free after that. Only targets with Planes
	// have it.
	Interleave(i int32, use func(k int, x Vec), keep bool)
	// CopyBytes copies n bytes by way of temporaries and T2. Of predicates, which only targets that blend rows copy,
	// each byte becomes 0 or 1. Under a mask, which only targets with predicates have here, the n bytes are the lanes of the tail mask.
	CopyBytes(to, from Mem, n int, predicates bool)
	// SplitFields loads neighbouring fields of records, or all, and returns their vectors. s is the
	// first field, and types has the type of each. The results are in the vectors v, in any order. Only targets with Fields have it.
	SplitFields(s *layout.Site, types []dtype.Type, v []Vec) []Vec
	// Quotients returns the divisions by a uniform value that should be quotients from its
	// reciprocal. Only targets with Reciprocals have it.
	Quotients() []int32
	// JoinFields stores the vectors v of all fields of records as vectors of whole records. s is the
	// first field. Only targets with Joins have it.
	JoinFields(s *layout.Site, t dtype.Type, v []Vec)
	// LoadRows loads len(v) elements of each of W rows, which are in memory at row(i), for [Lanes.TransposeVectors]: a row to each vector or to
	// each half of one, as lanes. StoreHalves stores the halves of 16 bytes of a vector. TransposeVectors transposes blocks of elements of
	// some size in v. The results are in the registers of v and free but one, which it returns. Only targets with Blends have these.
	LoadRows(t dtype.Type, v []Vec, row func(i int) Mem)
	StoreHalves(lower, upper Mem, x Vec)
	TransposeVectors(size int, v []Vec, free Vec) Vec
	// Hold lets the code from here on keep constants in registers, at most room vectors. EndHold ends this, and puts the loads of
	// those that were kept where Hold was called. A target may do nothing.
	Hold(room int)
	EndHold()
	// StoreOffsets stores 64-bit lanes for loads of single lanes.
	StoreOffsets(m Mem, x Vec)

	// PredicateLanes returns predicate p, or its complement, as lanes of 32 bits for a
	// reduction. If step is not 0, targets with mask registers combine p of every step-th copy from this one on.
	PredicateLanes(p int32, complement bool, step int) Vec
	// StepValues combines several values with an accumulator, and reports whether that takes fewer instructions than one
	// after the other. If not, it emits none.
	StepValues(k *reduce.Kern, d Vec, x []Vec) bool
	// StepValue combines x with an accumulator. StepArg replaces d and its position idx
	// in the lanes where x is a better minimum or maximum.
	StepValue(k *reduce.Kern, d, x Vec)
	StepArg(k *reduce.Kern, d, idx, x Vec)
	// SkipWorse jumps where no lane of the values x beats its accumulator in d. A target may do nothing.
	SkipWorse(k *reduce.Kern, d, x []Vec, skip Label)
	// PairArg combines two values with their positions. Of equal values the lower
	// position wins.
	PairArg(k *reduce.Kern, d, di, x, xi Vec)

	// AddNeed adds the lanes of predicate p to the lanes that need a cold region.
	// SkipCold jumps if there are none. MergeCold replaces these lanes of node id by its
	// yield.
	AddNeed(p int32, first bool)
	SkipCold(skip Label)
	MergeCold(id int32, n *lower.Node)

	// VecName returns the name of a register as a vector of type t, for listings.
	VecName(r int8, t dtype.Type) string
}

// MostLoads is the most loads of a call of PackRows: each has a selector, and registers hold as many.
const MostLoads = 8

// A Packer has Lanes that store several short rows at once.
type Packer interface {
	// PackBytes returns the most bytes that PackRows stores.
	PackBytes() int
	// PackRows stores a vector of n bytes, 16 or PackBytes: bytes of some loads side by side, and anything behind them. Of predicates each
	// byte becomes 0 or 1.
	PackRows(to Mem, n int, loads []Bytes, predicates bool)
}

// Bytes is a vector of loads beside each other, of N bytes each, and which of its bytes another vector has. N is a power of two, at least 4.
// Several load 16 bytes at most together.
type Bytes struct {
	From   []Mem
	N      int
	Picked []layout.Picked
}

// A Finder is the [Lanes] of a target that finds elements by comparisons of whole vectors.
type Finder interface {
	// Matches sets a bit of T0 for each lane in which one of the vectors x equals best, or is NaN as best is.
	Matches(t dtype.Type, best Vec, x []Vec)
	// FirstBit replaces T0 by the number of its lowest bit that is set.
	FirstBit()
}

// A Folder is the [Lanes] of a target that folds the lanes of several vectors together.
type Folder interface {
	// Halves takes the first all bytes of x and y, 32 or 64, as parts of so many bytes: 8, 16, 32 or 64. It sets as many bytes of lower
	// to the lower halves of all parts, and of upper to the upper halves. The halves of all parts of x are followed by those of y. Parts of
	// 8 and 16 bytes are in this order in each 16 bytes.
	Halves(lower, upper, x, y Vec, bytes, all int)
	// Order puts the equal parts of the first all bytes of x, as many as rows, in the order of the numbers that rows has of them.
	Order(x Vec, rows []int, all int)
	// BranchSet jumps to l if a bit of x is set. A [Collector] tests the lanes of k, or the others, instead.
	BranchSet(x Vec, k Mask, complement bool, l Label)
	// AnyLane sets T0 to 0 if no lane of x is set, or else to another number. All bits of a lane of 32 bits or less are equal.
	// If k is not 0, a [Collector] tests the lanes of k, or the others, instead. It may overwrite x.
	AnyLane(x Vec, k Mask, complement bool)
}

// A Collector is the [Lanes] of a target that combines predicates in mask registers.
type Collector interface {
	// SetMask sets all lanes of d, or none.
	SetMask(d Mask, all bool)
	// Collect sets d to whether predicate p holds in any copy, or in all of them. With add, d is one of those that it combines. A
	// body under the tail mask has one copy, and adds the lanes of this mask.
	Collect(d Mask, p int32, all, add bool)
}
