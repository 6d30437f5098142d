package cudagen

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// A vector access moves up to 16 bytes. A thread takes neighbouring positions along
// the last dimension, and loads and stores contiguous, aligned arrays as vectors.
// It accesses the other arrays element by element. Vec loops without reductions
// can have vector accesses, and reducing ones whose operands are staged.
//
// In an outermost loop the first vector of a row begins before the row if the first store is
// aligned there, and the last one may end after it. The positions of these vectors that are
// in the row are computed one by one.
//
// A load whose elements lie a few positions beside the elements of another vector takes them
// from that vector, and loads only what is beyond it: the neighbours in a stencil.

// packs chooses the vector accesses of all loops, and the positions that a thread has at once
// without. addresses has the address of each array.
func (n *numbers) packs(addresses []uint64) {
	for i := range n.loops {
		if n.canPack(i) && !n.layout.loops[i].tile.on {
			n.pack(i, addresses)
		}
		n.layout.loops[i].together = n.together(i)
	}
}

// canPack reports whether a loop can have vector accesses at all.
func (n *numbers) canPack(loop int) bool {
	def := &n.k.Loops[loop]
	if def.Kind != ir.Vec || len(n.layout.loops[loop].dims) == 0 {
		return false
	}
	outer := n.loops[loop].outer
	if outer >= 0 && n.layout.loops[outer].split || n.reduces(def.Body) && (outer < 0 || !n.layout.loops[outer].rows.staged) {
		return false
	}
	return len(instructions(n.k, def.Body, ir.For)) == 0
}

// pack sets the vector width of a loop. It takes the widest vectors that all
// stores and at least half of the loads allow.
func (n *numbers) pack(loop int, addresses []uint64) {
	var loads, stores []int
	size := 1
	for _, s := range n.loops[loop].sites {
		in := n.sites[s].in
		switch {
		case in.Op == ir.Store:
			stores = append(stores, s)
		case in.Op == ir.Load && !n.sites[s].cold:
			loads = append(loads, s)
		default:
			continue
		}
		if n.contiguous(loop, s) {
			size = max(size, n.k.Bufs[n.k.Access[in.Aux].Buf].Type.Size())
		}
	}
	if n.rereads(loop, addresses) {
		return
	}
	l := &n.layout.loops[loop]
	for width := 16 / size; width > 1; width /= 2 {
		l.shift = n.shift(loop, stores, width, addresses)
		if l.edges = l.shift > 0 || n.last(loop)%width != 0; l.edges && !n.edged(loop, width) {
			continue
		}
		fits := func(s int) bool { return n.contiguous(loop, s) && n.aligned(loop, s, width, addresses) }
		aligned := lists.Where(loads, fits)
		beside := map[int]neighbour{}
		for _, s := range loads {
			if near := n.beside(loop, s, aligned, width, addresses); near.site > 0 && !fits(s) {
				beside[s] = near
			}
		}
		packed := len(aligned) + len(beside)
		if slices.ContainsFunc(stores, func(s int) bool { return !fits(s) }) || 2*packed < len(loads) || packed+len(stores) == 0 {
			continue
		}
		l.width = width
		for _, s := range append(loads, stores...) {
			n.layout.sites[s].near = beside[s]
			n.layout.sites[s].pack = fits(s) || beside[s].site > 0
		}
		return
	}
	l.shift, l.edges = 0, false
}

// shift returns the number of positions before a row at which the first vector begins: there
// the first store is aligned.
func (n *numbers) shift(loop int, stores []int, width int, addresses []uint64) int {
	if n.loops[loop].outer >= 0 || len(stores) == 0 {
		return 0
	}
	at, t := n.start(stores[0], addresses)
	return int(at / uint64(t.Size()) % uint64(width))
}

// start returns the address of the element of an access at the first position of its loops,
// and the type of the element.
func (n *numbers) start(site int, addresses []uint64) (at uint64, t dtype.Type) {
	buf := n.k.Access[n.sites[site].in.Aux].Buf
	t = n.k.Bufs[buf].Type
	return addresses[buf] + uint64(n.forms[n.layout.sites[site].form].base*t.Size()), t
}

// edged reports whether a loop may have vectors that are not whole: if it is outermost, and
// rows, if there are several, have at least as many vectors as a warp has threads.
func (n *numbers) edged(loop, width int) bool {
	return n.loops[loop].outer < 0 && (len(n.layout.loops[loop].dims) == 1 || n.last(loop) >= 32*width)
}

