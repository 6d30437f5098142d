package cudagen

import (
	"fmt"

	"github.com/oneloop/oneloop/plan/ir"
)

// By default a warp or a thread block reduces one row. Few and long rows would
// leave most of a GPU idle, and the threads of a block wait for each other. So one
// warp reduces one block of 4096 positions if there are enough blocks for all
// multiprocessors, or a row has four. A second kernel combines the blocks, with a
// thread for each row, or with a thread block if a row has many.

// maxAdjacent is the number of results that one thread combines (red::adjacent).
const maxAdjacent = 16

// maxBlocks is the number of blocks of all rows, where there are many rows, above which
// they are not split. Rows without operands that are broadcast have fewer: an index must
// be able to count the blocks, and scratch memory must hold their results.
const maxBlocks = 1 << 22

// splitRows sets loopLayout.split for the par loops that are reduced by blocks, and
// loopLayout.alone.
func (n *numbers) splitRows() {
	for i := range n.k.Loops {
		vec := n.splittableRow(int32(i))
		if vec < 0 {
			continue
		}
		rows, blocks := n.total(int32(i)), ceilDiv(n.total(vec), ir.Block)
		all := times(rows, blocks)
		if blocks >= 4 && rows < 2*n.device.SMs || blocks > 1 && all >= 4*warpsOfBlock*n.device.SMs && all <= maxBlocks {
			l := &n.layout.loops[i]
			l.split, l.alone = true, blocks <= maxAdjacent
		}
	}
}

// splittableRow returns the vec loop whose blocks can be reduced in parallel, or
// -1. The par loop must not use a row buffer.
func (n *numbers) splittableRow(par int32) int32 {
	l := &n.k.Loops[par]
	if l.Kind != ir.Par {
		return -1
	}
	for _, s := range n.loops[par].sites {
		if in := n.sites[s].in; in.Op != ir.Index && n.k.Bufs[n.k.Access[in.Aux].Buf].Mode == ir.Row {
			return -1
		}
	}
	return n.reducing(l.Body)
}

// blockCount returns the number of blocks of all rows of a par loop.
func (n *numbers) blockCount(par int32) int {
	return n.total(par) * ceilDiv(n.total(n.splittableRow(par)), ir.Block)
}

// loopOf returns the body of a loop and the index of its only loop.
func (g *generator) loopOf(outer int32) (code []ir.Ins, at int) {
	code = g.k.Regions[g.k.Loops[outer].Body].Code
	for code[at].Op != ir.For {
		at++
	}
	return code, at
}

// rowParts writes the kernel that reduces the blocks of all rows.
func (g *generator) rowParts(par int32) {
	code, at := g.loopOf(par)
	vec := code[at].Aux
	reds := g.reductions(vec)
	g.results(blockArea, "blocks", vec, par)
	g.line("const int lane = threadIdx.x %% 32;")
	g.line("const ix warp = (ix)blockIdx.x * %d + threadIdx.x / 32, warps = (ix)gridDim.x * %d;", warpsOfBlock, warpsOfBlock)
	blocks := g.divisor("blocks"+itoa(int(vec)), blocksField, int(vec))
	g.open("for (ix t = warp; t < %s * %s.n; t += warps)", g.total(par), blocks)
	g.line("const ix row = prim::quo(t, %s), b = t - row*%s.n;", blocks, blocks)
	g.positions(par, "row")
	g.list(code[:at], scope{})
	g.block(vec, reds, "b")
	for _, r := range reds {
		g.line("const %s::acc p%d = r%d.fold();", g.reduction(r), r.Dst, r.Dst)
		g.line("if (lane == 0) blocks_%d[t] = p%d;", r.Dst, r.Dst)
	}
	g.close()
}

// rowFinish writes the kernel that combines the blocks of each row. One of the threads of
// a row stores its results and raises its faults.
func (g *generator) rowFinish(par int32) {
	code, at := g.loopOf(par)
	vec := code[at].Aux
	alone := g.l.loops[par].alone
	g.results(blockArea, "blocks", vec, par)
	blocks := g.divisor("blocks"+itoa(int(vec)), blocksField, int(vec))
	if alone {
		g.open("for (ix row = (ix)blockIdx.x * 256 + threadIdx.x; row < %s; row += (ix)gridDim.x * 256)", g.total(par))
	} else {
		g.open("for (ix row = blockIdx.x; row < %s; row += gridDim.x)", g.total(par))
	}
	g.positions(par, "row")
	g.list(code[:at], scope{})
	for _, r := range g.reductions(vec) {
		red := g.reduction(r)
		result := fmt.Sprintf("red::tree<%s>(blocks_%d + row*%s.n, %s.n)", red, r.Dst, blocks, blocks)
		if alone {
			result = fmt.Sprintf("red::adjacent<%s>(blocks_%d + row*%s.n, %s.n, (ix)1)", red, r.Dst, blocks, blocks)
		}
		g.line("const %s v%d = %s::result(%s);", r.Type.Short(), r.Dst, red, result)
	}
	if alone {
		g.list(code[at+1:], scope{})
	} else {
		g.open("if (threadIdx.x == 0)")
		g.list(code[at+1:], scope{})
		g.close()
	}
	g.close()
}
