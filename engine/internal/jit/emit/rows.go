package emit

import (
	"math/bits"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
)

// nextRow emits the end of a row loop: it steps the sites and jumps to again if rows
// are left, or groups of rows. held has the registers of the addresses that are not in the frame, rows counts the rows, and words has the
// registers of some words of the frame.
func nextRow(a isa.Asm, phases []*layout.Phase, again isa.Label, held []int8, rows isa.Int, words map[isa.Int]isa.Int) {
	word := func(at int) isa.Int {
		if r, ok := words[isa.Word(at)]; ok {
			return r
		}
		return isa.Word(at)
	}
	next := func(count isa.Int, step int, has func(s *layout.Site) bool) {
		for k, s := range phases[0].Shares {
			if has(s) {
				a.Int(isa.Add, isa.SiteReg(k), word(s.Arg+step))
			}
		}
		for _, bp := range phases {
			for i := range bp.Sites {
				switch s := &bp.Sites[i]; {
				case s.Shared > 0 || !has(s):
				case held == nil || held[i] < 0:
					a.Int(isa.Mov, isa.T0, isa.Word(s.Arg+step))
					a.Int(isa.Add, isa.Word(s.Arg+frame.SitePtr), isa.T0)
				case s.Near == 0:
					a.Int(isa.Add, isa.SiteReg(int(held[i])), word(s.Arg+step))
				}
			}
		}
		a.Int(isa.Sub, count, isa.K(1))
		a.BranchResult(isa.NE, again)
	}
	next(rows, frame.SiteRow, func(s *layout.Site) bool { return s.Row != 0 })
	for l := range phases[0].Groups {
		count, start := rows, word(frame.Starts[l])
		if l > 0 {
			count = word(frame.Counts[l])
		}
		if !count.IsReg() && !start.IsReg() {
			a.Int(isa.Mov, isa.T0, start)
			start = isa.T0
		}
		a.Int(isa.Mov, count, start)
		next(word(frame.Counts[l+1]), frame.SiteSteps[l+1], func(s *layout.Site) bool { return s.Groups[l] != 0 })
	}
}

// nextSpan emits the end of a loop over spans of columns: it steps the sites, the accumulators and the states, and jumps
// to again if spans are left.
func (f *phaseCode) nextSpan(again isa.Label) {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Groups[0] != 0 {
			f.Int(isa.Mov, isa.T0, isa.Word(s.Arg+frame.SiteGroup))
			f.Int(isa.Add, isa.Word(s.Arg+frame.SitePtr), isa.T0)
		}
	}
	lanes := func(at, size int) {
		f.Int(isa.Mov, isa.T0, isa.Word(f.Phase.Lanes))
		f.Int(isa.Shl, isa.T0, isa.K(bits.TrailingZeros(uint(size))))
		f.Int(isa.Add, isa.Word(at), isa.T0)
	}
	for i := range f.Layout.Reds {
		r := &f.Layout.Reds[i]
		if lanes(r.At+frame.SitePtr, r.Kern.Lane.Size()); f.combines {
			lanes(r.At+frame.SiteLevels, r.Kern.Lane.Size())
		}
	}
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind == layout.Scratch {
			lanes(s.Arg+frame.SitePtr, s.Size)
		}
	}
	f.Int(isa.Sub, isa.Word(frame.Left), isa.K(1))
	f.BranchResult(isa.NE, again)
}

// shareRows takes the addresses of all sites from the registers that the phases of a row share. The first phase loads these before the
// first row. It returns the counter of the rows.
func (f *phaseCode) shareRows(first bool) (rows isa.Int) {
	f.rowsHeld, rows = true, isa.Word(frame.Rows)
	for i := range f.Layout.Sites {
		f.SiteReg[i], f.SiteApart[i] = int8(f.Layout.Sites[i].Shared-1), f.Layout.Sites[i].Apart
	}
	if f.Rows {
		rows = isa.SiteReg(len(f.Layout.Shares))
	}
	if f.rowCount = rows; first {
		for k, s := range f.Layout.Shares {
			f.Int(isa.Mov, isa.SiteReg(k), isa.Word(s.Arg+frame.SitePtr))
		}
		if f.Rows {
			f.Int(isa.Mov, rows, isa.Word(frame.Rows))
		}
	}
	return rows
}
