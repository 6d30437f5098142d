package graph

import (
	"slices"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// The scans that bySteps takes apart have at most mostSteps steps, and the value of the root has at most stepWork primitives in all of them.
// There are at least leastScans of them. Sums along rows of integers of 2 bytes have at most mostWords. Steps at a multiple of pageBytes,
// more than mostPages of them, would share the ways of a set of a cache.
const (
	mostSteps  = 8
	stepWork   = 200
	leastScans = 64
	mostPages  = 4
	pageBytes  = 4096
	mostWords  = 4
)

// Split returns the roots of a group in parts to be stored in turn: see parts. A single root of scans of few steps is a root for each
// step, see bySteps. A temporary is not: the steps of a scan would be no part of a chain.
func (g *Graph) Split(roots []Root) [][]Root {
	if g.scans && len(roots) == 1 && roots[0].Target.Mem != nil && !g.bordered(roots) {
		if steps := g.bySteps(roots[0]); steps != nil {
			return [][]Root{steps}
		}
	}
	return g.parts(roots)
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
	if s.n > mostPages && t.Strides[s.axis]*size%pageBytes == 0 || size == 2 && innermost(t, s.axis) && (s.n == mostSteps || s.n > mostWords && t.Type.IsInt() && g.accumulates(v)) {
		return nil // machine code turns blocks of such rows, or has whole rows of integers in a vector, with few instructions
	}
	return lists.Make(s.n, func(i int) Root { return Root{g.pick(v, s.axis, i, s.at(i)), t.cut(s.axis, i, i+1)} })
}

// accumulates reports whether v is a forward scan of one primitive of a state and an element, such as a sum.
func (g *Graph) accumulates(v *Node) bool {
	if v.Src.Op.Class() != tree.Scan || v.Reversed() {
		return false
	}
	states, next := v.States()
	return len(states) == 1 && v.Args[0] == next[0] && len(next[0].Args) == 2 && slices.Contains(next[0].Args, states[0]) && g.ownCost(next[0]) == 1
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
