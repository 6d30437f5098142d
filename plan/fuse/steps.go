package fuse

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/shape"
)

// Steps returns the steps that store the roots, in order. A root may be a stored
// node and its array.
func (f *Fuser) Steps(roots []graph.Root) ([]*Step, error) {
	f.steps = nil
	parts := [][]graph.Root{roots}
	if len(roots) > 0 && f.May.Split {
		parts = f.g.Split(roots)
	}
	for _, part := range parts {
		if err := f.part(part); err != nil {
			return nil, err
		}
	}
	return beside(f.steps), nil
}

// part appends the steps that store a part of the roots, in order.
func (f *Fuser) part(roots []graph.Root) error {
	f.asides = nil
	if len(roots) == 1 && roots[0].Target == roots[0].Value.Array {
		return f.provide(roots[0].Value, true, nil)
	}
	// Of several roots, which may be parts of one value, none is stored before all are known not to fail.
	apart := len(roots) == 1 || !slices.ContainsFunc(roots, func(r graph.Root) bool { return r.Value.Raises })
	var direct []*Step
	for _, r := range roots {
		if s := stores(r, f.May); apart && s != nil {
			direct = append(direct, s)
		}
	}
	var err error
	if len(direct) < len(roots) {
		err = f.roots(roots, "stores to the program's arrays", nil)
		direct = nil
	}
	for _, s := range direct {
		if err == nil {
			err = f.schedule(s)
		}
	}
	return err
}

// roots appends the steps that store the roots, after the steps that compute
// the nodes that these load. Faults are stored in the array faults, if it is not
// nil.
func (f *Fuser) roots(roots []graph.Root, why string, faults *graph.Array) error {
	if len(roots) == 1 && faults == nil {
		roots = []graph.Root{graph.Turned(roots[0])}
	}
	l, err := f.loop(roots, faults)
	if err != nil {
		return err
	}
	if l.clashes() {
		v := f.g.Copied(roots[0].Value)
		f.g.Store(v, "the target is read at other positions than it is written")
		if l, err = f.loop([]graph.Root{{Value: v, Target: roots[0].Target}}, nil); err != nil {
			return err
		}
	}
	// Nodes that another step may store at its side come last.
	for _, last := range []bool{false, true} {
		for i, v := range l.loads {
			if _, aside := f.asides[v.Of]; aside == last {
				if err := f.provide(v.Of, l.always(v.Of), l.loads[i+1:]); err != nil {
					return err
				}
			}
		}
	}
	for _, v := range l.loads {
		l.Fails = l.Fails || v.Of.Faults != nil
	}
	for _, v := range l.sides {
		v.Node.Pending = false
	}
	task := Store
	if l.Fails && l.Faults == nil && slices.ContainsFunc(roots, func(r graph.Root) bool { return r.Target.Mem != nil }) {
		f.steps = append(f.steps, &Step{Task: Scan, Why: "looks for faults before anything is stored", Loop: l})
		task = Trust
	}
	f.steps = append(f.steps, &Step{Task: task, Why: why, Loop: l})
	return nil
}

// loop decides the loop of the roots. It starts again if a node that was taken
// for part of the loop had to be stored, or if no reduction runs in the nest.
// The number of starts is bounded, because a start without a new stored node is
// followed by one with a map.
func (f *Fuser) loop(roots []graph.Root, faults *graph.Array) (*Loop, error) {
	for plain := false; ; {
		if err := graph.Cancelled(f.ctx, 0); err != nil {
			return nil, err
		}
		l := &Loop{Roots: roots, Faults: faults}
		l.Values, l.loads = l.few[:0:2], l.few[2:2]
		l.choose(plain)
		f.share(l)
		w := &f.walk
		*w = walk{Loop: l, f: f, mark: f.g.Walk(), first: w.first[:0], places: w.places[:0]}
		w.roots()
		idle := l.Nest.Kind != Map && len(l.Phases) == 0 && !l.scans
		if !w.again && !idle {
			l.keep()
			return l, nil
		}
		plain = plain || idle && !w.stored
	}
}

// clashes reports whether a loop of one root reads an element of the target at
// another position than it writes. The loops of several roots never do.
func (l *Loop) clashes() bool {
	target := l.Roots[0].Target
	return len(l.Roots) == 1 && slices.ContainsFunc(l.loads, func(v *Value) bool {
		return v.Load.Overlaps(target) && !(v.Load.SameElements(target) && slices.Equal(v.at.at, l.Nest.Own(target.Shape)))
	})
}

// provide appends the steps of a stored node, unless that was done before. A node
// that a loop always depends on raises its faults itself, and so does a
// reduction or a scan. Other nodes store their faults. A loop that loads such a node raises
// them, where it depends on the element. The loop of a reduction or a scan also stores
// others that it can.
func (f *Fuser) provide(n *graph.Node, always bool, others []*Value) error {
	if !n.Pending {
		return nil
	}
	n.Pending = false
	if n.Shape.Size() == 0 {
		return nil
	}
	if all := f.siblings(n, others); len(all) > 1 {
		return f.roots(all, n.Why, nil)
	}
	r := graph.Root{Value: n, Target: n.Array}
	if hasSchedule(n) {
		return f.schedule(&Step{Node: n, Root: n, Out: n.Array})
	}
	if c := n.Src.Op.Class(); n.Faulty && !always && c != tree.Reduction && c != tree.Scan {
		n.Faults = f.g.Temp(dtype.I32, n.Shape)
	}
	for _, part := range f.parts(r) {
		if err := f.roots(part, n.Why, n.Faults); err != nil {
			return err
		}
	}
	return nil
}

