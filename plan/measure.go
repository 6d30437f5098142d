package plan

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The limits of one kernel. Black-Scholes has about 150 primitives and 5
// inputs. A kernel of 800 primitives fits the instruction cache. An extra pass
// over memory costs little compared with its run time.
const (
	maxCost         = 800
	maxFaulty       = 4 * maxCost // for values that can fail: once stored, they raise faults that no user demands
	maxInputs       = 64
	maxTermsInlined = 128 // of an index expression; back ends walk it as a tree
	minCut          = 16  // least cost of a view that is worth storing
)

func (s *inputs) union(o *inputs) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *inputs) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// measure computes the cost of inlining n. If n would be too large for one
// kernel, operands get stages of their own, the costliest first.
func (g *graph) measure(n *node) {
	if n.array != nil {
		n.inputs.add(int(n.id))
		n.terms = terms{axes: 1}
		return
	}
	switch n.src.Op.Class {
	case expr.Reduction, expr.Contraction, expr.Opaque:
		n.complex, n.computes = true, true
	case expr.Elementwise:
		n.computes = true
	case expr.View:
		n.index = indexingOf(n)
	}
	n.fails = canFail(n.src, n.args)
	n.faulty = n.fails || checks(n.src.Op)
	if g.sum(n); n.fits() {
		return
	}
	var large []*node
	for _, a := range n.args {
		if a.array == nil && strided(a) == nil && (a.computes || a.cost >= minCut) {
			large = append(large, a)
		}
	}
	slices.SortStableFunc(large, func(x, y *node) int {
		switch { // operands that can fail come last: stored, they raise faults that no user demands
		case x.faulty && !y.faulty:
			return 1
		case y.faulty && !x.faulty:
			return -1
		}
		if n.cost <= maxCost && n.inputs.count() <= maxInputs {
			return cmp.Compare(y.terms.size(), x.terms.size())
		}
		return cmp.Compare(y.cost, x.cost)
	})
	for _, a := range large {
		if n.fits() || a.faulty && n.cost <= maxFaulty {
			return
		}
		g.store(a)
		g.sum(n)
	}
}

// fits reports whether n can be inlined.
func (n *node) fits() bool {
	return n.cost <= maxCost && n.inputs.count() <= maxInputs && n.terms.size() <= maxTermsInlined
}

// store materialises n. If n is a view of a value of at most twice its size, it
// materialises that value instead, because other views may read the value too.
func (g *graph) store(n *node) {
	if n.index != nil && n.index.affine != nil && n.args[0].array == nil && n.args[0].shape.Size() <= 2*n.shape.Size() {
		g.store(n.args[0])
		g.sum(n)
		return
	}
	g.separate(n)
}

// sum computes the cost of inlining n from the costs of its operands.
func (g *graph) sum(n *node) {
	if n.index != nil && strided(n) != nil {
		n.cost, n.work, n.inputs, n.terms = 2, 1, inputs{}, terms{axes: 1}
		n.inputs.add(int(n.base().id))
		return
	}
	own := g.ownCost(n)
	n.cost, n.work, n.inputs, n.terms = own, own, inputs{}, terms{axes: 1}
	if n.index != nil {
		n.cost += n.index.prims
	}
	for i, a := range n.args {
		times, at := 1, terms{axes: 1}
		if n.index != nil {
			times, at = n.index.reads[i], n.index.terms[i]
		} else if slices.Contains(n.args[:i], a) {
			continue
		}
		if a.array != nil {
			n.inputs.add(int(a.id))
			n.cost += times
			n.terms = longer(n.terms, at)
			continue
		}
		n.cost += min(times*a.cost, manyTerms)
		n.work += min(times*a.work, manyTerms)
		n.terms = longer(n.terms, at.in(a.terms))
		n.inputs.union(&a.inputs)
		n.complex = n.complex || a.complex
		n.computes = n.computes || a.computes
		n.faulty = n.faulty || a.faulty
	}
	if n.src.Op.Class == expr.Reduction {
		n.work = 0
	}
}

type costKey struct {
	op    *expr.Operator
	t, to dtype.Type
}

var costs sync.Map // costKey of a built-in operator -> int

// ownCost returns the number of primitives of an operation, at least 1. Costs
// of built-in operators are kept for the process, and costs of users' operators
// for the graph.
func (g *graph) ownCost(n *node) int {
	if n.src.Op.Class != expr.Elementwise {
		return 1
	}
	k := costKey{n.src.Op, n.args[len(n.args)-1].typ, n.src.To}
	if c, ok := costs.Load(k); ok {
		return c.(int)
	}
	if c, ok := g.costs[k]; ok {
		return c
	}
	c := countPrimitives(n)
	if builtIn(k.op) {
		costs.Store(k, c)
	} else {
		if g.costs == nil {
			g.costs = map[costKey]int{}
		}
		g.costs[k] = c
	}
	return c
}

func countPrimitives(n *node) int {
	types := make([]dtype.Type, len(n.args))
	for i, a := range n.args {
		types[i] = a.typ.Register()
	}
	if p, err := prim.NewProgram(types, func(b *prim.B, x ...prim.V) prim.V { return lower(b, n.src, x...) }); err == nil {
		hot, cold := p.Cost()
		return max(hot+cold, 1)
	}
	return 1
}
