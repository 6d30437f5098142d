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

// columnLoop emits a seq phase: for each group of columns, a loop down all rows.
func (f *phaseCode) columnLoop() {
	f.findTransposed()
	v, m := f.pressure()
	narrow := slices.ContainsFunc(f.transposedSites, func(t isa.TransposedSite) bool { return t.Size == 2 })
	if narrow {
		v = max(v, narrowBlock-spareRegs)
	}
	room := f.Vectors - v - spareRegs - f.programRegs()
	if f.Runs > 0 { // a single node takes at most ten
		room = (f.Vectors - 10) / (f.Runs * f.allColumns())
	}
	accs, nred := f.columnAccs(room)
	f.combines = f.Layout.Combines && f.Runs == 0 && !slices.ContainsFunc(accs, func(a columnAcc) bool { return !a.inRegs })
	f.chooseCarries(f.Vectors-v-nred-spareRegs, f.holdsNarrow())
	nred += len(f.carries)
	v = f.besideCarries(v)
	if narrow {
		f.ofNode = max(f.ofNode, narrowBlock)
	}
	f.pinSites()
	group := 4
	if f.Runs > 0 {
		f.runs(accs, v, nred)
		return
	}
	if len(f.transposedSites) > 0 {
		group = 1
	}
	for group > 1 && (group*nred+f.beside(group*v) > f.Vectors || !f.Fits(group*m)) {
		group /= 2
	}
	for c := f.deepCopies(); c > group && len(f.transposedSites) == 0; c-- {
		if c*nred+spareRegs+node <= f.Vectors {
			group = c
		}
	}
	whole, at := f.wholeRow(v, m, nred)
	if len(f.carries) > 0 && whole == 0 || f.combines && (whole == 0 || f.manyRows() > 1) {
		whole, at = f.wholeGroups(v, m, nred)
	}
	values := func() int { return max(group*nred+f.beside(group*v), whole*nred+f.beside(at*v)) - spareRegs }
	for max(group, at) > 1 && f.crowdsSelectors(values()) {
		group, at = max(group/2, 1), (at+1)/2
	}
	taken := values() + f.findHeld(v, nred)
	f.pinUniforms(f.Vectors - taken - spareRegs)
	f.holding(taken, func() { f.columnParts(accs, group, whole, at) })
}

// columnParts emits the loops of columnLoop: for whole rows of so many vectors, for groups of vectors, and for the last columns.
func (f *phaseCode) columnParts(accs []columnAcc, group, whole, at int) {
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	tail, done := f.NewLabel(), f.NewLabel()
	if whole > group || whole > 0 && (f.combines || f.Layout.Short > 0 || f.Tails) {
		f.wholeRows(accs, whole, at, done)
	}
	f.part("columns: %d vectors at once, down all rows", group)
	if f.combines && len(f.transposedSites) > 0 {
		f.transposedGroups(accs, tail, done)
	} else {
		f.transposedTogether(accs)
		if n := f.allColumns() % group; n > 0 && f.Layout.Columns()%f.W == 0 && len(f.top) <= shortColumns {
			rest := f.NewLabel()
			f.columnGroups(accs, group, rest)
			f.Bind(rest)
			f.columnGroups(accs, n, tail) // without a mask
		} else {
			f.columnGroups(accs, group, tail)
		}
	}

	f.part("tail: the last columns, the last vector under a mask")
	f.Bind(tail)
	f.Int(isa.Mov, isa.T1, isa.Word(f.Phase.Lanes))
	f.Int(isa.Sub, isa.T1, isa.Lane)
	f.BranchResult(isa.LE, done)
	if len(f.top) > shortColumns {
		group = 1
	}
	for k := group; k > 0; k-- {
		fewer := f.NewLabel()
		if k > 1 {
			f.Branch(isa.LE, isa.T1, isa.K((k-1)*f.W), fewer)
			f.Int(isa.Sub, isa.T1, isa.K((k-1)*f.W))
		}
		f.Lanes.SetTail()
		f.Ends, f.Masked = k, k == 1
		f.columns(accs, k)
		f.Ends, f.Masked = 0, false
		f.Int(isa.Add, isa.Lane, isa.K(k*f.W))
		f.Jump(tail)
		f.Bind(fewer)
	}
	f.Bind(done)
}

