package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/plan/ir"
)

// copiesRows reports whether the phase only copies short rows between arrays, and rows are better
// copied one by one than by vectors that have several: an index selects them, or the rows
// stored are apart.
func (f *phaseCode) copiesRows() bool {
	if len(f.top) != 2 || len(f.chosen) > 1 {
		return false
	}
	load, store := &f.Nodes[f.top[0]], &f.Nodes[f.top[1]]
	if load.Op != ir.Load || store.Op != ir.Store || store.Args[0] != f.top[0] || f.Phase.Sites[load.Aux].Type != f.Phase.Sites[store.Aux].Type {
		return false
	}
	from, to := &f.Layout.Sites[load.Aux], &f.Layout.Sites[store.Aux]
	if len(f.chosen) > 0 {
		if load.Aux != f.chosen[0].site {
			return false
		}
	} else if to.Kind != layout.Laid || !f.Layout.LaidUnit(from) {
		return false
	}
	return f.Layout.LaidUnit(to) && f.SiteReg[load.Aux] >= 0 && f.SiteReg[store.Aux] >= 0
}

// copyLoop emits a loop that copies rows: as many at once as a vector has lanes, then one by one.
func (f *phaseCode) copyLoop() {
	step, lanes := f.W*f.Layout.Laid, isa.Word(f.Phase.Lanes)
	loop, tail, row, done := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.pinUniforms(f.Vectors / 2)
	f.part("main loop: %d rows at once", f.W)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.Branch(isa.LT, lanes, isa.K(step), tail)
	f.Align(32)
	f.Bind(loop)
	f.chosenOffsets()
	for r := range f.W {
		f.copyRow(r)
	}
	f.nextRows(f.W)
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.LE, isa.T0, lanes, loop)

	f.part("tail: the rows at the end")
	f.Bind(tail)
	if len(f.chosen) == 0 {
		f.Branch(isa.GE, isa.Lane, lanes, done)
		f.copyRow(0)
		f.nextRows(1)
		f.Jump(tail)
		f.Bind(done)
		return
	}
	f.tailOffsets(done)
	f.Int(isa.Mov, isa.Count, isa.K(0))
	f.Bind(row)
	f.Load(8, isa.T0, isa.AtX(isa.Frame, isa.Count, 8, int(f.Slot(f.chosen[0].slot).Disp)))
	f.copyChosen(0)
	f.nextRows(1)
	f.Int(isa.Add, isa.Count, isa.K(1))
	f.Branch(isa.LT, isa.Count, isa.Word(frame.Counter), row)
	f.Jump(tail)
	f.Bind(done)
}

// copyRow emits the copy of a row of the iteration.
func (f *phaseCode) copyRow(row int) {
	if len(f.chosen) > 0 {
		f.Int(isa.Mov, isa.T0, isa.Word(int(f.Slot(f.chosen[0].slot).Disp)+8*row))
		f.copyChosen(row)
		return
	}
	f.copyFrom(row, f.rowAddress(f.Nodes[f.top[0]].Aux, row))
}

// copyChosen emits the copy of a row that an index selects. T0 has its offset.
func (f *phaseCode) copyChosen(row int) {
	i := f.Nodes[f.top[0]].Aux
	s := &f.Layout.Sites[i]
	f.copyFrom(row, isa.AtX(f.LaidAddress(s, i).Base, isa.T0, s.Size, row*f.Layout.LaidRow(s)*s.Size))
}

// copyFrom emits the copy of a row of the iteration from an address.
func (f *phaseCode) copyFrom(row int, from isa.Mem) {
	k := f.Nodes[f.top[1]].Aux
	f.Lanes.CopyBytes(f.rowAddress(k, row), from, f.Layout.Laid*f.Layout.Sites[k].Size)
	f.EndStep()
}

// rowAddress returns the address of a row of the iteration.
func (f *phaseCode) rowAddress(i int32, row int) isa.Mem {
	s := &f.Layout.Sites[i]
	f.Copy = 0
	m := f.LaidAddress(s, i)
	if s.Kind == layout.Unit {
		m = f.Address(s, i)
	}
	m.Disp += int32(row * f.Layout.LaidRow(s) * s.Size)
	return m
}
