package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
)

// findLanes sets bp.LaneSize if vectors of narrow lanes reach all sites, and bp.Counts.
func (b *Binder) findLanes(bp *Phase) {
	bp.Counts = b.Sums && bp.Lowered.Counts
	size, narrowing := bp.Lowered.LaneSize, bp.Lowered.Narrowed(b.Binding.Scalars, b.IR.Scalars)
	if narrowing != nil {
		size = narrowing.Size
	}
	if bp.Prefixes && !b.NarrowPrefixes || bp.Lowered.Kind == lower.SeqPhase && !b.narrowColumns(bp, size) {
		return
	}
	if slices.ContainsFunc(bp.Sites, func(s Site) bool {
		suits := false
		switch s.Kind {
		case Unit, Scratch, Transposed, Unused:
			suits = true
		case Uniform:
			suits = !bp.Lowered.Sites[s.Index(bp.Lowered)].Store
		case Laid:
			suits = narrowing == nil && (size <= 1 || b.Blends)
		case Strided:
			suits = s.Step != 0
		}
		return !suits || s.Guard || s.Gather != nil
	}) {
		return
	}
	bp.LaneSize, bp.Narrowing = size, narrowing
	if b.Blends && narrowing == nil {
		bp.Narrowing = bp.Lowered.Assuming(b.Binding.Scalars, b.IR.Scalars)
	}
}

// narrowColumns reports whether lanes of so many bytes hold the accumulators or the states of a seq loop: it only reduces
// whole rows to elements of that size or predicates, or only carries elements of that size down columns.
func (b *Binder) narrowColumns(bp *Phase, size int) bool {
	ph := bp.Lowered
	if len(ph.Carries) > 0 {
		return !bp.Along && b.statesFit(bp, size) && (bp.Prefixes || bp.Each == 0 && bp.sitesDown())
	}
	return b.Blends && bp.OnlyReduces() && !slices.ContainsFunc(ph.Reds, func(r lower.Red) bool { return r.Type != dtype.Bool && r.Type.Size() != size })
}