// narrowBlock is the registers that the transposition of a block of elements of 2 bytes takes.
const narrowBlock = 16/2 + 1

// node is the registers of the code of one node, beside its operands.
const node = 4

// wholeRow returns the vectors of a row whose states are in registers, and how many of them are
// computed at once, or 0. v and m are the vectors and masks of one, and states the registers of its
// states.
func (f *phaseCode) wholeRow(v, m, states int) (vectors, at int) {
	vectors = (f.wholeLanes() + f.W - 1) / f.W
	for at = 4; at > 0; at /= 2 {
		if vectors*states+f.beside(at*v) <= f.Vectors && f.Fits(at*m) && vectors*len(f.top) <= wholeNodes {
			return vectors, at
		}
	}
	if t, few := f.temporaries(); few && vectors*states+v+t <= f.Vectors && vectors*len(f.top) <= wholeNodes {
		return vectors, 1
	}
	return 0, 0
}

// besideCarries returns how many of v registers the values of a vector take beside those of the carries. It sets ofNode.
func (f *phaseCode) besideCarries(v int) int {
	for i := range f.carries {
		if f.carries[i].early { // neither its value nor its next takes another register
			v = max(v-2, 1)
		}
	}
	if len(f.carries) > 0 {
		f.ofNode = f.mostOfNode(f.top, false)
	}
	return v
}

// beside returns how many registers a loop needs for so many values, which may go to memory, and temporaries: beside those of carries at
// least what each node takes.
func (f *phaseCode) beside(values int) int { return max(values+spareRegs, f.ofNode) }

// wholeNodes is the most nodes of the vectors of a row that is emitted without a loop.
const wholeNodes = 128

// wholeLanes returns the lanes of a row whose states are all in registers, or 0.
func (f *phaseCode) wholeLanes() int { return max(f.Layout.Whole, f.Layout.Short) }

// overlapsWhole reports whether the last of so many vectors of a whole row overlaps the one before, in place of a mask,
// which takes long with narrow lanes and with records. All are loaded before a result is stored, so registers must have all accumulators: in
// memory each row would combine the columns that two vectors share twice.
func (f *phaseCode) overlapsWhole(accs []columnAcc, vectors int) bool {
	return vectors > 1 && (f.LaneSize > 0 && f.Layout.OnlyReduces() || f.Layout.ReducesRecords()) && !slices.ContainsFunc(accs, func(a columnAcc) bool { return !a.inRegs })
}

// shortColumns is the most nodes of a loop that is emitted again for each number of vectors of
// the last columns. A longer loop does them one vector after the other.
const shortColumns = 12

// allColumns returns the vectors of all columns.
func (f *phaseCode) allColumns() int { return (f.Layout.Columns() + f.W - 1) / f.W }

