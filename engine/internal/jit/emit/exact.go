package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/plan/ir"
)

// Loops over short rows take as long for their branches as for the elements. The rows of one length are written out: their
// whole vectors, and a last one that overlaps the one before.

// exactRow emits the vectors of a row of the length that the layout has, and a jump to done, for calls with rows of this
// length. Other calls go on behind them. It reports whether it does.
func (f *phaseCode) exactRow(group int) (done isa.Label, ok bool) {
	n := f.Layout.Exact
	vectors, rest := n/f.W, n%f.W
	if !f.rowsHeld || vectors == 0 || rest > 0 && !f.Layout.Repeats || f.Stream || (vectors+1)*len(f.top) > wholeNodes {
		return done, false
	}
	if slices.ContainsFunc(f.top, func(id int32) bool { return f.Nodes[id].Op == ir.Cold }) {
		return done, false
	}
	other, done := f.NewLabel(), f.NewLabel()
	f.part("rows of %d elements", n)
	f.Branch(isa.NE, isa.Word(f.Phase.Lanes), isa.K(n), other)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	for f.Base = 0; f.Base < vectors; f.Base += group {
		f.Start(min(group, vectors-f.Base))
		f.body(f.top)
	}
	f.Base = 0
	if rest > 0 {
		f.Int(isa.Mov, isa.Lane, isa.K(n-f.W))
		f.Start(1)
		f.body(f.top)
	}
	f.Jump(done)
	f.Bind(other)
	return done, true
}