// siblings returns the roots of a stored reduction or scan n, and of those of others that one loop computes with it, see
// [graph.Graph.Siblings]. It takes none that fails, and none that depends on another.
func (f *Fuser) siblings(n *graph.Node, others []*Value) []graph.Root {
	all := []graph.Root{{Value: n, Target: n.Array}}
	if n.Faulty {
		return all
	}
	for _, v := range others {
		if x := v.Of; x.Pending && !x.Faulty && len(all) < mostSiblings && f.g.Siblings(x, n) && !slices.ContainsFunc(all, func(r graph.Root) bool {
			return f.g.Depends(x, r.Value) || f.g.Depends(r.Value, x)
		}) {
			x.Pending = false
			all = append(all, graph.Root{Value: x, Target: x.Array})
		}
	}
	return all
}

// mostSiblings bounds the reductions of one loop, whose states are in registers, and the results of a scan.
const mostSiblings = 4

// parts returns the root of a stored node cut at its borders, if loops are split.
func (f *Fuser) parts(r graph.Root) [][]graph.Root {
	if !f.May.Split {
		return [][]graph.Root{{r}}
	}
	r.Value.Array = nil // to be cut as what it computes
	defer func() { r.Value.Array = r.Target }()
	return f.g.Split([]graph.Root{r})
}

// always reports whether the roots depend on all elements of a node that the
// loop loads, whatever the data.
func (l *Loop) always(n *graph.Node) bool {
	if !n.Faulty || l.Faults != nil {
		return !n.Faulty
	}
	var reaches func(v *Value) bool
	seen := map[*Value]bool{}
	reaches = func(v *Value) bool {
		if v.Load != nil {
			return v.Load == n.Array
		}
		if seen[v] || v.Node.Index != nil && (len(v.Operands) != 1 || !graph.SameLoop(v.Node, v.Operands[0].Node)) {
			return false
		}
		seen[v] = true
		operands := v.Operands
		if v.Node.Src.Op.Cond() {
			operands = operands[:1]
		}
		return slices.ContainsFunc(operands, reaches)
	}
	return slices.ContainsFunc(l.Values, reaches)
}

// schedule appends a product or a call, after the steps that compute its
// operands.
func (f *Fuser) schedule(s *Step) error {
	n := s.Node
	s.Task, s.Why = Call, "a Go function cannot be fused"
	elementwise := n.Src.Op.Shape() == nil
	why, fits := "the operand of a Go function", func(a *graph.Array) bool {
		return a.Type == a.Type.Register() && (!elementwise || shape.IsContiguous(a.Shape, a.Strides))
	}
	if n.Src.Op.Class() == tree.Contraction {
		s.Task, s.Why = Product, "a matrix product has a schedule of its own"
		why, fits = "an operand of a matrix product is read many times", func(a *graph.Array) bool {
			return a.Type == s.Out.Type && (f.May.Combine || matrix(a)) || f.May.Combine && a.Type.IsHalf() && reuses(n)
		}
	}
	for i, x := range n.Args {
		if elementwise {
			x = f.g.Broadcast(x, n.Shape)
		}
		if s.Task == Product && f.May.Combine {
			if y := s.spread(f.g, i, x, why); y != nil {
				if err := f.provide(y.Base(), true, nil); err != nil {
					return err
				}
				s.Args = append(s.Args, y.Strided())
				continue
			}
		}
		a := x.Strided()
		if under := x.Under(); a == nil && under != x {
			f.g.Store(under, why)
			a = x.Strided()
		}
		if a == nil || !fits(a) {
			x = f.g.Copied(x) // an array that does not fit is copied
			f.g.Store(x, why)
			a = x.Array
		}
		if err := f.provide(x.Base(), true, nil); err != nil {
			return err
		}
		s.Args = append(s.Args, a)
	}
	if s.Task == Call {
		size, err := n.Src.Workspace()
		if err != nil {
			return err
		}
		if size > 0 {
			s.Work = f.g.Temp(dtype.U8, shape.Shape{size})
		}
	}
	f.steps = append(f.steps, s)
	return nil
}

// share stores values that the loop and an earlier step would both compute:
// values that the roots need, and that a reduction outside of the nest needs
// too. It does so only for values of at least graph.KeepCost primitives.
func (f *Fuser) share(l *Loop) {
	if !l.complex() || slices.ContainsFunc(l.Roots, func(r graph.Root) bool { return r.Value.Faulty }) {
		return
	}
	const above, below = 1, 2
	seen := map[*graph.Node]int{}
	apart := func(x *graph.Node) bool {
		return (x.Src.Op.Class() == tree.Reduction || x.Src.Op.Class() == tree.Scan) && !l.Nest.fits(x)
	}
	var visit func(x *graph.Node, side int)
	visit = func(x *graph.Node, side int) {
		if l.Loads(x) || seen[x]&side != 0 {
			return
		}
		seen[x] |= side
		if apart(x) {
			side = below
		}
		for _, a := range x.Args {
			visit(a, side)
		}
	}
	done := map[*graph.Node]bool{}
	var mark func(x *graph.Node)
	mark = func(x *graph.Node) {
		if l.Loads(x) || done[x] || apart(x) {
			return
		}
		done[x] = true
		if seen[x] == above|below && x.Work >= graph.KeepCost && x.Src.Op.Class() == tree.Elementwise && x.Open == nil && x.Shape.Size() > 1 {
			f.g.Store(x, "a reduction that is not fused needs it too, and computing it twice costs more")
			zero.Put(&f.asides, x, l.Roots[0].Value)
			return
		}
		for _, a := range x.Args {
			mark(a)
		}
	}
	for _, r := range l.Roots {
		visit(r.Value, above)
	}
	for _, r := range l.Roots {
		mark(r.Value)
	}
}