// runs emits the loop for a few columns, and several runs of rows at once. The runs of a group are combined first, and then the groups:
// the first level has a whole group.
func (f *phaseCode) runs(accs []columnAcc, v, nred int) {
	each := f.allColumns()
	copies := f.Runs * each
	f.pinUniforms(f.Vectors - copies*(v+nred) - spareRegs)
	if f.Tails {
		f.Tail = f.Layout.Columns() % f.W
	}
	whole := f.Tails && f.Tail == 0
	if whole {
		f.part("columns: %d runs of rows at once", f.Runs)
	} else {
		f.part("columns: %d runs of rows at once, the last vector of a row under a mask", f.Runs)
	}
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.countRuns(f.Runs * ir.Run)
	if !whole {
		f.Int(isa.Mov, isa.T1, isa.Word(f.Phase.Lanes))
		f.Int(isa.Sub, isa.T1, isa.K((each-1)*f.W))
		f.Lanes.SetTail()
	}
	eachReduction(accs, false, func(a *columnAcc) { f.clearAcc(a, copies) })
	groups := f.NewLabel()
	f.Bind(groups)
	eachReduction(accs, true, func(a *columnAcc) { f.clearAcc(a, copies) })
	if !whole {
		f.Ends, f.Masked = each, each == 1
	}
	f.columns(accs, copies)
	f.Ends, f.Masked, f.Tail = 0, false, 0
	eachReduction(accs, true, func(a *columnAcc) { f.combineRuns(a, each, f.pushRun) })
	f.Int(isa.Add, isa.Word(frame.Counter), isa.K(1))
	f.eachRowSite(func(s *layout.Site, _ int8) {
		f.Int(isa.Add, isa.Word(s.Arg+s.Origin), isa.K(f.Runs*s.RunBytes()))
	})
	f.Int(isa.Sub, isa.Word(frame.Left), isa.K(1))
	f.BranchResult(isa.NE, groups)
	eachReduction(accs, false, func(a *columnAcc) {
		f.combineRuns(a, each, func(a *columnAcc, each int) {
			for c := range each {
				f.storeRanked(a.Kern, a.regs[c], f.columnMem(a, c))
			}
		})
	})
}

// clearAcc stores the identity as so many vectors of an accumulator.
func (f *phaseCode) clearAcc(a *columnAcc, vectors int) {
	t := f.Tmp()
	f.Lanes.Constant(t, a.Kern.Lane, a.Kern.Identity)
	for c := range vectors {
		f.Lanes.StoreVec(a.Kern.Lane, f.columnMem(a, c).x, t)
	}
	f.EndStep()
}

// combineRuns combines neighbouring runs, and calls end with the result, a vector for each of a row, in the registers of a copy of a.
func (f *phaseCode) combineRuns(a *columnAcc, each int, end func(*columnAcc, int)) {
	free, b := f.Vecs.Free, *a
	for c := range f.Runs * each {
		b.regs = append(b.regs, takeRanked(a.Kern, f.Vecs.TakeTop))
		f.Lanes.LoadVec(a.Kern.Lane, b.regs[c].x, f.columnMem(a, c).x)
	}
	for by := each; by < len(b.regs); by *= 2 {
		for c := 0; c < len(b.regs); c += 2 * by {
			for k := range each {
				f.Within(func() { f.step(a.Red, b.regs[c+k], b.regs[c+k+by].x) })
			}
		}
	}
	end(&b, each)
	f.Vecs.Free = free
}

// columns emits the loop down the rows for one group of columns.
func (f *phaseCode) columns(accs []columnAcc, group int) {
	free := f.Vecs.Free
	f.group = group
	if f.Start(group); len(f.transposedSites) > 0 { // a part of one vector after the other
		f.Start(1)
	}
	f.firstRow()
	accs = slices.Clone(accs)
	for i := range accs {
		if accs[i].inRegs {
			for c := range group {
				r := takeRanked(accs[i].Kern, f.Vecs.TakeTop)
				if accs[i].regs = append(accs[i].regs, r); f.combines {
					f.Lanes.Constant(r.x, accs[i].Kern.Lane, accs[i].Kern.Identity)
				} else {
					eachPart(accs[i].Kern, r, f.columnMem(&accs[i], c), f.Lanes.LoadVec)
				}
			}
		}
	}
	f.loadCarries(group)
	f.firstPosition(accs)
	if f.combines {
		f.combinedRows(accs, group)
	} else {
		f.allRows(accs, group)
	}
	for i := range accs {
		for c, r := range accs[i].regs {
			f.Choose(c)
			f.storeRanked(accs[i].Kern, r, f.columnMem(&accs[i], c))
		}
	}
	f.storeCarries()
	f.Vecs.Free = free
}

// down emits the loop down Count rows for one group of columns.
func (f *phaseCode) down(accs []columnAcc, group int) {
	if len(f.transposedSites) > 0 {
		f.transposedRows(accs, group)
		return
	}
	f.rows(accs, group)
}

