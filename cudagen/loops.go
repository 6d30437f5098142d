package cudagen

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// positions declares the dimensions of a loop at flattened position flat, and the
// positions on the axes that the body uses.
func (g *generator) positions(loop int32, flat string) {
	g.outer(loop, len(g.l.loops[loop].dims), flat)
	g.axes(loop)
}

// outer declares the first count dimensions of a loop. flat is their flattened
// position.
func (g *generator) outer(loop int32, count int, flat string) {
	g.unravel(g.l.loops[loop].dims[:count], flat)
}

// unravel declares dimensions at their flattened position flat. The code divides
// once for each dimension but the first.
func (g *generator) unravel(dims []int, flat string) {
	for i := len(dims) - 1; i > 0; i-- {
		d := dims[i]
		n := g.divisor("n"+itoa(d), divisorField, d)
		g.line("const ix q%d = prim::quo(%s, %s), d%d = %s - q%d*%s.n;", d, flat, n, d, flat, d, n)
		flat = "q" + itoa(d)
	}
	if len(dims) > 0 {
		g.line("const ix d%d = %s;", dims[0], flat)
	}
}

// axes declares the positions on the axes of a loop that the body uses.
func (g *generator) axes(loop int32) {
	for _, a := range g.l.loops[loop].axes {
		g.line("const ix at_%s = %s;", g.k.Axes[a.axis], g.linear(a.form))
	}
}

func (g *generator) total(loop int32) string {
	return g.ix("m"+itoa(int(loop)), totalField, int(loop), 0)
}

// elements writes a vec loop without reductions: positions first, first + step and
// so on. stride is the distance between the groups of positions that a thread loads together.
func (g *generator) elements(loop int32, stride string) {
	l := &g.l.loops[loop]
	switch {
	case l.width > 1:
		count := fmt.Sprintf("%s / %d", g.total(loop), l.width)
		if l.edges {
			count = g.ix("vectors"+itoa(int(loop)), vectorsField, int(loop), 0)
		}
		g.packed(loop, "first", count, func() {}, nil, func() {})
	case l.together > 1:
		g.several(loop, stride)
	default:
		g.open("for (ix i = first; i < %s; i += step)", g.total(loop))
		g.positions(loop, "i")
		g.region(g.k.Loops[loop].Body, scope{})
		g.close()
	}
}

// together returns the number of positions that a thread of a loop loads together. It is 1
// for long bodies, which hide their own loads, and for those that load nothing directly.
func (n *numbers) together(loop int) int {
	l := &n.layout.loops[loop]
	code := n.k.Regions[n.k.Loops[loop].Body].Code
	if n.k.Loops[loop].Kind != ir.Vec || n.reduces(n.k.Loops[loop].Body) || l.width > 1 || l.tile.on || len(code) > heavy || slices.ContainsFunc(code, func(in ir.Ins) bool { return in.Op == ir.For }) {
		return 1
	}
	for _, s := range n.loops[loop].sites {
		in := n.sites[s].in
		if in.Op == ir.Store {
			break
		}
		if in.Op == ir.Load && !n.sites[s].cold && len(n.sites[s].coords) == 0 {
			return positionsTogether
		}
	}
	return 1
}

// positionsTogether is the number of positions that a thread loads together in a loop
// without vectors.
const positionsTogether = 4

// several writes a vec loop without vector accesses, some positions at a time, step apart. It
// loads the operands of all before it stores a result, because no load goes ahead of a store.
func (g *generator) several(loop int32, stride string) {
	first := g.direct(loop, func(*siteLayout) bool { return true })
	count := g.l.loops[loop].together
	g.open("for (ix one = first; one < %s; one += %s)", g.total(loop), stride)
	for _, in := range first {
		g.line("%s x%d[%d];", memory(g.k.Bufs[g.k.Access[in.Aux].Buf].Type), g.siteOf[in], count)
	}
	each := func(body func()) {
		g.unroll("k", count)
		g.line("const ix i = one + k*step;")
		g.open("if (i < %s)", g.total(loop))
		g.positions(loop, "i")
		body()
		g.close()
		g.close()
	}
	each(func() {
		for _, in := range first {
			s := g.siteOf[in]
			g.line("x%d[k] = %s[%s];", s, g.array(in), g.linear(g.l.sites[s].form))
		}
	})
	each(func() { g.region(g.k.Loops[loop].Body, scope{loaded: first}) })
	g.close()
}

