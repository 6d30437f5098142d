package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// at returns the loop digits and cells of a phase, for sites that Go copies.
func (b *Binder) at(ph *lower.Phase, digits []int) gather.At {
	return gather.At{Kernel: b.Kernel, Digits: digits, Handle: ph.CellOf}
}

// stagedSite makes Go copy the elements of a site.
func (l *layouter) stagedSite(i int) {
	info, s := &l.ph.Sites[i], &l.bp.Sites[i]
	st := &Staging{Buf: info.Buf, Size: info.Type.Size(), Index: info.Access < 0}
	if at := l.at(l.ph, l.vec); st.Index {
		st.Site = at.Index(info.Ix)
	} else {
		st.Site = at.Access(&l.Access[info.Access])
	}
	l.guards[i] = nil
	*s = Site{Kind: Scratch, Staged: true, Guard: st.Site.Masked(), Buf: info.Buf, Array: -1, Size: st.Size, Arg: s.Arg, Stage: st}
}

// stagedIndex makes Go compute an affine index.
func (l *layouter) stagedIndex(s *Site, f bound.Form) {
	st := &Staging{Buf: -1, Size: 8, Index: true, Site: l.at(l.ph, l.vec).Form(f)}
	*s = Site{Kind: Scratch, Staged: true, Buf: -1, Array: -1, Size: 8, Arg: s.Arg, Stage: st}
}

// mostPeriod is the most elements that a worker repeats in scratch memory. The memory
// should stay in the first-level cache.
const mostPeriod = 1024

// period returns the number of lanes after which the elements of an affine load repeat,
// as those of a row that a loop over rows adds to each of them. It returns 0 if they do
// not, or if the kernel or its outer loops may change them.
func (l *layouter) period(i int) int {
	s, f := &l.bp.Sites[i], l.offsets[i]
	if l.ph.Kind != lower.MapPhase || s.Buf < 0 || s.Guard || s.Dyn != nil || l.IR.Bufs[s.Buf].Mode != ir.In {
		return 0
	}
	period := 0
	for d, k := range f.Coef {
		if k != 0 && !slices.Contains(l.vec, d) {
			return 0
		}
	}
	for _, d := range l.vec {
		switch x := l.Digits[d]; {
		case period > 0:
			period *= x.Extent
		case f.Coef[d] != 0 && x.Extent > 1:
			period = x.Extent
		}
	}
	if period > mostPeriod || l.bp.N <= mostPeriod { // one copy for each run, with a period or without
		return 0
	}
	return period
}