// rows emits the loop down Count rows for one group of columns, which follow each other in memory.
func (f *phaseCode) rows(accs []columnAcc, group int) {
	rows := f.NewLabel()
	if f.Phase.Leaves {
		f.left = f.NewLabel()
	}
	f.holdSteps(nil, 1)
	f.Align(32)
	f.Bind(rows)
	f.rowsStep = f.runRows()
	f.aheadRuns()
	for f.Step = range f.rowsStep {
		f.row(accs, group)
	}
	f.Step = 0
	f.nextColumns(true)
	f.stepRegs = nil
	f.Int(isa.Sub, isa.Count, isa.K(f.rowsStep))
	f.BranchResult(isa.NE, rows)
	if f.Phase.Leaves {
		f.Int(isa.Mov, isa.Word(frame.Going), isa.K(1))
		f.Bind(f.left)
	}
}

// runRows returns the number of rows that an iteration of a loop over runs takes: those of a cache line, for targets
// that read rows at once. It divides the rows of a run. Other loops take one.
func (f *phaseCode) runRows() int {
	n := 1
	if f.Runs == 0 || f.RowsAtOnce == 0 {
		return n
	}
	widest := 1
	f.eachRowSite(func(s *layout.Site, _ int8) { widest = max(widest, s.RowBytes(), -s.RowBytes()) })
	for n < f.RowsAtOnce && 2*n*widest <= layout.LineBytes {
		n *= 2
	}
	return n
}

// aheadRuns emits the prefetches of an iteration of a loop over runs: what the same iteration reads of the next group of
// runs. A run is too short for the processor to prefetch its end.
func (f *phaseCode) aheadRuns() {
	if f.Runs == 0 || f.RowsAtOnce == 0 || f.Ahead == 0 {
		return
	}
	f.eachRowSite(func(s *layout.Site, at int8) {
		if s.Kind != layout.Unit || at < 0 {
			return
		}
		for run := range f.Runs {
			last := (f.rowsStep - 1) * s.RowBytes()
			for by := min(last, 0); by < max(last, 0)+f.allColumns()*f.W*s.Size; by += layout.LineBytes {
				f.Prefetch(isa.At(isa.SiteReg(int(at)), (f.Runs+run)*s.RunBytes()+by))
			}
		}
	})
}

// row emits one row of a group of columns.
func (f *phaseCode) row(accs []columnAcc, group int) {
	f.aheadColumns(group)
	if f.atOnce == 0 {
		f.body(f.top)
		f.accumulateRow(accs, group)
	} else {
		down := f.descends()
		for at := 0; at < group; at += f.atOnce {
			if f.Base = at; down {
				f.Base = (group-1)/f.atOnce*f.atOnce - at
			}
			f.Start(min(f.atOnce, group-f.Base))
			f.Back = 0
			if f.Base+f.Copies == group {
				f.Back = f.back
			}
			f.body(f.top)
			f.accumulateRow(accs, f.Copies)
		}
		f.Base, f.Back = 0, 0
	}
	f.nextPosition(accs)
}

// descends reports whether each row of all arrays is before the one that the loop took last. The loop goes along the vectors of a row from the
// last one on then: in the order of memory the processor would prefetch the row that is done.
func (f *phaseCode) descends() bool {
	some, all := false, true
	f.eachRowSite(func(s *layout.Site, _ int8) {
		some = some || s.RowBytes() < 0
		all = all && (s.Kind != layout.Unit || s.RowBytes() < 0)
	})
	return some && all
}

