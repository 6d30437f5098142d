package plan

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/expr"
)

type compiler struct {
	ctx    context.Context
	g      *graph
	stages []*Stage
	temps  []*Temp
	group  []member
}

// A member is a statement of the group that is being collected.
type member struct {
	target *Array
	value  *node
	reads  []read
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

// statement adds a statement to the current group, or starts a new one.
func (c *compiler) statement(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if s.Target.Op == concatRow {
		return c.cut(s)
	}
	if s.Target.Leaf == nil {
		return expr.NewError(expr.ErrType, "", "%v cannot be assigned to", s.Target)
	}
	target := arrayOf(s.Target)
	if target.selfOverlaps() {
		return expr.NewError(expr.ErrShape, "", "the target %v has elements that share memory", s.Target)
	}
	if target.Shape.Size() == 0 {
		return nil
	}
	reads, nodes, err := c.readsOf(s)
	if err != nil {
		return err
	}
	c.g.expect(nodes)
	if err := checkDevices(s.Target, reads); err != nil {
		return err
	}
	if c.conflicts(target, reads) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	v, err := c.add(s.Value)
	if err != nil {
		return err
	}
	if s.Saver != expr.Set {
		v = c.combine(s, v)
	}
	c.group = append(c.group, member{target, v, reads})
	c.g.assign(target, s.Target, v)
	if selfReads(target, reads) {
		return c.flush()
	}
	return nil
}

func (c *compiler) combine(s expr.Statement, v *node) *node {
	old := c.g.make(s.Target, nil)
	e := expr.Apply(saverRows[s.Saver], s.Target, s.Value)
	return c.g.make(e, []*node{old, v})
}

// cut assigns the parts of a value to the parts of a concatenated target. All
// parts are computed before any is stored if they read a target.
func (c *compiler) cut(s expr.Statement) error {
	axis := s.Target.Axes[0]
	value := s.Value
	if !value.Shape().Equal(s.Target.Shape()) {
		value = expr.ApplyWith(broadcastRow, expr.Attributes{Ints: s.Target.Shape()}, value)
	}
	if s.Saver != expr.Set {
		value = expr.Apply(saverRows[s.Saver], s.Target, value)
	}
	if err := c.flush(); err != nil {
		return err
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
		if err := c.statement(expr.Statement{Target: t, Value: part}); err != nil {
			return err
		}
	}
	return nil
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

func checkDevices(target *expr.Node, reads []read) error {
	d := target.Leaf.Mem.Device()
	for _, r := range reads {
		if other := r.array.Mem.Device(); other != d {
			return expr.NewError(expr.ErrDevice, "", "an operand is on %s, the target on %s", other, d)
		}
	}
	return nil
}
