package cudagen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// plan divides the entry region into passes. A loop becomes one pass, or two if it
// is split or is a reducing vec loop. Every pass repeats the scalar code that it
// needs and that only depends on inputs. Stores, faults, and loads of arrays that
// the kernel may store to run once, in their place. Other passes read their
// values from slots.
func (g *generator) plan() {
	code := g.k.Regions[0].Code
	for i := range code {
		if in := &code[i]; in.Op == ir.For {
			for _, r := range g.reductions(in.Aux) {
				g.def[r.Dst] = i
			}
		} else if in.Dst != ir.None {
			g.def[in.Dst] = i
		}
	}
	lo := 0
	for i := range code {
		if code[i].Op != ir.For {
			continue
		}
		g.scalarPass(lo, i)
		lo = i + 1
		loop := code[i].Aux
		p := pass{kind: elementsPass, loop: loop}
		switch {
		case g.k.Loops[loop].Kind == ir.Par && g.l.loops[loop].split:
			p.kind = rowFinishPass
			g.passes = append(g.passes, pass{kind: rowPartsPass, loop: loop})
		case g.k.Loops[loop].Kind == ir.Par:
			p.kind = rowsPass
		case g.l.loops[loop].split:
			p.kind = columnsPass
			g.passes = append(g.passes, pass{kind: runsPass, loop: loop})
		case len(g.reductions(loop)) > 0:
			p.kind = blocksPass
		}
		g.passes = append(g.passes, p)
		if p.kind == blocksPass {
			g.passes = append(g.passes, pass{kind: finishPass, loop: loop, lo: lo, hi: lo, pairs: slices.ContainsFunc(g.k.Reducers, pairs)})
		}
	}
	g.scalarPass(lo, len(code))
	for i := range g.passes {
		g.needs(&g.passes[i])
	}
}

// pairs reports whether a reducer combines values of 8 bytes with their positions.
func pairs(r ir.Reducer) bool { return r.Position() && r.Type.Size() == 8 }

// scalarPass assigns the scalar code from lo to hi to a pass. This is the previous
// pass if that is a finishPass. Otherwise scalarPass appends a pass if some of
// the code must run in place.
func (g *generator) scalarPass(lo, hi int) {
	if n := len(g.passes); n > 0 && g.passes[n-1].kind == finishPass {
		g.passes[n-1].hi = hi
		return
	}
	for i := lo; i < hi; i++ {
		if g.inPlace(&g.k.Regions[0].Code[i]) {
			g.passes = append(g.passes, pass{kind: scalarPass, loop: -1, lo: lo, hi: hi})
			return
		}
	}
}

// inPlace reports whether an instruction must run where it stands: a store, a
// fault, a load of an array that the kernel may store to, or a cold region with one
// of these.
func (g *generator) inPlace(in *ir.Ins) bool {
	switch in.Op {
	case ir.Store, ir.Fault:
		return true
	case ir.Load:
		return g.k.Bufs[g.k.Access[in.Aux].Buf].Mode != ir.In
	case ir.Cold:
		return slices.ContainsFunc(instructions(g.k, in.Aux), g.inPlace)
	}
	return false
}

// needs sets p.need to the values of the entry region that the pass reads. It
// allocates a slot for each value that another pass computes.
func (g *generator) needs(p *pass) {
	p.need = map[ir.Value]bool{}
	code := g.k.Regions[0].Code
	if p.kind != scalarPass && p.kind != finishPass {
		g.uses(p, g.k.Loops[p.loop].Body)
	}
	for i := p.lo; i < p.hi; i++ {
		if in := &code[i]; g.inPlace(in) {
			g.use(p, in)
			if in.Dst != ir.None {
				p.need[in.Dst] = true
			}
		}
	}
}

// uses adds the values that a region reads.
func (g *generator) uses(p *pass, region int32) {
	for _, in := range instructions(g.k, region) {
		g.use(p, in)
	}
}

// use adds the values that an instruction reads.
func (g *generator) use(p *pass, in *ir.Ins) {
	for v := range g.k.Uses(in) {
		g.value(p, v)
	}
	if b := g.k.Body(in); b >= 0 {
		g.uses(p, b)
	}
}

// value adds a value, and the values that it is computed from, if it is defined in
// the entry region.
func (g *generator) value(p *pass, v ir.Value) {
	i, ok := g.def[v]
	if !ok || p.need[v] {
		return
	}
	p.need[v] = true
	in := &g.k.Regions[0].Code[i]
	switch {
	case in.Op == ir.For:
		if p.kind != finishPass || p.loop != in.Aux {
			g.slot(v)
		}
	case g.inPlace(in) && (i < p.lo || i >= p.hi):
		g.slot(v)
	default:
		g.use(p, in)
	}
}

