package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A chosen site has rows that an index selects: see layout/chosen.go. Its offsets are a vector,
// a lane for each row, which goes to a slot before the rows are loaded.
type chosen struct {
	site, off int32
	slot      int32
}

// chooseRows adds the nodes that compute the offsets of the rows of a site.
func (f *phaseCode) chooseRows(site int32, g *layout.GatherPlan) {
	sum, _ := f.offsets(&f.rowTop, g, false, func(c lower.Coord) int32 { return f.copyToRows(c.Node) })
	c := chosen{site, sum, f.Slots.Take()}
	f.chosen = append(f.chosen, c)
	if f.ChosenSlots == nil {
		f.ChosenSlots = map[int32]int32{}
	}
	f.ChosenSlots[site] = c.slot
}

// copyToRows adds copies of a node, and of those that it needs, to the nodes of rows.
func (f *phaseCode) copyToRows(id int32) int32 {
	n := f.Nodes[id]
	if n.Op == prim.Const || n.Op == lower.OpCell {
		return id
	}
	if to, ok := f.rowNodes[id]; ok {
		return to
	}
	for i, a := range n.Args {
		if a != lower.None {
			n.Args[i] = f.copyToRows(a)
		}
	}
	to := f.node(&f.rowTop, n.Op, n.Type, n.In, false, n.Args[:]...)
	f.Nodes[to].Aux, f.Nodes[to].Imm = n.Aux, n.Imm
	if f.rowNodes == nil {
		f.rowNodes = map[int32]int32{}
	}
	f.rowNodes[id] = to
	return to
}

// dropUnused leaves out the nodes that only computed offsets.
func (f *phaseCode) dropUnused() {
	used, kept := make([]bool, len(f.Nodes)), []int32{}
	for _, id := range slices.Backward(f.top) {
		n := &f.Nodes[id]
		if !used[id] && (n.Op < prim.NumOps || n.Op == ir.Load) {
			continue
		}
		for _, a := range n.Args {
			if a != lower.None {
				used[a] = true
			}
		}
		kept = append(kept, id)
	}
	slices.Reverse(kept)
	f.top = append(f.top[:0], kept...)
}

// chosenOffsets emits the offsets of the rows of an iteration.
func (f *phaseCode) chosenOffsets() {
	if len(f.chosen) == 0 {
		return
	}
	f.ByRow, f.Base = true, 0
	f.Start(1)
	f.body(f.rowTop)
	f.Copy = 0
	for _, c := range f.chosen {
		f.Lanes.StoreOffsets(f.Slot(c.slot), f.Src(c.off))
		f.EndStep()
	}
	for _, c := range f.chosen {
		f.DropAll(c.off)
	}
	f.ByRow = false
}

// tailOffsets emits the offsets of the rows that are left, and leaves the number of these rows in
// the counter of the frame. It jumps to done if there are none.
func (f *phaseCode) tailOffsets(done isa.Label) {
	if len(f.chosen) == 0 {
		return
	}
	const bits = 20 // the quotient is right for fewer elements than 1 << bits / MostLaid
	n := f.Layout.Laid
	f.Int(isa.Mov, isa.T1, isa.Word(f.Phase.Lanes))
	f.Int(isa.Sub, isa.T1, isa.Lane)
	f.BranchResult(isa.LE, done)
	f.Int(isa.Mov, isa.T0, isa.K(f.W*n))
	f.Int(isa.Min, isa.T1, isa.T0)
	f.Asm.Address(isa.T1, isa.At(isa.T1, n-1))
	f.Int(isa.Mul, isa.T1, isa.K(1<<bits/n+1))
	f.Int(isa.Shr, isa.T1, isa.K(bits))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T1)
	f.Lanes.SetTail()
	f.Masked = true
	f.chosenOffsets()
	f.Masked = false
}
