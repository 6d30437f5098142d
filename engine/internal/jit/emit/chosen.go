package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
)

// chosenOffsets emits the offsets of the rows of an iteration.
func (f *phaseCode) chosenOffsets() {
	f.eachChosen(func(c *chosen) {
		f.Lanes.StoreOffsets(f.Slot(c.slot), f.Src(c.off))
		f.EndStep()
	})
}

// eachChosen emits the nodes that compute the offsets of the rows of an iteration, and calls use for each site while
// these are in registers.
func (f *phaseCode) eachChosen(use func(c *chosen)) {
	if len(f.chosen) == 0 {
		return
	}
	f.ByRow, f.Base = true, 0
	f.Start(1)
	f.body(f.rowTop)
	f.Copy = 0
	for i := range f.chosen {
		use(&f.chosen[i])
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
	n, bits := f.Layout.Laid, 20 // the quotient is right for fewer elements than 1 << bits / n
	if n > 255 {
		bits = 26
	}
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
