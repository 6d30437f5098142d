package cudagen

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// rows writes a par loop. All threads of a row compute its scalar code; thread 0 of
// the row stores and raises faults.
func (g *generator) rows(loop int32) {
	r := g.l.loops[loop].rows
	body := g.k.Loops[loop].Body
	g.line("const int lane = threadIdx.x %% 32;")
	if r.warps == 1 {
		g.line("const int slot = threadIdx.x / 32, thread = lane; // of the rows at work, of the row")
	} else {
		g.line("const int slot = 0, thread = threadIdx.x, warp = threadIdx.x / 32, warps = %d; // of the rows at work, of the row", r.warps)
	}
	g.line("const ix first = thread, step = %d;", 32*r.warps)
	if g.kept(loop) && r.shared {
		g.line("u8 *const shared = prim::shared();")
	}
	for i := range g.k.Bufs {
		if b := &g.k.Bufs[i]; b.Mode == ir.Row && g.touches(body, int32(i)) {
			t := memory(b.Type)
			a := g.area(area{kind: rowArea, x: i, size: b.Type.Size(), par: loop})
			g.line("%s *const row_%s = (%s *)%s;", t, b.Name, t, g.rowPlace(a, r))
		}
	}
	g.copyAreas(loop, r)
	if r.warps > 1 {
		for _, v := range g.inLoop(body) {
			for _, in := range g.reductions(v) {
				a := g.area(area{kind: partArea, x: int(in.Dst), y: int(v), size: g.accumulator(in), par: loop})
				g.line("%s::acc *const part_%d = (%s::acc *)%s;", g.reduction(in), in.Dst, g.reduction(in), g.rowPlace(a, r))
				if r.staged && !g.l.loops[v].direct && g.ordered(in) && g.stageRow(v, in) == "" {
					t := g.k.Types[in.Args[0]]
					a := g.area(area{kind: stageArea, x: int(in.Dst), y: int(v), size: t.Size(), par: loop})
					g.line("%s *const stage_%d = (%s *)%s;", t.Short(), in.Dst, t.Short(), g.rowPlace(a, r))
				}
			}
		}
	}
	g.open("for (ix row = (ix)blockIdx.x * %d + slot; row < %s; row += (ix)gridDim.x * %d)", r.rows, g.total(loop), r.rows)
	g.positions(loop, "row")
	g.row(body, r)
	g.close()
}

// rowPlace returns the expression for the address of area a of the current row.
// Each concurrent row has its own copy of the area.
func (g *generator) rowPlace(a int, r rowLayout) string {
	base := "shared"
	slot := "slot"
	if !r.shared {
		base = g.word("scratch", "u8 *", scratchField, 0)
		slot = fmt.Sprintf("((i64)blockIdx.x * %d + slot)", r.rows)
	}
	place := base + " + " + g.offset(a)
	if r.rows > 1 || !r.shared {
		place += " + " + slot + " * " + g.word(fmt.Sprintf("size_%d", a), "i64", areaSizeField, a)
	}
	return "(" + place + ")"
}

// row writes the body of a par loop. It writes a barrier between two phases if a
// thread may read what another thread stored, or may store what another thread
// has yet to read.
func (g *generator) row(body int32, r rowLayout) {
	wait := ""
	if len(g.inLoop(body)) > 1 || g.effects(body) || g.readsRows(body) {
		wait = "__syncwarp();"
		if r.warps > 1 {
			wait = "__syncthreads();"
		}
	}
	at := scope{once: "thread == 0 && "}
	loaded := false // all threads loaded since the last barrier
	for _, in := range instructions(g.k, body) {
		if loaded && wait != "" && (in.Op == ir.For || in.Op == ir.Store) {
			g.line("%s", wait)
			loaded = false
		}
		switch {
		case in.Op == ir.For && len(g.reductions(in.Aux)) == 0:
			g.elements(in.Aux, fmt.Sprintf("%d*step", positionsTogether))
		case in.Op == ir.For:
			g.rowBlocks(in.Aux, r)
		default:
			g.ins(in, at)
		}
		loaded = loaded || in.Op == ir.Load || in.Op == ir.Cold
		if wait != "" && (in.Op == ir.For || in.Op == ir.Store) {
			g.line("%s", wait)
			loaded = false
		}
	}
	if loaded && wait != "" { // the next row stores
		g.line("%s", wait)
	}
}

