// Package fuse decides what becomes one loop. It takes the roots of a group of
// statements and returns the steps that store them: loops, products and calls.
// Nothing is written here; package plan writes what fuse has decided.
package fuse

import (
	"iter"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// May says what the steps may do.
type May struct {
	Combine bool // products scale their sums, combine them with the target, and read operands of any strides
	Scale   bool // products scale their sums and add them to the target, as BLAS does
	Split   bool // a loop that stores a temporary becomes several, each without borders; see [graph.Graph.Split]
}

// A Task is the purpose of a step.
type Task uint8

// The tasks. Product and Call are steps without a loop.
const (
	Store   Task = iota // store the roots, and raise faults
	Scan                // raise faults only
	Trust               // store the roots; a scan has looked for faults
	Product             // a matrix product
	Call                // a call of a Go function
)

// A Step is one pass over memory.
type Step struct {
	Task Task
	Why  string // why it is a step of its own
	Loop *Loop  // of Store, Scan and Trust
	// Beside are further loops of a Store, which store other parts of the same rows. All have rows nests with
	// the same outer axes.
	Beside []*Loop

	// Product and Call.
	Node *graph.Node
	Root *graph.Node // what Out is; the node, or a view or a combination of it
	Args []*graph.Array
	Out  *graph.Array
	Work *graph.Array // workspace of a call, or nil
	// Product: Out = Beta*Out Saver Alpha*product. A nil scalar is 1.
	Saver       expr.Saver
	Alpha, Beta *graph.Node
}

// A Kind is the loop structure of a kernel.
type Kind uint8

// The loop structures.
const (
	Map     Kind = iota // one vec loop over all axes
	Rows                // par loop over rows, vec loops along them
	Columns             // vec loop over columns, seq loops along them
)

// A Nest is the loop structure of a kernel and the extents of its axes. Axes of
// size 1 are left out.
type Nest struct {
	Kind        Kind
	Outer       []int
	Inner       []int
	StoresInner bool // the inner loop stores the roots, not the outer one
	Along       int  // of columns that store the roots inside: the axis of the roots that the inner loop walks
	Reversed    bool // the inner loop goes from the end of its axis to the start, for a scan
	singleRow   bool // there is one row only; its loop runs in parallel blocks
}

// A Loop is what is computed in one kernel. Everything that the roots need and
// that is not in memory is computed where it is used.
type Loop struct {
	Roots  []graph.Root
	Values []*Value // of the roots
	Len    int32    // number of values below the roots
	Nest   Nest
	// Phases are the reductions of each phase. Phases are loops along the same
	// rows or down the same columns. The operands of a reduction depend only on
	// reductions of earlier phases.
	Phases [][]*Value
	// Fails reports whether a value can fail on data.
	Fails bool
	// Faults, if not nil, is an array of the shape of the only root. The loop
	// stores there where the root is undefined, instead of raising a fault.
	Faults *graph.Array

	loads []*Value
	sides []*Value
	scans bool // a scan runs in the nest
	few   [6]*Value
}

// A Value is a node at coordinates, as a loop computes or loads it.
type Value struct {
	Number   int32 // within the loop
	Bounds   ir.Bounds
	Node     *graph.Node
	Operands []*Value // of the node's operation, or of the reads of its view
	// Load, if not nil, is the array that has the value, and Of is the node whose
	// array that is, or of which it is a view.
	Load *graph.Array
	Of   *graph.Node
	Kept bool // a row buffer keeps the value for later phases
	Side bool // the loop also stores the value in the array of the node, for later steps

	own   bool  // at the position of the loops, along the whole row
	depth int32 // the last phase of the reductions that it depends on; the phase of a reduction
	phase int32 // the last phase that keep visited it in
	at    place
	few   [3]*Value
}

// A place is a list of coordinates. Two places with one number have equal
// coordinates.
type place struct {
	number int32
	at     []graph.Coord
}

// use adds an operand.
func (v *Value) use(a *Value) {
	v.Operands = append(v.Operands, a)
	v.depth = max(v.depth, a.depth)
}

// All yields the values that the loop computes or loads, operands first.
func (l *Loop) All() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		seen := make([]bool, l.Len)
		var visit func(v *Value) bool
		visit = func(v *Value) bool {
			if seen[v.Number] {
				return true
			}
			seen[v.Number] = true
			for _, a := range v.Operands {
				if !visit(a) {
					return false
				}
			}
			return yield(v)
		}
		for _, v := range l.Values {
			if !visit(v) {
				return
			}
		}
	}
}

// Computes reports whether the loop stores the value of n as a root.
func (l *Loop) Computes(n *graph.Node) bool {
	return slices.ContainsFunc(l.Roots, func(r graph.Root) bool { return r.Value == n && r.Target == n.Array })
}

// complex reports whether a root has a reduction, a contraction or a call.
func (l *Loop) complex() bool {
	return slices.ContainsFunc(l.Roots, func(r graph.Root) bool { return r.Value.Complex })
}

// Loads reports whether the loop reads n from memory.
func (l *Loop) Loads(n *graph.Node) bool { return n.Array != nil && !l.Computes(n) }

// Own returns the coordinates of an element of shape s at the axes of the loops: an
// axis for each axis of s that is longer than 1.
func (n Nest) Own(s shape.Shape) []graph.Coord {
	at, next := make([]graph.Coord, len(s)), 0
	for i, d := range s {
		at[i] = graph.Zero
		if d != 1 {
			at[i] = graph.Coord(n.axis(next))
			next++
		}
	}
	return at
}

// axis returns the axis of the loops that axis i of a root is, where axes of size 1
// do not count.
func (n Nest) axis(i int) int {
	switch {
	case n.Kind != Columns || !n.StoresInner || i < n.Along:
		return i
	case i == n.Along:
		return len(n.Outer)
	}
	return i - 1
}
