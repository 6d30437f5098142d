package emit

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// chooseCarries finds the carries that stay in registers, at most room for each copy.
// Each row loads and stores the others, such as predicates. So it does with integers whose lanes in memory are
// not those of a register, but for those that hold: see holdsNarrow.
func (f *phaseCode) chooseCarries(room int, holds bool) {
	for i := range f.Phase.Carries {
		c := &f.Phase.Carries[i]
		if t := c.Type; len(f.carries) < room && t != dtype.Bool && (!f.extends(t) || holds) {
			x := carried{Carry: c}
			if f.extends(t) {
				x.slot = f.Slots.Take()
			}
			f.carries = append(f.carries, x)
		}
	}
	f.findEarly()
}

// extends reports whether lanes are wider than elements of a type.
func (f *phaseCode) extends(t dtype.Type) bool { return isa.Narrow(t) && f.LaneSize == 0 }

// holdsNarrow reports whether registers hold carries of 1 and 2 bytes: down columns on targets with Tails, and on all where lanes are walked one
// by one. Before and after all steps a loop moves them lane by lane, which takes less time than to pack them in each step.
func (f *phaseCode) holdsNarrow() bool {
	return (f.Tails || f.Layout.Along) && f.LaneSize == 0 && f.Phase.Kind == lower.SeqPhase && !f.Layout.Prefixes && !f.Across()
}

// wrapStates lets registers have carries of 1 byte as their types say: nodes that are only stored may not.
func (f *phaseCode) wrapStates() {
	for i := range f.Phase.Carries {
		if c := &f.Phase.Carries[i]; isa.Narrow(c.Type) && (f.holdsNarrow() || f.Layout.Each > 0) {
			f.Nodes[c.Load].Bytes, f.Nodes[f.Nodes[c.Store].Args[0]].Bytes = false, false
		}
	}
}

// moveNarrow emits a loop over the lanes of copy k of a carry of 1 or 2 bytes, the last ones first: it moves them from their
// array to its slot of the frame, or back.
func (f *phaseCode) moveNarrow(c *carried, k int, back bool) {
	size, lanes := c.Type.Size(), f.W
	f.Int(isa.Mov, isa.T0, isa.Word(f.carrySite(c).Arg+frame.SitePtr))
	f.Asm.Address(isa.T0, f.carryVec(c, k))
	if f.Masked && f.Tail > 0 {
		lanes = f.Tail
	}
	f.Int(isa.Mov, isa.T1, isa.K(lanes))
	if f.Masked && f.Tail == 0 {
		f.Int(isa.Mov, isa.T1, isa.Word(f.Phase.Lanes))
		f.Int(isa.Sub, isa.T1, isa.Lane)
		f.Int(isa.Sub, isa.T1, isa.K(k*f.W))
	}
	loop, m := f.NewLabel(), f.Slot(c.slot)
	m.Index, m.Scale, m.Disp = isa.T1, 4, m.Disp-4
	array := isa.AtX(isa.T0, isa.T1, size, -size)
	f.Bind(loop)
	if back {
		f.Load(4, isa.T2, m)
		f.Store(size, array, isa.T2)
	} else {
		f.Load(size, isa.T2, array)
		if c.Type.IsSigned() {
			f.Int(isa.Shl32, isa.T2, isa.K(32-8*size))
			f.Int(isa.Sar32, isa.T2, isa.K(32-8*size))
		}
		f.Store(4, m, isa.T2)
	}
	f.Int(isa.Sub, isa.T1, isa.K(1))
	f.BranchResult(isa.NE, loop)
}

// findEarly finds the carries whose registers the next values may take.
func (f *phaseCode) findEarly() {
	first := int32(math.MaxInt32)
	for i := range f.carries {
		first = min(first, f.Nodes[f.carries[i].Store].At)
	}
	for i := range f.carries {
		c := &f.carries[i]
		c.early = f.Last[c.Load] < first
	}
}

