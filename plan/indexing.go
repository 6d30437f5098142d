package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// strided returns n as an array, if n is one or a chain of views of one that
// strides can express; else nil.
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

// base returns what a strided view reads: the node below it that is in memory.
func (n *node) base() *node {
	for n.array == nil {
		n = n.args[0]
	}
	return n
}

// An indexing is what the index map of a view does. It is found by running the
// map once, on symbols.
type indexing struct {
	affine []bound.Form // the coordinates of the operand, if the view is one element of its one operand
	reads  []int        // how often each operand is read
	terms  []terms      // of the longest coordinate of each operand
	prims  int          // what the map computes
}

// terms is the size of an index expression, written out as a tree. One may
// have 2^n terms and n nodes.
type terms struct {
	axes  int // leaves that are axes
	other int
}

const manyTerms = 1 << 20

func (t terms) size() int { return t.axes + t.other }

// in returns the size of x with an expression of size t in the place of each axis.
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

// of returns the array that the view n is of base.
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

// indexingOf runs the index map of a view. Of a map of a user that fails it tells
// little: the map fails again in the kernel.
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
	known  []terms // of the index expressions, by number
	single bool    // there has been one read, of coordinates inside the operand
	value  prim.V  // what it has returned
	out    *indexing
}

// read counts a read of an operand. Its value is a symbol.
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

// at is read for coordinates inside the operand.
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

// size is that of an index expression, written out. Operands have lower numbers.
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

// source is n as an expression, for index maps, which look at the shapes of
// operands: a view that the plan has made has none of its own.
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
