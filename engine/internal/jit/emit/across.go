package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/ir"
)

// acrossLoop emits a seq loop that goes along one row after the other: groups of vectors, single
// vectors, and a masked vector for the rest. Each vector loads its states and accumulators from
// memory, and stores them. States that the loop stores to an array are loaded from the row before there:
// only the last row stores them as states too.
func (f *phaseCode) acrossLoop() {
	accs, _ := f.columnAccs(0)
	f.pinSites()
	fixed := f.programRegs()
	if len(accs) > 0 {
		fixed += memReds
	}
	group, many := f.chooseCopies(4, fixed), 1
	switch {
	case f.Layout.AtOnce > 0 && len(f.Phase.Carries) > 0:
		many = f.Layout.AtOnce
		group = f.carryAcross(group)
		if len(f.carries) == 0 { // a row loads the states that the row before it has stored
			many = 1
		}
	case len(f.Phase.Carries) > 0 && f.RowsAtOnce > 0 && len(accs) == 0:
		group = f.carryAcross(group)
	case f.Layout.AtOnce > 0 && len(f.Phase.Carries) == 0:
		many = f.chooseCopies(f.Layout.AtOnce, fixed)
		group = max(group/many, 1)
	}
	v, _ := f.pressure()
	copies := group * many
	if len(f.carries) > 0 {
		copies = group
		fixed += group * len(f.carries)
		f.findEchoes()
	}
	f.pinUniforms(f.Vectors - f.beside(copies*v) - fixed)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstRow()
	f.firstPosition(accs)
	f.holdSteps(accs, many)
	if f.combines = f.Layout.Combines; f.combines {
		f.combineAcross(accs, group, many)
		return
	}
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
	f.rowsAcross(accs, group, many)
}

// rowsAcross emits the loops along Count rows.
func (f *phaseCode) rowsAcross(accs []columnAcc, group, many int) {
	f.lastRow = !f.echoes()
	last := int(frame.Bit(!f.lastRow)) // rows that are left for the end
	done := f.NewLabel()
	if many > 1 {
		single := f.NewLabel()
		f.Branch(isa.LT, isa.Count, isa.K(many+last), single)
		f.acrossRows(accs, group, many, last)
		f.Bind(single)
		if f.lastRow {
			f.Branch(isa.EQ, isa.Count, isa.K(0), done)
		}
	}
	if !f.lastRow {
		end := f.NewLabel()
		f.Branch(isa.EQ, isa.Count, isa.K(last), end)
		f.acrossRows(accs, group, 1, last)
		f.Bind(end)
		f.lastRow = true
	}
	f.acrossRows(accs, group, 1, 0)
	f.Bind(done)
}

// acrossRows emits the loop over the rows, many of them at once, as long as so many are left but the last.
func (f *phaseCode) acrossRows(accs []columnAcc, group, many, last int) {
	if many > 1 {
		f.part("along %d rows at once: %d vectors of each", many, group)
	} else {
		f.part("along one row after the other: %d vectors at once", group)
	}
	rows, vectors := f.NewLabel(), func(group int) { f.acrossGroup(accs, group, many) }
	f.Bind(rows)
	if f.descends() && !f.overlapsAcross() && !(f.Layout.Leads && f.Stream) {
		f.descendingVectors(group, vectors)
	} else {
		f.ascendingVectors(group, vectors)
	}
	f.aimEchoes(many)
	if many > 1 {
		f.eachRowSite(func(s *layout.Site, at int8) { f.stepRow(s, at, isa.K(many*s.RowBytes())) })
		f.Int(isa.Sub, isa.Count, isa.K(many))
		f.Branch(isa.GE, isa.Count, isa.K(many+last), rows)
		return
	}
	f.nextColumns(true)
	f.nextPosition(accs)
	f.Int(isa.Sub, isa.Count, isa.K(1))
	if last > 0 {
		f.Branch(isa.GT, isa.Count, isa.K(last), rows)
		return
	}
	f.BranchResult(isa.NE, rows)
}

