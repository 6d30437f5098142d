package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// The fold of the lanes of a short row, its result and its addresses take longer than its elements. So several rows are folded
// together. A step makes one vector of two: it combines the lower and the upper half of the values of each row. The last vector
// has one result of each row. Each row is combined in the order of [phaseCode.foldVector]. In the code after the reduction a lane
// is a row.

// foldedBytes is the size in bytes of the vectors that are folded together. Wider ones need more rows at once.
const foldedBytes = 32

// mostFolded is the greatest number of nodes that an iteration emits.
const mostFolded = 160

// foldedRegs is the number of registers with vectors of earlier rows while a row is reduced.
const foldedRegs = 3

// A foldedRows emits the rows that are folded together.
type foldedRows struct {
	*phaseCode            // of the reduction
	results    *phaseCode // of what follows it
	folder     isa.Folder
	perLoop    int // rows of an iteration
	need       int // registers of the accumulators of a row, and of what is folded
}

// folds reports whether registers suffice for the accumulators of a row, and of those that wait.
func (f *foldedRows) folds() (ok bool) {
	f.newAccs()
	f.need = f.shortRegs() + foldedRegs
	f.folder, ok = f.Lanes.(isa.Folder)
	return ok && f.need > foldedRegs && f.fits(f.need) && f.VecBytes(f.accs[0].Kern.Lane) >= foldedBytes
}

// resultsOf returns the phase after a reduction as a map in which a lane is a row.
func resultsOf(bp *layout.Phase, r *lower.Red) *layout.Phase {
	out, ph := *bp, *bp.Lowered
	out.Lowered, out.LaneSize, out.Narrowing = &ph, 0, nil
	ph.Kind, ph.LaneSize = lower.MapPhase, 0
	out.Sites = slices.Clone(bp.Sites)
	for i := range out.Sites {
		if s := &out.Sites[i]; s.Row != 0 {
			s.Kind = layout.Unit
		}
	}
	ph.Nodes, ph.Top = slices.Clone(ph.Nodes), slices.Clone(ph.Top)
	i := slices.IndexFunc(ph.Nodes, func(n lower.Node) bool { return n.Op == lower.OpCell && n.Aux == r.Cell })
	if i < 0 {
		return &out // nothing follows from the result
	}
	none := [3]int32{lower.None, lower.None, lower.None}
	operand := func(t dtype.Type) lower.Node { return lower.Node{Op: lower.OpOperand, Type: t, In: t, Args: none} }
	n, first := &ph.Nodes[i], []int32{int32(i)}
	if r.Kern.Sums() || r.Type.Size() >= 4 {
		*n = operand(n.Type)
	} else { // the result is a part of a lane
		raw, zero := int32(len(ph.Nodes)), int32(len(ph.Nodes)+1)
		*n = lower.Node{Op: prim.Cvt, Type: n.Type, In: dtype.I32, Args: [3]int32{raw, lower.None, lower.None}}
		if r.Type == dtype.Bool {
			n.Op, n.Args[1] = prim.Ne, zero
		}
		if r.Kern.All() {
			n.Op = prim.Eq
		}
		ph.Nodes = append(ph.Nodes, operand(dtype.I32), lower.Node{Op: prim.Const, Type: dtype.I32, In: dtype.I32, Args: none})
		first = []int32{raw, int32(i)}
	}
	ph.Top = append(first, ph.Top...)
	return &out
}

// loop emits the loop, unless it is too long or what follows the reduction has lanes of another size.
func (f *foldedRows) loop(phases []*layout.Phase, done isa.Label) {
	a := &f.accs[0]
	bytes := max(resultBytes(a.Red), 4) // of the vector that is folded, for each row
	f.perLoop = f.results.W
	masks := f.Predicates == 0 || f.perLoop >= 8 || !f.results.Phase.Predicates() // the emitter has no masks of four lanes
	if !masks || f.perLoop*bytes != foldedBytes || f.perLoop*f.rowVectors()*len(f.top) > mostFolded {
		return
	}
	rows, few, loop, g := isa.Word(frame.Rows), f.NewLabel(), f.NewLabel(), f.results
	f.part("%d rows, whose lanes are folded together", f.perLoop)
	f.Branch(isa.LT, rows, isa.K(f.perLoop), few)
	f.Align(32)
	f.Bind(loop)
	f.prologue()
	f.loadSites()
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - f.need - v - spareRegs)
	x := f.folded(a, bytes, 0)
	g.Vecs.Free &^= 1 << x
	g.Operands[0] = x
	g.prologue()
	g.loadSites()
	g.Int(isa.Mov, isa.Lane, isa.K(0))
	g.Start(1)
	g.body(g.top)
	for _, bp := range phases {
		for i := range bp.Sites {
			if s := &bp.Sites[i]; s.Row != 0 {
				f.Int(isa.Add, isa.Word(s.Arg+frame.SitePtr), isa.K(f.perLoop*s.Row*s.Size))
			}
		}
	}
	f.Int(isa.Sub, rows, isa.K(f.perLoop))
	f.Branch(isa.GE, rows, isa.K(f.perLoop), loop)
	f.Branch(isa.EQ, rows, isa.K(0), done)
	f.Bind(few)
}

// folded returns a vector in which each of several rows, from row on, has a part of so many bytes.
func (f *foldedRows) folded(a *acc, bytes, row int) isa.Vec {
	if bytes == foldedBytes {
		return f.reduced(a, row)
	}
	apart := map[int]int{16: f.perLoop / 2, 8: 1, 4: 2}[bytes] // so that the results are in order
	x := f.folded(a, 2*bytes, row)
	y := f.folded(a, 2*bytes, row+apart)
	lower, upper := f.Vecs.TakeTop(), f.Vecs.TakeTop()
	f.folder.Halves(lower, upper, x, y, 2*bytes)
	f.pairOf(a, lower, upper, foldedBytes)
	for _, v := range []isa.Vec{x, y, upper} {
		f.Vecs.Give(int8(v))
	}
	for part := bytes; bytes == 4 && part > resultBytes(a.Red); part /= 2 {
		x := f.Tmp()
		f.Lanes.UpperHalf(x, lower, part)
		f.pairOf(a, lower, x, foldedBytes)
		f.EndStep()
	}
	return lower
}

// reduced reduces a row to a vector of [foldedBytes].
func (f *foldedRows) reduced(a *acc, row int) isa.Vec {
	f.AtRow = row
	f.shortVectors(row > 0)
	d := f.foldVectors(a)
	f.foldTo(a, d, f.Tmp(), foldedBytes)
	f.EndStep()
	for _, r := range a.regs {
		if r.x != d {
			f.Vecs.Give(int8(r.x))
		}
	}
	a.regs, a.used = nil, 0
	return d
}
