package cudagen

import (
	"github.com/oneloop/oneloop/plan/ir"
)

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
	stages := map[int32][]int{} // areas by par loop
	m := &memoryMap{offsets: make([]int, len(s.areas)), sizes: make([]int, len(s.areas)), shared: map[int32]int{}}
	for i := range s.areas {
		a := &s.areas[i]
		size := a.size
		switch a.kind {
		case partArea:
			size *= max(ceilDiv(n.total(int32(a.y)), ir.Block), maxRowWarps)
		case rowArea:
			size *= n.Size(a.x)
		case copyArea:
			size = n.sizeOfCopy(&n.copied[a.x])
		case stageArea:
			size *= min(n.total(int32(a.y)), 2*ir.Block)
		case runArea:
			size *= n.runCount(int32(n.loops[a.y].outer))
		case blockArea:
			size *= n.blockCount(int32(a.y))
		case tileArea:
			size *= tileElements
		}
		size = align(size, 16)
		m.sizes[i] = size
		if a.par < 0 {
			m.offsets[i] = m.scratch
			m.scratch += align(size, 256)
			continue
		}
		r := &n.layout.loops[a.par].rows
		if a.kind == stageArea {
			stages[a.par] = append(stages[a.par], i)
			continue
		}
		if a.kind == tileArea || r.shared {
			m.offsets[i] = m.shared[a.par]
			m.shared[a.par] += size * max(r.rows, 1)
			continue
		}
		m.offsets[i] = m.scratch
		m.scratch += align(size*r.rows*n.rowBlocks(a.par), 256)
	}
	for par, list := range stages {
		n.placeStages(s, m, par, list)
	}
	return m
}

// placeStages places the stages of a par loop, the areas in list, after its other areas.
// Those of one vec loop follow each other. Those of different loops have the same
// memory: a thread block ends one loop before it begins the next.
func (n *numbers) placeStages(s *Source, m *memoryMap, par int32, list []int) {
	begin := m.shared[par]
	ends := map[int]int{}
	for _, i := range list {
		loop := s.areas[i].y
		m.offsets[i] = begin + ends[loop]
		ends[loop] += m.sizes[i]
		m.shared[par] = max(m.shared[par], begin+ends[loop])
	}
}

func align(x, to int) int { return (x + to - 1) / to * to }

func ceilDiv(x, y int) int { return (x + y - 1) / y }

// warpsOfBlock is the number of warps of a thread block.
const warpsOfBlock = 8

// maxRowWarps is the number of warps of the largest thread block. Rows that need much
// shared memory get so many that a multiprocessor has wantedWarps, or busyWarps if a body is
// long: then fewer rows at once would cost more than more warps gain.
const (
	maxRowWarps = 32
	wantedWarps = 32
	busyWarps   = 24
)

// rows chooses the rowLayout of each par loop.
//
// The warps of a thread block share a row if rows are long, or few and not short, or if
// shared memory has no room for the rows of enough warps.
// They store the operands of ordered reductions in shared memory, and one warp
// reduces a block in order. It computes the operands itself if that is cheap and what it
// loads is in shared memory. If shared memory is too small for that, each warp
// reduces blocks of 4096 positions itself. The more shared memory a row needs, the
// fewer rows a multiprocessor has at once, and the more warps share a row.
//
// Otherwise a warp computes a whole row. The memory of a row is in shared memory
// if it fits. A thread block takes fewer rows at once to make it fit.
//
// Copies of loads that leave a multiprocessor less than wantedWarps are dropped.
func (n *numbers) rows() {
	for i := range n.k.Loops {
		if n.k.Loops[i].Kind != ir.Par {
			continue
		}
		par := int32(i)
		r := &n.layout.loops[i].rows
		if n.divide(par); n.copyBytes(par) == 0 {
			continue
		}
		if rows := n.device.Shared / max(n.rowBytes(par), 1); !r.shared || rows*r.warps < wantedWarps {
			n.dropCopies(par)
			n.divide(par)
		}
	}
}

