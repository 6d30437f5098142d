package bound

import (
	"slices"

	"github.com/oneloop/oneloop/plan/ir"
)

// Forward numbers the positions of a digit from its end where all stores of a lone map step back along it, if some of them store
// neighbours: loads that step back cost less than such stores. The positions of a map may have any order. Nothing but the
// accesses may depend on them.
func (n *Kernel) Forward() {
	kind, _ := UnitsOf(n.IR)
	if kind != ElementUnits || n.IR.InOrder || len(n.IR.Loops) > 1 || slices.ContainsFunc(n.Access, func(a Access) bool {
		return slices.ContainsFunc(a.Dims, func(d Dim) bool { return !d.Direct() })
	}) {
		return
	}
	unit, back, forth := false, n.ints(len(n.Digits)), n.ints(len(n.Digits)) // not 0 if stores step along a digit
	for _, r := range n.IR.Regions {
		for i := range r.Code {
			switch in := &r.Code[i]; in.Op {
			case ir.Index:
				return
			case ir.Store:
				for d, k := range n.Access[in.Aux].Offset.Coef {
					back[d] |= min(k, 0)
					forth[d] |= max(k, 0)
					unit = unit || k == -1
				}
			}
		}
	}
	for d, digit := range n.Digits {
		if !unit || back[d] == 0 || forth[d] != 0 {
			continue
		}
		for i := range n.Access {
			a := &n.Access[i]
			a.Offset.turn(d, digit.Extent)
			for j := range a.Dims {
				a.Dims[j].Form.turn(d, digit.Extent)
			}
		}
	}
}
