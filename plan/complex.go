package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/graph"
)

// complex checks a statement whose trees have complex values. It becomes
// statements of real values: for a complex target one for the real parts and one
// for the imaginary parts. Both values are computed before the first is stored.
func (c *checker) complex(s expr.Statement) error {
	if !s.Target.DType().IsComplex() {
		s.Value = c.parts.Split(s.Value).Re
		return c.real(s)
	}
	if s.Saver != expr.Set {
		s.Value, s.Saver = expr.Apply(graph.SaverRows[s.Saver], s.Target, s.Value), expr.Set
	}
	value := c.parts.Split(s.Value)
	if value.Im == nil {
		return value.Re.Err()
	}
	if s.Target.Op == graph.ConcatRow {
		return c.concatenated(s, value)
	}
	target, ok := expr.PartsOf(s.Target)
	if !ok {
		return errTarget(s)
	}
	re, im := expr.Statement{Target: target.Re, Value: value.Re}, expr.Statement{Target: target.Im, Value: value.Im}
	n := len(c.out)
	for _, part := range []expr.Statement{re, im} {
		if err := c.real(part); err != nil {
			return err
		}
	}
	if len(c.out) == n { // no element
		return nil
	}
	if c.out[n+1].fits(c.out[n : n+1]) {
		c.out[n].paired = true
		return nil
	}
	stores := [2]statement(c.out[n:])
	c.out = c.out[:n]
	for i := range stores {
		value, err := c.whole(expr.Statement{Target: s.Target, Value: stores[i].Value})
		if err != nil {
			return err
		}
		stores[i].Value = value
	}
	c.out = append(c.out, stores[:]...)
	return nil
}

// whole appends a statement that computes a value before the statements after it
// store it to parts of the target. It returns the value, as a node that no other
// statement has.
func (c *checker) whole(s expr.Statement) (*expr.Node, error) {
	value := *s.Value
	s.Value = &value
	reads, nodes, err := c.readsOf(s)
	c.out = append(c.out, statement{Statement: s, reads: reads, nodes: nodes})
	return &value, err
}