// firstRow sets the addresses of the sites to the first row of a group of columns.
func (f *phaseCode) firstRow() {
	f.eachRowSite(func(s *layout.Site, at int8) {
		r := isa.T0
		if at >= 0 {
			r = isa.SiteReg(int(at))
		}
		f.Int(isa.Mov, r, isa.Word(s.Arg+s.Origin))
		switch s.Kind {
		case layout.Unit, layout.Scratch:
			f.Asm.Address(r, isa.AtX(r, isa.Lane, s.Size, 0))
		case layout.Strided:
			f.Int(isa.Mov, isa.T1, isa.Word(s.Arg+frame.SiteStride))
			f.Int(isa.Mul, isa.T1, isa.Lane)
			f.Int(isa.Add, r, isa.T1)
		case layout.Transposed: // each block sets its address in scratch memory
			f.Int(isa.Mov, isa.T1, isa.Word(s.Arg+frame.SiteStride))
			f.Int(isa.Mul, isa.T1, isa.Lane)
			f.Int(isa.Add, r, isa.T1)
			f.Int(isa.Mov, isa.Word(s.Arg+frame.SiteArray), r)
			return
		}
		if at < 0 {
			f.Int(isa.Mov, isa.Word(s.Arg+frame.SiteCur), r)
		}
	})
}

// nextColumns steps the addresses of the sites to the next row, those of transposed sites if transposed is
// set.
func (f *phaseCode) nextColumns(transposed bool) {
	f.eachRowSite(func(s *layout.Site, at int8) {
		if s.Kind == layout.Transposed && !transposed {
			return
		}
		step, held := f.stepRegs[s]
		switch {
		case held:
		case s.Kind == layout.Transposed:
			step = isa.K(isa.TransposePitch)
		case f.Runs > 0:
			step = isa.K(f.rowsStep * s.RowBytes())
		default:
			step = isa.Word(s.Arg + frame.SiteRow)
		}
		f.stepRow(s, at, step)
	})
}

// accumulateColumns combines the values of a row with the accumulators.
func (f *phaseCode) accumulateColumns(a *columnAcc, group int) {
	for c := range group {
		f.Choose(c)
		if a.inRegs {
			f.step(a.Red, a.regs[f.Base+c], f.operand(a.Red))
		} else {
			f.stepMem(a.Red, f.columnMem(a, f.Base+c))
		}
		f.EndStep()
	}
}

// accumulateRows combines the values of several rows, f.PerRow vectors of each, with accumulators in
// memory.
func (f *phaseCode) accumulateRows(accs []columnAcc) {
	for i := range accs {
		a := &accs[i]
		for c := range f.PerRow {
			f.Copy = c
			m := f.columnMem(a, c)
			d := takeRanked(a.Kern, f.Tmp)
			f.Lanes.LoadVec(a.Kern.Lane, d.x, m.x)
			f.stepRows(a.Red, d, c)
			f.storeRanked(a.Kern, d, m)
			f.EndStep()
		}
	}
	for i := range accs {
		f.DropAll(accs[i].Arg)
	}
}

// stepRows combines the values of all rows, of vector c of each, with an accumulator.
func (f *phaseCode) stepRows(r *lower.Red, d ranked, c int) {
	if f.stepAtOnce(r, d, c, f.PerRow) {
		return
	}
	for f.Copy = c; f.Copy < f.Copies; f.Copy += f.PerRow {
		f.Within(func() { f.step(r, d, f.operand(r)) })
	}
}

// rowsAhead is the number of rows between a prefetch and its use down columns, as a power of two.
const rowsAhead = 3

// aheadColumns emits the prefetches of a row of a group of columns, for a loop that carries
// values: the lines of a row further down. The processor prefetches along rows only.
func (f *phaseCode) aheadColumns(group int) {
	if !f.Fetch || f.Masked {
		return
	}
	f.eachRowSite(func(s *layout.Site, at int8) {
		if s.Kind != layout.Unit || at < 0 {
			return
		}
		f.Int(isa.Mov, isa.T0, isa.Word(s.Arg+frame.SiteRow))
		f.Int(isa.Shl, isa.T0, isa.K(rowsAhead))
		for by := 0; by < group*f.W*s.Size; by += layout.LineBytes {
			f.Prefetch(isa.AtX(isa.SiteReg(int(at)), isa.T0, 1, by))
		}
	})
}

// accumulateRow combines the values of a group of vectors of a row with the accumulators.
func (f *phaseCode) accumulateRow(accs []columnAcc, group int) {
	if f.PerRow > 0 {
		f.accumulateRows(accs)
		return
	}
	for i := range accs {
		f.accumulateColumns(&accs[i], group)
	}
	for i := range accs {
		f.DropAll(accs[i].Arg)
	}
}