// direct returns the loads of a loop that come before its first store, have no computed
// or guarded coordinates, and whose site has a property.
func (g *generator) direct(loop int32, has func(*siteLayout) bool) (out []*ir.Ins) {
	for _, in := range instructions(g.k, g.k.Loops[loop].Body) {
		if in.Op == ir.Store {
			break
		}
		if in.Op != ir.Load {
			continue
		}
		if site := &g.l.sites[g.siteOf[in]]; len(site.coords) == 0 && has(site) {
			out = append(out, in)
		}
	}
	return out
}

// reduction returns the C++ type of a reduction.
func (g *generator) reduction(in *ir.Ins) string { return g.reducer(in.Aux) }

// accumulator returns the size of an accumulator of a reduction, in bytes.
func (g *generator) accumulator(in *ir.Ins) int {
	r := g.k.Reducer(in)
	if r.Position() {
		return 16
	}
	return r.Type.Size()
}

// results declares the pointers to what the reductions of a loop have in the areas of a kind. of
// is the loop of the areas.
func (g *generator) results(kind areaKind, name string, loop, of int32) {
	for _, r := range g.reductions(loop) {
		a := g.area(area{kind: kind, x: int(r.Dst), y: int(of), size: g.accumulator(r), par: -1})
		g.line("%[1]s::acc *const %[2]s_%[3]d = (%[1]s::acc *)%[4]s;", g.reduction(r), name, r.Dst, g.place(a))
	}
}

// tree returns the call that combines the results of the blocks of a reduction.
// All threads of a thread block must execute the call.
func (g *generator) tree(in *ir.Ins, loop int32) string {
	return fmt.Sprintf("red::tree<%s>(part_%d, %s)", g.reduction(in), in.Dst, blocksOf(g.total(loop)))
}

// blocks writes a vec loop with reductions. Each warp reduces blocks of 4096
// positions and stores their results.
func (g *generator) blocks(loop int32) {
	reds := g.reductions(loop)
	total := g.total(loop)
	g.open("for (ix b = warp; b < %s; b += warps)", blocksOf(total))
	g.block(loop, reds, "b")
	for _, r := range reds {
		g.line("const %s::acc p%d = r%d.fold();", g.reduction(r), r.Dst, r.Dst)
	}
	g.open("if (lane == 0)")
	for _, r := range reds {
		g.line("part_%d[b] = p%d;", r.Dst, r.Dst)
	}
	g.close()
	g.close()
}

// blocksOf returns the expression for the number of blocks of total positions.
func blocksOf(total string) string { return ceil(total, ir.Block) }

func ceil(total string, n int) string { return fmt.Sprintf("(%s + %d) / %d", total, n-1, n) }

// heavy is the number of instructions above which a loop body is not unrolled. A
// longer body hides its own loads; unrolling it costs registers and compile time.
const heavy = 24

// block writes the loop over the positions of block b, which accumulates reds.
func (g *generator) block(loop int32, reds []*ir.Ins, b string) {
	for _, r := range reds {
		g.line("red::lanes<%s, %s> r%d;", g.reduction(r), g.k.Types[r.Args[0]].Short(), r.Dst)
	}
	unroll := 4 // pairs of loads in flight
	if len(g.k.Regions[g.k.Loops[loop].Body].Code) > heavy {
		unroll = 1
	}
	g.open("red::block<%d>(%s, %s, lane, [&](ix i, int half)", unroll, b, g.total(loop))
	g.positions(loop, "i")
	g.region(g.k.Loops[loop].Body, scope{copied: g.l.loops[loop].direct, add: func(in *ir.Ins) {
		g.line("r%d.put(half, v%d, i);", in.Dst, in.Args[0])
	}})
	g.indent = g.indent[2:]
	g.line("});")
}

