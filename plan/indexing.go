package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// strided returns the value of n as an array in memory: its own, or a strided
// view of the array of a node below it. It returns nil if there is none.
func strided(n *node) *Array {
	if n.array == nil && n.view == nil && n.index != nil && n.index.affine != nil {
		if base := strided(n.args[0]); base != nil {
			n.view = n.index.of(base, n)
		}
	}
	if n.array != nil {
		return n.array
	}
	return n.view
}

// base returns the node in memory that a strided view reads.
func (n *node) base() *node {
	for n.array == nil {
		n = n.args[0]
	}
	return n
}

// An indexing is the result of analysing the index map of a view. The analysis
// runs the map once on symbols.
type indexing struct {
	affine []bound.Form // coordinates of the operand, if each element of the view is an element of its only operand
	reads  []int        // how often each operand is read
	terms  []terms      // size of the longest coordinate, by operand
	prims  int          // number of primitives that the map computes
}

// terms is the size of an index expression, written out as a tree. An
// expression of n nodes may have 2^n terms.
type terms struct {
	axes  int // leaves that are axes
	other int
}

const manyTerms = 1 << 20

func (t terms) size() int { return t.axes + t.other }

// in returns the size of x after an expression of size t replaces each axis.
// Sizes saturate at manyTerms.
func (t terms) in(x terms) terms {
	return terms{min(x.axes*t.axes, manyTerms), min(x.axes*t.other+x.other, manyTerms)}
}

// longer returns the longer of two.
func longer(x, y terms) terms {
	if y.size() > x.size() {
		return y
	}
	return x
}

// of returns the view n of the array base.
func (x *indexing) of(base *Array, n *node) *Array {
	a := &Array{Mem: base.Mem, Temp: base.Temp, Type: base.Type, Offset: base.Offset, Shape: n.shape, Strides: make([]int, len(n.shape)), Name: base.Name}
	for i, f := range x.affine {
		a.Offset += f.C * base.Strides[i]
		for k, c := range f.Coef {
			a.Strides[k] += c * base.Strides[i]
		}
	}
	return a
}

// indexingOf returns the analysis of a view's index map. If a user's map fails,
// the result is incomplete; the map fails again in the kernel and reports the
// error there.
func indexingOf(n *node) *indexing {
	p := &probe{b: ir.NewBuilder(""), n: n, out: &indexing{reads: make([]int, len(n.args)), terms: make([]terms, len(n.args))}}
	t := &p.b.K.Index
	out, axes := make([]prim.Ix, len(n.shape)), make([]int, len(n.shape))
	for i := range out {
		axes[i] = p.b.Axis("")
		out[i] = t.Axis(axes[i])
	}
	p.b.Open(ir.Vec, axes...)
	p.m = &indexMap{n: n, ix: t, b: p.b, extents: n.shape, params: func() []int { return p.params }}
	p.user = !builtIn(n.src.Op)
	g := &expr.Gather{
		IxTable: t, B: prim.NewB(p.b), Node: n.source(), Out: out,
		Int: func(v int) prim.Ix {
			p.params = append(p.params, v)
			return p.b.Param()
		},
		At: p.at,
		Guarded: func(arg int, at []prim.Ix, _ prim.V) prim.V {
			p.out.prims += 4 * len(at)
			return p.read(arg, at)
		},
		Checked: p.read,
		Value:   p.b.Value,
	}
	gather := n.src.Op.Gather
	if p.user {
		gather = p.m.run
	}
	v := gather(g)
	code := len(p.b.K.Regions[0].Code) + len(p.b.K.Regions[1].Code)
	for _, r := range p.out.reads {
		code -= r
	}
	p.out.prims += code
	if !p.single || code != 0 || v != p.value || p.m.err != nil || g.B.Err() != nil {
		p.out.affine = nil
	}
	return p.out
}

// A probe runs an index map on symbols.
type probe struct {
	b      *ir.Builder
	n      *node
	m      *indexMap
	user   bool
	params []int
	known  []terms // sizes of the index expressions, by number
	single bool    // there was exactly one read, with coordinates inside the operand
	value  prim.V  // the result of that read
	out    *indexing
}

// read counts a read of an operand. It returns a symbol for the value.
func (p *probe) read(arg int, at []prim.Ix) prim.V {
	p.single = false
	if p.user && !p.m.operand(arg, at) {
		return p.b.Scalar(p.n.typ.Register())
	}
	p.out.reads[arg]++
	for _, ix := range at {
		p.out.terms[arg] = longer(p.out.terms[arg], p.size(ix))
	}
	return p.b.Scalar(p.n.args[arg].typ.Register())
}

// at is read for coordinates that are inside the operand. It sets affine if it
// is the first read and the coordinates are affine.
func (p *probe) at(arg int, at []prim.Ix) prim.V {
	v := p.read(arg, at)
	if len(p.n.args) != 1 || p.out.affine != nil || p.m.err != nil || p.user && !p.m.proven(arg, at) {
		return v
	}
	space := bound.NewSpace(&p.b.K.Index, p.n.shape, p.params)
	forms := make([]bound.Form, len(at))
	for i, ix := range at {
		var ok bool
		if forms[i], ok = space.Form(ix); !ok {
			return v
		}
	}
	p.out.affine, p.single, p.value = forms, true, v
	return v
}

// size returns the size of an index expression, written out as a tree. Operands
// have lower numbers.
func (p *probe) size(ix prim.Ix) terms {
	for i := len(p.known); i <= int(ix); i++ {
		t := terms{other: 1}
		switch n := p.b.K.Index.At(prim.Ix(i)); n.Op {
		case prim.IxAxis:
			t = terms{axes: 1}
		case prim.IxAdd, prim.IxMul, prim.IxDiv, prim.IxMod:
			x, y := p.known[n.A], p.known[n.B]
			t = terms{min(x.axes+y.axes, manyTerms), min(x.other+y.other+1, manyTerms)}
		}
		p.known = append(p.known, t)
	}
	return p.known[ix]
}

// source returns n as an expression for index maps, which read the shapes of
// operands. A view that the plan made has no operands of its own.
func (n *node) source() *expr.Node {
	if len(n.src.Args) == len(n.args) {
		return n.src
	}
	e := *n.src
	e.Args = make([]*expr.Node, len(n.args))
	for i, a := range n.args {
		e.Args[i] = expr.Untyped(a.src.Op, a.shape, a.typ)
	}
	return &e
}