// columnGroups emits a loop over groups of vectors of columns, as many as the columns fill, then a jump to end.
func (f *phaseCode) columnGroups(accs []columnAcc, group int, end isa.Label) {
	step, loop := group*f.W, f.NewLabel()
	f.Bind(loop)
	f.Asm.Address(isa.T0, isa.At(isa.Lane, step))
	f.Branch(isa.GT, isa.T0, isa.Word(f.Phase.Lanes), end)
	f.columns(accs, group)
	f.Int(isa.Add, isa.Lane, isa.K(step))
	f.Jump(loop)
}

// A loop that combines goes down all rows of a call with accumulators in registers. A reduction with an order has an
// accumulator for each run of rows. The runs are the leaves of a tree of adjacent pairs: level k in memory has the result
// of 2^k runs if bit k of the number of runs that are done is set. A call begins with a run, and the results of the
// last call are those of all rows. A loop along rows has its accumulators in memory, where the results go: see
// [phaseCode.combineAcross].

// wholeGroups returns the vectors of a group of columns of a row of known length, or 0, and of how many rows one is computed
// at once. All groups but the last have so many.
func (f *phaseCode) wholeGroups(v, m, states int) (vectors, at int) {
	if f.Layout.Whole == 0 || !f.Fits(m) {
		return 0, 0
	}
	at = f.manyRows()
	room := (f.Vectors - f.beside(at*v)) / states
	if at > 1 { // [isa.Lanes.StepValues] takes some
		room = (f.Vectors - max(at*v+node+1, f.ofNode)) / states
	}
	all := (f.Layout.Whole + f.W - 1) / f.W
	if room < 1 {
		return 0, 0
	}
	groups := (all + room - 1) / room
	if vectors = (all + groups - 1) / groups; vectors*at*len(f.top) > wholeNodes {
		return 0, 0
	}
	return vectors, at
}

// manyRows returns how many rows a loop that combines or carries values goes down at once.
func (f *phaseCode) manyRows() int {
	switch many := f.Layout.AtOnce; {
	case f.combines && many > 1:
		return f.chooseCopies(many, node)
	case len(f.carries) > 0:
		return max(many, 1)
	}
	return 1
}

// wholeRows emits groups of columns for a row of known length, at vectors at once, and a jump to done. It does nothing if a call
// has another number of lanes.
func (f *phaseCode) wholeRows(accs []columnAcc, group, at int, done isa.Label) {
	other, n := f.NewLabel(), f.wholeLanes()
	all := (n + f.W - 1) / f.W
	end := (all - 1) / group * group
	f.Branch(isa.NE, isa.Word(f.Phase.Lanes), isa.K(n), other)
	f.atOnce = at
	if f.many = f.manyRows(); f.combines && f.many > 1 {
		f.atOnce = 1
	}
	if end > 0 {
		f.part("columns: groups of %d vectors", group)
		loop := f.NewLabel()
		f.Bind(loop)
		f.columns(accs, group)
		f.Int(isa.Add, isa.Lane, isa.K(group*f.W))
		f.Branch(isa.LT, isa.Lane, isa.K(end*f.W), loop)
	}
	f.part("columns: the last %d vectors of whole rows", all-end)
	switch f.Tail = n % f.W; {
	case f.Tail > 0 && f.overlapsWhole(accs, all-end):
		f.back, f.Tail = f.W-f.Tail, 0
	case f.Tail > 0:
		f.Int(isa.Mov, isa.T1, isa.K(f.Tail))
		f.Lanes.SetTail()
		f.Ends, f.Masked = all-end, all-end == 1
	}
	f.columns(accs, all-end)
	f.many, f.atOnce, f.Ends, f.Tail, f.back, f.Masked = 0, 0, 0, 0, 0, false
	f.Jump(done)
	f.Bind(other)
}

