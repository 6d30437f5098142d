package fuse

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/shape"
)

// hasSchedule reports whether n is a step without a loop: a product or a call.
func hasSchedule(n *graph.Node) bool {
	return n.Src.Op.Class() == tree.Contraction || n.Src.Op.Class() == tree.Opaque
}

// stores returns the product or the call that stores a root without a temporary,
// or nil if there is none. may says how products scale their sums and combine them with
// the target.
func stores(r graph.Root, may May) *Step {
	if r.Value.Uses > 0 {
		return nil
	}
	n, t := unviewed(r.Value, r.Target)
	if n.Array != nil || t.Mem == nil || t.Type != n.Type.Register() || !t.Shape.Equal(n.Shape) {
		return nil
	}
	s := Step{Node: n, Root: r.Value, Out: t}
	if !(hasSchedule(n) && shape.IsContiguous(t.Shape, t.Strides)) && !s.mayCombine(n, t, may) || s.touches(t) {
		return nil
	}
	found := s // the steps that are refused stay on the stack
	return &found
}

// unviewed returns the node below reshapes and transposes that nothing else uses,
// and the array in which storing it stores n in t.
func unviewed(n *graph.Node, t *graph.Array) (*graph.Node, *graph.Array) {
	for n.Array == nil && (n.Src.Op == graph.ReshapeRow || n.Src.Op == graph.TransposeRow) && n.Args[0].Uses == 1 {
		x := n.Args[0]
		st, ok := make(shape.Strides, len(x.Shape)), true
		if n.Src.Op == graph.ReshapeRow {
			st, ok = shape.Reshape(t.Shape, t.Strides, x.Shape)
		} else {
			for i, a := range n.Src.Axes {
				if a >= 0 {
					st[a] = t.Strides[i]
				}
			}
		}
		if !ok || !t.Shape.Equal(n.Shape) {
			break
		}
		under := *t
		under.Shape, under.Strides = x.Shape, st
		n, t = x, &under
	}
	return n, t
}

// mayCombine is combines, where may allows what the step does.
func (s *Step) mayCombine(n *graph.Node, t *graph.Array, may May) bool {
	if !may.Combine && !may.Scale || !s.combines(n, t) {
		return false
	}
	if may.Combine {
		return true
	}
	a, b := s.Node.Args[0].Shape, s.Node.Args[1].Shape
	rows := shape.IsContiguous(t.Shape, t.Strides) || len(a) == 2 && len(b) == 2 && t.Strides[1] == 1 && t.Strides[0] >= t.Shape[1]
	return (t.Type == dtype.F32 || t.Type == dtype.F64) && s.Saver <= expr.Minus && rows && a[len(a)-1] > 0
}

// combines reports whether n is a product that is scaled and combined with t, and
// sets what the step does.
func (s *Step) combines(n *graph.Node, t *graph.Array) bool {
	isTarget := func(x *graph.Node) bool { return x.Array != nil && x.Array.SameElements(t) }
	isProduct := func(x *graph.Node) bool {
		s.Node = x
		return x.Array == nil && x.Src.Op.Class() == tree.Contraction && x.Uses <= 1 && x.Type == t.Type && x.Shape.Equal(t.Shape)
	}
	var ok bool
	if s.Alpha, ok = scaled(n, isProduct); ok {
		return true
	}
	saver := slices.Index(graph.SaverRows[:], n.Src.Op)
	if saver < 0 || saver == int(expr.Over) && !t.Type.IsFloat() {
		return false
	}
	s.Saver = expr.Saver(saver)
	x, y := n.Args[0], n.Args[1]
	for range 2 {
		if s.Beta, ok = scaled(x, isTarget); ok && (s.Beta == nil || s.Saver <= expr.Minus) {
			if s.Alpha, ok = scaled(y, isProduct); ok && y.Uses == 1 {
				return true
			}
		}
		if s.Saver == expr.Minus || s.Saver == expr.Over {
			break
		}
		x, y = y, x
	}
	return false
}

// scaled reports whether n is a node that is accepts, or the product of a scalar
// and such a node. It returns the scalar, or nil.
func scaled(n *graph.Node, is func(*graph.Node) bool) (*graph.Node, bool) {
	if is(n) {
		return nil, true
	}
	if n.Array != nil || n.Src.Op != graph.SaverRows[expr.Times] {
		return nil, false
	}
	for i, s := range n.Args {
		if c := s.Src.Op.Class(); (c == tree.Constant || c == tree.Parameter) && is(n.Args[1-i]) {
			return s, true
		}
	}
	return nil, false
}

