package plan

import "github.com/oneloop/oneloop/expr"

// A root is a value of the graph and the array that it is stored to.
type root struct {
	value  *node
	target *Array
}

// join adds the values of a group to the graph. Later statements read the
// values that earlier ones store.
func (c *compiler) join(group []statement) ([]root, error) {
	roots := make([]root, len(group))
	for i, s := range group {
		c.g.expect(s.nodes)
		v, err := c.add(s.Value)
		if err != nil {
			return nil, err
		}
		if s.Saver != expr.Set {
			v = c.combine(s.Statement, v)
		}
		roots[i] = root{v, s.target}
		c.g.assign(s.target, s.Target, v)
	}
	return roots, nil
}

// combine returns the value that a saver stores.
func (c *compiler) combine(s expr.Statement, v *node) *node {
	old := c.g.make(s.Target, nil)
	e := expr.Apply(saverRows[s.Saver], s.Target, s.Value)
	return c.g.make(e, []*node{old, v})
}

// storeParts assigns the parts of a value to the parts of a concatenated
// target. If the value reads a target, or can fail, all parts are computed
// before the first is stored.
func (c *compiler) storeParts(s expr.Statement) error {
	axis := s.Target.Axes[0]
	value := s.Value
	if !value.Shape().Equal(s.Target.Shape()) {
		value = expr.ApplyWith(broadcastRow, expr.Attributes{Ints: s.Target.Shape()}, value)
	}
	if s.Saver != expr.Set {
		value = expr.Apply(saverRows[s.Saver], s.Target, value)
	}
	n, err := c.add(value)
	if err != nil {
		return err
	}
	reason := ""
	switch {
	case readsAny(value, s.Target.Args):
		reason = "its parts are stored in arrays that it reads"
	case n.faulty:
		reason = "it can fail before all its parts are stored"
	}
	if reason != "" {
		n = c.copied(n)
		c.materialise(n, reason)
		if err := c.compute(n); err != nil {
			return err
		}
		c.g.pinned[value] = n
		defer delete(c.g.pinned, value)
		c.g.forget()
	}
	begin := 0
	var stmts []expr.Statement
	for _, t := range s.Target.Args {
		ints := []int{}
		for i, d := range t.Shape() {
			start := 0
			if i == axis {
				start = begin
			}
			ints = append(ints, start, 1, d)
		}
		begin += t.Shape()[axis]
		part := expr.ApplyWith(sliceRow, expr.Attributes{Ints: ints}, value)
		stmts = append(stmts, expr.Statement{Target: t, Value: part})
	}
	return c.run(stmts)
}

func readsAny(value *expr.Node, targets []*expr.Node) (hit bool) {
	expr.Walk(value, func(n *expr.Node) {
		for _, t := range targets {
			if n.Leaf != nil && t.Leaf != nil && arrayOf(n).overlaps(arrayOf(t)) {
				hit = true
			}
		}
	})
	return hit
}

// assign makes later statements of the group use v where they read the target.
// v is the value as stored: it is rounded if the target has halves.
func (g *graph) assign(target *Array, leaf *expr.Node, v *node) {
	if v.typ.IsHalf() && !(v.src.Op.Result == expr.ResultTo) {
		e := expr.ApplyWith(castRow, expr.Attributes{To: v.typ}, leaf)
		v = g.make(e, []*node{v})
	}
	if !v.shape.Equal(target.Shape) {
		v = g.make(expr.NewView(broadcastRow, target.Shape, v.typ, target.Shape), []*node{v})
	}
	g.subst[target.key()] = v
	g.forget()
}

// stored makes later statements read the target's memory again.
func (g *graph) stored(target *Array) {
	for m := range g.epoch {
		if _, near := distance(target.Mem, m); near {
			g.epoch[m]++
		}
	}
	clear(g.subst)
	g.forget()
}
