package jit

import (
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
	// maxCall is the most time of a call. The runtime cannot preempt it: to stop the
	// world it waits for the end of the call.
	maxCall = 10e3
)

// laneCost returns the cost of one lane of a phase in ns, for one iteration of its seq
// loop.
func (g *generator) laneCost(bp *boundPhase) float64 {
	size, bytes := 4, 0
	for i := range bp.ph.nodes {
		size = max(size, bp.ph.nodes[i].typ.Size())
	}
	for i := range bp.ph.sites {
		bytes += bp.ph.sites[i].typ.Size()
	}
	// A cold region counts as one instruction: it rarely runs.
	count := len(bp.ph.top)
	for i := range bp.ph.reds {
		if p := bp.ph.reds[i].kern.prog; p != nil {
			count += len(p.top)
		}
	}
	ops := float64(count*size) / 4 * 64 / float64(g.vbytes)
	return ops*opTime + float64(bytes)*byteTime
}

// callLanes returns the most lanes of a loop in one call.
func (g *generator) callLanes(bv *boundVec) int {
	n := maxLanes
	for _, bp := range bv.phases {
		lane := g.laneCost(bp) * float64(min(bp.seqN, ir.Run))
		n = min(n, int(maxCall/max(lane, 1e-3))&^63)
	}
	return max(n, 64)
}

// cost returns the cost of the whole loop in ns, with bv.step lanes in each call.
func (g *generator) cost(bv *boundVec) float64 {
	ns := 0.
	for _, bp := range bv.phases {
		calls := (bv.n + bv.step - 1) / max(bv.step, 1)
		if k := len(bp.spans); k > 1 && !bp.rows { // row by row
			calls = max(calls, bv.n/max(bp.spans[k-1], 1))
		}
		calls *= (bp.seqN + ir.Run - 1) / ir.Run
		ns += float64(calls)*callTime + g.laneCost(bp)*float64(bv.n)*float64(bp.seqN)
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
	switch p := in.code.p; p.units {
	case bound.ElementUnits:
		in.cost = total / float64(max(in.vecs[0].n, 1))
	case bound.BlockUnits:
		in.cost = total / float64(max(ir.Blocks(in.vecs[0].n), 1))
	default:
		in.cost = total
	}
}

// grain returns the lanes that chunks of the main loop should be multiples of: rows of
// tiles, rows, or 64.
func (bv *boundVec) grain() int {
	if len(bv.phases) == 1 && bv.phases[0].tiled {
		spans := bv.phases[0].spans
		return tileRows * spans[len(spans)-1]
	}
	return max(bv.row, 64)
}
