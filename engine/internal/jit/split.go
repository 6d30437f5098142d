package jit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Few long rows that are reduced are too few units for many workers. The blocks of all rows are units then. Who runs the last block of a
// row combines them, and runs what comes after the loop along the row. What comes before it runs once for each piece of the row, so it
// may not store.

// The most rows whose blocks are units, and the least elements of each.
const (
	mostSplit  = 64
	leastSplit = 8 * ir.Block
)

// findSplit sets in.split if the blocks of rows are units.
func (in *instance) findSplit() {
	if in.units != bound.RowUnits || in.code.p.IR.InOrder || in.count < 2 || in.count > mostSplit || len(in.rowBytes) > 0 && slices.Max(in.rowBytes) > 0 {
		return
	}
	it := &in.items[in.main]
	loop := func(x boundItem) bool { return x.scalar == nil }
	at := slices.IndexFunc(it.par, loop)
	stores := func(x boundItem) bool {
		return slices.ContainsFunc(x.scalar.Lowered.Nodes, func(n lower.Node) bool { return n.Op == ir.Store })
	}
	if it.rows != nil || at < 0 || slices.ContainsFunc(it.par[:at], stores) || slices.ContainsFunc(it.par[at+1:], loop) {
		return
	}
	if v := it.par[at].vec; v != nil && len(v.reds) > 0 && !v.settles && v.n >= leastSplit {
		in.split, in.at = ir.Blocks(v.n), at
		in.done = make([]int64, in.count)
		in.count *= in.split
	}
}

// Begin begins a run. One that was stopped may have left rows undone.
func (in *instance) Begin() {
	in.Run.Begin()
	clear(in.done)
}