// ascendingVectors emits the vectors of a row in the order of memory: groups, single ones, and a masked one for the rest.
func (f *phaseCode) ascendingVectors(group int, vectors func(group int)) {
	single, tail, done := f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.firstAcross(func() { vectors(1) })
	f.acrossVectors(group, single, func() { vectors(group) })
	f.Bind(single)
	if group > 1 {
		f.part("single vectors")
		f.acrossVectors(1, tail, func() { vectors(1) })
	}
	f.Bind(tail)
	if f.overlapsAcross() {
		f.lastVector(done, func() { vectors(1) })
	}
	f.part("tail: a vector under a mask")
	f.maskedVector(f.lanes, done, func() { vectors(1) })
	f.Bind(done)
}

// descendingVectors emits the vectors of a row from the last one on: a masked one, single ones, and groups.
func (f *phaseCode) descendingVectors(group int, vectors func(group int)) {
	single := f.NewLabel()
	f.part("the last vector, under a mask")
	f.Int(isa.Mov, isa.Lane, f.lanes)
	f.Int(isa.And, isa.Lane, isa.K(-f.W))
	f.maskedVector(f.lanes, single, func() { vectors(1) })
	f.Bind(single)
	down := func(group, align int) {
		loop, end := f.NewLabel(), f.NewLabel()
		left := func(cond isa.Cond, to isa.Label) {
			f.Int(isa.Mov, isa.T0, isa.Lane)
			f.Int(isa.And, isa.T0, isa.K(align))
			f.BranchResult(cond, to)
		}
		left(isa.EQ, end)
		f.Align(32)
		f.Bind(loop)
		f.Int(isa.Sub, isa.Lane, isa.K(group*f.W))
		vectors(group)
		left(isa.NE, loop)
		f.Bind(end)
	}
	if group > 1 {
		f.part("single vectors")
		down(1, group*f.W-1)
	}
	f.part("groups of vectors")
	down(group, -1)
}

// findEchoes finds the carries in registers whose next value goes to an array too, as it is and to
// neighbouring elements, and nothing else goes there. The next row is after it in memory: the last vector
// of a row is loaded as a whole.
func (f *phaseCode) findEchoes() {
	for i := range f.carries {
		c := &f.carries[i]
		for _, id := range f.top {
			n := &f.Nodes[id]
			if n.Op != ir.Store || n.Args[0] != f.Nodes[c.Store].Args[0] {
				continue
			}
			s, site := &f.Layout.Sites[n.Aux], &f.Phase.Sites[n.Aux]
			if s.Kind == layout.Unit && s.RowBytes() > 0 && site.Type == c.Type && s.Affine() && !s.Staged && !f.Passes(n.Aux) && f.stores(site.Buf) == 1 {
				c.echo = &f.Layout.Sites[n.Aux]
				c.echoReg = f.SiteReg[n.Aux]
			}
		}
	}
}

// echoes reports whether some states are loaded from the row before. It sets the addresses of these for the
// first row.
func (f *phaseCode) echoes() (some bool) {
	for i := range f.carries {
		if c := &f.carries[i]; c.echo != nil {
			some = true
			f.Int(isa.Mov, isa.T0, isa.Word(f.carrySite(c).Arg+frame.SitePtr))
			f.Int(isa.Mov, f.carryWord(c), isa.T0)
		}
	}
	return some
}

// aimEchoes sets the addresses of these states to the last of many rows.
func (f *phaseCode) aimEchoes(many int) {
	for i := range f.carries {
		c := &f.carries[i]
		if c.echo == nil {
			continue
		}
		row := rowAt(c.echo, c.echoReg)
		if !row.IsReg() {
			f.Int(isa.Mov, isa.T0, row)
			row = isa.T0
		}
		if many > 1 {
			f.Asm.Address(isa.T0, isa.At(row, (many-1)*c.echo.RowBytes()))
			row = isa.T0
		}
		f.Int(isa.Mov, f.carryWord(c), row)
	}
}

