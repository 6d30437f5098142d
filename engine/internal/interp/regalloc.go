package interp

import (
	"cmp"
	"slices"
)

// allocate assigns memory in the arena to every register. A one-lane register gets
// eight bytes. A vector register of a constant shares its memory with no other.
// Other vector registers share memory by a linear scan over their last uses. A
// value that a loop reads and does not define lives until the end of the loop.
func (c *compiler) allocate(entry *blk) {
	for i := range c.regs {
		c.regs[i].def, c.regs[i].last = -1, -1
	}
	p := &placer{c: c}
	p.walk(entry)

	off := 0
	for i := range c.regs {
		if r := &c.regs[i]; !r.vector && r.alias < 0 && !r.pointer {
			r.home = off
			off += 8
		}
	}
	off = (off + 63) &^ 63
	var order []int32
	for i := range c.regs {
		r := &c.regs[i]
		switch {
		case !r.vector || r.alias >= 0 || r.pointer:
		case r.konst:
			r.home = off
			off += block * r.t.Size()
		case r.def >= 0:
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(c.regs[x].def, c.regs[y].def) })
	var free [9][]int
	var live []int32
	for _, i := range order {
		r := &c.regs[i]
		live = slices.DeleteFunc(live, func(j int32) bool {
			o := &c.regs[j]
			dead := o.last < r.def || o.last == r.def && !p.apart[i]
			if dead {
				free[o.t.Size()] = append(free[o.t.Size()], o.home)
			}
			return dead
		})
		size := r.t.Size()
		if n := len(free[size]); n > 0 {
			r.home = free[size][n-1]
			free[size] = free[size][:n-1]
		} else {
			r.home = off
			off += block * size
		}
		live = append(live, i)
	}
	c.code.arena = off
}

// A placer numbers the instructions in the order in which they run, and sets the
// first definition and the last use of each register.
type placer struct {
	c     *compiler
	pos   int
	apart map[int32]bool // registers that must not share memory with operands
}

func (p *placer) walk(b *blk) {
	if p.apart == nil {
		p.apart = map[int32]bool{}
	}
	for i := range b.code {
		s := &b.code[i]
		start := p.pos
		p.pos++
		if s.loop {
			// Accumulators of a seq loop live from its start.
			for _, r := range s.reads {
				p.define(r, start)
			}
		}
		if s.body != nil {
			p.walk(s.body)
		}
		end := p.pos
		p.pos++
		if s.loop {
			p.extend(s.body, start, end)
		}
		for _, r := range s.reads {
			p.use(r, end)
		}
		if s.dst >= 0 {
			p.define(s.dst, end)
			if s.apart {
				p.apart[s.dst] = true
			}
		}
	}
}

func (p *placer) define(r int32, at int) {
	g := &p.c.regs[r]
	if g.def < 0 {
		g.def = at
	}
	g.last = max(g.last, at)
}

func (p *placer) use(r int32, at int) {
	g := &p.c.regs[r]
	g.last = max(g.last, at)
}

// extend makes the registers that a loop reads but does not define live until the
// end of the loop.
func (p *placer) extend(b *blk, start, end int) {
	for i := range b.code {
		s := &b.code[i]
		for _, r := range s.reads {
			if p.c.regs[r].def <= start {
				p.use(r, end)
			}
		}
		if s.body != nil {
			p.extend(s.body, start, end)
		}
	}
}
