// Package emit writes the machine code of the phases of a kernel: it hoists what all lanes
// share, orders the nodes, keeps reductions in registers, and writes the loops around
// the instructions of package isa.
package emit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/listing"
)

// An Object is the machine code of some phases.
type Object struct {
	Code  []byte
	Slots int
	// Combines says that the columns of a seq loop go from the identity to the result: see [layout.Phase].
	Combines bool
	Text     *listing.Function // or nil
}

// Generate returns machine code that runs phases one after the other. If list is set, the
// object has a listing.
func Generate(target isa.Target, p *lower.Program, phases []*layout.Phase, v layout.Variant, list bool) (*Object, error) {
	a := target.New(list)
	var text *listing.Function
	if list {
		text = &listing.Function{Name: Symbol(v, p.IR.Name, phases), Variant: describe(v)}
	}
	again := a.NewLabel()
	slots, combines := 0, false
	together := v.Rows && phases[0].Together > 0
	var done isa.Label // behind the loop over rows
	if together {
		var err error
		if slots, done, err = foldRows(target, a, list, p, phases, v); err != nil {
			return nil, err
		}
	}
	a.Bind(again)
	var held []int8
	var words map[isa.Int]isa.Int
	rows := isa.Word(frame.Rows) // the counter of a row loop
	for k, bp := range phases {
		f := newPhaseCode(target, a, list, p, bp, v)
		holds, shares := f.Rows && len(phases) == 1 && f.holdsRows(), len(bp.Shares) > 0
		switch {
		case holds:
			held, rows = f.holdRows()
		case shares:
			rows = f.shareRows(k == 0)
		}
		if holds || shares {
			words = f.holdWords(k == 0, held)
		}
		if k == 0 && (holds || shares) {
			again = a.NewLabel()
			a.Bind(again)
		}
		f.chained = len(phases) > 1 && bp.Blends && f.LaneSize == 0 && f.Phase.Kind != lower.SeqPhase && bp.Laid == 0 && (len(f.Phase.Reds) == 0 || len(f.hoisted) <= 2)
		f.loops()
		if bp.Groups > 0 && f.Phase.Kind == lower.SeqPhase && v.Runs == 0 {
			f.nextSpan(again)
		}
		if f.Err != nil {
			return nil, f.Err
		}
		slots, combines = max(slots, f.Slots.Count), f.combines
		if list {
			text.Spills += f.Spills
			text.Phases = append(text.Phases, f.listing())
		}
		f.recycle()
	}
	if v.Rows {
		a.Head("next row")
		nextRow(a, phases, again, held, rows, words)
	}
	if together {
		a.Bind(done)
	}
	obj, err := a.Finish(v.Stream)
	if err != nil {
		return nil, lower.Unsupported(err.Error())
	}
	if list {
		text.Object = *obj
	}
	return &Object{obj.Code, slots, combines, text}, nil
}

// foldRows emits a loop over rows that are folded together, for phases with [layout.Phase.Together]. It returns the
// slots of the loop, and the label of the end, to which it jumps after the last row. It goes on behind the loop if fewer rows are left
// than an iteration has.
func foldRows(target isa.Target, a isa.Asm, list bool, p *lower.Program, phases []*layout.Phase, v layout.Variant) (slots int, done isa.Label, err error) {
	done = a.NewLabel()
	f := foldedRows{phaseCode: newPhaseCode(target, a, list, p, phases[0], v)}
	if f.folds() {
		f.results = newPhaseCode(target, a, list, p, resultsOf(phases[1], f.accs[0].Red), layout.Variant{Narrow: f.bytes < layout.LineBytes})
		f.loop(phases, done)
		slots, err = max(f.Slots.Count, f.results.Slots.Count), f.results.Err
		f.results.recycle()
	}
	err = cmp.Or(err, f.Err)
	f.recycle()
	return slots, done, err
}

// phaseCodes has empty ones, which keep the storage of their lists.
var phaseCodes = sync.Pool{New: func() any { return &phaseCode{} }}

// recycle keeps the storage of the lists of f for another.
func (f *phaseCode) recycle() {
	f.Empty()
	*f = phaseCode{Emitter: f.Emitter, top: f.top[:0], hoisted: f.hoisted[:0], counts: f.counts, uses: f.uses[:0]}
	phaseCodes.Put(f)
}

