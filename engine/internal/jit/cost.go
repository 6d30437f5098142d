package jit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Estimated costs of machine code in nanoseconds, on a core of 3 GHz with arrays in
// its second-level cache. The engine also measures runs, so an error of a factor of
// two is harmless.
const (
	opTime   = .008 // an instruction on a lane of 4 bytes, in vectors of 64 bytes
	byteTime = .01  // a byte of an array read or written
	callTime = 30.  // a call: writing the addresses of the sites, entry and exit
	rowTime  = 1.   // a row of a row loop beside its elements, at least: the next addresses, results
	farTime  = 20.  // a site whose next row is at least farRow bytes away, on another page: the processor does not fetch it before
	farRow   = 4096
	// maxCall is the most time of a call. The runtime cannot preempt it: to stop the
	// world it waits for the end of the call.
	maxCall = 10e3
)

// laneCost returns the cost of one lane of a phase in ns, for one iteration of its seq
// loop.
func (g *generator) laneCost(bp *layout.Phase) float64 {
	size, bytes := bp.Widest(), 0
	for i := range bp.Lowered.Sites {
		bytes += bp.Lowered.Sites[i].Type.Size()
	}
	// A cold region counts as one instruction: it rarely runs.
	count := len(bp.Lowered.Top)
	for i := range bp.Lowered.Reds {
		if p := bp.Lowered.Reds[i].Prog; p != nil {
			count += len(p.Top)
		}
	}
	ops := float64(count*size) / 4 * 64 / float64(g.Bytes)
	return ops*opTime + float64(bytes)*byteTime
}

// callLanes returns the most lanes of a loop in one call.
func (g *generator) callLanes(bv *boundVec) int {
	n := layout.MaxLanes
	if len(bv.phases) == 1 {
		n = bv.phases[0].Most
	}
	for _, bp := range bv.phases {
		lane := g.laneCost(bp.Phase) * float64(min(bp.SeqN, ir.Run))
		n = min(n, int(maxCall/max(lane, 1e-3))&^63)
	}
	return max(n, 64)
}

// mostBlocks is the most blocks of a reduction in one call.
const mostBlocks = 64

// callBlocks returns how many blocks of a loop with reductions one call combines: one,
// unless their order does not matter.
func (g *generator) callBlocks(bv *boundVec) int {
	if len(bv.phases) > 1 || !bv.phases[0].Direct || slices.ContainsFunc(bv.v.Reds, func(r *lower.Red) bool { return r.Kern.Ordered || r.Prog != nil }) {
		return 1
	}
	block := ir.Block * g.laneCost(bv.phases[0].Phase)
	return max(1, min(mostBlocks, int(maxCall/max(block, 1))))
}

// cost returns the cost of the whole loop in ns, with bv.step lanes in each call.
func (g *generator) cost(bv *boundVec) float64 {
	ns := 0.
	for _, bp := range bv.phases {
		calls := (bv.n + bv.step - 1) / max(bv.step, 1)
		if k := len(bp.Spans); k > 1 && !bp.Rows { // row by row
			calls = max(calls, bv.n/max(bp.Spans[k-1], 1))
		}
		calls *= (bp.SeqN + ir.Run - 1) / ir.Run
		ns += float64(calls)*callTime + g.laneCost(bp.Phase)*float64(bv.n)*float64(bp.SeqN)
	}
	return ns
}

// chooseCost sets the cost of a unit in ns.
func (in *instance) chooseCost() {
	g := in.code.gen
	total := callTime
	for _, v := range in.vecs {
		total += g.cost(v)
	}
	switch p := in.code.p; p.Units {
	case bound.ElementUnits:
		in.cost = total / float64(max(in.vecs[0].n, 1))
	case bound.BlockUnits:
		in.cost = total / float64(max(ir.Blocks(in.vecs[0].n), 1))
	default:
		in.cost = total / float64(max(in.split, 1))
		if in.units == bound.RowUnits && in.items[in.main].rows != nil { // a call runs many
			in.cost = in.items[in.main].rows.cost
		}
	}
}

// grain returns the lanes that chunks of the main loop should be multiples of: rows of
// tiles, or at least 64 lanes in whole rows.
func (bv *boundVec) grain() int {
	if len(bv.phases) == 1 && bv.phases[0].Tiled {
		bp := bv.phases[0]
		rows, _ := bp.TileShape()
		if lanes := rows * bp.Spans[len(bp.Spans)-1]; rows == layout.TileRows || lanes <= 64*layout.MaxLanes {
			return lanes
		}
	}
	row := max(bv.row, 1)
	if len(bv.phases) == 1 && bv.phases[0].Rows && bv.phases[0].Groups > 0 {
		row = bv.phases[0].wholeGroups(min(mostGrain, bv.n/leastGrains))
	}
	return (63 + row) / row * row
}

// A chunk of a loop over groups of rows has whole groups, as large as mostGrain, if there are at least leastGrains of them. Parts of groups
// take a call each.
const (
	mostGrain   = 1 << 12
	leastGrains = 8
)

// model returns the numbers of this machine. Tests replace it.
var model = machine.Current