// rowBlocks writes a vec loop with reductions along a row. All threads of the row
// get the results.
func (g *generator) rowBlocks(loop int32, r rowLayout) {
	reds := g.reductions(loop)
	staged := r.staged && !g.l.loops[loop].direct
	switch {
	case staged:
		g.staged(loop, reds)
	case r.warps > 1:
		g.copyRow(loop)
		g.blocks(loop)
	default:
		g.block(loop, reds, "(ix)0")
	}
	for _, in := range reds {
		red := g.reduction(in)
		result := fmt.Sprintf("%s ? r%d.fold() : %s::empty()", g.total(loop), in.Dst, red)
		switch {
		case staged && !g.ordered(in):
			result = fmt.Sprintf("red::across<%s>(part_%d, r%d)", red, in.Dst, in.Dst)
		case r.warps > 1:
			result = g.tree(in, loop)
		}
		g.line("const %s v%d = %s::result(%s);", in.Type.Short(), in.Dst, red, result)
	}
}

// ordered reports whether the bits of a reduction depend on its order.
func (g *generator) ordered(in *ir.Ins) bool { return g.k.Reducer(in).Ordered() }

// staged writes a reducing vec loop for a whole thread block. Each thread
// accumulates the reductions without order. The threads store the operands of
// ordered reductions in shared memory, one block of 4096 positions at a time. One
// warp reduces that block while the others store the next.
//
// If row buffers hold these operands anyway, the threads store all of a row, and then warps
// reduce its blocks.
func (g *generator) staged(loop int32, reds []*ir.Ins) {
	stage := slices.ContainsFunc(reds, func(in *ir.Ins) bool { return g.ordered(in) && g.stageRow(loop, in) == "" })
	for _, in := range reds {
		if !g.ordered(in) {
			red := g.reduction(in)
			g.line("%s::acc r%d = %s::identity();", red, in.Dst, red)
		}
	}
	total, width := g.total(loop), g.l.loops[loop].width
	from, to := "", total
	if stage {
		g.open("for (ix b = 0; b < %s; b++)", blocksOf(total))
		g.line("const ix begin = b * %d, end = prim::min(begin + %d, %s);", ir.Block, ir.Block, total)
		from, to = "begin + ", "end"
		if width > 1 {
			from = fmt.Sprintf("begin / %d + ", width)
		}
	}
	if width > 1 {
		g.stagedVectors(loop, reds, from+"first", fmt.Sprintf("%s / %d", to, width))
	} else {
		g.open("for (ix i = %sfirst; i < %s; i += step)", from, to)
		g.positions(loop, "i")
		g.region(g.k.Loops[loop].Body, scope{add: func(in *ir.Ins) {
			if g.ordered(in) && !stage {
				return
			}
			if g.ordered(in) {
				g.line("stage_%d[b %% 2 * %d + i - begin] = v%d;", in.Dst, ir.Block, in.Args[0])
			} else {
				g.line("r%d = %s::put(r%d, v%d, i);", in.Dst, g.reduction(in), in.Dst, in.Args[0])
			}
		}})
		g.close()
	}
	if !stage {
		g.rowStages(loop, reds)
		return
	}
	g.line("__syncthreads();")
	g.open("if (warp == b %% warps)")
	for _, in := range reds {
		if g.ordered(in) {
			g.line("const %s::acc p%d = red::staged<%s>(stage_%d + b %% 2 * %d, (int)(end - begin), lane);", g.reduction(in), in.Dst, g.reduction(in), in.Dst, ir.Block)
			g.line("if (lane == 0) part_%d[b] = p%d;", in.Dst, in.Dst)
		}
	}
	g.close()
	g.close()
}

// rowStages writes the ordered reductions of operands in row buffers: a warp for each block
// of 4096 positions.
func (g *generator) rowStages(loop int32, reds []*ir.Ins) {
	if !slices.ContainsFunc(reds, g.ordered) {
		return
	}
	total := g.total(loop)
	g.line("__syncthreads();")
	g.open("for (ix b = warp; b < %s; b += warps)", blocksOf(total))
	for _, in := range reds {
		if !g.ordered(in) {
			continue
		}
		red := g.reduction(in)
		g.line("red::lanes<%s, %s> r%d;", red, g.k.Types[in.Args[0]].Short(), in.Dst)
		g.line("red::block<16>(b, %s, lane, [&](ix i, int half) { r%d.put(half, %s[i], i); });", total, in.Dst, g.stageRow(loop, in))
		g.line("const %s::acc p%d = r%d.fold();", red, in.Dst, in.Dst)
		g.line("if (lane == 0) part_%d[b] = p%d;", in.Dst, in.Dst)
	}
	g.close()
}

