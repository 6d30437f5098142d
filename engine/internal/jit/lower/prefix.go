package lower

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop that carries values computes them one step after the other, because each next value
// needs the one before. If the next value is the carry combined with an element, and the
// combination is associative without rounding, the steps have the same bits in any grouping.
// Machine code combines the steps of a vector first then.

// Prefixes is the most carries of a loop whose steps are combined in any grouping.
const Prefixes = 4

// Identity returns the identity of an operation on type t, and whether the operation is
// associative without rounding: the reduction by it has no order.
func Identity(op prim.Op, t dtype.Type) (bits uint64, ok bool) {
	for _, r := range ir.Reductions() {
		if r.Op() == op && !r.Position() && !r.Quiet(t) && r.Types().Has(t) && !r.Ordered(t) {
			return r.Identity(t), true
		}
	}
	return 0, false
}

// prefixes reports whether each carry of a loop is only combined with an element, by an
// operation that is associative without rounding.
func (ph *Phase) prefixes() bool {
	if k := len(ph.Carries); k == 0 || k > Prefixes || len(ph.Reds) > 0 {
		return false
	}
	uses := make([]int, len(ph.Nodes))
	use := func(id int32) {
		if id != None {
			uses[id]++
		}
	}
	ok := true
	var count func(list []int32)
	count = func(list []int32) {
		for _, id := range list {
			n := &ph.Nodes[id]
			ok = ok && n.Op != ir.Fault && n.Op != OpExport
			for _, a := range n.Args {
				use(a)
			}
			if n.Op == ir.Cold {
				use(n.Yield)
				count(n.Body)
			}
		}
	}
	count(ph.Top)
	ph.eachResult(use)
	return ok && !slices.ContainsFunc(ph.Carries, func(c Carry) bool { return uses[c.Load] != 1 || !ph.combines(&c) })
}

// Restarts reports whether each carry of a loop begins with one value in all lanes, and nothing reads the last one.
func (ph *Phase) Restarts() bool {
	return !slices.ContainsFunc(ph.Vec.Phases, func(other *Phase) bool {
		return other != ph && slices.ContainsFunc(other.Nodes, func(n Node) bool {
			if n.Op != ir.Load && n.Op != ir.Store || !slices.ContainsFunc(ph.Carries, func(c Carry) bool { return c.Array == other.Sites[n.Aux].Array }) {
				return false
			}
			return n.Op == ir.Load || other.Nodes[n.Args[0]].Op != OpCell && other.Nodes[n.Args[0]].Op != prim.Const
		})
	})
}

// combines reports whether the next value of a carry is the carry combined with an element, which is no other carry.
func (ph *Phase) combines(c *Carry) bool {
	id := ph.Nodes[c.Store].Args[0]
	n := &ph.Nodes[id]
	if c.Type == dtype.Bool || n.Cold || n.Type != c.Type || n.In != c.Type || !slices.Contains(n.Args[:2], c.Load) {
		return false
	}
	if slices.ContainsFunc(ph.Carries, func(o Carry) bool { return o.Load != c.Load && slices.Contains(n.Args[:2], o.Load) }) {
		return false
	}
	_, ok := Identity(n.Op, n.Type)
	return ok && slices.Contains(ph.Top, id)
}