// perRow says that the copies of a group are so many vectors of each of many rows.
func (f *phaseCode) perRow(vectors, many int) {
	if f.PerRow = vectors; many == 1 {
		f.PerRow = 0
	}
}

// acrossGroup emits a group of vectors of many rows.
func (f *phaseCode) acrossGroup(accs []columnAcc, group, many int) {
	if len(f.carries) > 0 { // row by row
		free := f.Vecs.Free
		f.Start(group)
		f.loadCarries(group)
		f.aheadAcross(group, many)
		for f.Step = range many {
			f.body(f.top)
		}
		f.Step = 0
		f.storeCarries()
		f.Vecs.Free = free
		return
	}
	f.aheadAcross(group, many)
	f.perRow(group, many)
	f.Start(group * many)
	f.body(f.top)
	f.accumulateRow(accs, group)
	f.PerRow = 0
}

// carryAcross chooses the states that stay in registers from row to row, and returns how many vectors
// of at most group of a row are computed at once.
func (f *phaseCode) carryAcross(group int) int {
	v, _ := f.pressure()
	f.chooseCarries(f.Vectors-v-spareRegs, false)
	v = f.besideCarries(v)
	for group > 1 && group*len(f.carries)+f.beside(group*v) > f.Vectors {
		group /= 2
	}
	return group
}

// overlapsAcross reports whether the last vector of a row may have elements of the one before, in place of a mask, which
// takes long with narrow lanes: the loop only reduces, and to take a value twice changes no result.
func (f *phaseCode) overlapsAcross() bool {
	return f.repeatsAcross() || f.LaneSize > 0 && f.Layout.OnlyReduces() && !slices.ContainsFunc(f.reds, func(r lower.Red) bool { return !idempotent(&r) })
}

// repeatsAcross reports whether a row may compute lanes twice: each row but the last one loads all its states from the row before, and
// no store bypasses the caches, whose vectors are whole vectors of memory.
func (f *phaseCode) repeatsAcross() bool {
	return f.Layout.Repeats && !f.Stream && !f.lastRow && len(f.carries) == len(f.Phase.Carries) && !slices.ContainsFunc(f.carries, func(c carried) bool { return c.echo == nil })
}

// firstAcross emits the lanes of a row before the first whole vector of memory, of a row that may compute lanes twice, or whose stores bypass
// the caches. The vectors after it store whole vectors of memory: parts of two lines take longer beyond the first-level cache. Lanes that may
// be computed twice are a whole vector: narrow lanes under a mask go one by one with AVX2.
func (f *phaseCode) firstAcross(vector func()) {
	var s *layout.Site
	var at int8
	leads := f.Layout.Leads && f.Stream
	switch {
	case leads:
		f.part("the lanes before the first whole vector")
		s, at = &f.Layout.Sites[f.Layout.Pure[0]], f.SiteReg[f.Layout.Pure[0]]
	case f.repeatsAcross():
		f.part("the first vector of the row")
		s, at = f.carries[0].echo, f.carries[0].echoReg
	default:
		return
	}
	whole := f.NewLabel()
	f.Int(isa.Mov, isa.T1, rowAt(s, at))
	f.Int(isa.Shr, isa.T1, isa.K(bits.TrailingZeros(uint(s.Size))))
	f.Int(isa.Neg, isa.T1, isa.T1)
	f.Int(isa.And, isa.T1, isa.K(f.W-1))
	f.BranchResult(isa.EQ, whole)
	if leads {
		if at >= 0 { // the last line, whose other part the next row stores
			f.Int(isa.Mov, isa.T0, f.lanes)
			f.Prefetch(isa.AtX(isa.SiteReg(int(at)), isa.T0, s.Size, 0))
		}
		f.Int(isa.Min, isa.T1, f.lanes)
		f.Lanes.SetTail()
	} else {
		f.Branch(isa.LT, f.lanes, isa.K(f.W), whole)
	}
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T1)
	f.Masked = leads
	vector()
	f.Masked = false
	f.Int(isa.Add, isa.Lane, isa.Word(frame.Counter))
	f.Bind(whole)
}

