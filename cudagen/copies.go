package cudagen

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// The first-level cache does not hold the rows that a multiprocessor computes at once. If
// several loops of a row load the same elements, the first one copies them to shared
// memory and the others read the copy.

// A copiedLoad is a load whose elements later loads of a row take from a copy.
type copiedLoad struct {
	par   int32
	first int   // site
	later []int // sites in later loops
	row   int32 // the row buffer that is stored where the copy is read last, and has its memory; or -1
}

// copies returns the loads of all par loops that could be copied.
func (n *numbers) copies() (out []copiedLoad) {
	for i := range n.k.Loops {
		if n.k.Loops[i].Kind != ir.Par {
			continue
		}
		sites := lists.Where(n.loops[i].sites, func(s int) bool { return n.copyable(int32(i), s) })
		for len(sites) > 0 {
			c := copiedLoad{par: int32(i), first: sites[0]}
			sites = slices.DeleteFunc(sites, func(s int) bool {
				same := n.sameElements(s, c.first)
				if same && n.sites[s].loop != n.sites[c.first].loop {
					c.later = append(c.later, s)
				}
				return same
			})
			if len(c.later) > 0 {
				c.row = n.rowOfCopy(&c)
				if slices.ContainsFunc(out, func(o copiedLoad) bool { return c.row >= 0 && o.row == c.row }) {
					c.row = -1
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// copyable reports whether a load of a row has another element for each position of its
// loop and each row.
func (n *numbers) copyable(par int32, site int) bool {
	s := &n.sites[site]
	if s.in.Op != ir.Load || s.cold || s.loop < 0 || len(s.coords) > 0 || n.k.Bufs[n.k.Access[s.in.Aux].Buf].Mode == ir.Row {
		return false
	}
	dims := n.layout.loops[s.loop].dims
	terms := n.layout.forms[n.layout.sites[site].form].terms
	return n.loops[s.loop].outer == int(par) && len(dims) == 1 && len(terms) > 1 && terms[len(terms)-1].dim == dims[0]
}

// sameElements reports whether two copyable loads have the same element at each position.
func (n *numbers) sameElements(x, y int) bool {
	a, b := n.layout.sites[x].form, n.layout.sites[y].form
	f, g := n.layout.forms[a].terms, n.layout.forms[b].terms
	outer := len(f) - 1
	return n.k.Access[n.sites[x].in.Aux].Buf == n.k.Access[n.sites[y].in.Aux].Buf && n.forms[a].base == n.forms[b].base &&
		slices.Equal(n.forms[a].coefs, n.forms[b].coefs) && slices.Equal(f[:outer], g[:len(g)-1]) &&
		n.total(int32(n.sites[x].loop)) == n.total(int32(n.sites[y].loop))
}

// rowOfCopy returns the row buffer that can have the memory of a copy: its first access is
// a store in the last loop that reads the copy, each element where the copy had one. It has
// the type of the copy: a compiler may let a store pass a load of another type.
func (n *numbers) rowOfCopy(c *copiedLoad) int32 {
	last := n.sites[c.later[len(c.later)-1]].loop
	typ := n.k.Bufs[n.k.Access[n.sites[c.first].in.Aux].Buf].Type
	var seen []int32
	for _, s := range n.loops[c.par].sites {
		x := &n.sites[s]
		if x.in.Op == ir.Index {
			continue
		}
		buf := n.k.Access[x.in.Aux].Buf
		b := &n.k.Bufs[buf]
		if b.Mode != ir.Row || slices.Contains(seen, buf) {
			continue
		}
		seen = append(seen, buf)
		if x.in.Op == ir.Store && x.loop == last && s > c.later[len(c.later)-1] && b.Type == typ && n.inOrder(s) {
			return buf
		}
	}
	return -1
}

// inOrder reports whether a store to a row buffer has the element of its position.
func (n *numbers) inOrder(site int) bool {
	s := &n.sites[site]
	f := &n.layout.forms[n.layout.sites[site].form]
	dims := n.layout.loops[s.loop].dims
	return !s.cold && len(s.coords) == 0 && len(dims) == 1 && f.base == 0 && slices.Equal(f.terms, []termLayout{{dims[0], true}})
}

// unchanged reports whether the later loads of a copy have the values of the first: no
// store before them changes the array.
func (n *numbers) unchanged(c *copiedLoad, addresses []uint64) bool {
	buf := n.k.Access[n.sites[c.first].in.Aux].Buf
	return !slices.ContainsFunc(n.loops[c.par].sites, func(s int) bool {
		in := n.sites[s].in
		return in.Op == ir.Store && s < c.later[len(c.later)-1] && n.overlap(n.k.Access[in.Aux].Buf, buf, addresses)
	})
}

// copyBytes returns the size of the copies of a row that have memory of their own.
func (n *numbers) copyBytes(par int32) (size int) {
	for i := range n.copied {
		if c := &n.copied[i]; c.par == par && c.row < 0 {
			size += align(n.sizeOfCopy(c), 16)
		}
	}
	return size
}

func (n *numbers) sizeOfCopy(c *copiedLoad) int {
	s := &n.sites[c.first]
	return n.total(int32(s.loop)) * n.k.Bufs[n.k.Access[s.in.Aux].Buf].Type.Size()
}

// dropCopies removes the copies of a par loop that have memory of their own.
func (n *numbers) dropCopies(par int32) {
	n.copied = slices.DeleteFunc(n.copied, func(c copiedLoad) bool { return c.par == par && c.row < 0 })
}

// readCopies gives the layout its copies.
func (n *numbers) readCopies() {
	for i := range n.copied {
		c := &n.copied[i]
		n.layout.copies = append(n.layout.copies, copyLayout{c.par, c.first, c.row})
		n.layout.sites[c.first].makesCopy = i + 1
		for _, s := range c.later {
			n.layout.forms = append(n.layout.forms, formLayout{buf: -1, terms: []termLayout{{n.layout.loops[n.sites[s].loop].dims[0], true}}})
			n.forms = append(n.forms, formNumbers{coefs: []int{1}})
			n.layout.sites[s].form = len(n.forms) - 1
			n.layout.sites[s].readsCopy = i + 1
		}
	}
}

// cheap is the largest number of instructions, but constants, of a loop that is direct.
const cheap = 12

// direct sets loopLayout.direct of the loops of a par loop: if its rows are staged, those with
// ordered reductions whose operands take few instructions and are in shared memory.
func (n *numbers) direct(par int32) {
	staged := n.layout.loops[par].rows.staged
	for i := range n.loops {
		if n.loops[i].outer == int(par) {
			n.layout.loops[i].direct = staged && n.isDirect(i)
		}
	}
}

func (n *numbers) isDirect(loop int) bool {
	count, ordered := 0, false
	for _, in := range instructions(n.k, n.k.Loops[loop].Body) {
		switch in.Op {
		case ir.Store, ir.Fault, ir.Cold, ir.For:
			return false
		case ir.Reduce:
			ordered = ordered || n.k.Reducer(in).Ordered()
		case prim.Const:
		default:
			count++
		}
	}
	near := 0 // loads from shared memory
	for _, s := range n.loops[loop].sites {
		switch {
		case slices.ContainsFunc(n.copied, func(c copiedLoad) bool { return c.first == s || slices.Contains(c.later, s) }):
			near++
		case n.sites[s].in.Op != ir.Load || n.k.Bufs[n.k.Access[n.sites[s].in.Aux].Buf].Mode != ir.Row || !n.inOrder(s):
			return false
		}
	}
	return ordered && count <= cheap && near > 0
}

// copyRow makes the copies of a direct loop: four vectors or elements a thread at a time.
func (g *generator) copyRow(loop int32) {
	l := &g.l.loops[loop]
	made := false
	for _, in := range instructions(g.k, g.k.Loops[loop].Body) {
		if in.Op != ir.Load || !l.direct || g.l.sites[g.siteOf[in]].makesCopy == 0 {
			continue
		}
		made = true
		s := g.siteOf[in]
		t, total, width := memory(g.k.Bufs[g.k.Access[in.Aux].Buf].Type), g.total(loop), 1
		if g.l.sites[s].pack {
			t, width = fmt.Sprintf("pack<%s, %d>", t, l.width), l.width
			total = fmt.Sprintf("%s / %d", total, width)
		}
		place := func(array, at string) string { return fmt.Sprintf("*(%s *)&%s[%s]", t, array, at) }
		g.open("for (ix i = first; i < %s; i += 4*step)", total)
		g.line("%s x%d[4];", t, s)
		for _, side := range []func(at string) string{
			func(at string) string {
				return fmt.Sprintf("x%d[k] = %s", s, place(g.array(in), g.linearAt(g.l.sites[s].form, l.dims[0], at)))
			},
			func(at string) string {
				return fmt.Sprintf("%s = x%d[k]", place(copyName(g.l.sites[s].makesCopy), at), s)
			},
		} {
			g.unroll("k", 4)
			g.line("const ix at = (i + k*step) * %d;", width)
			g.line("if (i + k*step < %s) %s;", total, side("at"))
			g.close()
		}
		g.close()
	}
	if made {
		g.line("__syncthreads();")
	}
}

// copyName returns the name of a copy by its number in siteLayout.
func copyName(number int) string { return "copy_" + itoa(number-1) }

// copyAreas declares the copies of a par loop.
func (g *generator) copyAreas(par int32, r rowLayout) {
	for i, c := range g.l.copies {
		if c.par != par {
			continue
		}
		in := g.sites[c.first]
		t := g.k.Bufs[g.k.Access[in.Aux].Buf].Type
		place := ""
		if c.row >= 0 {
			place = "row_" + g.k.Bufs[c.row].Name
		} else {
			place = g.rowPlace(g.area(area{kind: copyArea, x: i, size: t.Size(), par: par}), r)
		}
		g.line("%s *const %s = (%s *)%s;", memory(t), copyName(i+1), memory(t), place)
	}
}
