package lower

import (
	"math/bits"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Lanes of 8 bits have no product: a few additions take less time than the two products of lanes of 16 bits.

// mostAdditions is the most additions that replace a product.
const mostAdditions = 4

// Multiples returns the nodes of a map with lanes of 8 bits, in which additions replace products with small numbers while the
// scalars of the kernel, of some types, are these. It returns nil if there are no such products.
func (ph *Phase) Multiples(scalars []uint64, types []dtype.Type) *Narrowing {
	if ph.Kind != MapPhase || ph.LaneSize != 1 {
		return nil
	}
	var out *Narrowing
	for i := range ph.Nodes {
		n := &ph.Nodes[i]
		if n.Op != prim.Mul {
			continue
		}
		for k, a := range n.Args[:2] {
			y := &ph.Nodes[a]
			cell := y.Op == OpCell && int(y.Aux) < len(types)
			x := y.Imm
			if cell {
				x = scalars[y.Aux]
			}
			if x &= y.Type.Mask(); !cell && y.Op != prim.Const || x < 2 || bits.Len64(x)+bits.OnesCount64(x)-2 > mostAdditions {
				continue
			}
			if out == nil {
				out = &Narrowing{Nodes: append([]Node(nil), ph.Nodes...), Size: 1}
			}
			if cell {
				at := number(y.Type, x)
				out.Assumed = append(out.Assumed, Assumed{Scalar: y.Aux, Type: y.Type, Lo: at, Hi: at})
			}
			out.Nodes[i].Op, out.Nodes[i].Args, out.Nodes[i].Imm = OpTimes, [3]int32{n.Args[1-k], None, None}, x
			break
		}
	}
	return out
}
