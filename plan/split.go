package plan

import (
	"math/bits"
	"sync"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The limits of one kernel. Black-Scholes has about 150 primitives and 5
// inputs; a kernel of 800 runs for long enough that a pass more costs little,
// and stays within the instruction cache.
const (
	maxCost   = 800
	maxInputs = 64
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

// measure sums up what inlining n costs. Operands that would make it too large
// for one kernel are given stages of their own, the dearest first.
func (g *graph) measure(n *node) {
	if n.array != nil {
		n.inputs.add(int(n.id))
		return
	}
	switch n.src.Op.Class {
	case expr.Reduction, expr.Contraction, expr.Opaque:
		n.complex, n.computes = true, true
	case expr.Elementwise:
		n.computes = true
	}
	n.fails = canFail(n.src, n.args)
	n.faulty = n.fails || checks(n.src.Op)
	for {
		own := g.ownCost(n)
		n.cost, n.work, n.inputs = own, own, inputs{}
		var dearest *node
		for i, a := range n.args {
			if contains(n.args[:i], a) {
				continue
			}
			if a.array != nil {
				n.inputs.add(int(a.id))
				n.cost++
				continue
			}
			n.cost += a.cost
			n.work += a.work
			n.inputs.union(&a.inputs)
			n.complex = n.complex || a.complex
			n.computes = n.computes || a.computes
			n.faulty = n.faulty || a.faulty
			if a.computes && (dearest == nil || a.cost > dearest.cost) {
				dearest = a
			}
		}
		if n.src.Op.Class == expr.Reduction {
			n.work = 0
		}
		if n.cost <= maxCost && n.inputs.count() <= maxInputs || dearest == nil {
			return
		}
		g.cut(dearest)
	}
}

func contains(list []*node, n *node) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

type costKey struct {
	op    *expr.Operator
	t, to dtype.Type
}

var costs sync.Map // costKey of a built-in operator -> int

// ownCost is the number of primitives of an operation, at least 1. The costs of
// built-in operators are kept for the process, those of others for the graph.
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