// newPhaseCode prepares the code of a phase: it adds the nodes that compute offsets, and
// finds the uniform nodes and the last uses.
func newPhaseCode(target isa.Target, a isa.Asm, list bool, p *lower.Program, bp *layout.Phase, v layout.Variant) *phaseCode {
	f := phaseCodes.Get().(*phaseCode)
	f.Begin(target, a, list, p, bp, v)
	f.target, f.lanes, f.top = target, isa.Word(bp.Lowered.Lanes), append(f.top, bp.Lowered.Top...)
	f.Lanes = target.Lanes(&f.Emitter)
	f.expandGathers()
	size := lower.Widest(f.Nodes)
	if f.LaneSize == 0 && f.Layout.Counts {
		size = 4
	}
	for i := range f.Phase.Reds {
		if p := f.Phase.Reds[i].Prog; p != nil {
			size = max(size, lower.Widest(p.Nodes))
		}
	}
	if f.LaneSize > 0 {
		size = f.LaneSize
	}
	f.W = f.Facts.Bytes / size
	if v.Narrow {
		f.W = min(f.Facts.Bytes, 32) / size
	}
	if f.Layout.Few > 0 && (f.Predicates > 0 || f.Layout.Transposes()) {
		f.W = min(f.W, f.Layout.Few)
	}
	f.narrowReds()
	f.groupSteps()
	f.wrapStates()
	f.findUniform()
	f.settleGathers()
	f.widenLoop()
	f.splitShifts()
	f.compareSigned()
	f.gatherFields()
	f.fuse()
	f.quotients()
	f.limit()
	f.mirror()
	f.foldLoads()
	f.findShared()
	f.liveness()
	return f
}

func (f *phaseCode) loops() {
	switch f.Phase.Kind {
	case lower.ScalarPhase:
		f.scalarBody()
	case lower.MapPhase:
		f.mapLoop()
	case lower.SeqPhase:
		f.seqLoop()
	}
}

// Symbol returns the name of a function of a kernel.
func Symbol(v layout.Variant, kernel string, phases []*layout.Phase) string {
	name := fmt.Sprintf("%s.%d", kernel, phases[0].Lowered.ID)
	if n := len(phases); n > 1 {
		name += fmt.Sprintf("-%d", phases[n-1].Lowered.ID)
	}
	if v.Stream {
		name += ".stream"
	}
	if v.Transposed {
		name += ".transposed"
	}
	return name
}

func describe(v layout.Variant) string {
	var parts []string
	if v.Rows {
		parts = append(parts, "many rows in a call")
	}
	if v.Transposed {
		parts = append(parts, "for whole rows, with blocks of the transposed operand in registers")
	}
	if v.Stream {
		parts = append(parts, "for aligned outputs, which it stores past the caches")
	}
	return strings.Join(parts, "; ")
}

// seqLoop emits a seq phase.
func (f *phaseCode) seqLoop() {
	f.prologue()
	switch {
	case f.Layout.Prefixes:
		f.prefixLoop()
	case f.Layout.Each > 0:
		f.eachRow()
	case f.Across():
		f.acrossLoop()
	default:
		f.columnLoop()
	}
}

// holdsRows reports whether the addresses of a row loop that is one map stay in registers from row to row. In the frame each
// row would wait for the stores of the row before.
func (f *phaseCode) holdsRows() bool {
	return f.Layout.Blends && f.Phase.Kind == lower.MapPhase && len(f.Phase.Reds) == 0 && len(f.chosen) == 0
}

// holdRows chooses the registers of these addresses, loads them before the loop over rows, and returns them by site, or -1
// for those in the frame. It also returns the counter of the rows, which has a register if one is left. The address of a laid site moves
// along a row, and has a register beside the one that keeps where the row begins, if one is left.
func (f *phaseCode) holdRows() (held []int8, rows isa.Int) {
	f.rowsHeld, rows = f.Layout.Laid == 0, isa.Word(frame.Rows)
	f.pinSites()
	f.begins = slices.Repeat([]int8{-1}, len(f.SiteReg))
	for i, r := range f.SiteReg {
		s := &f.Layout.Sites[i]
		if r < 0 || s.Origin != frame.SitePtr {
			continue
		}
		if s.Near > 0 {
			f.begins[i] = f.begins[s.Near-1]
			continue
		}
		if s.Kind == layout.Laid {
			next, ok := f.freeSite()
			if !ok {
				continue
			}
			r = int8((next - isa.SiteReg(0)) / (isa.SiteReg(1) - isa.SiteReg(0)))
		}
		f.begins[i] = r
		f.Int(isa.Mov, isa.SiteReg(int(r)), isa.Word(s.Arg+frame.SitePtr))
	}
	if r, ok := f.freeSite(); ok {
		rows = r
		f.Int(isa.Mov, rows, isa.Word(frame.Rows))
	}
	f.rowCount = rows
	return f.begins, rows
}

