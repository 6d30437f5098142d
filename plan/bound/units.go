package bound

import "github.com/oneloop/oneloop/plan/ir"

// A UnitKind says which units workers divide a kernel into.
type UnitKind uint8

// The units of work.
const (
	OneUnit      UnitKind = iota // the whole kernel
	RowUnits                     // iterations of the par loop
	ElementUnits                 // positions of the vec loop
	BlockUnits                   // blocks of 4096 positions of a reducing vec loop
)

// UnitsOf returns the units of a kernel and the loop that they divide. The loop is
// -1 for OneUnit. Workers can divide a kernel if it has one outermost loop and no
// store before that loop.
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

// Units returns the units of a kernel and their number in this binding.
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
