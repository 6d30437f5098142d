package plan

import (
	"iter"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A Plan is a compiled list of statements.
type Plan struct {
	Stages []*Stage
	Temps  []*Temp
	Arena  int // bytes for all temporaries
	// Origins are the nodes of the statements, without arrays, if the option RecordOrigins
	// asked for them. The origins of stages, and of values of kernels, are numbers of them.
	Origins []*tree.Node
	// ProductsInOrder says that products have the sums of the interpreter, in its order.
	ProductsInOrder bool
}

// All yields the loops, products and calls of the plan, with the numbers of their
// stages. It yields the parts of a chain in place of the chain.
func (p *Plan) All() iter.Seq2[int, *Stage] {
	return func(yield func(int, *Stage) bool) {
		for i, s := range p.Stages {
			for _, x := range s.all() {
				if !yield(i, x) {
					return
				}
			}
		}
	}
}

// all returns the parts of a chain, or else s.
func (s *Stage) all() []*Stage {
	if s.Kind == Chain {
		return s.Parts
	}
	return []*Stage{s}
}

// A Temp is a temporary: a contiguous array at an offset in the arena.
type Temp struct {
	Array  *Array
	Offset int // bytes
	first  int // stage that writes it
	last   int // last stage that reads it
}

// An Array is memory that a stage reads or writes: a user's array or a
// temporary.
type Array = graph.Array

// A StageKind is the kind of a stage.
type StageKind uint8

// The kinds of stages.
const (
	Loop    StageKind = iota // Kernel
	Product                  // a matrix product
	Call                     // a Go function
	Chain                    // stages that run together, one block of rows after the other
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

	// Product and Call. A product stores Out = Beta*Out Saver Alpha*(A @ B). Alpha
	// and Beta are both nil, which is 1, or both set. Only [CombineProducts] and
	// [ScaleProducts] let a product be more than A @ B. Only [Plan.WithEpilogues] sets Bias. The product adds
	// it to each row.
	// ShapeA and ShapeB are the shapes of A and B as stacks of matrices. A or B has them, or several axes in
	// place of rows or of columns, row-major: see [fuse.MatrixAxes]. Only plans with CombineProducts have those.
	ShapeA, ShapeB shape.Shape

	A, B, Out   *Array
	Saver       expr.Saver
	Alpha, Beta *Scalar
	Bias        *Array
	Node        *tree.Node // the operator and its attributes
	Args        []*Array
	Origins     []int32 // what the product or the call computes, and the views that it reads; see [Plan]
	Work        *Array  // workspace, or nil

	// Chain: loops and products, in order. A worker runs all of them for one block
	// of rows. Own lists the temporaries of which it has one block, in OwnBytes
	// bytes.
	Parts    []*Stage
	Blocks   RowBlocks
	Own      []Own
	OwnBytes int
	// Tiles is not nil if the first part is a product and the others are loops that run
	// on tiles of its result. Then there are no blocks of rows.
	Tiles *Tiles
	cut   cut // of a loop that is a part of a chain
}

// A Fault is a node of a stage that can fail on data, and the error that its
// kernel raises.
type Fault struct {
	Node *tree.Node
	Kind error // expr.ErrDivide or expr.ErrIndex
}

// A Scalar is the source of a run-time scalar.
type Scalar struct {
	Bits uint64
	Cell *tree.Scalar // if not nil, each run reads the value from here
}

// An Operand is the array that is bound to a buffer of a kernel. A row buffer
// has a nil Array.
type Operand struct {
	Array   *Array
	Strides []int
	Extents []int
}

// RowBlocks says how a chain divides its rows. The rows are numbered through the
// axes [Outer, Extent, Inner]. A block has Size positions of the axis in the
// middle; the last block of that axis may have fewer.
type RowBlocks struct {
	Outer, Extent, Inner int
	Size                 int
	axis                 int // the number of the axis in the middle
}

// Count returns the number of blocks.
func (r RowBlocks) Count() int { return r.Outer * r.PerAxis() }

// PerAxis returns the number of blocks along the axis in the middle.
func (r RowBlocks) PerAxis() int { return (r.Extent + r.Size - 1) / r.Size }

// Rows returns the number of rows of a whole block.
func (r RowBlocks) Rows() int { return r.Size * r.Inner }

// An Own is a temporary of which each worker of a chain has a block.
type Own struct {
	Array  *Array
	Offset int // bytes, in the memory of a worker
}

// Tiles says that the loops of a chain, which follow its only product, run on parts of the
// result as soon as they are complete. A part is a range of rows of one block of columns.
type Tiles struct {
	Rows    int // of the result, of all matrices
	Columns int // of a block
}

// A cut says how a chain divides an axis of a loop: which axes are the positions within a block and the number of the block, and
// which parameter is the position where the blocks begin. The last block has fewer positions, or as many if last is 0. The
// loop computes the blocks before it: their accesses need no guard for positions that do not exist.
type cut struct{ axis, block, first, last int }

// LastBlock returns part i of a chain for the last block of columns or, for each of the axes before, of rows. It
// returns nil if this block is like the others, or if the part is a product.
func (s *Stage) LastBlock(i int) *Stage {
	out := *s.Parts[i]
	at := out.cut
	if at.last == 0 {
		return nil
	}
	out.Extents, out.Params = slices.Clone(out.Extents), slices.Clone(out.Params)
	out.Params[at.first] = out.Extents[at.block] * out.Extents[at.axis]
	out.Extents[at.axis], out.Extents[at.block] = at.last, 1
	return &out
}

// Raises reports whether a stage is a loop that can raise a fault.
func (s *Stage) Raises() bool {
	return s.Kind == Loop && slices.ContainsFunc(s.Kernel.Regions, func(r ir.Region) bool {
		return slices.ContainsFunc(r.Code, func(in ir.Ins) bool { return in.Op == ir.Fault })
	})
}

// matrices returns the axes along which a product computes one matrix after the
// other, without axes of size 1.
func (s *Stage) matrices() []int {
	if len(s.B.Shape) == 1 {
		return graph.LoopShape(s.Out.Shape[:len(s.Out.Shape)-1])
	}
	return graph.LoopShape(s.Out.Shape[:len(s.Out.Shape)-2])
}

// outRows returns the shape of the result of a product without its columns.
func (s *Stage) outRows() shape.Shape {
	if len(s.B.Shape) == 1 {
		return s.Out.Shape
	}
	return s.Out.Shape[:len(s.Out.Shape)-1]
}

// whole reports whether s is a product of whole matrices, one for each row of a
// chain.
func (s *Stage) whole(dims []int) bool {
	return s.Kind == Product && len(dims) > 0 && slices.Equal(s.matrices(), dims)
}

// mainAxes returns the axes of the loop that workers divide, if it is all that the
// kernel has.
func (s *Stage) mainAxes() []int32 {
	kind, loop := bound.UnitsOf(s.Kernel)
	if kind != bound.RowUnits && kind != bound.ElementUnits {
		return nil
	}
	entry := s.Kernel.Regions[0].Code
	if last := entry[len(entry)-1]; last.Op != ir.For {
		return nil
	}
	return s.Kernel.Loops[loop].Axes
}
