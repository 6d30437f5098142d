package reverse

import (
	"slices"

	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// The adjoint of a scan is a scan in the other direction. It carries the adjoint of each state of floats. Its step is
// the derivative of the step of the scan. It needs the states before each step, so the forward scan stores them.

// unknown is the operator of stand-ins. While the step is differentiated, a stand-in takes the place of a state or of
// a tree outside of the step.
var unknown = tree.NewOperator(tree.Row{Name: "unknown", Class: tree.State, Shape: tree.StateShape})

// A reversal makes the adjoint of a scan.
type reversal struct {
	n        *tree.Node
	states   []*tree.Node
	carried  []int                     // the states of floats
	adjoints []*tree.Node              // what the reverse scan carries, by carried
	outer    []*tree.Node              // trees outside of the step that variables reach
	standIn  map[*tree.Node]*tree.Node // for states and outer trees
	origin   map[*tree.Node]*tree.Node // of each stand-in: the tree that takes its place again
}

// scan adds the adjoint contributions of a scan to the trees outside of its step.
func (t *tape) scan(n, out *tree.Node) {
	states, next := n.ScanStates()
	v := &reversal{n: n, states: states, standIn: map[*tree.Node]*tree.Node{}, origin: map[*tree.Node]*tree.Node{}}
	forward := untyped.Loop{Axis: n.Axes[0], Next: next, States: states}
	for _, s := range states {
		v.replace(s, forward.All(s))
	}
	v.find(t, append([]*tree.Node{n.Args[0]}, next...))
	g := adjoint(n, out)
	wrt := make([]*tree.Node, 0, len(states)+len(v.outer))
	for k, s := range states {
		if !s.DType().IsFloat() {
			continue
		}
		first := g.Expand(tree.ConstFloat(s.DType(), 0), s.Args[0].Shape())
		if n.ScanIsLast() && k == slices.Index(next, n.Args[0]) {
			first = g.Full()
		}
		v.carried = append(v.carried, k)
		v.adjoints = append(v.adjoints, untyped.NewState(n, first))
		wrt = append(wrt, v.standIn[s])
	}
	wrt = append(wrt, lists.Map(v.outer, func(x *tree.Node) *tree.Node { return v.standIn[x] })...)
	d := make([]*tree.Node, len(wrt))
	add := func(y, out *tree.Node) {
		for i, p := range pull(mapped(y, v.standIn), out, wrt) {
			if d[i] == nil {
				d[i] = p
			} else {
				d[i] = g.Add(d[i], p)
			}
		}
	}
	if !n.ScanIsLast() {
		add(n.Args[0], g.Full())
	}
	for i, k := range v.carried {
		add(next[k], v.adjoints[i])
	}
	t.close(g, v, lists.Map(d, func(n *tree.Node) *tree.Node { return mapped(n, v.origin) }))
}

// close makes the reverse scan. d has the derivatives by the states, then by the outer
// trees.
func (t *tape) close(g *tree.Adjoint, v *reversal, d []*tree.Node) {
	full := v.states[0].Shape()
	for i := range d { // a derivative may be a constant
		if !d[i].Shape().Equal(full) {
			d[i] = g.Expand(d[i], full)
		}
	}
	carried := len(v.carried)
	back := untyped.Loop{Axis: v.n.Axes[0], Next: d[:carried], States: v.adjoints}
	for i, k := range v.carried {
		if first := v.states[k].Args[0]; t.needed[first] {
			t.add(g, first, back.Last(d[i]))
		}
	}
	for i, x := range v.outer {
		y := d[carried+i]
		if carried > 0 {
			y = back.All(y)
		}
		t.add(g, x, g.SumTo(y, full, x.Shape()))
	}
}

// replace makes a stand-in for n. After the differentiation x takes its place.
func (v *reversal) replace(n, x *tree.Node) {
	s := tree.Untyped(unknown, v.states[0].Shape(), n.DType())
	v.standIn[n], v.origin[s] = s, x
}

// find finds the trees outside of the step whose adjoints are needed.
func (v *reversal) find(t *tape, trees []*tree.Node) {
	inside := map[*tree.Node]bool{}
	for _, s := range v.states {
		inside[s] = true
	}
	for _, x := range trees {
		tree.Walk(x, func(n *tree.Node) {
			inside[n] = inside[n] || n.Op.Class() == tree.Elementwise && slices.ContainsFunc(n.Args, func(a *tree.Node) bool { return inside[a] })
		})
	}
	seen := map[*tree.Node]bool{}
	var visit func(n *tree.Node)
	visit = func(n *tree.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		switch {
		case n.Op.Class() == tree.State && inside[n]:
		case inside[n]:
			for _, a := range n.Args {
				visit(a)
			}
		case t.needed[n]:
			v.outer = append(v.outer, n)
			v.replace(n, n)
		}
	}
	for _, x := range trees {
		visit(x)
	}
}

// mapped returns a copy of a tree of element-wise operations in which nodes are
// replaced.
func mapped(root *tree.Node, by map[*tree.Node]*tree.Node) *tree.Node {
	made := map[*tree.Node]*tree.Node{}
	var copied func(n *tree.Node) *tree.Node
	copied = func(n *tree.Node) *tree.Node {
		if m := by[n]; m != nil {
			return m
		}
		if m := made[n]; m != nil {
			return m
		}
		m := n
		if n.Op.Class() == tree.Elementwise || n.Op.Class() == tree.View {
			if args := lists.Map(n.Args, copied); !slices.Equal(args, n.Args) {
				m = tree.ApplyWith(n.Op, *n.Attributes, args...)
			}
		}
		made[n] = m
		return m
	}
	return copied(root)
}
