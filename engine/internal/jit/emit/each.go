package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// eachRow emits a loop that carries values along many short rows: a loop over groups of as many rows as
// a vector has lanes, if their parts are turned in registers, and a loop over single rows. All steps of a
// row have no loop. Only the first lane of the vector of a single row has values.
func (f *phaseCode) eachRow() {
	v, _ := f.pressure()
	f.chooseCarries(f.Vectors - v - spareRegs)
	f.pinSites()
	f.findParts()
	f.pinUniforms(f.Vectors - v - len(f.carries) - f.partVectors() - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	done := f.NewLabel()
	if len(f.turns) > 0 {
		f.part("%d rows at once: all steps, 16 bytes of each row together", f.W)
		groups, rest := f.NewLabel(), f.NewLabel()
		f.Align(32)
		f.Bind(groups)
		f.Asm.Address(isa.T0, isa.At(isa.Lane, f.W))
		f.Branch(isa.GT, isa.T0, isa.Word(f.Phase.Lanes), rest)
		f.rowsOf(f.W, func() {
			f.parts()
			f.storeCarries()
		})
		f.Jump(groups)
		f.Bind(rest)
		f.Branch(isa.GE, isa.Lane, isa.Word(f.Phase.Lanes), done)
		f.turns = nil
	}
	f.part("each row after the other: all its steps")
	rows := f.NewLabel()
	f.Align(32)
	f.Bind(rows)
	f.rowsOf(1, func() {
		for f.Step = range f.Layout.Each {
			f.body(f.top)
		}
		f.Step = 0
		for i := range f.carries {
			c := &f.carries[i]
			f.Lanes.StoreFirst(c.Type.Size(), f.carryMem(c, 0), c.regs[0])
		}
	})
	f.Branch(isa.LT, isa.Lane, isa.Word(f.Phase.Lanes), rows)
	f.Bind(done)
}

// rowsOf emits what the code of n rows has around their steps: it loads the states, and goes to the
// next rows.
func (f *phaseCode) rowsOf(n int, steps func()) {
	f.Start(1)
	free := f.Vecs.Free
	f.loadCarries(1)
	steps()
	f.Vecs.Free = free
	f.eachRowSite(func(s *layout.Site, at int8) {
		step := isa.Word(s.Arg + frame.SiteStride)
		if n > 1 {
			step = isa.K(n * s.Line.Step() * s.Size)
		}
		if at >= 0 {
			f.Int(isa.Add, isa.SiteReg(int(at)), step)
			return
		}
		f.Int(isa.Mov, isa.T0, step)
		f.Int(isa.Add, isa.Word(s.Arg+frame.SiteCur), isa.T0)
	})
	f.Int(isa.Add, isa.Lane, isa.K(n))
}

// findParts finds the sites whose parts of rows are turned in registers, if these suffice.
func (f *phaseCode) findParts() {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Turns && s.Size*f.W == f.Bytes {
			f.turns = append(f.turns, isa.Turn{Site: s, ID: int32(i), Store: f.Phase.Sites[i].Store})
		}
	}
	if v, _ := f.pressure(); f.partVectors()+v+len(f.carries)+f.turnTemporaries() > f.Vectors {
		f.turns = nil
	}
}

// partSteps returns the steps of a part, and the steps before a last part that it repeats.
func (f *phaseCode) partSteps() (n, repeated int) {
	n = layout.PartBytes / f.turns[0].Size
	return n, (n - f.Layout.Each%n) % n
}

// partVectors returns the registers that parts of rows take at most: a load gives those of its steps to their
// nodes, and a store takes one for each step.
func (f *phaseCode) partVectors() int {
	if len(f.turns) == 0 {
		return 0
	}
	n, repeated := f.partSteps()
	loads, stores := 0, 0
	for i := range f.turns {
		if f.turns[i].Store {
			stores++
		} else {
			loads++
		}
	}
	return 1 + n*max(loads, stores) + repeated*stores
}

// parts emits all steps of W rows, part by part. The last part ends with the last step. If it begins
// before the end of the part before, its loads repeat elements that no step uses, and its stores
// results.
func (f *phaseCode) parts() {
	n, repeated := f.partSteps()
	free := f.Vecs.TakeTop()
	f.eachTurn(true, func(t *isa.Turn) { t.Steps = make([]isa.Vec, 0, n) })
	var kept [][]isa.Vec // results that the last part repeats, of each store
	for first := 0; first < f.Layout.Each; first += n {
		begin := min(first, f.Layout.Each-n)
		f.eachTurn(false, func(t *isa.Turn) {
			t.First, t.Steps = begin, t.Steps[:0]
			for range n {
				t.Steps = append(t.Steps, f.Vecs.TakeTop())
			}
			free = f.LoadPart(t, free)
			for _, r := range t.Steps[:first-begin] {
				f.Vecs.Give(int8(r))
			}
		})
		f.eachTurn(true, func(t *isa.Turn) { t.First, t.Steps = begin, t.Steps[:0] })
		if begin < first {
			f.eachTurn(true, func(t *isa.Turn) { t.Steps, kept = append(t.Steps, kept[0]...), kept[1:] })
		}
		for f.Step = first; f.Step < begin+n; f.Step++ {
			f.body(f.top)
		}
		last := repeated > 0 && first+2*n > f.Layout.Each && begin == first
		f.eachTurn(true, func(t *isa.Turn) {
			if last {
				kept = append(kept, f.copies(t, t.Steps[n-repeated:]))
			}
			free = f.StorePart(t, free)
			for _, r := range t.Steps {
				f.Vecs.Give(int8(r))
			}
		})
	}
	f.Step = 0
	f.Vecs.Give(int8(free))
}

// copies copies vectors of the array of a site.
func (f *phaseCode) copies(t *isa.Turn, v []isa.Vec) (out []isa.Vec) {
	for _, x := range v {
		d := f.Vecs.TakeTop()
		f.Lanes.CopyVec(f.Phase.Sites[t.ID].Type, d, x)
		out = append(out, d)
	}
	return out
}