// allRows emits the loops down all rows of a call for one group of columns.
func (f *phaseCode) allRows(accs []columnAcc, group int) {
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Rows))
	if f.many <= 1 {
		f.down(accs, group)
		return
	}
	done := f.NewLabel()
	f.rowsTogether(accs, group, done)
	f.down(accs, group)
	f.Bind(done)
}

// rowsTogether emits the loop down Count rows for one group of columns, f.many at once, as long as so many are left. It jumps
// to done if none is left.
func (f *phaseCode) rowsTogether(accs []columnAcc, group int, done isa.Label) {
	rows, few := f.NewLabel(), f.NewLabel()
	f.Branch(isa.LT, isa.Count, isa.K(f.many), few)
	f.Align(32)
	f.Bind(rows)
	if len(f.carries) > 0 { // one after the other
		for f.Step = range f.many {
			f.row(accs, group)
		}
		f.Step, group = 0, 0
	}
	f.PerRow = 1
	for f.Base = range group {
		f.Start(f.many)
		f.Choose(0)
		f.body(f.top)
		for i := range accs {
			f.Choose(0)
			f.stepRows(accs[i].Red, accs[i].regs[f.Base], 0)
			f.EndStep()
		}
		for i := range accs {
			f.DropAll(accs[i].Arg)
		}
	}
	f.PerRow, f.Base = 0, 0
	f.eachRowSite(func(s *layout.Site, at int8) { f.stepRow(s, at, isa.K(f.many*s.RowBytes())) })
	f.Int(isa.Sub, isa.Count, isa.K(f.many))
	f.Branch(isa.GE, isa.Count, isa.K(f.many), rows)
	f.Bind(few)
	f.Branch(isa.EQ, isa.Count, isa.K(0), done)
}

// combinedRows emits the loop down the rows of a call for one group of columns, whose accumulators have the identity.
func (f *phaseCode) combinedRows(accs []columnAcc, group int) {
	f.loadLoose(accs, group)
	if !ordered(accs) {
		f.allRows(accs, group)
		return
	}
	f.eachRun(accs, func() { f.down(accs, group) }, func(a *columnAcc, end func(*columnAcc, int)) { end(a, group) })
}

func ordered(accs []columnAcc) bool {
	return slices.ContainsFunc(accs, func(a columnAcc) bool { return a.Kern.Ordered })
}

// countRuns sets the counter to the runs, or groups of runs, of so many rows before the first row of a call.
func (f *phaseCode) countRuns(rows int) {
	f.Int(isa.Mov, isa.T0, isa.Word(frame.First))
	f.Int(isa.Shr, isa.T0, isa.K(bits.TrailingZeros(uint(rows))))
	f.Int(isa.Mov, isa.Word(frame.Counter), isa.T0)
}

// eachRun emits a loop over the runs of a call. down emits the loop down Count rows. levels calls end with the accumulators of
// a reduction in registers, at the end of a run and at the end of the rows.
func (f *phaseCode) eachRun(accs []columnAcc, down func(), levels func(a *columnAcc, end func(*columnAcc, int))) {
	runs, rest := f.NewLabel(), f.NewLabel()
	f.countRuns(ir.Run)
	f.Int(isa.Mov, isa.T0, isa.Word(frame.Rows))
	f.Int(isa.Mov, isa.Word(frame.Going), isa.T0)
	f.Bind(runs)
	f.Int(isa.Mov, isa.Count, isa.Word(frame.Going))
	f.Int(isa.Mov, isa.T0, isa.K(ir.Run))
	f.Int(isa.Min, isa.Count, isa.T0)
	down()
	f.Branch(isa.LT, isa.Word(frame.Going), isa.K(ir.Run), rest)
	eachReduction(accs, true, func(a *columnAcc) { levels(a, f.pushRun) })
	f.Int(isa.Add, isa.Word(frame.Counter), isa.K(1))
	f.Int(isa.Sub, isa.Word(frame.Going), isa.K(ir.Run))
	f.BranchResult(isa.NE, runs)
	f.Bind(rest)
	eachReduction(accs, true, func(a *columnAcc) { levels(a, f.popRuns) })
}
