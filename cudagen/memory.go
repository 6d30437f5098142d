package cudagen

import "github.com/oneloop/oneloop/plan/ir"

// A memoryMap has the offset of each area in scratch memory, or in the shared
// memory of its pass. All numbers are in bytes.
type memoryMap struct {
	offsets []int         // by area
	sizes   []int         // by area, for one row
	scratch int           // size of the scratch memory
	shared  map[int32]int // size of the shared memory, by par loop or loop in tiles
}

// place returns the offsets and sizes of the areas of s. The size of an area is a
// multiple of 16 bytes.
func (n *numbers) place(s *Source) *memoryMap {
	m := &memoryMap{offsets: make([]int, len(s.areas)), sizes: make([]int, len(s.areas)), shared: map[int32]int{}}
	for i := range s.areas {
		a := &s.areas[i]
		size := a.size
		switch a.kind {
		case partArea:
			size *= max(ceilDiv(n.total(int32(a.y)), ir.Block), warpsOfBlock)
		case rowArea:
			size *= n.Size(a.x)
		case stageArea:
			size *= min(n.total(int32(a.y)), 2*ir.Block)
		case runArea:
			size *= n.runCount(int32(n.loops[a.y].outer))
		case blockArea:
			size *= n.blockCount(int32(a.y))
		case tileArea:
			size *= tileSide * (tileSide + 1)
		}
		size = align(size, 16)
		m.sizes[i] = size
		if a.par < 0 {
			m.offsets[i] = m.scratch
			m.scratch += align(size, 256)
			continue
		}
		r := &n.layout.loops[a.par].rows
		if a.kind == tileArea || r.shared {
			m.offsets[i] = m.shared[a.par]
			m.shared[a.par] += size * max(r.rows, 1)
			continue
		}
		m.offsets[i] = m.scratch
		m.scratch += align(size*r.rows*n.rowBlocks(a.par), 256)
	}
	return m
}

func align(x, to int) int { return (x + to - 1) / to * to }

func ceilDiv(x, y int) int { return (x + y - 1) / y }

// warpsOfBlock is the number of warps of a thread block.
const warpsOfBlock = 8

// rows chooses the rowLayout of each par loop.
//
// The warps of a thread block share a row if rows are long, or few and not short.
// They store the operands of ordered reductions in shared memory, and one warp
// reduces a block in order. If shared memory is too small for that, each warp
// reduces blocks of 4096 positions itself.
//
// Otherwise a warp computes a whole row. The memory of a row is in shared memory
// if it fits. A thread block takes fewer rows at once to make it fit.
func (n *numbers) rows() {
	for i := range n.k.Loops {
		if n.k.Loops[i].Kind != ir.Par {
			continue
		}
		par := int32(i)
		r := &n.layout.loops[i].rows
		reducing := n.longest(par, true)
		long := max(reducing, n.longest(par, false))
		if long > 1024 || long > 256 && n.total(par) < 4*n.device.SMs {
			*r = rowLayout{1, warpsOfBlock, true, true}
			if n.rowBytes(par) <= n.device.Shared {
				continue
			}
			r.staged = false
			if r.shared = n.rowBytes(par) <= n.device.Shared; reducing == 0 || reducing > ir.Block {
				continue
			}
		}
		*r = rowLayout{warpsOfBlock, 1, true, false}
		keep := n.rowBytes(par)
		for r.rows > 1 && keep*r.rows > n.device.Shared {
			r.rows /= 2
		}
		if keep*r.rows > n.device.Shared {
			*r = rowLayout{warpsOfBlock, 1, false, false}
		}
	}
}

// longest returns the number of positions of the longest vec loop in a par loop.
// It looks at the loops with reductions, or at the loops without.
func (n *numbers) longest(par int32, reducing bool) int {
	most := 0
	for i := range n.loops {
		if l := &n.loops[i]; l.outer == int(par) && n.reduces(n.k.Loops[i].Body) == reducing {
			most = max(most, n.total(int32(i)))
		}
	}
	return most
}

// rowBytes returns the size of the memory of one row of a par loop, in bytes: its
// row buffers and, if several warps share the row, partial results and staged
// operands.
func (n *numbers) rowBytes(par int32) int {
	size := 0
	seen := map[int32]bool{}
	for _, s := range n.loops[par].sites {
		in := n.sites[s].in
		if in.Op == ir.Index {
			continue
		}
		buf := n.k.Access[in.Aux].Buf
		if b := &n.k.Bufs[buf]; b.Mode == ir.Row && !seen[buf] {
			seen[buf] = true
			size += align(n.Size(int(buf))*b.Type.Size(), 16)
		}
	}
	r := &n.layout.loops[par].rows
	for i := range n.loops {
		if r.warps == 1 || n.loops[i].outer != int(par) {
			continue
		}
		total := n.total(int32(i))
		for _, in := range n.k.Regions[n.k.Loops[i].Body].Code {
			if in.Op != ir.Reduce {
				continue
			}
			size += 16 * max(ceilDiv(total, ir.Block), warpsOfBlock)
			if t := n.k.Types[in.Args[0]]; r.staged && n.k.Reducer(&in).Ordered() {
				size += align(min(total, 2*ir.Block)*t.Size(), 16)
			}
		}
	}
	return size
}

// rowBlocks returns the number of thread blocks for a par loop. There are fewer if
// the row buffers are in scratch memory, so that they stay in the second-level
// cache.
func (n *numbers) rowBlocks(par int32) int {
	r := &n.layout.loops[par].rows
	waves := 16
	if !r.shared {
		waves = 1
	}
	return min(ceilDiv(n.total(par), r.rows), waves*max(n.device.SMs, 1))
}

// launches appends the launches of all passes to out. A pass without work has no
// launch.
func (n *numbers) launches(s *Source, m *memoryMap, out *Bound) {
	for i := range s.passes {
		p := &s.passes[i]
		threads := p.threads(&s.layout)
		blocks := 1
		switch p.kind {
		case elementsPass:
			blocks = ceilDiv(n.total(p.loop), threads*s.layout.loops[p.loop].width)
			if s.layout.loops[p.loop].tile.on {
				blocks = n.tileCount(p.loop)
			}
		case blocksPass:
			blocks = ceilDiv(ceilDiv(n.total(p.loop), ir.Block), threads/32)
		case runsPass:
			blocks = ceilDiv(n.runCount(p.loop), threads)
		case columnsPass:
			blocks = n.total(p.loop)
		case rowPartsPass:
			blocks = ceilDiv(n.blockCount(p.loop), threads/32)
		case rowFinishPass:
			blocks = n.total(p.loop)
		case rowsPass:
			blocks = n.rowBlocks(p.loop)
		}
		l := Launch{Entry: i, Block: [3]uint32{uint32(threads), 1, 1}}
		l.Grid = [3]uint32{uint32(min(blocks, 16*max(n.device.SMs, 1))), 1, 1}
		if p.loop >= 0 && p.kind != finishPass {
			l.Shared = uint32(m.shared[p.loop])
		}
		if blocks > 0 {
			out.Launches = append(out.Launches, l)
		}
	}
}
