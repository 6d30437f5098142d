package graph

import (
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
)

// The limits of one kernel. Black-Scholes has about 150 primitives and 5
// inputs. A kernel of 800 primitives fits the instruction cache. An extra pass
// over memory costs little compared with its run time.
const (
	MaxCost         = 800
	maxInputs       = 64
	maxTermsInlined = 128 // of an index expression; back ends walk it as a tree
	minCut          = 16  // least cost of a view that is worth storing
	exactCost       = 128 // cost from which nodes that operands share count once
)

// KeepCost is the number of primitives from which storing a value is cheaper
// than computing it again.
const KeepCost = 5

// measure computes the cost of inlining n. If n would be too large for one
// kernel, nodes below it are stored. It returns an error if the index map of a
// user fails.
func (g *Graph) measure(n *Node) (err error) {
	if n.Array != nil {
		n.inputs.add(int(n.ID))
		n.terms = terms{axes: 1}
		return nil
	}
	if err := n.findOpen(); err != nil {
		return err
	}
	switch n.Src.Op.Class() {
	case tree.Reduction, tree.Contraction, tree.Opaque, tree.State, tree.Scan:
		n.Complex, n.Computes = true, true
	case tree.Elementwise:
		n.Computes = true
	case tree.View:
		n.Index, err = indexOf(n)
		if err != nil {
			return err
		}
		n.Faulty = slices.ContainsFunc(n.Index.Reads, func(r Read) bool { return r.Fails })
	}
	n.own = int32(g.ownCost(n))
	n.Fails = canFail(n.Src, n.Args)
	n.Faulty = n.Faulty || n.Fails
	n.Raises = n.Faulty || n.Src.Op.Class() == tree.Opaque && !n.Src.Op.Routine().Total
	for g.sum(n); !n.fits(); g.sum(n) {
		if g.refresh(n) {
			continue
		}
		cut := g.cut(n)
		if cut == nil {
			return nil
		}
		g.Store(cut, "the expression is too large for one loop")
	}
	return nil
}

// refresh computes the costs of the nodes below n again, if a node was stored after that was
// done. It returns false otherwise.
func (g *Graph) refresh(n *Node) bool {
	if n.stored == len(g.Temps) {
		return false
	}
	seen := map[*Node]bool{} // sum marks nodes itself
	var visit func(x *Node)
	visit = func(x *Node) {
		if seen[x] || x.Array != nil || x.stored == len(g.Temps) {
			return
		}
		seen[x] = true
		for _, a := range x.Args {
			visit(a)
		}
		if x.stored = len(g.Temps); x != n {
			g.sum(x)
		}
	}
	visit(n)
	return true
}

// findOpen sets n.Open. It returns an error if another operation than an
// element-wise one or a scan uses a state.
func (n *Node) findOpen() error {
	var closed []*Node
	switch n.Src.Op.Class() {
	case tree.State:
		n.Open = []*Node{n}
		return nil
	case tree.Scan:
		closed, _ = n.States()
	}
	for _, a := range n.Args {
		if n.Open == nil && closed == nil {
			n.Open = a.Open
			continue
		}
		for _, s := range a.Open {
			if !slices.Contains(closed, s) && !slices.Contains(n.Open, s) {
				n.Open = append(slices.Clip(n.Open), s)
			}
		}
	}
	if n.Open == nil || n.Src.Op.Class() == tree.Elementwise {
		return nil
	}
	return tree.NewError(tree.ErrUnsupported, n.Open[0].Src.Op.Constructor(), "a state goes through %s, which is not element-wise", n.Src.Op.Constructor())
}

// fits reports whether n can be inlined.
func (n *Node) fits() bool {
	return n.Cost <= MaxCost && n.inputs.count() <= maxInputs && n.terms.size() <= maxTermsInlined
}

// sum computes the cost of inlining n from the costs of its operands.
func (g *Graph) sum(n *Node) {
	if n.Index != nil && n.Strided() != nil {
		n.Cost, n.Work, n.inputs, n.terms = 2, 1, inputs{}, terms{axes: 1}
		n.inputs.add(int(n.Base().ID))
		n.Faulty, n.Raises = n.Faulty || n.Base().Faulty, n.Raises || n.Base().Raises
		return
	}
	n.Cost, n.Work, n.inputs, n.terms = int(n.own), int(n.own), inputs{}, terms{axes: 1}
	if n.Index != nil {
		n.Cost += n.Index.prims
	}
	for i, a := range n.Args {
		times, at := 1, terms{axes: 1}
		if n.Index != nil {
			times, at = n.Index.counts[i], n.Index.terms[i]
		} else if slices.Contains(n.Args[:i], a) {
			continue
		}
		n.Faulty, n.Raises = n.Faulty || a.Faulty, n.Raises || a.Raises
		if a.Array != nil {
			n.inputs.add(int(a.ID))
			n.Cost += times
			n.terms = longer(n.terms, at)
			continue
		}
		n.Cost += min(times*a.Cost, manyTerms)
		n.Work += min(times*a.Work, manyTerms)
		n.terms = longer(n.terms, at.in(a.terms))
		n.inputs.union(&a.inputs)
		n.Complex = n.Complex || a.Complex
		n.Reduces = n.Reduces || a.Reduces
		n.Computes = n.Computes || a.Computes
	}
	switch n.Src.Op.Class() {
	case tree.Reduction:
		n.Work, n.Reduces = 0, true
	case tree.Contraction, tree.Opaque: // the stages that compute the operands raise their faults
		n.Reduces, n.Faulty = false, false
	}
	large := func(a *Node) bool { return a.Array == nil && a.Cost >= minCut }
	if n.Index == nil && (n.Cost > MaxCost || n.Cost > exactCost && lists.Count(n.Args, large) > 1) { // operands may share nodes
		n.Cost, _ = g.distinct(n, nil)
		n.Work = min(n.Work, n.Cost)
	}
}

