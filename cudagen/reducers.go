package cudagen

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/expr/prim"

	"github.com/oneloop/oneloop/plan/ir"
)

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
