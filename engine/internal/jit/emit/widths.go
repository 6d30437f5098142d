package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// lanesOf returns the lanes of the vectors of a uniform node: as many as its widest type allows.
func (f *phaseCode) lanesOf(id int32) int {
	n := &f.Nodes[id]
	return f.Facts.Bytes / max(laneBytes(n.Type), laneBytes(n.In))
}

// laneBytes returns the bytes of a lane of a type.
func laneBytes(t dtype.Type) int {
	if isa.Wide(t) {
		return 8
	}
	return 4
}

// widenLoop gives the vectors of a map more lanes if only uniform nodes have 64 bits, such as the offset of a row
// that an index selects. The prologue computes these with fewer lanes. Masks and values of other widths do
// not meet: a node has the lanes of its operands, unless it converts to or from 64 bits.
func (f *phaseCode) widenLoop() {
	few := f.Predicates > 0 && (f.Narrow || f.Layout.Few > 0) // other reasons for as many lanes
	if few || f.LaneSize > 0 || f.Phase.Kind != lower.MapPhase || len(f.reds) > 0 || f.Layout.Laid > 0 || f.W*8 != f.Facts.Bytes {
		return
	}
	meets := func(id int32, lanes int) bool {
		for _, a := range f.Nodes[id].Args {
			if a != lower.None && f.Uniform[a] && f.lanesOf(a) != lanes {
				return false
			}
		}
		return true
	}
	for _, id := range f.hoisted {
		lanes := f.lanesOf(id)
		if widens := f.Nodes[id].Op == prim.Cvt && lanes == f.W; !widens && !meets(id, lanes) {
			return
		}
	}
	for _, id := range f.top {
		if n := &f.Nodes[id]; isa.Wide(n.Type) || isa.Wide(n.In) || len(n.Body) > 0 || !meets(id, 2*f.W) {
			return
		}
	}
	f.W, f.widened = 2*f.W, true
}

// inLanesOf emits a part that computes or moves a uniform node, whose vectors may have fewer lanes than the loop.
func (f *phaseCode) inLanesOf(id int32, part func()) {
	lanes := f.W
	if f.widened {
		f.W = f.lanesOf(id)
	}
	part()
	f.W = lanes
}

// storeUniform stores a register with a uniform node in the slot of the node.
func (f *phaseCode) storeUniform(id int32, r int8) {
	f.inLanesOf(id, func() { f.ToSlot(id, f.UniformSlot[id], r) })
}