// reductions returns the reductions in the body of a loop, in order.
func (g *generator) reductions(loop int32) []*ir.Ins {
	return instructions(g.k, g.k.Loops[loop].Body, ir.Reduce)
}

// slot returns the area that passes a value from one pass to later ones.
func (g *generator) slot(v ir.Value) int {
	return g.area(area{kind: slotArea, x: int(v), size: 8, par: -1})
}

func (g *generator) area(a area) int {
	key := [2]int{int(a.kind), a.x}
	i, ok := g.areaOf[key]
	if !ok {
		i = len(g.areas)
		g.areas = append(g.areas, a)
		g.areaOf[key] = i
	}
	return i
}

// scalars writes the scalar code of a pass: the values that it reads, and the
// effects in Code[p.lo:p.hi].
func (g *generator) scalars(p *pass) {
	code := g.k.Regions[0].Code
	handOn := func(v ir.Value) {
		if i, ok := g.areaOf[[2]int{int(slotArea), int(v)}]; ok {
			g.line("*(%s *)%s = v%d;", g.k.Types[v].Short(), g.place(i), v)
		}
	}
	for i := range code {
		in := &code[i]
		own := i >= p.lo && i < p.hi
		if in.Op == ir.For {
			for _, r := range g.reductions(in.Aux) {
				switch {
				case p.kind == finishPass && p.loop == in.Aux:
					handOn(r.Dst)
				case p.need[r.Dst]:
					g.fetch(r.Dst)
				}
			}
			continue
		}
		inPlace := g.inPlace(in)
		switch {
		case in.Dst == ir.None && !own, in.Dst != ir.None && !p.need[in.Dst]:
		case inPlace && !own:
			g.fetch(in.Dst)
		default:
			g.ins(in, scope{})
			if inPlace && in.Dst != ir.None {
				handOn(in.Dst)
			}
		}
	}
}

// fetch reads a value from its slot.
func (g *generator) fetch(v ir.Value) {
	t := g.k.Types[v].Short()
	g.line("const %s v%d = *(const %s *)%s;", t, v, t, g.place(g.slot(v)))
}

// place returns the expression for the address of an area in scratch memory.
func (g *generator) place(i int) string {
	return "(" + g.word("scratch", "u8 *", scratchField, 0) + " + " + g.offset(i) + ")"
}

func (g *generator) offset(i int) string {
	a := &g.areas[i]
	name := [...]string{slotArea: "slot", partArea: "part", rowArea: "row", stageArea: "stage", tileArea: "tile", copyArea: "copy", runArea: "runs", blockArea: "blocks"}[a.kind]
	return g.word(name+"_"+itoa(a.x), "i64", areaField, i)
}

// reducer returns the C++ type of reducer n of the kernel.
func (g *generator) reducer(n int32) string {
	r := &g.k.Reducers[n]
	switch {
	case r.Position():
		return fmt.Sprintf("red::position<%s, %t, ix>", r.Type.Short(), r.Op() == prim.Max)
	case r.Native():
		return "reduce_" + r.Name() + "_" + r.Type.Short()
	}
	return fmt.Sprintf("reduce_program_%d", n)
}

// reducers declares the types of the reducers. The prelude has a template for
// reducers that return a position.
func (g *generator) reducers(w *strings.Builder) {
	g.w.Reset()
	g.indent = ""
	for n := range g.k.Reducers {
		r := &g.k.Reducers[n]
		if r.Position() {
			continue
		}
		t := r.Type.Short()
		identity, nothing := r.Bits()
		g.open("struct %s : red::plain<%s, %t>", g.reducer(int32(n)), t, r.Ordered())
		g.line("FN %s identity() { return %s; }", t, literal(r.Type, identity))
		g.line("FN %s empty() { return %s; }", t, literal(r.Type, nothing))
		if r.Native() {
			g.line("FN %s join(%s x, %s y) { return prim::%s(x, y); }", t, t, t, joins(r))
		} else {
			g.open("FN %s join(%s v%d, %s v%d)", t, t, r.X, t, r.Y)
			g.region(r.Body, scope{})
			g.line("return v%d;", r.Yield)
			g.close()
		}
		g.line("FN %s put(%s a, %s x, i64) { return join(a, x); }", t, t, t)
		g.indent = ""
		g.line("};")
	}
	if g.w.Len() > 0 {
		w.WriteString("\n" + g.w.String())
	}
}

// joins returns the name of the prelude's function that combines two accumulators
// of a native reducer.
func joins(r *ir.Reducer) string {
	if r.Quiet(r.Type) {
		return "f" + r.Op().String()
	}
	return function(r.Op())
}