// acrossVectors emits a loop over whole groups of vectors of a row. It jumps to end if too few
// lanes are left for one.
func (f *phaseCode) acrossVectors(group int, end isa.Label, do func()) {
	step, lanes := group*f.W, f.lanes
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.GT, isa.T0, lanes, end)
	loop := f.NewLabel()
	f.Align(32)
	f.Bind(loop)
	do()
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.LE, isa.T0, lanes, loop)
}

// combineAcross emits the rows of a call that goes from the identity to the result, as [phaseCode.combinedRows] does, with accumulators in
// memory.
func (f *phaseCode) combineAcross(accs []columnAcc, group, many int) {
	for i := range accs {
		a, some := &accs[i], f.NewLabel()
		if !a.Kern.Ordered {
			f.Branch(isa.NE, isa.Word(frame.First), isa.K(0), some)
		}
		f.accVectors(func(group int) {
			d := f.Tmp()
			f.Lanes.Constant(d, a.Kern.Lane, a.Kern.Identity)
			for c := range group {
				f.storeRanked(a.Kern, ranked{x: d}, f.columnMem(a, c))
			}
			f.EndStep()
		})
		f.Bind(some)
	}
	if !ordered(accs) {
		f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
		f.rowsAcross(accs, group, many)
		return
	}
	f.eachRun(accs, func() { f.rowsAcross(accs, group, many) }, func(a *columnAcc, end func(*columnAcc, int)) {
		f.accVectors(func(group int) { f.inRegisters(a, group, end) })
	})
}

// accVectors emits loops over the vectors of all columns. do emits the code of a group of them.
func (f *phaseCode) accVectors(do func(group int)) {
	single, tail, done := f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.acrossVectors(accsAtOnce, single, func() { do(accsAtOnce) })
	f.Bind(single)
	f.acrossVectors(1, tail, func() { do(1) })
	f.Bind(tail)
	f.maskedVector(f.lanes, done, func() { do(1) })
	f.Bind(done)
}

// accsAtOnce is the vectors of an accumulator that join the runs before them at once.
const accsAtOnce = 4

// inRegisters emits end for a group of vectors of an accumulator that is in memory.
func (f *phaseCode) inRegisters(a *columnAcc, group int, end func(*columnAcc, int)) {
	free, held := f.Vecs.Free, *a
	f.Start(group)
	for c := range group {
		r := takeRanked(a.Kern, f.Vecs.TakeTop)
		f.Lanes.LoadVec(a.Kern.Lane, r.x, f.columnMem(a, c).x)
		held.regs = append(held.regs, r)
	}
	end(&held, group)
	for c, r := range held.regs {
		f.Choose(c)
		f.storeRanked(a.Kern, r, f.columnMem(a, c))
	}
	f.Vecs.Free = free
}

// aheadAcross emits the prefetches of a group of vectors of a row, or of many short rows that follow each other in memory: as many lines as it
// loads, in the order of memory. The processor prefetches few of them: the loads are at many streams that each end after a row.
func (f *phaseCode) aheadAcross(group, many int) {
	if !f.Fetch || f.Masked || f.Ahead == 0 {
		return
	}
	f.eachRowSite(func(s *layout.Site, at int8) {
		if s.Kind != layout.Unit || at < 0 || f.Phase.Sites[s.Index(f.Phase)].Store {
			return
		}
		f.Int(isa.Mov, isa.T0, isa.Lane)
		f.Int(isa.Shl, isa.T0, isa.K(bits.TrailingZeros(uint(many*s.Size))))
		for by := 0; by < many*group*f.W*s.Size; by += layout.LineBytes {
			f.Prefetch(isa.AtX(isa.SiteReg(int(at)), isa.T0, 1, f.Ahead+by))
		}
	})
}