// inner writes a seq loop in a vec loop, as nested loops over its dimensions.
func (g *generator) inner(loop int32, at scope) {
	reds := g.reductions(loop)
	for _, r := range reds {
		g.line("red::runs<%s> r%d;", g.reduction(r), r.Dst)
	}
	code := g.k.Regions[g.k.Loops[loop].Body].Code
	for _, in := range code {
		if in.Op == ir.Carry {
			g.line("%s v%d = v%d;", in.Type.Short(), in.Dst, in.Args[0])
		}
	}
	l := &g.l.loops[loop]
	if len(l.dims) == 0 {
		g.open("") // one position
	}
	for _, d := range l.dims {
		n := g.ix("e"+itoa(d), dimField, d, 0)
		g.open("for (ix d%d = 0; d%d < %s; d%d++)", d, d, n, d)
	}
	g.axes(loop)
	at.add = func(in *ir.Ins) { g.line("r%d.put(v%d);", in.Dst, in.Args[0]) }
	n, held := 0, []ir.Value(nil)
	if len(l.dims) == 1 {
		n, held = g.k.Settled(g.k.Loops[loop].Body)
	}
	g.list(code[:n], at)
	if len(held) > 0 {
		some := ""
		for _, v := range held {
			some += fmt.Sprintf(" || v%d", v)
		}
		g.line("if (!(%s)) break;", some[len(" || "):])
	}
	g.list(code[n:], at)
	for _, in := range code {
		if in.Op == ir.Next { // they take effect together
			g.line("v%d = n%d;", in.Args[0], in.Dst)
		}
	}
	for range max(len(l.dims), 1) {
		g.close()
	}
	for _, in := range code {
		if in.Op == ir.Next {
			g.line("const %s v%d = v%d;", in.Type.Short(), in.Dst, in.Args[0])
		}
	}
	for _, r := range reds {
		g.line("const %s v%d = %s::result(r%d.result());", r.Type.Short(), r.Dst, g.reduction(r), r.Dst)
	}
}

// limit bounds what 32-bit indices address. Below it, neither a sum of a few
// offsets nor a loop counter one grid beyond the end overflows.
const limit = 1 << 29

// width chooses between 32-bit and 64-bit indices, and fills the nodeLayouts of the
// index expressions.
func (n *numbers) width() {
	l := &n.layout
	far := func(reach int) { l.wide = l.wide || reach >= limit }
	for i := range n.loops {
		size := 1
		for _, d := range l.loops[i].dims {
			size = times(size, n.extents[d])
		}
		far(size)
	}
	for i, f := range l.forms {
		reach := 0
		for j, t := range f.terms {
			reach += times(abs(n.forms[i].coefs[j]), max(n.extents[t.dim]-1, 0))
		}
		far(reach)
	}
	for i := range n.k.Bufs {
		a := &n.Arrays[i]
		reach := 0
		for d := range a.Strides {
			far(a.Extents[d])
			reach += times(abs(a.Strides[d]), max(a.Extents[d]-1, 0))
		}
		far(reach)
	}
	for i, x := range n.k.Index.Nodes { // operands have lower numbers
		lo, hi := n.Interval(prim.Ix(i))
		f := nodeLayout{narrow: x.Op != prim.IxValue && lo > -limit && hi < limit, positive: lo >= 0}
		if x.Op >= prim.IxAdd {
			f.narrow = f.narrow && l.nodes[x.A].narrow && l.nodes[x.B].narrow
		}
		l.nodes = append(l.nodes, f)
	}
}

// times returns the lesser of x*y and limit. x and y must not be negative.
func times(x, y int) int {
	if x != 0 && y > limit/x {
		return limit
	}
	return x * y
}
