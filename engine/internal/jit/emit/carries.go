package emit

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// chooseCarries finds the carries that stay in registers, at most room for each copy.
// Each row loads and stores the others. So it does with those whose lanes in memory are
// not those of a register.
func (f *phaseCode) chooseCarries(room int) {
	for i := range f.Phase.Carries {
		c := &f.Phase.Carries[i]
		if t := c.Type; len(f.carries) < room && t != dtype.Bool && !isa.Narrow(t) {
			f.carries = append(f.carries, carried{Carry: c})
		}
	}
	f.findEarly()
}

// findEarly finds the carries whose registers the next values may take.
func (f *phaseCode) findEarly() {
	first := int32(math.MaxInt32)
	for i := range f.carries {
		first = min(first, f.Nodes[f.carries[i].Store].At)
	}
	for i := range f.carries {
		c := &f.carries[i]
		c.early = f.Last[c.Load] < first
	}
}

// aimCarries lets the nodes that compute the next values write to the registers of the
// carries, if they can.
func (f *phaseCode) aimCarries() {
	f.Aims = map[int32]isa.Aim{}
	for i := range f.carries {
		c := &f.carries[i]
		next := f.Nodes[c.Store].Args[0]
		if _, taken := f.Aims[next]; !taken && c.early && slices.Contains(f.top, next) && f.Nodes[next].Op != ir.Cold {
			f.Aims[next] = isa.Aim{Carry: c.Load, Regs: c.regs}
		}
	}
}

// carriesSite reports whether a site is the array of a carry in registers.
func (f *phaseCode) carriesSite(s *layout.Site) bool {
	return s.Kind == layout.Scratch && slices.ContainsFunc(f.carries, func(c carried) bool { return c.Array == s.Array })
}

// carryMem emits the address of copy k of a carry in its array.
func (f *phaseCode) carryMem(c *carried, k int) isa.Mem {
	f.Int(isa.Mov, isa.T0, f.carryWord(c))
	return f.carryVec(c, k)
}

// carryVec returns the address of copy k of a carry in the row at T0.
func (f *phaseCode) carryVec(c *carried, k int) isa.Mem {
	size := c.Type.Size()
	return isa.AtX(isa.T0, isa.Lane, size, k*f.W*size)
}

func (f *phaseCode) loadCarries(group int) {
	for i := range f.carries {
		c := &f.carries[i]
		c.regs = nil
		for k := range group {
			d := f.Vecs.TakeTop()
			f.Lanes.LoadVec(c.Type, d, f.carryMem(c, k))
			c.regs = append(c.regs, d)
		}
	}
	f.aimCarries()
}

func (f *phaseCode) storeCarries() {
	for i := range f.carries {
		c := &f.carries[i]
		if c.echo != nil && !f.lastRow {
			continue
		}
		for k, r := range c.regs {
			f.Int(isa.Mov, isa.T0, isa.Word(f.carrySite(c).Arg+frame.SitePtr))
			m := f.carryVec(c, k)
			f.Choose(k)
			f.Within(func() { f.Lanes.StoreLanes(c.Type, m, r, f.Masked) })
		}
	}
}

// carry emits the load or the store of a carry in registers. It returns false for other
// nodes. A load is no instruction, unless a next may change the value while it is in use. A
// next is none if its value is in the register already.
func (f *phaseCode) carry(id int32) bool {
	i := slices.IndexFunc(f.carries, func(c carried) bool { return c.Load == id || c.Store == id })
	if i < 0 {
		return false
	}
	c, n := &f.carries[i], &f.Nodes[id]
	f.ID, f.Cur = id, n
	for k := range f.Copies {
		f.Choose(k)
		f.Released = c.Load == id
		switch {
		case c.Load == id && c.early:
			f.Keep(id, c.regs[f.Base+k])
		case c.Load == id:
			f.Lanes.CopyVec(c.Type, f.Dst(), c.regs[f.Base+k])
		default:
			next := n.Args[0]
			if f.Layout.Prefixes && f.Masked {
				next = n.Args[1]
			}
			if r := f.Src(next); r != c.regs[f.Base+k] {
				f.Lanes.CopyVec(c.Type, c.regs[f.Base+k], r)
			}
		}
		f.End()
	}
	return true
}

// carryWord returns the word of the frame with the address from which a carry is loaded: the address of its array, or
// of the row before.
func (f *phaseCode) carryWord(c *carried) isa.Int {
	at := frame.SitePtr
	if c.echo != nil {
		at = frame.SiteCur
	}
	return isa.Word(f.carrySite(c).Arg + at)
}

// carrySite returns the site of the array of a carry.
func (f *phaseCode) carrySite(c *carried) *layout.Site {
	return &f.Layout.Sites[f.Nodes[c.Load].Aux]
}

// eachRowSite calls do for the sites that step from row to row, of those that share a register for the first. at is the
// register with the address of the row, or none.
func (f *phaseCode) eachRowSite(do func(s *layout.Site, at int8)) {
	for i := range f.Layout.Sites {
		s, r := &f.Layout.Sites[i], f.SiteReg[i]
		if s.Near > 0 && r >= 0 && r == f.SiteReg[s.Near-1] {
			continue
		}
		if s.Kind != layout.Unused && !f.isUniformSite(int32(i)) && !f.carriesSite(s) {
			do(s, f.SiteReg[i])
		}
	}
}
