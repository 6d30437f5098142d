package isa

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// Paired reports whether the copies of a body come in pairs: of two vectors with lanes of 16 bits
// one has the even bytes of memory, and the other one the odd bytes. They need no shuffles. The arrays of such a phase
// have bytes side by side, and no value depends on the position.
func (f *Emitter) Paired() bool {
	return f.Copies%2 == 0 && f.Half%2 == 0 && !f.Masked && !f.Prolog && f.Pairs()
}

// Pairs reports whether groups of an even number of vectors are paired.
func (f *Emitter) Pairs() bool {
	if f.LaneSize != 2 || f.Phase.Kind != lower.MapPhase || len(f.Phase.Reds) > 0 || f.Rows {
		return false
	}
	for i := range f.Layout.Sites {
		s, info := &f.Layout.Sites[i], &f.Phase.Sites[i]
		switch {
		case f.Layout.AnyLane(i):
		case s.Kind != layout.Unit || s.Size != 1 || info.Type == dtype.Bool || s.Guard || s.Gather != nil:
			return false
		}
	}
	return !slices.ContainsFunc(f.Nodes, func(n lower.Node) bool {
		return (n.Op == ir.Load || n.Op == ir.Store) && n.Args[1] != lower.None
	})
}

// Change returns the register of node n, whose value the caller changes. A spilled copy of it is lost.
func (f *Emitter) Change(n int32) Vec {
	v := f.Src(n)
	if p := &f.Places[f.Key(n, f.Copy)]; p.Slot >= 0 {
		f.Slots.spare = append(f.Slots.spare, p.Slot)
		p.Slot = -1
	}
	return v
}

// ShiftsBytes reports whether lanes of bytes are shifted by counts of their own, without mask registers.
func (f *Emitter) ShiftsBytes() bool {
	return f.LaneSize == 1 && f.Predicates == 0 && slices.ContainsFunc(f.Nodes, func(n lower.Node) bool {
		return (n.Op == prim.Shl || n.Op == prim.Shr) && !f.Uniform[n.Args[1]]
	})
}
