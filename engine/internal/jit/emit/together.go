package emit

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
)

// The fold of the lanes of a short row, its result and its addresses take longer than its elements. So several rows are folded
// together. A step makes one vector of two: it combines the lower and the upper half of the values of each row. The last vector
// has one result of each row. Each row is combined in the order of [phaseCode.foldVector]. In the code after the reduction a lane
// is a row.

// mostFolded is the greatest number of nodes that an iteration emits.
const mostFolded = 160

// foldedRegs is the number of registers with vectors of earlier rows while a row is reduced.
const foldedRegs = 3

// A foldedRows emits the rows that are folded together.
type foldedRows struct {
	*phaseCode            // of the reduction
	results    *phaseCode // of what follows it
	folder     isa.Folder
	perLoop    int // rows whose results are a vector
	bytes      int // of the vectors that are folded together: wider ones need more rows at once
	packed     int // bytes of a row of which a vector has several, or 0
	need       int // registers of the accumulators of a row, and of what is folded
}

// folds reports whether registers suffice for the accumulators of a row, and of those that wait.
func (f *foldedRows) folds() (ok bool) {
	f.newAccs()
	accs := f.shortRegs()
	f.need, f.bytes = accs+foldedRegs, min(f.VecBytes(f.accs[0].Kern.Lane), f.Layout.Together)
	if f.bytes > layout.LineBytes/2 {
		if f.need++; f.bytes/max(resultBytes(f.accs[0].Red), 4)*f.rowVectors()*len(f.top) > mostFolded {
			f.bytes /= 2
		}
	}
	f.packed = f.packedBytes()
	f.folder, ok = f.Lanes.(isa.Folder)
	a := &f.accs[0]
	parts := a.Kern.Sums() && a.Out.Size() < a.Kern.Lane.Size() // the result is a part of what is folded
	return ok && !parts && accs > 0 && f.fits(f.need) && f.bytes >= layout.LineBytes/2
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
		if r.Type == dtype.Bool && !r.Kern.Counts() {
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
	if !masks || f.perLoop*bytes != f.bytes || f.perLoop*f.rowVectors()*len(f.top) > mostFolded {
		return
	}
	rows, few, loop, g := isa.Word(frame.Rows), f.NewLabel(), f.NewLabel(), f.results
	n, results, packed := f.perLoop, make([]isa.Vec, 1), ""
	if f.packed < bytes {
		f.packed = 0
	} else { // the steps to the next rows would take longer
		if packed = "packed "; f.bytes < layout.LineBytes {
			n, results = 2*n, make([]isa.Vec, 2)
		}
	}
	f.part("%d %srows, whose lanes are folded together", n, packed)
	f.Branch(isa.LT, rows, isa.K(n), few)
	shares := f.Layout.Shares
	if len(shares) > 0 {
		rows = f.shareRows(true)
		g.shareRows(false)
	}
	f.Align(32)
	f.Bind(loop)
	f.prologue()
	f.loadSites()
	v, _ := f.pressure()
	f.pinUniforms(f.Vectors - f.need - v - spareRegs)
	for i := range results {
		results[i] = f.folded(a, i*f.perLoop)
		f.foldParts(a, results[i], bytes)
		g.Vecs.Free &^= 1 << results[i]
	}
	g.prologue()
	g.loadSites()
	for i, x := range results {
		g.Operands[0] = x
		g.Int(isa.Mov, isa.Lane, isa.K(i*f.perLoop))
		g.Start(1)
		g.body(g.top)
	}
	for k, s := range shares {
		f.Int(isa.Add, isa.SiteReg(k), isa.K(n*s.Row*s.Size))
	}
	for _, bp := range phases {
		for i := range bp.Sites {
			if s := &bp.Sites[i]; s.Shared == 0 && s.Row != 0 {
				f.Int(isa.Add, isa.Word(s.Arg+frame.SitePtr), isa.K(n*s.Row*s.Size))
			}
		}
	}
	f.Int(isa.Sub, rows, isa.K(n))
	f.Branch(isa.GE, rows, isa.K(n), loop)
	f.Branch(isa.EQ, rows, isa.K(0), done)
	for k, s := range shares { // the loop over the rows left takes them from the frame
		f.Int(isa.Mov, isa.Word(s.Arg+frame.SitePtr), isa.SiteReg(k))
	}
	if rows.IsReg() {
		f.Int(isa.Mov, isa.Word(frame.Rows), rows)
	}
	f.Bind(few)
}

// foldHalves combines the lower and the upper half of each part of x and y, which it gives back.
func (f *foldedRows) foldHalves(a *acc, x, y isa.Vec, bytes int) isa.Vec {
	lower, upper := f.Vecs.TakeTop(), f.Vecs.TakeTop()
	f.folder.Halves(lower, upper, x, y, bytes, f.bytes)
	f.pairOf(a, lower, upper, f.bytes)
	for _, v := range []isa.Vec{x, y, upper} {
		f.Vecs.Give(int8(v))
	}
	return lower
}

// foldParts folds the lanes in each part of x, if a part has several.
func (f *foldedRows) foldParts(a *acc, x isa.Vec, bytes int) {
	for part := bytes; bytes == 4 && part > resultBytes(a.Red); part /= 2 {
		y := f.Tmp()
		f.Lanes.UpperHalf(y, x, part)
		f.pairOf(a, x, y, f.bytes)
		f.EndStep()
	}
}

// packedBytes returns the bytes that a row takes of a vector, if a vector has several rows, or 0.
func (f *foldedRows) packedBytes() int {
	bytes := f.Layout.N * cmp.Or(f.LaneSize, f.accs[0].Kern.Lane.Size())
	if bytes < 8 || bytes >= f.bytes || bytes&(bytes-1) != 0 || !f.Layout.RowsPacked() {
		return 0
	}
	return bytes
}

// A rowPart is a vector with so many bytes of each of some rows.
type rowPart struct {
	x     isa.Vec
	bytes int
	rows  []int
}

// folded returns a vector in which each of several rows, from row first on, has a part. The rows are loaded in the order of memory: hops
// between them would hinder the processor to load ahead. Two parts with as many bytes of each row become one as soon as both are there, so
// few registers wait.
func (f *foldedRows) folded(a *acc, first int) isa.Vec {
	var parts []rowPart
	row := 0
	add := func(x isa.Vec, bytes int) {
		p := rowPart{x, bytes, lists.Make(f.bytes/bytes, func(i int) int { return row + i })}
		row += len(p.rows)
		last := len(parts) - 1
		for ; last >= 0 && parts[last].bytes == p.bytes; last-- {
			p = f.joinParts(a, parts[last], p)
		}
		parts = append(parts[:last+1], p)
	}
	if f.packed > 0 {
		f.packedRows(a, first, add)
	} else {
		for k := range f.perLoop {
			add(f.reduced(a, first+k), f.bytes)
		}
	}
	if !slices.IsSorted(parts[0].rows) {
		f.folder.Order(parts[0].x, parts[0].rows, f.bytes)
	}
	return parts[0].x
}

// packedRows loads vectors of whole rows, and passes each with the bytes of a row to add.
func (f *foldedRows) packedRows(a *acc, first int, add func(x isa.Vec, bytes int)) {
	w, n := f.W, f.Layout.N
	f.W = min(w, f.perLoop*n)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	for f.AtRow = first; f.AtRow < first+f.perLoop; f.AtRow += f.W / n {
		f.beginAccs(1)
		f.Start(1)
		f.body(f.top)
		f.stepAccs()
		x, have := a.regs[0].x, f.W/n*f.packed
		if a.regs, a.used = nil, 0; have > f.bytes {
			upper := f.Vecs.TakeTop()
			f.Lanes.UpperHalf(upper, x, have)
			add(x, f.packed)
			x = upper
		}
		add(x, f.packed)
	}
	f.W, f.AtRow = w, 0
}

// joinParts combines the halves of the rows of two parts, and gives back their vectors.
func (f *foldedRows) joinParts(a *acc, x, y rowPart) rowPart {
	p := rowPart{x: f.foldHalves(a, x.x, y.x, x.bytes), bytes: x.bytes / 2}
	n := len(x.rows)
	if x.bytes <= 16 {
		n = 16 / x.bytes
	}
	for k := 0; k < len(x.rows); k += n {
		p.rows = slices.Concat(p.rows, x.rows[k:k+n], y.rows[k:k+n])
	}
	return p
}

// reduced reduces a row to a vector of f.bytes.
func (f *foldedRows) reduced(a *acc, row int) isa.Vec {
	f.AtRow = row
	f.shortVectors(row > 0)
	d := f.foldVectors(a)
	f.foldTo(a, d, f.Tmp(), f.bytes)
	f.EndStep()
	for _, r := range a.regs {
		if r.x != d {
			f.Vecs.Give(int8(r.x))
		}
	}
	a.regs, a.used = nil, 0
	return d
}