// divide chooses the rowLayout of a par loop.
func (n *numbers) divide(par int32) {
	r := &n.layout.loops[par].rows
	reducing := n.longest(par, true)
	long := max(reducing, n.longest(par, false))
	if n.splittableRow(par) >= 0 && long <= ir.Block && n.total(par) >= wantedWarps*n.device.SMs {
		long = 0 // a warp has nothing but one reduction to do, and there are enough
	}
	wanted := wantedWarps
	if n.heavy(par) {
		wanted = busyWarps
	}
	*r = rowLayout{warpsOfBlock, 1, true, false}
	crowded := wanted == wantedWarps && long > 256 && n.rowBytes(par)*wanted > n.device.Shared
	if long > 1024 || crowded || long > 256 && n.total(par) < 4*n.device.SMs {
		*r = rowLayout{1, warpsOfBlock, true, true}
		if long <= 2048 && n.total(par) >= 4*n.device.SMs {
			r.warps /= 2
		}
		n.stages(par)
		n.direct(par)
		if size := n.rowBytes(par); size <= n.device.Shared {
			rows := n.device.Shared / max(size, 1) // of a multiprocessor
			for rows*r.warps < wanted && r.warps < maxRowWarps {
				r.warps *= 2
			}
			return
		}
		r.staged = false
		n.direct(par)
		if r.shared = n.rowBytes(par) <= n.device.Shared; reducing == 0 || reducing > ir.Block {
			return
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

// stages marks the row buffers that hold the operands of ordered reductions of a par loop
// anyway: the buffers of a loop, if all of its reductions have one.
func (n *numbers) stages(par int32) {
	for i := range n.loops {
		l := &n.loops[i]
		if l.outer != int(par) {
			continue
		}
		var sites []int
		all := true
		for _, in := range instructions(n.k, n.k.Loops[i].Body) {
			if in.Op == ir.Reduce && n.k.Reducer(in).Ordered() {
				s := n.inRow(l, in)
				all = all && s >= 0
				sites = append(sites, s)
			}
		}
		for _, s := range sites {
			if all {
				n.layout.sites[s].stage = true
			}
		}
	}
}

// inRow returns the store of a loop that puts the operand of a reduction into a row buffer,
// each at its position and with its type, or -1.
func (n *numbers) inRow(l *boundLoop, in *ir.Ins) int {
	for _, s := range l.sites {
		x := &n.sites[s]
		if x.in.Op != ir.Store || x.in.Args[0] != in.Args[0] {
			continue
		}
		if b := &n.k.Bufs[n.k.Access[x.in.Aux].Buf]; b.Mode == ir.Row && b.Type == n.k.Types[in.Args[0]] && n.inOrder(s) {
			return s
		}
	}
	return -1
}

// kept is inRow for the row buffers that are marked.
func (n *numbers) kept(l *boundLoop, in *ir.Ins) int {
	if s := n.inRow(l, in); s >= 0 && n.layout.sites[s].stage {
		return s
	}
	return -1
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
	size += n.copyBytes(par)
	r := &n.layout.loops[par].rows
	most := 0 // of the stages of a loop
	for i := range n.loops {
		if r.warps == 1 || n.loops[i].outer != int(par) {
			continue
		}
		stages := 0
		total := n.total(int32(i))
		for _, in := range n.k.Regions[n.k.Loops[i].Body].Code {
			if in.Op != ir.Reduce {
				continue
			}
			size += 16 * max(ceilDiv(total, ir.Block), maxRowWarps)
			if t := n.k.Types[in.Args[0]]; r.staged && n.k.Reducer(&in).Ordered() && !n.layout.loops[i].direct && n.kept(&n.loops[i], &in) < 0 {
				stages += align(min(total, 2*ir.Block)*t.Size(), 16)
			}
		}
		most = max(most, stages)
	}
	return size + most
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

// waves returns the largest number of thread blocks of a pass for each multiprocessor. Threads
// that go on in strides of a small grid drift apart, and evict from the second-level cache what
// others are about to load. But each block of a large grid loads the constants of a long body
// anew.
func (n *numbers) waves(p *pass) int {
	if p.loop >= 0 && n.heavy(p.loop) {
		return 64
	}
	return 1 << 20
}

// heavy reports whether the body of a loop, or of a loop inside it, is long.
func (n *numbers) heavy(loop int32) bool {
	for i := range n.loops {
		if (int32(i) == loop || n.loops[i].outer == int(loop)) && len(n.k.Regions[n.k.Loops[i].Body].Code) > heavy {
			return true
		}
	}
	return false
}

// elementBlocks returns the number of thread blocks for a vec loop whose threads each have a
// vector, a few positions, or a part of a tile.
func (n *numbers) elementBlocks(loop int32, threads int) int {
	l := &n.layout.loops[loop]
	switch {
	case l.tile.on:
		return n.tileCount(loop)
	case l.width > 1:
		return ceilDiv(n.allVectors(int(loop)), threads)
	}
	return ceilDiv(n.total(loop), threads*l.together)
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
			blocks = n.elementBlocks(p.loop, threads)
		case blocksPass:
			blocks = ceilDiv(ceilDiv(n.total(p.loop), ir.Block), threads/32)
		case runsPass:
			blocks = ceilDiv(n.runCount(p.loop), threads)
		case columnsPass:
			blocks = ceilDiv(n.total(p.loop), s.layout.loops[p.loop].columns)
		case rowPartsPass:
			blocks = ceilDiv(n.blockCount(p.loop), threads/32)
		case rowFinishPass:
			blocks = n.total(p.loop)
			if s.layout.loops[p.loop].alone {
				blocks = ceilDiv(blocks, threads)
			}
		case rowsPass:
			blocks = n.rowBlocks(p.loop)
		}
		l := Launch{Entry: i, Block: [3]uint32{uint32(threads), 1, 1}, Rows: p.kind == rowsPass}
		l.Grid = [3]uint32{uint32(min(blocks, n.waves(p)*max(n.device.SMs, 1))), 1, 1}
		if p.loop >= 0 && p.kind != finishPass {
			l.Shared = uint32(m.shared[p.loop])
		}
		if blocks > 0 {
			out.Launches = append(out.Launches, l)
		}
	}
}
