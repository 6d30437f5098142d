// Package plan turns assignments into stages: fused loops in the IR of package
// ir, matrix products, and calls of Go functions, with the memory they need.
//
// [Compile] is a list of passes, which stands in this file: each takes what the
// one before it has made. [After] shows what statements are after a pass.
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

// passes are what Compile does, in order. Statements are checked and grouped all
// at once; then one group after the other is joined, fused and emitted, because a
// group reads what those before it have stored.
var passes = []struct{ name, does string }{
	{"check", "verifies the trees, and finds what each statement reads"},
	{"group", "puts neighbours that can share a loop together"},
	{"join", "makes one graph of the trees of a group: equal nodes once, constants folded, reshapes moved to arrays, what is too large for one kernel cut off"},
	{"fuse", "chooses the loops of each stage: a map, rows or columns, the phases of its reductions, what it keeps in row buffers"},
	{"emit", "writes the kernels, products and calls; what cannot be fused gets a stage before the one that needs it"},
	{"memory", "places the temporaries in one arena by their lifetimes"},
}

// Compile plans statements, which mean what they mean one after the other. Once
// ctx is cancelled it returns an error that wraps ctx.Err().
func Compile(ctx context.Context, stmts []expr.Statement) (*Plan, error) {
	return compile(ctx, stmts, nil)
}

// compile is Compile. It hands what each pass has made to show, if that is not nil.
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

// run carries out the passes up to emit.
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

// lower joins, fuses and emits a group.
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

// made hands on what a pass has made.
func (c *compiler) made(pass string, x any) {
	if c.show != nil {
		c.show(pass, x)
	}
}

// cancelled is an error once the context has been cancelled. Loops over all nodes
// of a tree look every so many nodes.
func (c *compiler) cancelled() error {
	if err := c.ctx.Err(); err != nil {
		return fmt.Errorf("the compilation has been cancelled: %w", err)
	}
	return nil
}

const cancelEvery = 1 << 12