// aimCarries lets the nodes that compute the next values write to the registers of the
// carries, if they can.
func (f *phaseCode) aimCarries() {
	f.Aims = map[int32]isa.Aim{}
	for i := range f.carries {
		c := &f.carries[i]
		next := f.Nodes[c.Store].Args[0]
		if _, taken := f.Aims[next]; !taken && c.early && slices.Contains(f.top, next) && f.Nodes[next].Op != ir.Cold {
			f.Aims[next] = isa.Aim{Carry: c.Load, Regs: c.regs}
		}
	}
}

// carriesSite reports whether a site is the array of a carry in registers.
func (f *phaseCode) carriesSite(s *layout.Site) bool {
	return s.Kind == layout.Scratch && slices.ContainsFunc(f.carries, func(c carried) bool { return c.Array == s.Array })
}

// carryMem emits the address of copy k of a carry in its array.
func (f *phaseCode) carryMem(c *carried, k int) isa.Mem {
	m := f.carryVec(c, k)
	if c.from != 0 {
		m.Base = c.from
	} else {
		f.Int(isa.Mov, isa.T0, f.carryWord(c))
	}
	return m
}

// carryVec returns the address of copy k of a carry in the row at T0.
func (f *phaseCode) carryVec(c *carried, k int) isa.Mem {
	size := c.Type.Size()
	return isa.AtX(isa.T0, isa.Lane, size, k*f.W*size)
}

// loadStates loads the states from m on into the lanes of d, as the node that loads the carry does.
func (f *phaseCode) loadStates(c *carried, m isa.Mem, d isa.Vec) {
	f.Asm.Address(isa.T0, m)
	f.Int(isa.Mov, isa.Word(f.carrySite(c).Arg+frame.SiteCur), isa.T0)
	f.ID, f.Cur, f.Aims = c.Load, &f.Nodes[c.Load], nil
	f.Choose(0)
	f.Lanes.Emit(f.Cur)
	f.Lanes.CopyVec(c.Type, d, f.Src(c.Load))
	f.End()
	f.DropCopies(c.Load, 0, 1)
}

func (f *phaseCode) loadCarries(group int) {
	for i := range f.carries {
		c := &f.carries[i]
		c.regs = nil
		for k := range group {
			d := f.Vecs.TakeTop()
			switch m := f.carryMem(c, k); {
			case f.extends(c.Type) && f.Layout.Each > 0:
				f.loadStates(c, m, d)
			case f.extends(c.Type):
				f.Choose(k)
				f.moveNarrow(c, k, false)
				f.Lanes.LoadVec(c.Type, d, f.Slot(c.slot))
			default:
				f.Lanes.LoadVec(c.Type, d, m)
			}
			c.regs = append(c.regs, d)
		}
	}
	f.aimCarries()
}

func (f *phaseCode) storeCarries() {
	for i := range f.carries {
		c := &f.carries[i]
		if c.echo != nil && !f.lastRow {
			continue
		}
		for k, r := range c.regs {
			m := f.carryVec(c, k)
			if m.Base = c.from; c.echo != nil || c.from == 0 {
				m.Base = isa.T1 // a store of a few bytes may take T0
				f.Int(isa.Mov, m.Base, isa.Word(f.carrySite(c).Arg+frame.SitePtr))
			}
			f.Choose(k)
			if f.extends(c.Type) {
				f.Lanes.StoreVec(c.Type, f.Slot(c.slot), r)
				f.moveNarrow(c, k, true)
				continue
			}
			f.Within(func() {
				if f.Masked && f.Tail > 0 && f.Layout.Groups > 0 { // the load of the next span waits for no store of its lanes
					f.Lanes.StoreFirst(f.Tail*c.Type.Size(), m, r)
				} else {
					f.Lanes.StoreLanes(c.Type, m, r, f.Masked)
				}
			})
		}
	}
}

