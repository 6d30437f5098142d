// Package ir is the loop IR. A kernel states what a fused stage computes. It
// does not depend on shapes, strides and addresses, which are bound at run time
// ([Binding]).
//
// A [Kernel] is a tree of regions. The entry region holds scalar code and
// loops. A par loop runs independent rows. A vec loop is the loop that back
// ends vectorise. A seq loop inside a vec loop is sequential, with one
// accumulator for each lane. Values are dense numbers, each defined once. A
// value is visible after its definition, in its region and in the regions
// inside.
//
//	kernel softmax
//	axis i0 i1
//	buf x f32 in 2
//	buf y f32 out 2
//	buf e f32 row [i1]
//	{
//	  par i0 {
//	    vec i1 {
//	      %0 = load f32 x[i0, i1]
//	      %1 = reduce max f32 %0
//	    }
//	    vec i1 {
//	      ...
//	    }
//	  }
//	}
//
// A reduce is in the body of a loop. Its result is visible after the loop, in
// the region that holds the loop. In a vec loop it has the lane order of
// docs/numerics.md: blocks of 4096 flattened positions, L lanes for each block,
// lanes folded in halves, blocks combined in an adjacent-pair tree. In a seq
// loop it has the column order: runs of 64, combined in an adjacent-pair tree.
//
// A seq loop may carry values from one step to the next, in the order of its
// positions. A carry has its value in a step; a next gives the value for the step
// that follows. The nexts are the last instructions of the loop. They take effect
// together, when the step ends.
//
//	seq i1 {
//	  %2 = carry f32 %1
//	  %3 = load f32 x[i0, i1]
//	  %4 = add f32 %2 %3
//	  store f32 y[i0, i1] %4
//	  %5 = next f32 %2 %4
//	}
package ir

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The operations beyond package prim's.
const (
	Load   = prim.NumOps + iota // element Aux (an Access); Args[0] is the fill of a guarded access
	Store                       // Args[0] to element Aux (an Access)
	Index                       // the index expression Imm, as an I64
	Scalar                      // run-time scalar number Aux
	Reduce                      // Args[0] over the enclosing loop; Aux is the Reducer; visible after the loop
	Fault                       // raise fault Aux (a FaultKind) if Args[0] holds in any lane
	For                         // run Loop number Aux
	Cold                        // Args[0] ? yield of region Aux : Args[1]; Imm is the value the region yields
	Carry                       // in a seq loop: Args[0] in its first step, then the value of its Next in the step before
	Next                        // Args[1] is the value of the Carry Args[0] in the next step; the result is the last one, visible after the loop
)

// None is no value.
const None Value = -1

// A Value is the dense number of a result.
type Value = int32

// An Ins is one instruction. Op decides which fields count. A Const has its
// bits in Imm, and a Lookup has the number of its table in Aux.
type Ins struct {
	Op   prim.Op
	Type dtype.Type // of the result; of the value stored
	Dst  Value
	Args [3]Value
	Aux  int32
	Imm  uint64
}

// NumArgs returns the number of operands.
func (i *Ins) NumArgs() int {
	n := 0
	for n < len(i.Args) && i.Args[n] != None {
		n++
	}
	return n
}

// A FaultKind is a data-dependent error.
type FaultKind int32

// The data-dependent errors. A kernel runs to its end and reports the least of
// its faults.
const (
	NoFault FaultKind = iota
	DivideFault
	IndexFault
)

var faultNames = [...]string{"none", "divide", "index"}

func (f FaultKind) String() string { return nameOf(faultNames[:], int(f)) }

// nameOf returns names[i], or ? if there is none.
func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "?"
	}
	return names[i]
}

// Bounds tells what an access may assume about its coordinates.
type Bounds uint8

// The kinds of access.
const (
	InBounds Bounds = iota // proven by the plan
	Guarded                // a load outside yields the fill value
	Clamped                // an access outside uses the nearest coordinate inside
)

// An Access is an element of a buffer. It has one coordinate for each
// dimension.
type Access struct {
	Buf    int32
	Bounds Bounds
	Coords []prim.Ix
}

// A Mode is how a kernel uses a buffer.
type Mode uint8

// The modes. A Row buffer is private to one iteration of the par loop, or to
// the kernel if there is none. The back end allocates it. It is contiguous,
// with the extents of its axes.
const (
	In Mode = iota
	Out
	InOut
	Row
)

var modeNames = [...]string{"in", "out", "inout", "row"}

func (m Mode) String() string { return nameOf(modeNames[:], int(m)) }

// A Buf is a formal array parameter, or a row buffer.
type Buf struct {
	Name string
	Type dtype.Type // as stored: halves are converted by loads and stores
	Mode Mode
	Rank int
	Axes []int32 // of a Row buffer: the vec axes that index it
}

// A LoopKind tells how a loop may run.
type LoopKind uint8

// The kinds of loops. Par loops are in the entry region, vec loops in the entry
// or a par region, and seq loops in a vec region.
const (
	Par LoopKind = iota
	Vec
	Seq
)

var loopNames = [...]string{"par", "vec", "seq"}

func (k LoopKind) String() string { return nameOf(loopNames[:], int(k)) }

// A Loop runs its body over the row-major product of its axes.
type Loop struct {
	Kind LoopKind
	Axes []int32
	Body int32 // region
}

// A Table is a constant table, for Lookup.
type Table struct {
	Type dtype.Type
	Bits []uint64
}

// A Reducer is a reduction in a kernel, for operands of one type. If the row is
// not native, the kernel holds its program. The program takes an accumulator X
// and a value or a later accumulator Y, and yields the new accumulator.
type Reducer struct {
	*prim.Reduction
	Type  dtype.Type // register type of the operand and of the accumulator
	Body  int32      // the region of the program, or -1 for a native row
	X, Y  Value
	Yield Value
}

// A Region is a list of instructions: a loop body, a cold region, or the program
// of a reduction.
type Region struct {
	Code []Ins
}

// A Kernel is one fused stage.
type Kernel struct {
	Name     string
	Axes     []string // names; extents are bound
	Params   int      // number of run-time integers in index expressions
	Bufs     []Buf
	Scalars  []dtype.Type // register types of run-time scalars
	Tables   []Table
	Reducers []Reducer
	Index    prim.IxTable
	Access   []Access
	Loops    []Loop
	Regions  []Region     // Regions[0] is the entry
	Types    []dtype.Type // of every value
	Origins  [][]int32    // of every value: what it was written for, as [Builder.From] numbers it; nil if they are not recorded
	// InOrder says that a range of units must be a range of positions in row-major
	// order. Otherwise back ends may number the positions of a vec loop in any order.
	InOrder bool
}

// A BufBind is an array bound to a buffer: the address of coordinate (0, 0,
// ...), and strides and extents in elements, one for each dimension.
type BufBind struct {
	Ptr     unsafe.Pointer
	Strides []int
	Extents []int
	// Assumed is an address for choosing code if Ptr is nil and the code will not
	// run.
	Assumed uintptr
	// Buffers with the same Memory, if it is not 0, have addresses whose distance is that
	// of their Offsets in bytes, in all runs.
	Memory, Offset int
}

// A Binding holds the numbers that a kernel leaves open. Row buffers have empty
// entries in Bufs.
type Binding struct {
	Extents []int    // by axis
	Params  []int    // by run-time integer
	Scalars []uint64 // bits, by run-time scalar
	Bufs    []BufBind
}