// touches reports whether the value of the step is computed from an array that
// overlaps t, other than the base of a call that is t itself.
func (s *Step) touches(t *graph.Array) bool {
	seen := map[*graph.Node]bool{}
	for i, a := range s.Node.Args {
		if r := s.Node.Src.Op.Routine(); r.Base == i+1 && a.Array != nil && a.Array.SameElements(t) {
			continue
		}
		if touches(a, t, seen) {
			return true
		}
	}
	return false
}

// touches reports whether n is computed from an array that overlaps t. It
// visits each node once.
func touches(n *graph.Node, t *graph.Array, seen map[*graph.Node]bool) bool {
	if n.Array != nil {
		return n.Array.Overlaps(t)
	}
	if seen[n] {
		return false
	}
	seen[n] = true
	return slices.ContainsFunc(n.Args, func(a *graph.Node) bool { return touches(a, t, seen) })
}

// reuses reports whether a product uses its operands so often that it should convert
// halves itself, as it packs them. A loop converts contiguous elements faster.
func reuses(n *graph.Node) bool {
	const often = 128
	a, b := n.Args[0].Shape, n.Args[1].Shape
	return len(a) > 1 && len(b) > 1 && a[len(a)-2] >= often && b[len(b)-1] >= often
}

// matrix reports whether the last two axes have a layout that BLAS takes,
// straight or transposed.
func matrix(a *graph.Array) bool {
	r := len(a.Shape)
	if r < 2 {
		return r == 1 && (a.Strides[0] > 0 || a.Shape[0] <= 1)
	}
	rows, cols, si, sj := a.Shape[r-2], a.Shape[r-1], a.Strides[r-2], a.Strides[r-1]
	straight := (sj == 1 || cols <= 1) && (si >= cols || rows <= 1 && si >= 0)
	transposed := (si == 1 || rows <= 1) && (sj >= rows || cols <= 1 && sj >= 0)
	return straight || transposed
}

// shortestRun is the least number of elements that follow each other in memory, so
// that a product packs axes as they are.
const shortestRun = 4

// leastSize is the size of the smallest elements, in bytes, of which products pack
// several axes.
const leastSize = 4

// spread returns the node of operand i, x, whose rows or columns are several axes of an array, such as windows
// of images: a product reads these axes as it packs them. It returns nil for others. What the axes of the right
// operand are a view of is stored. A left operand that is not in memory is stored as a matrix at once.
func (s *Step) spread(g *graph.Graph, i int, x *graph.Node, why string) *graph.Node {
	if x.Array != nil || x.Src.Op != graph.ReshapeRow || x.Strided() != nil || x.Faulty {
		return nil
	}
	y := x.Args[0]
	if y.Type != s.Out.Type || y.Type.Size() < leastSize || x.Shape.Size() == 0 {
		return nil
	}
	for _, m := range s.Node.Args { // a vector has no axes to pack
		if r := len(m.Shape); r < 2 || m.Shape[r-1] == 1 || m.Shape[r-2] == 1 {
			return nil
		}
	}
	lead, rows := MatrixAxes(y.Shape, x.Shape)
	if lead < 0 {
		return nil
	}
	under := y.Under()
	if y.Strided() == nil {
		if i == 0 || under == y || under.Shape.Size() > y.Shape.Size() {
			return nil
		}
		g.Store(under, why)
	}
	a := y.Strided()
	if a == nil || x.Strided() != nil { // of what is stored now, x may be a matrix
		return nil
	}
	run := func(axis int) bool { return a.Strides[axis] == 1 && a.Shape[axis] >= shortestRun }
	if !run(lead+rows-1) && !run(len(a.Shape)-1) {
		return nil
	}
	return y
}

// MatrixAxes returns the number of leading axes that s, the shape of a stack of matrices, has in
// common with finer, and the number of axes of finer that are rows of the matrices; the others are
// columns. lead is negative if there are none.
func MatrixAxes(finer, s shape.Shape) (lead, rows int) {
	lead = len(s) - 2
	if len(finer) < len(s) || !finer[:lead].Equal(s[:lead]) {
		return -1, 0
	}
	size := 1
	for i, d := range finer[lead:] {
		if size *= d; size == s[lead] && finer[lead+i+1:].Size() == s[lead+1] {
			return lead, i + 1
		}
	}
	return -1, 0
}