// carry emits the load or the store of a carry in registers. It returns false for other
// nodes. A load is no instruction, unless a next may change the value while it is in use. A
// next is none if its value is in the register already.
func (f *phaseCode) carry(id int32) bool {
	i := slices.IndexFunc(f.carries, func(c carried) bool { return c.Load == id || c.Store == id })
	if i < 0 {
		return false
	}
	c, n := &f.carries[i], &f.Nodes[id]
	f.ID, f.Cur = id, n
	for k := range f.Copies {
		f.Choose(k)
		f.Released = c.Load == id
		switch {
		case c.Load == id && c.early:
			f.Keep(id, c.regs[f.Base+k])
		case c.Load == id:
			f.Lanes.CopyVec(c.Type, f.Dst(), c.regs[f.Base+k])
		default:
			next := n.Args[0]
			if f.Layout.Prefixes && f.Masked {
				next = n.Args[1]
			}
			if r := f.Src(next); r != c.regs[f.Base+k] {
				f.Lanes.CopyVec(c.Type, c.regs[f.Base+k], r)
			}
		}
		f.End()
	}
	return true
}

// carryWord returns the word of the frame, or the register, with the address from which a carry is loaded: the address of its array, or
// of the row before.
func (f *phaseCode) carryWord(c *carried) isa.Int {
	if c.from != 0 {
		return c.from
	}
	at := frame.SitePtr
	if c.echo != nil {
		at = frame.SiteCur
	}
	return isa.Word(f.carrySite(c).Arg + at)
}

// carrySite returns the site of the array of a carry.
func (f *phaseCode) carrySite(c *carried) *layout.Site {
	return &f.Layout.Sites[f.Nodes[c.Load].Aux]
}

// eachRowSite calls do for the sites that step from row to row, of those that share a register for the first. at is the
// register with the address of the row, or none.
func (f *phaseCode) eachRowSite(do func(s *layout.Site, at int8)) {
	for i := range f.Layout.Sites {
		s, r := &f.Layout.Sites[i], f.SiteReg[i]
		if s.Near > 0 && r >= 0 && r == f.SiteReg[s.Near-1] {
			continue
		}
		if s.Kind != layout.Unused && !f.isUniformSite(int32(i)) && !f.carriesSite(s) {
			do(s, f.SiteReg[i])
		}
	}
}

// rowAt returns what has the address of a site in the row at hand: its register, or its word of the frame.
func rowAt(s *layout.Site, at int8) isa.Int {
	if at >= 0 {
		return isa.SiteReg(int(at))
	}
	return isa.Word(s.Arg + frame.SiteCur)
}

// holdSteps holds what each row reads of the frame in registers, as far as some are left: where accumulators in memory are, of a loop
// along rows the number of lanes and where states are, and the steps of sites from row to row unless it goes along many rows at
// once. A load from the frame waits with the loads and stores of elements, and those after it wait for it: rows of six wide vectors take
// up to twice as long on a Zen 5, and accumulators in memory too.
func (f *phaseCode) holdSteps(accs []columnAcc, many int) {
	r, ok := f.freeSite()
	if !ok || f.Runs > 0 || len(f.transposedSites) > 0 {
		return
	}
	hold := func(word isa.Int) isa.Int {
		held := r
		if held > isa.SiteReg(f.Sites-1) {
			return word
		}
		f.Int(isa.Mov, held, word)
		r += isa.SiteReg(1) - isa.SiteReg(0)
		return held
	}
	for i := range accs {
		if x := hold(isa.Word(accs[i].At + frame.SitePtr)); x.IsReg() {
			accs[i].at = x
		}
	}
	if f.Across() {
		f.lanes = hold(f.lanes)
		for i := range f.carries {
			if x := hold(isa.Word(f.carrySite(&f.carries[i]).Arg + frame.SitePtr)); x.IsReg() {
				f.carries[i].from = x
			}
		}
	}
	if many > 1 {
		return
	}
	f.stepRegs = map[*layout.Site]isa.Int{}
	f.eachRowSite(func(s *layout.Site, at int8) {
		if at >= 0 {
			f.stepRegs[s] = hold(isa.Word(s.Arg + frame.SiteRow))
		}
	})
}

// stepRow adds a number or a word of the frame to the address of a site in the row at hand. It may overwrite T0.
func (f *phaseCode) stepRow(s *layout.Site, at int8, by isa.Int) {
	if at < 0 && by.IsWord() {
		f.Int(isa.Mov, isa.T0, by)
		by = isa.T0
	}
	f.Int(isa.Add, rowAt(s, at), by)
}
