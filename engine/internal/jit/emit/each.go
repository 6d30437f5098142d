package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// eachRow emits a loop that carries values along many short rows: a loop over groups of as many rows as
// a vector has lanes, if their parts are transposed in registers, and a loop over single rows. Few steps of a
// row have no loop. Only the first lane of the vector of a single row has values.
func (f *phaseCode) eachRow() {
	v, _ := f.pressure()
	f.chooseCarries(len(f.Phase.Carries), true) // all: the vector of a state in memory would have those of the next rows
	f.pinSites()
	f.pinUniforms(f.Vectors - v - len(f.carries) - f.findParts(v) - spareRegs)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	done := f.NewLabel()
	if len(f.transposedSites) > 0 {
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
		f.transposedSites = nil
	}
	f.part("each row after the other: all its steps")
	rows := f.NewLabel()
	f.Align(32)
	f.Bind(rows)
	f.rowsOf(1, func() {
		f.allSteps()
		for i := range f.carries {
			c := &f.carries[i]
			f.Lanes.StoreFirst(c.Type.Size(), f.carryMem(c, 0), c.regs[0])
		}
	})
	f.Branch(isa.LT, isa.Lane, isa.Word(f.Phase.Lanes), rows)
	f.Bind(done)
}

// allSteps emits the steps of one row: few without a loop, and many in a loop of several at once and the rest behind it.
func (f *phaseCode) allSteps() {
	steps := func(n int) {
		for f.Step = range n {
			f.body(f.top)
		}
		f.Step = 0
	}
	n := f.Layout.Each
	if f.Layout.FewSteps() {
		steps(n)
		return
	}
	forward := func(n int) {
		f.eachRowSite(func(s *layout.Site, at int8) { f.stepRow(s, at, isa.K(n*s.RowBytes())) })
	}
	loop := f.NewLabel()
	f.Int(isa.Mov, isa.Count, isa.K(n/layout.StepsAtOnce))
	f.Align(32)
	f.Bind(loop)
	steps(layout.StepsAtOnce)
	forward(layout.StepsAtOnce)
	f.Int(isa.Sub, isa.Count, isa.K(1))
	f.BranchResult(isa.NE, loop)
	steps(n % layout.StepsAtOnce)
	forward(n%layout.StepsAtOnce - n)
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
		f.stepRow(s, at, step)
	})
	f.Int(isa.Add, isa.Lane, isa.K(n))
}

// findParts finds the sites whose parts of rows are transposed in registers, beside v vectors of a step. It
// returns the registers of the parts.
func (f *phaseCode) findParts(v int) (vectors int) {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Transposes {
			f.transposedSites = append(f.transposedSites, isa.TransposedSite{Site: s, ID: int32(i), Store: f.Phase.Sites[i].Store})
		}
	}
	if vectors = f.findHeld(v, len(f.carries)); vectors == 0 {
		f.transposedSites = nil
	}
	return vectors
}

// parts emits all steps of W short rows, part by part. The last part ends with the last step. If it begins
// before the end of the part before, its loads repeat elements that no step uses, and its stores
// results.
func (f *phaseCode) parts() {
	n := f.partSteps()
	f.partVec = f.Vecs.TakeTop()
	var kept [][]isa.Vec // results that the last part repeats, of each store
	for first := 0; first < f.Layout.Each; first += n {
		begin := min(first, f.Layout.Each-n)
		f.eachTransposed(false, func(t *isa.TransposedSite) { f.loadPart(t, begin, first-begin) })
		f.eachTransposed(true, func(t *isa.TransposedSite) {
			if t.First, t.Steps = begin, make([]isa.Vec, 0, n); begin < first {
				t.Steps, kept = append(t.Steps, kept[0]...), kept[1:]
			}
		})
		for f.Step = first; f.Step < begin+n; f.Step++ {
			f.body(f.top)
		}
		f.eachTransposed(true, func(t *isa.TransposedSite) {
			if next := first + n; next < f.Layout.Each && next > f.Layout.Each-n {
				kept = append(kept, f.copies(t, t.Steps[f.Layout.Each-n-begin:]))
			}
			f.storePart(t)
		})
	}
	f.Step = 0
	f.Vecs.Give(int8(f.partVec))
}

// copies copies vectors of the array of a site.
func (f *phaseCode) copies(t *isa.TransposedSite, v []isa.Vec) (out []isa.Vec) {
	for _, x := range v {
		d := f.Vecs.TakeTop()
		f.Lanes.CopyVec(f.Phase.Sites[t.ID].Type, d, x)
		out = append(out, d)
	}
	return out
}
