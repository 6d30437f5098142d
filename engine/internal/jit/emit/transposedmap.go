package emit

import (
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// A map with a transposed operand reads elements that are neighbours from row to row. The loop below goes along several rows at
// once: it loads a block of the operand, of so many rows and of the lanes of a vector, and transposes it in registers, so no element of it
// goes through scratch memory. The rows are in the order of the other arrays. A call has at least so many rows, and lanes for a vector.

// transposedMap emits the loop. The last vector of a row and the last rows overlap those before.
func (f *phaseCode) transposedMap() {
	f.part("%d rows at once, blocks of the transposed operand in registers", layout.TransposedRows)
	f.pinSites()
	var t isa.TransposedSite
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind == layout.Transposed {
			t = isa.TransposedSite{Site: s, ID: int32(i)}
		}
	}
	f.transposedSites = append(f.transposedSites, t)
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - layout.TransposedRows - 1 - v - f.spare())
	rows, vectors, done := f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Bind(rows)
	f.loadSites()
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.Align(32)
	f.Bind(vectors)
	f.transposedBlock(&f.transposedSites[0])
	f.Int(isa.Add, isa.Lane, isa.K(f.W))
	f.Branch(isa.LT, isa.Lane, isa.Word(f.Phase.Lanes), vectors)
	f.Int(isa.Sub, isa.Word(frame.Rows), isa.K(layout.TransposedRows))
	f.BranchResult(isa.LE, done)
	f.Int(isa.Mov, isa.T2, isa.K(layout.TransposedRows))
	f.Int(isa.Min, isa.T2, isa.Word(frame.Rows))
	for i := range f.Layout.Sites {
		s := &f.Layout.Sites[i]
		step := s.Row * s.Size
		if s == t.Site {
			step = s.Size
		}
		if step != 0 && s.Kind != layout.Unused {
			f.Int(isa.Mov, isa.T0, isa.T2)
			f.Int(isa.Mul, isa.T0, isa.K(step))
			f.Int(isa.Add, isa.Word(s.Arg+frame.SitePtr), isa.T0)
		}
	}
	f.Jump(rows)
	f.Bind(done)
}

// transposedBlock emits a vector of each of the rows.
func (f *phaseCode) transposedBlock(t *isa.TransposedSite) {
	f.Int(isa.Mov, isa.T0, isa.Word(f.Phase.Lanes))
	f.Int(isa.Sub, isa.T0, isa.K(f.W))
	f.Int(isa.Min, isa.Lane, isa.T0)
	at := isa.SiteReg(int(f.SiteReg[t.ID]))
	f.Int(isa.Mov, at, isa.Lane)
	f.Int(isa.Mul, at, isa.Word(t.Arg+frame.SiteStride))
	f.Int(isa.Add, at, isa.Word(t.Arg+frame.SitePtr))
	before := f.Vecs.Free
	f.partVec = f.Vecs.TakeTop()
	f.loadPart(t, 0, 0)
	for f.AtRow = range layout.TransposedRows {
		f.Start(1)
		f.body(f.top)
	}
	f.AtRow, t.Steps, f.Vecs.Free = 0, nil, before
}
