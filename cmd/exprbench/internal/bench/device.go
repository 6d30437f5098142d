package bench

import (
	"context"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// A reference is a case as the host runs it.
type reference struct {
	program *engine.Program
	written []*engine.Array
}

// OnDevice moves a case to a device: its arrays, and the fused program, which is
// all that is measured there. What it computes is compared with the host's.
func (c *Case) OnDevice(ctx context.Context, o engine.Options, d driver.Device) error {
	moved := map[tree.Memory]*engine.Array{}
	c.host = &reference{c.program, c.written}
	c.written = nil
	for i, a := range c.arrays {
		there, err := a.To(d)
		if err != nil {
			return err
		}
		moved[a.Memory()] = there
		c.arrays[i] = there
	}
	stmts := plan.MapLeaves(c.stmts, func(n *tree.Node) *tree.Node {
		a := moved[n.Leaf.Mem]
		if a == nil {
			return n
		}
		l := *n.Leaf
		l.Mem = a.Memory()
		return tree.NewLeaf(n.DType(), n.Shape(), &l)
	})
	c.findWritten(stmts)
	start := time.Now()
	var err error
	if c.program, err = engine.CompileWith(ctx, o, stmts...); err != nil {
		return err
	}
	c.compile = time.Since(start)
	c.run = [impls]func(context.Context) error{Fused: c.program.Run}
	c.naive = nil
	return nil
}

// verifyDevice runs both programs once from the same start: the bits are the
// same, unless a matrix product of floats is among the stages, whose order of
// summation is its library's.
func (c *Case) verifyDevice(ctx context.Context) error {
	before := c.snapshot()
	if err := c.program.Run(ctx); err != nil {
		return err
	}
	got := c.snapshot()
	c.restore(before)
	there := c.written
	c.written = c.host.written
	defer func() { c.written = there }()
	if err := c.host.program.Run(ctx); err != nil {
		return err
	}
	want := c.snapshot()
	c.restore(before)
	way := Fused
	for _, s := range c.program.Plan().All() {
		if s.Kind == plan.Product {
			way = Loop
		}
	}
	for k, a := range c.written {
		if err := c.compare(way, a, got[k], want[k]); err != nil {
			return err
		}
	}
	return nil
}
