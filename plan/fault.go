package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// faults tracks the uses of values. A fault counts only if the value is
// demanded: where `where` does not select a value, its faults are ignored. Each
// use is an edge with the condition under which it demands the value.
type faults struct {
	on    bool
	edges map[valueKey][]edge
	roots map[valueKey]bool
	list  []fault
	sites []Fault // all faults that the kernel can raise
}

type edge struct {
	user   valueKey
	cond   prim.V // the zero V means always
	negate bool
}

type fault struct {
	key  valueKey
	at   prim.V
	kind ir.FaultKind
}

func (f *faults) edge(used, user valueKey, cond prim.V, negate bool) {
	if f.edges == nil {
		f.edges = map[valueKey][]edge{}
	}
	f.edges[used] = append(f.edges[used], edge{user, cond, negate})
}

func (f *faults) root(key valueKey) {
	if !f.on {
		return
	}
	if f.roots == nil {
		f.roots = map[valueKey]bool{}
	}
	f.roots[key] = true
}

// checks reports whether a view may read at computed positions, which need a
// check. Of the built-in views only take does.
func checks(o *expr.Operator) bool {
	return o.Class == expr.View && (o == takeRow || !builtIn(o))
}

// canFail reports whether an operation by itself can fail on data. It returns
// false where constant operands rule a fault out, such as a divisor of 4.
func canFail(e *expr.Node, args []*node) bool {
	if e.Op.Fault == nil || !e.DType().IsInt() {
		return false
	}
	b := ir.NewBuilder("")
	p := prim.NewB(b)
	x := make([]prim.V, len(args))
	fixed := false
	for i, a := range args {
		if c := constantOf(a); c != nil {
			x[i], fixed = p.Bits(c.typ.Register(), c.src.Bits), true
		} else {
			x[i] = b.Scalar(a.typ.Register())
		}
	}
	if !fixed {
		return true
	}
	bits, known := b.Constant(e.Op.Fault(p, x...))
	return !known || bits != 0
}

// constantOf returns the constant that all elements of n are copies of, or nil.
func constantOf(n *node) *node {
	for n.array == nil && (n.src.Op == broadcastRow || n.src.Op == reshapeRow) {
		n = n.args[0]
	}
	if n.src.Op.Class != expr.Constant {
		return nil
	}
	return n
}

// mayFault reports whether some operator below the roots can fail on data.
func mayFault(roots []root) bool {
	for _, r := range roots {
		if r.value.faulty {
			return true
		}
	}
	return false
}

var faultKinds = map[error]ir.FaultKind{expr.ErrDivide: ir.DivideFault, expr.ErrIndex: ir.IndexFault}

// fault records that the value of n called key is undefined where at holds.
func (k *gen) fault(key valueKey, n *node, at prim.V, kind error) {
	f := &k.faults
	if !f.on {
		return
	}
	f.list = append(f.list, fault{key, at, faultKinds[kind]})
	if site := (Fault{n.src, kind}); !slices.Contains(f.sites, site) {
		f.sites = append(f.sites, site)
	}
}

// raise writes the faults of the innermost loop. The caller closes the loop
// next.
func (k *gen) raise() {
	f := &k.faults
	for _, x := range f.list {
		at := x.at
		if d, always := k.demand(x.key, map[valueKey]demand{}); !always && d.Type.Valid() {
			at = k.p.And(at, d)
		}
		k.b.Fault(x.kind, at)
		k.faulty = true
	}
	f.list, f.edges, f.roots = nil, nil, nil
}

// A demand is the condition under which a value is needed.
type demand struct {
	cond   prim.V
	always bool
}

// demand returns the condition under which the value called key is needed, or
// true if it is always needed. A value without known uses counts as needed.
func (k *gen) demand(key valueKey, known map[valueKey]demand) (prim.V, bool) {
	if d, ok := known[key]; ok {
		return d.cond, d.always
	}
	d := k.sumDemand(key, known)
	known[key] = d
	return d.cond, d.always
}

func (k *gen) sumDemand(key valueKey, known map[valueKey]demand) demand {
	edges := k.faults.edges[key]
	if k.faults.roots[key] || len(edges) == 0 {
		return demand{always: true}
	}
	var d demand
	for _, e := range edges {
		part, all := k.demand(e.user, known)
		if e.cond.Type.Valid() && k.b.Visible(e.cond) {
			c := e.cond
			if e.negate {
				c = k.p.Not(c)
			}
			if all {
				part = c
			} else {
				part = k.p.And(part, c)
			}
		} else if all {
			return demand{always: true}
		}
		if d.cond.Type.Valid() {
			part = k.p.Or(d.cond, part)
		}
		d.cond = part
	}
	return d
}
