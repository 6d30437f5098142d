package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// eachRow emits a loop that carries values along many short rows: a loop over the rows, and all steps
// of one without a loop. Only the first lane of a vector has values.
func (f *phaseCode) eachRow() {
	v, _ := f.pressure()
	f.chooseCarries(f.Vectors - v - spareRegs)
	f.pinSites()
	f.pinUniforms(f.Vectors - v - len(f.carries) - spareRegs)
	f.part("each row after the other: all its steps")
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	rows := f.NewLabel()
	f.Align(32)
	f.Bind(rows)
	f.Start(1)
	free := f.Vecs.Free
	f.loadCarries(1)
	for f.Step = range f.Layout.Each {
		f.body(f.top)
	}
	f.Step = 0
	for i := range f.carries {
		c := &f.carries[i]
		f.Lanes.StoreFirst(c.Type.Size(), f.carryMem(c, 0), c.regs[0])
	}
	f.Vecs.Free = free
	f.eachRowSite(func(s *layout.Site, at int8) {
		step := isa.Word(s.Arg + frame.SiteStride)
		if at >= 0 {
			f.Int(isa.Add, isa.SiteReg(int(at)), step)
			return
		}
		f.Int(isa.Mov, isa.T0, step)
		f.Int(isa.Add, isa.Word(s.Arg+frame.SiteCur), isa.T0)
	})
	f.Int(isa.Add, isa.Lane, isa.K(1))
	f.Branch(isa.LT, isa.Lane, isa.Word(f.Phase.Lanes), rows)
}