// distinct returns the cost of the distinct nodes that inlining n computes, and
// the costliest node that is used several times. It takes without as stored.
// Each view is taken as a whole, because it reads at coordinates of its own.
// Only nodes whose operands together exceed MaxCost are counted so, and each
// operand is below it: the time for a graph is linear in the number of nodes.
func (g *Graph) distinct(n, without *Node) (cost int, shared *Node) {
	mark := g.Walk()
	var visit func(n *Node)
	visit = func(x *Node) {
		switch {
		case x.Mark == mark:
			if x.Array == nil && x.Computes && x.Open == nil && (shared == nil || x.Cost > shared.Cost) {
				shared = x
			}
			return
		case x.Array != nil || x == without:
			cost++
		case x.Index != nil:
			cost += x.Cost
		default:
			cost += int(x.own)
			x.Mark = mark
			for _, a := range x.Args {
				visit(a)
			}
		}
		x.Mark = mark
	}
	visit(n)
	return cost, shared
}

// cut returns the node below n that is best stored, to make n fit one kernel.
// It returns nil if none is worth it.
func (g *Graph) cut(n *Node) *Node {
	candidates := n.Args
	exact := n.Index == nil && n.Cost > MaxCost
	if exact {
		if _, shared := g.distinct(n, nil); shared != nil {
			candidates = append([]*Node{shared}, n.Args...)
		}
	}
	var best *Node
	least := 0
	for _, a := range candidates {
		if a.Open != nil || a.Strided() != nil || !a.Computes && a.Cost < minCut {
			continue
		}
		left := -a.Cost
		switch {
		case exact:
			left, _ = g.distinct(n, a)
		case n.Cost > MaxCost:
		case n.inputs.count() > maxInputs:
			left = -a.inputs.count()
		default:
			left = -int(a.terms.size())
		}
		if best == nil || left < least {
			best, least = a, left
		}
	}
	// Other views may read the value that a view of its size reads.
	for best != nil && best.Index != nil && best.Index.affine != nil && best.Args[0].Array == nil && best.Args[0].Shape.Size() <= 2*best.Shape.Size() {
		best = best.Args[0]
	}
	return best
}

// canFail reports whether an operation by itself can fail on data. It returns
// false where constant operands rule a fault out, such as a divisor of 4.
func canFail(e *tree.Node, args []*Node) bool {
	if e.Op.Fault() == nil || !e.DType().IsInt() {
		return false
	}
	b := ir.NewBuilder("")
	p := prim.NewB(b)
	x := make([]prim.V, len(args))
	fixed := false
	for i, a := range args {
		if c := constantOf(a); c != nil {
			x[i], fixed = p.Bits(c.Type.Register(), c.Src.Bits), true
		} else {
			x[i] = b.Scalar(a.Type.Register())
		}
	}
	if !fixed {
		return true
	}
	bits, known := b.Constant(e.Op.Fault()(p, x...))
	return !known || bits != 0
}

// costs are those of built-in operators.
var costs = struct {
	sync.RWMutex
	of map[costKey]int
}{of: map[costKey]int{}}

// ownCost returns the number of primitives of an operation, at least 1. Costs
// of built-in operators are kept for the process, and costs of users' operators
// for the graph.
func (g *Graph) ownCost(n *Node) int {
	if n.Src.Op.Class() != tree.Elementwise {
		return 1
	}
	k := costKey{n.Src.Op, n.Args[len(n.Args)-1].Type, n.Src.To}
	costs.RLock()
	c, ok := costs.of[k]
	costs.RUnlock()
	if ok {
		return c
	}
	if c, ok = g.own[k]; ok {
		return c
	}
	c = countPrimitives(n)
	if builtIn(k.op) {
		costs.Lock()
		costs.of[k] = c
		costs.Unlock()
	} else {
		zero.Put(&g.own, k, c)
	}
	return c
}

func countPrimitives(n *Node) int {
	types := lists.Map(n.Args, func(a *Node) dtype.Type { return a.Type.Register() })
	if p, err := prim.NewProgram(types, func(b *prim.B, x ...prim.V) prim.V { return Lower(b, n.Src, x...) }); err == nil {
		hot, cold := p.Cost()
		return max(hot+cold, 1)
	}
	return 1
}
