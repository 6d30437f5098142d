package cudagen

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// A transposed operand is contiguous along another dimension than the stores of
// its loop. Such a loop runs in tiles of 32 by 32 positions. A thread block reads
// the tile of a transposed operand along the operand and copies it to shared
// memory. Before it waits for that, it loads the other operands. Then it computes the
// positions in the order of the stores. A row in
// shared memory has 33 elements, so that the elements of a column lie in different
// banks.

// A tileLayout says whether a loop runs in tiles. Transposed operands are
// contiguous along dim. The other side of a tile is the last dimension of the loop.
type tileLayout struct {
	on  bool
	dim int
}

const (
	tileSide     = 32
	tileElements = tileSide * (tileSide + 1) // in shared memory
	tileStep     = 8                         // elements; an operand with a smaller stride does not count as transposed
)

// tiles chooses the loops that run in tiles, and the loads that use them: as many as have
// room in shared memory.
func (n *numbers) tiles() {
	for i := range n.loops {
		l := &n.layout.loops[i]
		if n.loops[i].outer >= 0 || !n.canPack(i) || len(l.dims) < 2 || n.last(i) < tileStep {
			continue
		}
		if slices.ContainsFunc(n.loops[i].sites, func(s int) bool { return n.sites[s].in.Op == ir.Store && !n.contiguous(i, s) }) {
			continue
		}
		last := l.dims[len(l.dims)-1]
		room := n.device.Shared
		for _, s := range n.loops[i].sites {
			dim := n.across(s, last)
			if dim < 0 || n.extents[dim] < tileStep || l.tile.on && dim != l.tile.dim {
				continue
			}
			size := align(tileElements*n.k.Bufs[n.k.Access[n.sites[s].in.Aux].Buf].Type.Size(), 16)
			if size > room {
				continue
			}
			room -= size
			l.tile = tileLayout{true, dim}
			n.layout.sites[s].tile = true
		}
	}
}

// across returns the dimension along which a load is contiguous, if its stride
// along the last dimension is at least tileStep. Otherwise it returns -1.
func (n *numbers) across(site, last int) int {
	s := &n.layout.sites[site]
	if n.sites[site].in.Op != ir.Load || n.sites[site].cold || len(s.coords) > 0 {
		return -1
	}
	dim := -1
	jumps := false
	for j, t := range n.layout.forms[s.form].terms {
		k := n.forms[s.form].coefs[j]
		if t.dim == last {
			jumps = abs(k) >= tileStep
		} else if t.one {
			dim = t.dim
		}
	}
	if !jumps {
		return -1
	}
	return dim
}

// tileCount returns the number of tiles of a loop.
func (n *numbers) tileCount(loop int32) int {
	l := &n.layout.loops[loop]
	count := 1
	for i, d := range l.dims {
		if d == l.tile.dim || i == len(l.dims)-1 {
			count *= ceilDiv(n.extents[d], tileSide)
		} else {
			count *= n.extents[d]
		}
	}
	return count
}

// tiled writes a loop that runs in tiles.
func (g *generator) tiled(loop int32) {
	l := &g.l.loops[loop]
	row, col := l.tile.dim, l.dims[len(l.dims)-1]
	rows, cols := g.ix("e"+itoa(row), dimField, row, 0), g.ix("e"+itoa(col), dimField, col, 0)
	g.line("u8 *const shared = prim::shared();")
	straight := g.direct(loop, func(s *siteLayout) bool { return !s.tile })
	var sites []*ir.Ins
	for _, in := range instructions(g.k, g.k.Loops[loop].Body) {
		if in.Op != ir.Load || !g.l.sites[g.siteOf[in]].tile {
			continue
		}
		sites = append(sites, in)
		b := &g.k.Bufs[g.k.Access[in.Aux].Buf]
		s := g.siteOf[in]
		a := g.area(area{kind: tileArea, x: s, size: b.Type.Size(), par: loop})
		g.line("%s (*const tile_%d)[33] = (%s (*)[33])(shared + %s);", memory(b.Type), s, memory(b.Type), g.offset(a))
	}
	g.line("const int x = threadIdx.x %% 32, y = threadIdx.x / 32;")
	g.open("for (ix tile = blockIdx.x; tile < %s; tile += gridDim.x)", g.ix("tiles"+itoa(int(loop)), tilesField, int(loop), 0))
	across, down := g.divisor("t"+itoa(col), sideField, col), g.divisor("t"+itoa(row), sideField, row)
	g.line("const ix c = prim::quo(tile, %s), left = (tile - c*%s.n) * 32;", across, across)
	g.line("const ix r = prim::quo(c, %s), top = (c - r*%s.n) * 32;", down, down)
	g.unravel(lists.Where(l.dims, func(d int) bool { return d != row && d != col }), "r")
	// Along an operand threadIdx.x counts rows, else columns.
	positions := func(across bool) {
		g.unroll("k", 4)
		g.line("const int j = y + 8*k;")
		if across {
			g.line("const ix d%d = top + x, d%d = left + j;", row, col)
		} else {
			g.line("const ix d%d = top + j, d%d = left + x;", row, col)
		}
	}
	inside := fmt.Sprintf("if (d%d < %s && d%d < %s)", row, rows, col, cols)
	loads := func(list []*ir.Ins, across bool) {
		for _, in := range list {
			g.line("%s x%d[4] = {};", memory(g.k.Bufs[g.k.Access[in.Aux].Buf].Type), g.siteOf[in])
		}
		positions(across)
		for _, in := range list {
			s := g.siteOf[in]
			g.line("%s x%d[k] = %s[%s];", inside, s, g.array(in), g.linear(g.l.sites[s].form))
		}
		g.close()
	}
	loads(sites, true)
	if len(straight) > 0 {
		loads(straight, false)
	}
	g.unroll("k", 4)
	for _, in := range sites {
		g.line("tile_%d[y + 8*k][x] = x%d[k];", g.siteOf[in], g.siteOf[in])
	}
	g.close()
	g.line("__syncthreads();")
	positions(false)
	g.open("%s", inside)
	g.axes(loop)
	g.region(g.k.Loops[loop].Body, scope{tile: true, loaded: straight})
	g.close()
	g.close()
	g.line("__syncthreads();")
	g.close()
}
