package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// Loops over short rows take as long for their branches as for the elements. The rows of one length are written out: their
// whole vectors, and a last one that overlaps the one before, or has its own lanes alone.

// The last vector is loaded before the one that it overlaps is stored: arrays are often a multiple of 4096 bytes apart, and
// a load waits for a store with the same lower bits of the address that it overlaps.

// exactRow emits the vectors of a row of the length that the layout has, and a jump to done, for calls with rows of this
// length. Other calls go on behind them. It reports whether it does.
func (f *phaseCode) exactRow(group int) (done isa.Label, ok bool) {
	n := f.Layout.Exact
	vectors, rest := n/f.W, n%f.W
	if n == 0 || f.Stream || slices.ContainsFunc(f.top, func(id int32) bool { return f.Nodes[id].Op == ir.Cold }) {
		return done, false
	}
	overlaps := rest == 0 || f.Layout.Repeats && f.anyLane()
	if f.Layout.Follow > 0 && overlaps {
		f.followedRows(group, 0)
	}
	own := 0 // lanes of a last vector that has its own lanes alone
	if vectors == 0 || !f.Layout.Repeats {
		own = rest
	}
	if max(vectors, 1)*len(f.top) > wholeNodes {
		return done, false
	}
	if f.Layout.Follow > 0 && !overlaps && own > 0 {
		f.followedRows(group, own)
	}
	f.part("rows of %d elements", n)
	other := f.NewLabel()
	done = f.NewLabel()
	if !f.onlyRows() {
		f.Branch(isa.NE, f.lanes, isa.K(n), other)
	}
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	f.ahead(isa.Lane, n)
	switch {
	case f.copyExact():
	case overlaps || own > 0:
		f.exactVectors(group, own)
	default:
		for f.Base = 0; f.Base < vectors; f.Base += group {
			f.Start(min(group, vectors-f.Base))
			f.body(f.top)
		}
		f.Base = 0
		f.Int(isa.Mov, isa.Lane, isa.K(n-f.W))
		f.Start(1)
		f.body(f.top)
	}
	if !f.onlyRows() {
		f.Jump(done)
		f.Bind(other)
	}
	return done, true
}

// onlyRows reports whether the phase belongs to a function of several, which is called for whole rows alone.
func (f *phaseCode) onlyRows() bool { return len(f.Layout.Shares) > 0 }

// copyExact copies a row of known length by the widest moves, if the loop does no more. It reports whether it does.
func (f *phaseCode) copyExact() bool {
	moves := f.Phase.Moves(f.Nodes, f.top)
	if len(moves) != 1 || len(f.top) != 2 || !f.Layout.Repeats || !f.Layout.Apart() {
		return false
	}
	to, from := moves[0].To, moves[0].From
	if f.Layout.Sites[from].Kind != layout.Unit || f.Layout.Sites[to].Kind != layout.Unit { // one element for the whole row
		return false
	}
	f.Start(1)
	f.Lanes.CopyBytes(f.Address(&f.Layout.Sites[to], to), f.Address(&f.Layout.Sites[from], from), f.Layout.Exact*f.Layout.Sites[to].Size, f.Phase.Sites[to].Type == dtype.Bool)
	f.EndStep()
	return true
}

// exactVectors emits the vectors of a row of known length from lane 0 on. The last one has own lanes, or, if own is 0, overlaps the one
// before, or the rows behind if it is the only one.
func (f *phaseCode) exactVectors(group, own int) {
	f.FromStart = true
	vectors, back := (f.Layout.Exact-own+f.W-1)/f.W, 0
	if vectors > 1 {
		back = vectors*f.W - (f.Layout.Exact - own)
	}
	for n := (vectors-1)%group + 1; f.Base < vectors; f.Base, n = f.Base+n, group { // the last group is whole
		if f.Start(n); f.Base+n == vectors {
			f.Back = back
		}
		f.body(f.top)
	}
	if f.Back = 0; own > 0 {
		f.knownTail(own)
	}
	f.Base, f.FromStart = 0, false
}

// mostFollowed is the most rows of an iteration over several.
const mostFollowed = 4

// followed returns the rows of an iteration over rows of the length that the layout has.
func (f *phaseCode) followed() int {
	vectors := (f.Layout.Exact + f.W - 1) / f.W
	return max(1, min(mostFollowed, wholeNodes/(vectors*len(f.top))))
}

// followedRows emits a loop over rows of the length that the layout has, with constant steps, as long as enough rows
// come behind them. Single rows have a loop if the prologue computes uniform values: all rows of the loop share these.
func (f *phaseCode) followedRows(group, own int) {
	rows := f.followed()
	if rows < 2 && len(f.hoisted) == 0 {
		return
	}
	for i, r := range f.SiteReg {
		if s := &f.Layout.Sites[i]; s.Row != 0 && (r < 0 || s.Origin != frame.SitePtr) {
			return
		}
	}
	loop, few := f.NewLabel(), f.NewLabel()
	least := isa.K(rows + f.Layout.Follow)
	f.part("%d rows of %d elements", rows, f.Layout.Exact)
	f.Branch(isa.NE, f.lanes, isa.K(f.Layout.Exact), few)
	f.Branch(isa.LT, f.rowCount, least, few)
	f.Int(isa.Mov, isa.Lane, isa.K(0))
	if f.tailKept = own > 0; f.tailKept {
		f.setTail(own)
	}
	f.Align(32)
	f.Bind(loop)
	for f.AtRow = range rows {
		f.exactVectors(group, own)
	}
	f.AtRow, f.tailKept = 0, false
	for i, r := range f.SiteReg {
		if s := &f.Layout.Sites[i]; s.Row != 0 && s.Near == 0 {
			f.Int(isa.Add, isa.SiteReg(int(r)), isa.K(rows*s.Row*s.Size))
		}
	}
	f.Int(isa.Sub, f.rowCount, isa.K(rows))
	f.Branch(isa.GE, f.rowCount, least, loop)
	f.Bind(few)
}
