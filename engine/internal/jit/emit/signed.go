package emit

import (
	"cmp"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// compareSigned replaces comparisons for less of integers without sign and a uniform value by those of numbers with a sign, whose
// sign bits are the others: two instructions, of which the first one may load, in place of three. It needs the result of findUniform.
func (f *phaseCode) compareSigned() {
	if !f.Signed || f.Phase.Kind == lower.ScalarPhase {
		return
	}
	var top []int32
	for k, id := range f.top {
		n := f.Nodes[id]
		if n.Op != prim.Lt || !n.In.IsUnsigned() || isa.Wide(n.In) || n.In.Size() < cmp.Or(f.LaneSize, 4) || n.Cold || f.Uniform[n.Args[0]] == f.Uniform[n.Args[1]] {
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
			if f.Uniform[a] {
				n.Args[i] = f.uniform(prim.Xor, n.In, n.In, a, sign)
			} else {
				n.Args[i] = f.node(&top, prim.Xor, n.In, n.In, false, a, sign)
				f.Grow(1)
			}
		}
		n.In = map[dtype.Type]dtype.Type{dtype.U8: dtype.I8, dtype.U16: dtype.I16, dtype.U32: dtype.I32}[n.In]
		f.Nodes[id] = n
		top = append(top, id)
	}
	if top != nil {
		f.top = top
	}
}
