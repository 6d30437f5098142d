package cudagen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/plan/ir"
)

// linear returns the C++ expression of an affine form, without its pointer.
func (g *generator) linear(form int) string { return g.linearAt(form, -1, "") }

// linearAt is like linear, but dimension dim has the given name.
func (g *generator) linearAt(form, dim int, name string) string {
	f := &g.l.forms[form]
	var terms []string
	for i, t := range f.terms {
		d := "d" + itoa(t.dim)
		if t.dim == dim {
			d = name
		}
		if !t.one {
			d += "*" + g.coef(form, i)
		}
		terms = append(terms, d)
	}
	if f.base != 0 {
		terms = append(terms, itoa(f.base))
	}
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, " + ")
}

// coef returns the argument that holds a coefficient of a form: a stride of an
// array or a weight of an axis, in elements.
func (g *generator) coef(form, term int) string {
	f := &g.l.forms[form]
	name := fmt.Sprintf("f%d_d%d", form, f.terms[term].dim)
	if f.buf >= 0 {
		name = fmt.Sprintf("%s_d%d", g.form[form], f.terms[term].dim)
	}
	return g.ix(name, coefField, form, term)
}

// element returns the array element of a Load or Store as C++, and the condition
// under which the element lies inside the array. The condition is "" if the
// access has no guard. element also declares a variable for each computed
// coordinate.
func (g *generator) element(in *ir.Ins) (place, inside string) {
	s := g.siteOf[in]
	site := &g.l.sites[s]
	acc := &g.k.Access[in.Aux]
	at := g.linear(site.form)
	var conds []string
	for _, c := range site.coords {
		ix := acc.Coords[c.dim]
		t, wide := "ix", !g.l.nodes[ix].narrow
		if wide {
			t = "i64"
		}
		name := fmt.Sprintf("c%d_%d", s, c.dim)
		expr := g.index(ix, wide)
		if c.bounds == ir.Clamped {
			expr = fmt.Sprintf("prim::clamp(%s, (%s)%s)", expr, t, g.extent(acc.Buf, c.dim))
		}
		g.line("const %s %s = %s;", t, name, expr)
		if c.bounds == ir.Guarded {
			conds = append(conds, fmt.Sprintf("%s >= 0 && %s < %s", name, name, g.extent(acc.Buf, c.dim)))
		}
		at += fmt.Sprintf(" + (ix)%s*%s", name, g.ix(fmt.Sprintf("%s_s%d", g.k.Bufs[acc.Buf].Name, c.dim), strideField, int(acc.Buf), c.dim))
	}
	at = strings.TrimPrefix(at, "0 + ")
	return g.array(in) + "[" + at + "]", strings.Join(conds, " && ")
}

// array returns the pointer of a Load or Store. The pointer includes the constant
// of the form, except for a row buffer or a copy.
func (g *generator) array(in *ir.Ins) string {
	if c := g.l.sites[g.siteOf[in]].readsCopy; c > 0 {
		return copyName(c)
	}
	b := &g.k.Bufs[g.k.Access[in.Aux].Buf]
	if b.Mode == ir.Row {
		return "row_" + b.Name
	}
	t := memory(b.Type) + " *"
	if b.Mode == ir.In {
		t = "const " + t
	}
	form := g.l.sites[g.siteOf[in]].form
	return g.word(g.form[form], t, pointerField, form)
}

func (g *generator) extent(buf int32, dim int) string {
	return g.ix(fmt.Sprintf("%s_e%d", g.k.Bufs[buf].Name, dim), extentField, int(buf), dim)
}

func (g *generator) load(in *ir.Ins, at scope) {
	s := &g.l.sites[g.siteOf[in]]
	if s.makesCopy == 0 {
		g.loaded(in, at)
		return
	}
	terms := g.l.forms[s.form].terms
	copied := fmt.Sprintf("%s[d%d]", copyName(s.makesCopy), terms[len(terms)-1].dim)
	if at.copied {
		g.def1(in, fmt.Sprintf("prim::load(%s)", copied))
		return
	}
	if g.loaded(in, at); !at.pack || !s.pack {
		g.line("prim::store(%s, v%d);", copied, in.Dst)
	}
}

// loaded declares the value of a load.
func (g *generator) loaded(in *ir.Ins, at scope) {
	if at.pack && g.l.sites[g.siteOf[in]].pack {
		g.def1(in, fmt.Sprintf("prim::load(x%d.at[j])", g.siteOf[in]))
		return
	}
	if at.tile && g.l.sites[g.siteOf[in]].tile {
		g.def1(in, fmt.Sprintf("prim::load(tile_%d[x][j])", g.siteOf[in]))
		return
	}
	if slices.Contains(at.loaded, in) {
		g.def1(in, fmt.Sprintf("prim::load(x%d[k])", g.siteOf[in]))
		return
	}
	place, inside := g.element(in)
	if inside != "" {
		g.def1(in, fmt.Sprintf("%s ? prim::load(%s) : v%d", inside, place, in.Args[0]))
		return
	}
	g.def1(in, fmt.Sprintf("prim::load(%s)", place))
}

func (g *generator) store(in *ir.Ins, at scope) {
	if at.pack && g.l.sites[g.siteOf[in]].pack {
		g.line("prim::store(x%d.at[j], v%d);", g.siteOf[in], in.Args[0])
		return
	}
	place, _ := g.element(in)
	if at.once != "" {
		g.line("if (%s) prim::store(%s, v%d);", strings.TrimSuffix(at.once, " && "), place, in.Args[0])
		return
	}
	g.line("prim::store(%s, v%d);", place, in.Args[0])
}