// holdWords chooses registers behind the counter of the rows for words of the frame that each row or group reads: the number of lanes, the
// steps, and the counters of groups. It leaves one for loops along rows, unless they are laid. The first phase loads them. A load from
// the frame waits with the loads and stores of the rows before, and the branch or the row that needs it waits longer: rows of 1300 bytes
// take 1.25 times as long.
func (f *phaseCode) holdWords(first bool, held []int8) map[isa.Int]isa.Int {
	if !f.rowCount.IsReg() {
		return nil
	}
	words, last := map[isa.Int]isa.Int{}, f.rowCount
	exact, alone := held != nil && f.Layout.Exact > 0, held != nil
	spare := frame.Bit(!exact && f.Layout.Laid == 0)
	hold := func(word isa.Int) {
		r := last + isa.SiteReg(1) - isa.SiteReg(0)
		if r > isa.SiteReg(f.Sites-1-int(spare)) {
			return
		}
		if words[word], last = r, r; first {
			f.Int(isa.Mov, r, word)
		}
	}
	lanes := isa.Word(f.Phase.Lanes)
	if alone && !exact { // else a row reads it once
		hold(lanes)
	}
	sites := slices.Clip(f.Layout.Shares)
	for i, r := range held {
		if s := &f.Layout.Sites[i]; r >= 0 && s.Near == 0 {
			sites = append(sites, s)
		}
	}
	for _, s := range sites {
		if s.Row != 0 {
			hold(isa.Word(s.Arg + frame.SiteRow))
		}
	}
	if exact {
		hold(lanes)
	}
	for l := 0; alone && l < f.Layout.Groups; l++ {
		for _, s := range sites {
			if s.Groups[l] != 0 {
				hold(isa.Word(s.Arg + frame.SiteSteps[l+1]))
			}
		}
		hold(isa.Word(frame.Starts[l]))
		hold(isa.Word(frame.Counts[l+1]))
	}
	if r, ok := words[lanes]; ok {
		f.lanes = r
	}
	f.heldWords = len(words)
	return words
}

// mapLoop emits a map phase.
func (f *phaseCode) mapLoop() {
	f.prologue()
	if f.Transposed {
		f.transposedMap()
		return
	}
	f.loadSites()
	if len(f.Phase.Reds) > 0 {
		f.reduceLoop()
		return
	}
	if f.Layout.Laid > 0 {
		f.laidLoop()
		return
	}
	most := 4
	if n := f.Layout.Exact; n > 0 && n < 4*f.W && (f.Layout.Follow == 0 || f.followed() == 1) && !f.anyLane() {
		most = 1 // the few vectors of a row take no group, and uniform operands its registers
	}
	group := f.chooseCopies(most, 0)
	if !f.Fetch && !f.Stream { // these have halves, and whole lines
		group = max(group, f.deepCopies())
	}
	f.alone = group
	if f.share.bit > 0 {
		group = f.shareGroup(group)
		f.inParts = group
	}
	v, _ := f.pressure()
	switch {
	case f.share.bit == 0 && f.oneByOne(group):
		if group, f.unroll = 1, max(group, 2); 4*len(f.top) <= longBody {
			f.unroll = 4
		}
	case group == 4 && len(f.Takes) > 0: // their code is long
		group = 2
	default:
		group = f.uniformsOrGroup(group, 0)
	}
	for group > 1 && f.crowdsSelectors(group*v) {
		group /= 2
	}
	f.pinUniforms(f.Vectors - f.groupVecs(group) - f.spare())
	f.holding(max(f.groupVecs(group), 4)+f.spare()-spareRegs, func() {
		done, exact := f.exactRow(min(group, f.alone))
		if !exact || !f.onlyRows() {
			f.elementLoop(group)
		}
		if exact {
			f.Bind(done)
		}
	})
}
