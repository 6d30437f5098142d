package emit

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// compareSigned replaces comparisons for less of integers without sign and a uniform value by those of numbers with a sign, whose
// sign bits are the others: two instructions, of which the first one may load, in place of three. The same holds for a difference
// that is at most a uniform value, as the difference itself takes the sign bit. It needs the result of findUniform.
func (f *phaseCode) compareSigned() {
	if !f.Signed || f.Phase.Kind == lower.ScalarPhase {
		return
	}
	j := joiner{phaseCode: f, counted: -1} // it counts the uses before any comparison changes
	var top []int32
	for k, id := range f.top {
		n := f.Nodes[id]
		if n.Op != prim.Lt && !(n.Op == prim.Le && j.distance(n.Args[0]) >= 0) || !n.In.IsUnsigned() || isa.Wide(n.In) || n.In.Size() < cmp.Or(f.LaneSize, 4) || n.Cold || f.Uniform[n.Args[0]] == f.Uniform[n.Args[1]] {
			if top != nil {
				top = append(top, id)
			}
			continue
		}
		if top == nil {
			top = append(make([]int32, 0, len(f.top)+4), f.top[:k]...)
		}
		sign := f.signOf(n.In)
		for i, a := range n.Args[:2] {
			switch k := j.distance(a); {
			case f.Uniform[a]:
				n.Args[i] = f.uniform(prim.Xor, n.In, n.In, a, sign)
			case k >= 0:
				f.Nodes[a].Args[k] = f.uniform(prim.Xor, n.In, n.In, f.Nodes[a].Args[k], sign)
			default:
				n.Args[i] = f.node(&top, prim.Xor, n.In, n.In, false, a, sign)
				f.Grow(1)
			}
		}
		if n.Op == prim.Le && n.Imm == lower.NotGreatest {
			n.Op, n.Args[1] = prim.Lt, f.uniform(prim.Add, n.In, n.In, n.Args[1], f.uniformConst(n.In, 1))
		}
		n.In = dtype.Integer(n.In.Size(), true)
		f.Nodes[id] = n
		top = append(top, id)
	}
	if top != nil {
		f.top = top
	}
}

// distance returns which operand of a node is uniform, if the node is a difference that one comparison alone uses, or -1. A change
// of the sign bit of that operand changes the sign bit of the difference.
func (j *joiner) distance(id int32) int {
	n := &j.Nodes[id]
	if n.Op != prim.Sub || !n.In.IsInt() || j.Uniform[id] {
		return -1
	}
	if j.count(); j.uses[id] != 1 {
		return -1
	}
	return slices.IndexFunc(n.Args[:2], func(a int32) bool { return j.Uniform[a] })
}
