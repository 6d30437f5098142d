package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
)

// A stencil reads one array at many places. Their addresses are at fixed distances, so one
// register serves them all.

// siteRegs is the number of registers that addresses have in any loop. Sites at a distance share one where the
// others do not fit, because the distance is a constant of the code then.
const siteRegs = 6

// farthestNear is the most bytes between such sites.
const farthestNear = 1 << 28

// findNear finds the sites of a map whose addresses follow from that of an earlier site.
func (b *Binder) findNear(bp *Phase) {
	if bp.Lowered.Kind != lower.MapPhase {
		return
	}
	if b.nearSites(bp, 0) > siteRegs || bp.Copied { // pieces of rows are packed
		b.nearSites(bp, farthestNear)
	}
}

// nearSites finds sites at most so many bytes from an earlier one. It returns the number of the
// others.
func (b *Binder) nearSites(bp *Phase, most int) (roots int) {
	for i := range bp.Sites {
		s := &bp.Sites[i]
		if s.Near = 0; !s.fixed() {
			continue
		}
		for j := range i {
			x := &bp.Sites[j]
			if d, ok := b.distance(x, s); ok && x.Near == 0 && -most <= d && d <= most {
				s.Near, s.Apart = int32(j+1), d
				break
			}
		}
		if s.Near == 0 {
			roots++
		}
	}
	return roots
}

// fixed reports whether the lanes of a site are contiguous from its address on, or laid rows.
func (s *Site) fixed() bool {
	return (s.Kind == Unit || s.Kind == Laid && s.Gather == nil) && !s.Guard && s.Dyn == nil
}

// distance returns the bytes from a site to another, if they are the same in all runs and at all
// positions.
func (b *Binder) distance(from, to *Site) (bytes int, ok bool) {
	if !from.fixed() || !slices.Equal(from.Line.Spans, to.Line.Spans) {
		return 0, false
	}
	return b.rowDistance(from, to)
}

// rowDistance returns the bytes from the first element of a row of one site to the first element of the same row of another site. It reports
// false if they differ between runs or rows.
func (b *Binder) rowDistance(from, to *Site) (bytes int, ok bool) {
	if from.Buf < 0 || to.Buf < 0 || from.Size != to.Size {
		return 0, false
	}
	x, y := &b.Binding.Bufs[from.Buf], &b.Binding.Bufs[to.Buf]
	if !b.together(from.Buf, to.Buf) {
		return 0, false
	}
	bytes = (to.Line.Base-from.Line.Base)*to.Size + y.Offset - x.Offset
	return bytes, slices.Equal(from.Line.Outer, to.Line.Outer)
}

// ShareRows gives the sites of the phases of a row, of which there are several, the register of the first site with the same array, size of
// elements and steps from row to row, if siteRegs registers suffice for these and a counter of the rows. Else it changes nothing.
func (b *Binder) ShareRows(phases []*Phase) {
	var roots, sites []*Site
	for _, bp := range phases {
		for i := range bp.Sites {
			s := &bp.Sites[i]
			if s.Kind == Unused {
				continue
			}
			if !bp.Blends || bp.Laid > 0 || s.Kind != Unit && s.Kind != Uniform || !s.Affine() || s.Origin != frame.SitePtr {
				return
			}
			sites = append(sites, s)
		}
	}
	root := func(s *Site) (at, apart int) {
		for at, x := range roots {
			if d, ok := b.rowDistance(x, s); ok && max(d, -d) <= farthestNear {
				return at, d
			}
		}
		roots = append(roots, s)
		return len(roots) - 1, 0
	}
	for _, s := range sites {
		if root(s); len(roots) >= siteRegs {
			return
		}
	}
	for _, s := range sites {
		at, apart := root(s)
		s.Shared, s.Near, s.Apart = at+1, 0, apart
	}
	for _, bp := range phases {
		bp.Shares = roots
	}
}