// stageRow returns the name of the row buffer that holds the operands of an ordered
// reduction, or "" if they have a stage.
func (g *generator) stageRow(loop int32, in *ir.Ins) string {
	for _, x := range instructions(g.k, g.k.Loops[loop].Body) {
		if x.Op == ir.Store && x.Args[0] == in.Args[0] && g.l.sites[g.siteOf[x]].stage {
			return "row_" + g.k.Bufs[g.k.Access[x.Aux].Buf].Name
		}
	}
	return ""
}

// stagedVectors writes the vectors from <= i < to of a staged loop. The operands of ordered
// reductions are stored as vectors of up to 16 bytes too.
func (g *generator) stagedVectors(loop int32, reds []*ir.Ins, from, to string) {
	width := g.l.loops[loop].width
	lanes := func(in *ir.Ins) int { return min(width, 16/g.k.Types[in.Args[0]].Size()) }
	typ := func(in *ir.Ins) string {
		return fmt.Sprintf("pack<%s, %d>", g.k.Types[in.Args[0]].Short(), lanes(in))
	}
	stages := func(in *ir.Ins) bool { return g.ordered(in) && g.stageRow(loop, in) == "" }
	g.packed(loop, from, to, func() {
		for _, in := range reds {
			if stages(in) {
				g.line("%s s%d[%d];", typ(in), in.Dst, width/lanes(in))
			}
		}
	}, func(in *ir.Ins) {
		if stages(in) {
			g.line("s%d[j / %d].at[j %% %d] = v%d;", in.Dst, lanes(in), lanes(in), in.Args[0])
		} else if !g.ordered(in) {
			g.line("r%d = %s::put(r%d, v%d, i * %d + j);", in.Dst, g.reduction(in), in.Dst, in.Args[0], width)
		}
	}, func() {
		for _, in := range reds {
			for h := range width / lanes(in) {
				if stages(in) {
					g.line("*(%s *)&stage_%d[b %% 2 * %d + i * %d + %d - begin] = s%d[%d];", typ(in), in.Dst, ir.Block, width, h*lanes(in), in.Dst, h)
				}
			}
		}
	})
}

// inLoop returns the loops of a region, without the loops inside them.
func (g *generator) inLoop(region int32) []int32 {
	return lists.Map(instructions(g.k, region, ir.For), func(in *ir.Ins) int32 { return in.Aux })
}

// effects reports whether the scalar code of a row has a store.
func (g *generator) effects(region int32) bool {
	return len(instructions(g.k, region, ir.Store)) > 0
}

// readsRows reports whether the scalar code of a row loads elements of row buffers.
func (g *generator) readsRows(region int32) bool {
	return slices.ContainsFunc(g.k.Regions[region].Code, func(in ir.Ins) bool {
		switch in.Op {
		case ir.Load:
			return g.k.Bufs[g.k.Access[in.Aux].Buf].Mode == ir.Row
		case ir.Cold:
			return g.readsRows(in.Aux)
		}
		return false
	})
}

// kept reports whether the rows of a par loop need memory: row buffers, copies or partial
// results.
func (g *generator) kept(loop int32) bool {
	body := g.k.Loops[loop].Body
	for i := range g.k.Bufs {
		if g.k.Bufs[i].Mode == ir.Row && g.touches(body, int32(i)) {
			return true
		}
	}
	if slices.ContainsFunc(g.l.copies, func(c copyLayout) bool { return c.par == loop }) {
		return true
	}
	return g.l.loops[loop].rows.warps > 1 && slices.ContainsFunc(g.inLoop(body), func(v int32) bool { return len(g.reductions(v)) > 0 })
}

// touches reports whether a region loads or stores a buffer.
func (g *generator) touches(region, buf int32) bool {
	return slices.ContainsFunc(g.k.Regions[region].Code, func(in ir.Ins) bool { return g.touched(&in, buf) })
}

// touched reports whether an instruction, or the region inside it, loads or stores a buffer.
func (g *generator) touched(in *ir.Ins, buf int32) bool {
	b := g.k.Body(in)
	return (in.Op == ir.Load || in.Op == ir.Store) && g.k.Access[in.Aux].Buf == buf || b >= 0 && g.touches(b, buf)
}