// beside returns the load of a list from whose vectors a load can take elements.
func (n *numbers) beside(loop, site int, list []int, width int, addresses []uint64) neighbour {
	if n.loops[loop].outer < 0 && n.contiguous(loop, site) {
		for _, s := range list {
			at, t := n.start(site, addresses)
			near, same := n.start(s, addresses)
			size := int64(t.Size())
			if by := int64(at - near); n.parallel(site, s) && t == same && by%size == 0 && max(by, -by) < size*int64(width) {
				return neighbour{s + 1, int(by / size)}
			}
		}
	}
	return neighbour{}
}

// parallel reports whether two accesses go through memory with the same steps.
func (n *numbers) parallel(x, y int) bool {
	a, b := n.layout.sites[x].form, n.layout.sites[y].form
	return slices.Equal(n.layout.forms[a].terms, n.layout.forms[b].terms) && slices.Equal(n.forms[a].coefs, n.forms[b].coefs)
}

// vectors returns the number of vectors of a row of a loop.
func (n *numbers) vectors(loop int) int {
	l := &n.layout.loops[loop]
	return ceilDiv(n.last(loop)+l.shift, l.width)
}

// last returns the extent of the last dimension of a loop.
func (n *numbers) last(loop int) int {
	dims := n.layout.loops[loop].dims
	return n.extents[dims[len(dims)-1]]
}

// allVectors returns the number of vectors of a loop.
func (n *numbers) allVectors(loop int) int {
	return n.total(int32(loop)) / max(n.last(loop), 1) * n.vectors(loop)
}

// contiguous reports whether an access has step 1 along the last dimension of a
// loop, and no computed or guarded coordinates.
func (n *numbers) contiguous(loop, site int) bool {
	s := &n.layout.sites[site]
	dims := n.layout.loops[loop].dims
	terms := n.layout.forms[s.form].terms
	return len(s.coords) == 0 && len(terms) > 0 && terms[len(terms)-1] == termLayout{dims[len(dims)-1], true}
}

// aligned reports whether every vector of width elements of a contiguous access is
// aligned, and complete in a loop that may not have edges. Without addresses, aligned assumes
// that arrays are aligned.
func (n *numbers) aligned(loop, site, width int, addresses []uint64) bool {
	form := n.layout.sites[site].form
	buf := n.k.Access[n.sites[site].in.Aux].Buf
	shared := n.k.Bufs[buf].Mode == ir.Row || n.layout.sites[site].readsCopy > 0
	if n.last(loop)%width != 0 && n.loops[loop].outer >= 0 {
		return false
	}
	f := &n.forms[form]
	if slices.ContainsFunc(f.coefs[:len(f.coefs)-1], func(k int) bool { return k%width != 0 }) {
		return false
	}
	size := n.k.Bufs[buf].Type.Size()
	at := uint64((f.base - n.layout.loops[loop].shift) * size)
	if addresses != nil && !shared {
		at += addresses[buf]
	}
	return at%uint64(width*size) == 0 || addresses == nil && !shared
}

// rereads reports whether the body of a loop loads an array that an earlier store
// may have changed. Such a loop has no vectors: the code loads all vectors before
// the body and stores them after it.
func (n *numbers) rereads(loop int, addresses []uint64) bool {
	var stored []int32
	for _, s := range n.loops[loop].sites {
		in := n.sites[s].in
		if in.Op == ir.Index {
			continue
		}
		buf := n.k.Access[in.Aux].Buf
		if in.Op == ir.Store {
			stored = append(stored, buf)
			continue
		}
		if slices.ContainsFunc(stored, func(b int32) bool { return n.overlap(b, buf, addresses) }) {
			return true
		}
	}
	return false
}

// overlap reports whether two buffers may share memory.
func (n *numbers) overlap(x, y int32, addresses []uint64) bool {
	if x == y {
		return true
	}
	if n.k.Bufs[x].Mode == ir.Row || n.k.Bufs[y].Mode == ir.Row {
		return false
	}
	span := func(buf int32) (lo, hi uint64) {
		size := n.k.Bufs[buf].Type.Size()
		from, to := n.Arrays[buf].Span()
		return addresses[buf] + uint64(from*size), addresses[buf] + uint64(to*size)
	}
	xlo, xhi := span(x)
	ylo, yhi := span(y)
	return xlo < yhi && ylo < xhi
}

