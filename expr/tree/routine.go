package tree

import (
	"context"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// A Routine is how an [Opaque] operator computes its value: a Go function over
// whole arrays. It runs on the host and does not fuse. Its operands are stored
// before it runs.
type Routine struct {
	// New returns the function for a node. A program calls New once and the function
	// in each run. The runs of one function follow each other, so it may keep
	// memory. It must not keep what a Call holds.
	New func(n *Node) func(c *Call) error
	// Work returns the size of the workspace in bytes. nil means none.
	Work func(n *Node) int
	// Keeps returns the size in bytes of the memory that New allocates, or more. nil means
	// little. New is not called if the process cannot have so much.
	Keeps func(n *Node) int
	// Base, if not 0, is the number of an operand, counted from 1. Out may
	// have the memory of the operand.
	Base int
	// Checked means that the function does not panic, and that it stores nothing to
	// Out if it returns an error. Without it, Out is never an array of the caller.
	Checked bool
	// Total means that the function is Checked and returns no error. A plan stores
	// nothing that a failing call below it would leave half stored.
	Total bool
}

// A Call is one run of a [Routine].
type Call struct {
	Out  Strided // row-major and contiguous
	Args []Strided
	Work []byte // the workspace, aligned to 64 bytes; it has arbitrary content
	// Threads is the largest number of workers of Parallel, at least 1.
	Threads int
	// Context, if not nil, is the context of the run. See Stopped.
	Context context.Context
	// On, if not nil, runs f on several workers. See Parallel.
	On func(n int, cost float64, f func(worker, lo, hi int))
	// NewSort, if not nil, returns a function that sorts rows by machine code of the back end,
	// on the workers of a call. It returns false, and does nothing, for what the back end has no
	// code for. The calls of one function follow each other.
	NewSort func() func(c *Call, r Rows) bool
	// NewTranspose, if not nil, returns a function that transposes matrices of elements of a size by machine code of the back end, or nil.
	// The calls of one function follow each other.
	NewTranspose func(size int) Transpose
	// NewCombine, if not nil, returns machine code of the back end that combines rows of width
	// neighbouring elements by Add, Max or Min, or replaces them if op is Cvt. same says that an update is one number, for
	// all elements of its row. NewCombine returns nil for what there is no code for.
	NewCombine func(op prim.Op, t dtype.Type, width int, same bool) CombineRows
}

// A Transpose stores the columns of a matrix as rows. The rows of the matrix begin at from, fromStep bytes apart, and have adjacent
// elements. The stored rows begin at to, toStep bytes apart.
type Transpose func(to, from unsafe.Pointer, rows, columns, toStep, fromStep int)

// CombineRows combines rows of neighbouring elements at from, step elements apart, with those of the rows of to, after elements
// apart, that the indices select, in their order. It leaves out indices outside: the caller looks for these.
type CombineRows func(to, from unsafe.Pointer, index []int64, rows, after, step int)

// Rows are rows of numbers of the register type Type, one behind the other, that are sorted:
// -0 before +0, and NaN last, as one value.
type Rows struct {
	Type          dtype.Type
	Descending    bool
	Count, Length int            // of rows, and of the elements of each
	To, From      unsafe.Pointer // the first elements; they may be the same
	// Places, if not empty, are the ascending places of the only elements that must be where a sort puts
	// them. To has other elements in between.
	Places []int
	// Parted, if not nil, is where the elements of the rows go, or with Positions their positions as
	// int64: those that come before the only place in sorted order, the one that comes there, and the
	// others. Each of the two parts keeps its order, and elements do not change a bit. To is room for a row,
	// of 12 bytes for each element of 2 bytes, so one worker has all rows.
	Parted    unsafe.Pointer
	Positions bool
	// Order, if not nil, is where the positions of the elements of all rows go as int64, in sorted order. To is room of 8 bytes for each element,
	// of 16 for one of 1 or 2 bytes, and of 64 bytes more. Rows of fewer than 8 elements count as rows of the next power of two.
	Order unsafe.Pointer
}

// Parallel calls f for disjoint ranges that together are 0..n, on up to Threads
// workers at once. A worker has a number below Threads. cost is the approximate
// time of one unit in nanoseconds. The result must not depend on the ranges.
func (c *Call) Parallel(n int, cost float64, f func(worker, lo, hi int)) {
	switch {
	case n <= 0 || f == nil:
	case c == nil || c.On == nil:
		f(0, 0, n)
	default:
		c.On(n, cost, f)
	}
}

// Stopped reports whether the context of the run is done. A function that takes long should ask from time to time, on any
// worker, and return early if it is stopped. The run then ends with the error of the context, and what the function has stored
// does not count.
func (c *Call) Stopped() bool { return c != nil && c.Context != nil && c.Context.Err() != nil }

// A Strided is an array in memory. Its elements have the register type of the
// operand: float32 where the tree has halves.
type Strided struct {
	Ptr     unsafe.Pointer // the element at position 0, 0, ...
	Type    dtype.Type
	Shape   shape.Shape
	Strides shape.Strides // in elements
}

// Elements returns the elements of a contiguous array, in row-major order. T is
// the register type of the array.
func Elements[T dtype.Elem](a *Strided) []T {
	if a == nil || a.Ptr == nil {
		return nil
	}
	return unsafe.Slice((*T)(a.Ptr), a.Shape.Size())
}

// Workspace returns the size of the workspace of an Opaque node in bytes, at
// least 0.
func (n *Node) Workspace() (int, error) {
	if err := n.complete(); err != nil {
		return 0, err
	}
	r := n.Op.Routine()
	if r.Work == nil {
		return 0, nil
	}
	size := r.Work(n)
	if err := (shape.Shape{max(size, 0)}).Check(); err != nil || size < 0 {
		return 0, NewError(ErrOutOfMemory, n.Op.Constructor(), "the workspace has %d bytes", size)
	}
	return size, nil
}
