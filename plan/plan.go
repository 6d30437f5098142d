// Package plan turns assignments into stages: fused loops in the IR of package
// ir, matrix products, and calls of Go functions, with the memory they need.
//
// The passes, in order:
//
//	check   errors of the trees, targets that overlap themselves
//	join    trees into one graph: equal nodes once (CSE), constants folded,
//	        reshapes moved to arrays
//	split   nodes above the limits of one kernel get a stage of their own
//	group   neighbouring statements that can share a loop
//	fuse    the loop structure of a group: a map, rows or columns
//	emit    the kernel, materialising what cannot be fused; aliases checked
//	memory  temporaries placed in one arena by their lifetimes
package plan

import (
	"context"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Plan is a compiled list of statements.
type Plan struct {
	Stages []*Stage
	Temps  []*Temp
	Arena  int // bytes for all temporaries
}

// A Temp is an intermediate array, contiguous, at an offset of the arena.
type Temp struct {
	Array  *Array
	Offset int // bytes
	first  int // stage that writes it
	last   int // last stage that reads it
}

// A StageKind tells what a stage runs.
type StageKind uint8

// The kinds of stages.
const (
	Loop    StageKind = iota // Kernel
	Product                  // the matrix product Out = A @ B
	Call                     // a Go function
)

// A Stage is one pass over memory.
type Stage struct {
	Kind   StageKind
	Why    string // why it is a stage of its own
	Reads  []*Array
	Writes []*Array

	// Loop: the kernel and what its binding is made of.
	Kernel  *ir.Kernel
	Extents []int
	Params  []int
	Scalars []Scalar
	Bufs    []Operand
	Prescan bool // looks for faults only, before the stage that stores
	Faults  []Fault

	// Product and Call. A Bias, which only [Plan.WithEpilogues] makes, is added to
	// each row of the product.
	A, B, Out *Array
	Bias      *Array
	Func      *expr.GoFunc
	Args      []*Array
}

// A Fault is a node of a stage that can fail on data, and the error that its
// kernel raises.
type Fault struct {
	Node *expr.Node
	Kind error // expr.ErrDivide or expr.ErrIndex
}

// A Scalar is the source of a run-time scalar.
type Scalar struct {
	Bits uint64
	Cell *expr.Cell // read at each run, if not nil
}

// An Operand is what a buffer of a kernel stands for. Row buffers have none.
type Operand struct {
	Array   *Array
	Strides []int
	Extents []int
}

// Compile plans statements, which mean what they mean one after the other. Once
// ctx is cancelled it returns an error that wraps ctx.Err().
func Compile(ctx context.Context, stmts []expr.Statement) (*Plan, error) {
	c := &compiler{ctx: ctx, g: newGraph()}
	c.g.cut = func(n *node) { c.materialise(n, "the expression is too large for one loop") }
	seen := expr.Seen{}
	for _, s := range stmts {
		if err := c.verify(seen, s); err != nil {
			return nil, err
		}
		if err := c.statement(s); err != nil {
			return nil, err
		}
	}
	if err := c.flush(); err != nil {
		return nil, err
	}
	p := &Plan{Stages: c.stages, Temps: c.temps}
	p.placeTemps()
	return p, nil
}
