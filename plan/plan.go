// Package plan turns assignments into stages: fused loops in the IR of package
// ir, matrix products, and calls of Go functions. It also places the
// temporaries that the stages need.
//
// [Compile] runs a list of passes, which this file declares. Each pass takes
// the result of the pass before it. [After] returns the result of one pass as
// text.
package plan

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Plan is a compiled list of statements.
type Plan struct {
	Stages []*Stage
	Temps  []*Temp
	Arena  int // bytes for all temporaries
}

// A Temp is a temporary: a contiguous array at an offset in the arena.
type Temp struct {
	Array  *Array
	Offset int // bytes
	first  int // stage that writes it
	last   int // last stage that reads it
}

// A StageKind is the kind of a stage.
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

	// Loop: the kernel, and the sources of its binding.
	Kernel  *ir.Kernel
	Extents []int
	Params  []int
	Scalars []Scalar
	Bufs    []Operand
	Prescan bool // the stage only looks for faults; a later stage stores
	Faults  []Fault

	// Product and Call. Only [Plan.WithEpilogues] sets Bias. The product adds it
	// to each row.
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
	Cell *expr.Cell // if not nil, each run reads the value from here
}

// An Operand is the array that is bound to a buffer of a kernel. A row buffer
// has a nil Array.
type Operand struct {
	Array   *Array
	Strides []int
	Extents []int
}

// passes lists the passes of Compile, in order. All statements are checked and
// grouped first. Then each group is joined, fused and emitted before the next
// one, because a group reads what earlier groups store.
var passes = []struct{ name, does string }{
	{"check", "verifies the trees, and finds what each statement reads"},
	{"group", "puts neighbours that can share a loop together"},
	{"join", "makes one graph of the trees of a group: equal nodes once, constants folded, reshapes moved to arrays, what is too large for one kernel cut off"},
	{"fuse", "chooses the loops of each stage: a map, rows or columns, the phases of its reductions, what it keeps in row buffers"},
	{"emit", "writes the kernels, products and calls; what cannot be fused gets a stage before the one that needs it"},
	{"memory", "places the temporaries in one arena by their lifetimes"},
}

// Compile returns the plan of statements. The plan has the effect of the
// statements in their order. If ctx is cancelled, Compile returns an error that
// wraps ctx.Err().
func Compile(ctx context.Context, stmts []expr.Statement) (*Plan, error) {
	return compile(ctx, stmts, nil)
}

// compile is Compile. It passes the result of each pass to show, if show is not
// nil.
func compile(ctx context.Context, stmts []expr.Statement, show func(pass string, made any)) (*Plan, error) {
	c := &compiler{ctx: ctx, g: newGraph(), seen: expr.Seen{}, show: show}
	c.g.separate = func(n *node) { c.materialise(n, "the expression is too large for one loop") }
	if err := c.run(stmts); err != nil {
		return nil, err
	}
	p := &Plan{Stages: c.stages, Temps: c.temps}
	p.placeTemps()
	c.made("memory", p)
	return p, nil
}

// run runs the passes up to emit.
func (c *compiler) run(stmts []expr.Statement) error {
	checked, err := c.check(stmts)
	if err != nil {
		return err
	}
	c.made("check", checked)
	groups := group(checked)
	c.made("group", groups)
	for _, g := range groups {
		if err := c.lower(g); err != nil {
			return err
		}
	}
	return nil
}

// lower joins, fuses and emits one group.
func (c *compiler) lower(g []statement) error {
	if g[0].target == nil {
		return c.storeParts(g[0].Statement)
	}
	roots, err := c.join(g)
	if err != nil {
		return err
	}
	c.made("join", roots)
	before := len(c.stages)
	if err := c.emit(roots, "stores to the program's arrays"); err != nil {
		return err
	}
	c.made("emit", c.stages[before:])
	for _, s := range g {
		c.g.stored(s.target)
	}
	return nil
}

// A compiler is the state of one compilation.
type compiler struct {
	ctx    context.Context
	seen   expr.Seen
	g      *graph
	stages []*Stage
	temps  []*Temp
	show   func(pass string, made any)
}

// made passes the result of a pass to show.
func (c *compiler) made(pass string, x any) {
	if c.show != nil {
		c.show(pass, x)
	}
}

// cancelled returns an error if the context is cancelled. Loops over the nodes
// of a tree call it once every cancelEvery nodes.
func (c *compiler) cancelled() error {
	if err := c.ctx.Err(); err != nil {
		return fmt.Errorf("the compilation has been cancelled: %w", err)
	}
	return nil
}

const cancelEvery = 1 << 12
