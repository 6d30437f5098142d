package plan

import "github.com/oneloop/oneloop/expr"

// verify is an error unless the trees of a statement are what the package expr
// makes, of operators that plans are made of: nodes can be made by hand, and be
// changed.
func (c *compiler) verify(seen expr.Seen, s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	if err := seen.Verify(s.Target, known); err != nil {
		return err
	}
	return seen.Verify(s.Value, func(n *expr.Node) error {
		if len(seen)%cancelEvery == 0 {
			if err := c.cancelled(); err != nil {
				return err
			}
		}
		return known(n)
	})
}

// known is an error for operators that are no user's to define: reductions that
// the IR does not have, and contractions.
func known(n *expr.Node) error {
	o := n.Op
	if _, ok := reductions[o.Reduce]; o.Class == expr.Reduction && !ok {
		return expr.NewError(expr.ErrValue, o.Constructor(), "there is no reduction %q", o.Reduce)
	}
	if o.Class == expr.Contraction && o != matmulRow {
		return expr.NewError(expr.ErrUnsupported, o.Constructor(), "the only contraction is matmul")
	}
	return nil
}
