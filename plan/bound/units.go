package bound

import "github.com/oneloop/oneloop/plan/ir"

// A UnitKind says into what a kernel can be divided for threads.
type UnitKind uint8

// The units of work.
const (
	OneUnit      UnitKind = iota // the kernel as a whole
	RowUnits                     // iterations of the par loop
	ElementUnits                 // positions of the vec loop
	BlockUnits                   // reduction blocks of the vec loop
)

// UnitsOf finds the units of a kernel and the loop that they divide, or -1. A
// kernel can be divided if it has one loop and stores nothing before.
func UnitsOf(k *ir.Kernel) (kind UnitKind, loop int32) {
	loop = -1
	for i := range k.Regions[0].Code {
		switch in := &k.Regions[0].Code[i]; {
		case in.Op == ir.For && loop >= 0, in.Op == ir.Store && loop < 0:
			return OneUnit, -1
		case in.Op == ir.For:
			loop = in.Aux
		}
	}
	if loop < 0 {
		return OneUnit, -1
	}
	l := &k.Loops[loop]
	if l.Kind == ir.Par {
		return RowUnits, loop
	}
	for i := range k.Regions[l.Body].Code {
		if k.Regions[l.Body].Code[i].Op == ir.Reduce {
			return BlockUnits, loop
		}
	}
	return ElementUnits, loop
}

// Units is the number of units of a kernel with its numbers.
func (n *Kernel) Units() (kind UnitKind, count int) {
	kind, loop := UnitsOf(n.IR)
	if kind == OneUnit {
		return kind, 1
	}
	count = n.Product(n.IR.Loops[loop].Axes)
	if kind == BlockUnits {
		count = ir.Blocks(count)
	}
	return kind, count
}
