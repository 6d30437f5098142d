package graph

import (
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// The scans that bySteps takes apart have at most mostSteps steps, and the value of the root has at most stepWork primitives in all of them.
// There are at least leastScans of them. Steps at a multiple of pageBytes, more than mostPages of them, would share the ways of a set of a
// cache. Narrow rows of which a vector can have several have at most mostApart steps for each scan. Operations of more than mostByteCost
// primitives, such as divisions, need lanes that are wider than bytes.
const (
	stepWork     = 200
	leastScans   = 64
	mostPages    = 4
	pageBytes    = 4096
	mostApart    = 4
	mostByteCost = 2
)

// Split returns the roots of a group in parts to be stored in turn: see parts. A single root of scans of few steps is a root for each
// step, see bySteps. A temporary is not: the steps of a scan would be no part of a chain. Roots of pieces of short rows are a root for each
// column.
func (g *Graph) Split(roots []Root) [][]Root {
	if g.scans && len(roots) == 1 && roots[0].Target.Mem != nil && !g.bordered(roots) {
		if steps := g.bySteps(Turned(roots[0])); steps != nil {
			return [][]Root{steps}
		}
	}
	if parts := g.byColumn(roots); parts != nil {
		return parts
	}
	return g.parts(roots)
}

// byColumn returns roots whose targets are pieces of the [SameRows] in parts: a root for each column, all of which share a loop. If one may
// fail, or takes more than element-wise operations, only neighbours whose targets share a loop are a part. It returns nil for other roots.
func (g *Graph) byColumn(roots []Root) (parts [][]Root) {
	if len(roots) == 1 || !SameRows(lists.Map(roots, func(r Root) *Array { return r.Target })) {
		return nil
	}
	if g.bordered(roots) || !g.isMap(roots) || slices.ContainsFunc(roots, func(r Root) bool {
		return r.Value.Faulty || r.Value.Raises || r.Value.Cost > MaxCost/mostColumns
	}) {
		for len(roots) > 0 {
			n := 1
			for n < len(roots) && !slices.ContainsFunc(roots[:n], func(r Root) bool { return !r.Target.SharesLoop(roots[n].Target) }) {
				n++
			}
			if n == 1 {
				parts = append(parts, g.Split(roots[:1:1])...)
			} else {
				parts = append(parts, g.parts(roots[:n:n])...)
			}
			roots = roots[n:]
		}
		return parts
	}
	var columns []Root
	for _, r := range roots {
		if row, _, _ := r.Target.columns(); row == r.Target {
			columns = append(columns, r)
		} else {
			columns = append(columns, slices.Concat(g.cutAt([]Root{r}, len(row.Shape), lists.UpTo(r.Target.Shape[len(row.Shape)]+1))...)...)
		}
	}
	return [][]Root{columns}
}

// Turned returns r, or the root of the scan if r stores a scan with some axes in reverse. The target of that root has these axes in
// reverse, so the scan needs no array.
func Turned(r Root) Root {
	n := r.Value
	if n.Src.Op != SliceRow || n.Array != nil && n.Array != r.Target || !n.Shape.Equal(r.Target.Shape) {
		return r
	}
	x, target := n.Args[0], *r.Target
	if x.Src.Op.Class() != tree.Scan || x.Array != nil || !x.Shape.Equal(n.Shape) {
		return r
	}
	target.Strides = slices.Clone(target.Strides)
	for i, stride := range target.Strides {
		target.Offset += n.Src.Ints[3*i] * stride
		target.Strides[i] *= n.Src.Ints[3*i+1]
	}
	return Root{Value: x, Target: &target}
}

// bySteps returns the root of a value of scans of few steps as a root for each of them, or nil for others. They share a loop, in which
// the states of a step are values of the step before: nothing is carried.
func (g *Graph) bySteps(root Root) []Root {
	v, t := root.Value, root.Target
	if v.Faulty || v.Raises || !t.Shape.Equal(v.Shape) {
		return nil
	}
	s := steps{g: g, shape: t.Shape, values: map[*Node][]*Node{}, seen: map[*Node]bool{}}
	if !s.find(v) || len(s.values) == 0 || t.Shape.Size() < leastScans*s.n || s.n*v.Work > stepWork || g.readsTargets([]Root{root}) {
		return nil
	}
	size := t.Type.Size()
	turned := s.n == mostSteps && size == 2 && t.Type.IsFloat() && innermost(t, s.axis) // machine code transposes blocks of these
	if turned || s.n > mostPages && t.Strides[s.axis]*size%pageBytes == 0 || s.n > mostApart && s.wholeRows(v, t) {
		return nil
	}
	return lists.Make(s.n, func(i int) Root { return Root{g.pick(v, s.axis, i, s.at(i)), t.cut(s.axis, i, i+1)} })
}

// steps are the values of scans of one shape in each of their n steps.
type steps struct {
	g       *Graph
	shape   []int
	axis, n int
	values  map[*Node][]*Node
	seen    map[*Node]bool // by find
}

// find adds the scans that v has below element-wise operations, the inner ones first. It reports false if v depends on a scan in another
// way, or on scans of more steps or along several axes.
func (s *steps) find(v *Node) bool {
	if s.seen[v] || v.Array != nil {
		return true
	}
	s.seen[v] = true
	switch class := v.Src.Op.Class(); {
	case class == tree.State:
		return s.find(v.Args[0])
	case class == tree.Elementwise:
		return !slices.ContainsFunc(v.Args, func(a *Node) bool { return !s.find(a) })
	case class != tree.Scan:
		return !s.g.inLoop([]Root{{Value: v}}, apart)
	}
	axis := v.Src.Axes[0]
	if v.Src.ScanIsLast() || !v.Shape.Equal(s.shape) || v.Shape[axis] > mostSteps || len(v.Open) > 0 || s.n > 0 && axis != s.axis {
		return false
	}
	if s.axis, s.n = axis, v.Shape[axis]; slices.ContainsFunc(v.Args, func(a *Node) bool { return !s.find(a) }) {
		return false
	}
	s.add(v)
	return true
}

// add computes the values of a scan.
func (s *steps) add(v *Node) {
	states, next := v.States()
	now, values := lists.Map(states, func(x *Node) *Node { return x.Args[0] }), make([]*Node, s.n)
	for i := range s.n {
		if v.Reversed() {
			i = s.n - 1 - i
		}
		done := s.at(i)
		for k, x := range states {
			done[x] = now[k]
		}
		step := func(a *Node) *Node { return s.g.pick(a, s.axis, i, done) }
		values[i], now = step(v.Args[0]), lists.Map(next, step)
	}
	s.values[v] = values
}

// at returns the values of the scans in step i.
func (s *steps) at(i int) map[*Node]*Node {
	done := map[*Node]*Node{}
	for v, values := range s.values {
		done[v] = values[i]
	}
	return done
}

// wholeRows reports whether machine code has whole rows of v in a vector, as integers of 1 or 2 bytes that follow each other in all arrays
// as in t. Combining their elements takes less time than loads and stores of each step if there are few scans.
func (s *steps) wholeRows(v *Node, t *Array) bool {
	size := t.Type.Size()
	if size > 2 || len(s.values) > s.n/mostApart || t.Strides[s.axis] != 1 || !shape.IsContiguous(t.Shape, t.Strides) {
		return false
	}
	return !s.g.finder(func(n *Node) (found, stop bool) {
		a, wide := n.Strided(), n.Type.Size() > size || n.Type.IsFloat()
		if a != nil || constantOf(n) != nil {
			return a != nil && (wide || a.Shape.Size() > 1 && !slices.Equal(a.Strides, t.Strides)), true
		}
		wide = wide || size == 1 && s.g.ownCost(n) > mostByteCost
		return wide || n.Index != nil || n.Src.Op.Class() == tree.Scan && !s.g.accumulates(n), false
	})(v)
}
