package lower

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// removeDead removes the primitives whose results nothing uses from the lists of the
// phase: a lowering with several results computes them all.
func (ph *Phase) removeDead() {
	used := make([]bool, len(ph.Nodes))
	use := func(id int32) {
		if id != None {
			used[id] = true
		}
	}
	ph.eachResult(use)
	ph.Top = ph.living(ph.Top, used)
	for i := range ph.Nodes {
		if op := ph.Nodes[i].Op; !used[i] && (op == prim.Const || op == OpCell) {
			ph.Nodes[i] = unused
		}
	}
}

// unused is a node in no list, of a type that asks for no wide lanes.
var unused = Node{Op: prim.Const, Type: dtype.U8, In: dtype.U8, Args: [3]int32{None, None, None}}

// living returns the nodes of a list that are used, in its order, in the memory of the
// list. It marks what they use.
func (ph *Phase) living(list []int32, used []bool) []int32 {
	first := len(list)
	for _, id := range slices.Backward(list) {
		n := &ph.Nodes[id]
		if n.Op < prim.NumOps && !used[id] {
			*n = unused
			continue
		}
		for _, a := range n.Args {
			if a != None {
				used[a] = true
			}
		}
		if n.Op == ir.Cold {
			used[n.Yield] = true
			n.Body = ph.living(n.Body, used)
		}
		first--
		list[first] = id
	}
	return list[first:]
}
