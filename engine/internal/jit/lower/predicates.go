package lower

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// leastCombined is the least number of loads of predicates that are combined as bytes.
const leastCombined = 4

// combineBytes makes bytes of the predicates of narrow lanes that are loaded and combined, where nothing else uses them. The
// maximum of bytes is not 0 if one is not, and the minimum if all are not. So one comparison is enough, and loads of fields of records
// share vectors.
func (ph *Phase) combineBytes() {
	if ph.LaneSize != 1 || len(ph.Carries) > 0 {
		return
	}
	loads, uses := make([]int, len(ph.Nodes)), ph.uses() // loads in the tree of a node
	inner := func(id int32) bool { return loads[id] > 0 && uses[id] == 1 }
	for i := range ph.Nodes {
		switch n := &ph.Nodes[i]; {
		case n.Op == ir.Load && ph.Sites[n.Aux].Type == dtype.Bool && n.Args[0] == None && n.Args[1] == None:
			loads[i] = 1
		case (n.Op == prim.And || n.Op == prim.Or) && n.Type == dtype.Bool && inner(n.Args[0]) && inner(n.Args[1]):
			loads[i] = loads[n.Args[0]] + loads[n.Args[1]]
			loads[n.Args[0]], loads[n.Args[1]] = 0, 0 // of no tree of their own
		}
	}
	for i, count := range loads {
		if count >= leastCombined {
			id := ph.leafNode(ph.Nodes[i], ir.None)
			ph.toBytes(id)
			ph.Nodes[i] = Node{Op: prim.Ne, Type: dtype.Bool, In: dtype.U8, Args: [3]int32{id, ph.constant(dtype.U8, 0, ir.None), None}}
			ph.Top = slices.Insert(ph.Top, slices.Index(ph.Top, int32(i)), id)
		}
	}
}

// toBytes makes bytes of the nodes of a tree of predicates.
func (ph *Phase) toBytes(id int32) {
	n := &ph.Nodes[id]
	n.Type, n.In = dtype.U8, dtype.U8
	switch n.Op {
	case ir.Load:
		ph.Sites[n.Aux].Type = dtype.U8
		return
	case prim.And:
		n.Op = prim.Min
	default:
		n.Op = prim.Max
	}
	ph.toBytes(n.Args[0])
	ph.toBytes(n.Args[1])
}