// samePacks copies the vector accesses of l, which depend on addresses. It returns
// an error if the numbers do not allow them.
func (n *numbers) samePacks(l Layout) error {
	for i := range l.loops {
		to := &n.layout.loops[i]
		to.width, to.shift, to.edges = l.loops[i].width, l.loops[i].shift, l.loops[i].edges
		if to.width > 1 && (to.shift > 0 || n.last(i)%to.width != 0) != to.edges || to.edges && !n.edged(i, to.width) {
			return fmt.Errorf("%d elements do not make vectors of %d as in the source", n.last(i), to.width)
		}
		to.together = n.together(i)
		for _, s := range n.loops[i].sites {
			if !l.sites[s].pack || n.sites[s].loop != i {
				continue
			}
			near := l.sites[s].near
			if !n.contiguous(i, s) || near.site == 0 && !n.aligned(i, s, to.width, nil) || near.site > 0 && !n.parallel(s, near.site-1) {
				return fmt.Errorf("an access is not aligned as in the source")
			}
			n.layout.sites[s].pack, n.layout.sites[s].near = true, near
		}
	}
	return nil
}

// plus returns what adds x to an expression.
func plus(x int) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf(" %c %d", "+-"[min(max(-x, 0), 1)], abs(x))
}

// edge writes what a thread does with a vector that begins before a row or ends after it.
func (g *generator) edge(loop int32, last int) {
	l := &g.l.loops[loop]
	extent := g.ix("e"+itoa(last), dimField, last, 0)
	before := ""
	if l.shift > 0 {
		before = "at < 0 || "
	}
	g.open("if (%sat > %s - %d)", before, extent, l.width)
	g.w.WriteString("#pragma unroll 1\n")
	g.open("for (ix d%d = prim::max(at, (ix)0); d%d < prim::min(at + %d, %s); d%d++)", last, last, l.width, extent, last)
	g.axes(loop)
	g.region(g.k.Loops[loop].Body, scope{})
	g.close()
	g.line("continue;")
	g.close()
}

// packed writes a vec loop with vector accesses, for vectors from <= i < to. add
// writes the accumulation of a reduction. before and after write what precedes and
// follows the positions of a vector.
func (g *generator) packed(loop int32, from, to string, before func(), add func(*ir.Ins), after func()) {
	l := &g.l.loops[loop]
	last := l.dims[len(l.dims)-1]
	body := g.k.Loops[loop].Body
	g.open("for (ix i = %s; i < %s; i += step)", from, to)
	at := "i"
	if len(l.dims) > 1 {
		n := g.divisor(fmt.Sprintf("n%d_%d", last, l.width), packsField, int(loop))
		g.line("const ix q%d = prim::quo(i, %s);", last, n)
		at = fmt.Sprintf("(i - q%d*%s.n)", last, n)
		g.outer(loop, len(l.dims)-1, "q"+itoa(last))
	}
	g.line("const ix at = %s*%d%s;", at, l.width, plus(-l.shift))
	if l.edges {
		g.edge(loop, last)
	}
	sites := lists.Where(instructions(g.k, body), func(in *ir.Ins) bool {
		return (in.Op == ir.Load || in.Op == ir.Store) && g.l.sites[g.siteOf[in]].pack
	})
	typ := func(in *ir.Ins) string {
		return fmt.Sprintf("pack<%s, %d>", memory(g.k.Bufs[g.k.Access[in.Aux].Buf].Type), l.width)
	}
	place := func(in *ir.Ins) string {
		form := g.l.sites[g.siteOf[in]].form
		return fmt.Sprintf("%s[%s]", g.array(in), g.linearAt(form, last, "at"))
	}
	for _, in := range sites {
		if g.l.sites[g.siteOf[in]].near.site > 0 {
			continue
		}
		if in.Op == ir.Load {
			g.line("const %s x%d = *(const %s *)&%s;", typ(in), g.siteOf[in], typ(in), place(in))
			if c := g.l.sites[g.siteOf[in]].makesCopy; c > 0 {
				g.line("*(%s *)&%s[at] = x%d;", typ(in), copyName(c), g.siteOf[in])
			}
		} else {
			g.line("%s x%d;", typ(in), g.siteOf[in])
		}
	}
	for _, in := range sites {
		if near := g.l.sites[g.siteOf[in]].near; near.site > 0 {
			g.line("%s x%d;", typ(in), g.siteOf[in])
			g.unroll("j", l.width)
			g.line("const int k = j%s;", plus(near.by))
			g.line("x%d.at[j] = k >= 0 && k < %d ? x%d.at[k & %d] : %s[%s];", g.siteOf[in], l.width, near.site-1, l.width-1,
				g.array(in), g.linearAt(g.l.sites[g.siteOf[in]].form, last, "(at + j)"))
			g.close()
		}
	}
	before()
	g.unroll("j", l.width)
	g.line("const ix d%d = at + j;", last)
	g.axes(loop)
	g.region(body, scope{pack: true, add: add})
	g.close()
	after()
	for _, in := range sites {
		if in.Op == ir.Store {
			g.line("*(%s *)&%s = x%d;", typ(in), place(in), g.siteOf[in])
		}
	}
	g.close()
}
