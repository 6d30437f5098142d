package plan

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// strided is n as an array, if it is one or a chain of views of one that
// strides can express; else nil.
func (c *compiler) strided(n *node) *Array {
	if n.array != nil {
		return n.array
	}
	if n.view == nil && n.src.Op.Class == expr.View && len(n.args) == 1 {
		if base := c.strided(n.args[0]); base != nil {
			n.view = restride(n, base)
		}
	}
	return n.view
}

// restride runs the index map of a view once, on symbols, and reads strides and
// offset off the coordinates if they are sums of multiples of the axes.
func restride(n *node, base *Array) *Array {
	b := ir.NewBuilder("")
	t := &b.K.Index
	var params []int
	out := make([]prim.Ix, len(n.shape))
	axes := make([]int, len(n.shape))
	for i := range out {
		axes[i] = b.Axis("")
		out[i] = t.Axis(axes[i])
	}
	b.Open(ir.Vec, axes...)
	a := &Array{Mem: base.Mem, Temp: base.Temp, Type: base.Type, Offset: base.Offset, Shape: n.shape, Strides: make([]int, len(n.shape)), Name: base.Name}
	reads, ok := 0, true
	other := func() prim.V {
		ok = false
		return b.Emit(prim.Ins{Op: prim.Const, Type: base.Type.Register()})
	}
	m, foreign := &indexMap{n: n, ix: t, b: b, extents: n.shape, params: func() []int { return params }}, !builtIn(n.src.Op)
	g := &expr.Gather{
		IxTable: t, B: prim.NewB(b), Node: n.source(), Out: out,
		Int: func(v int) prim.Ix {
			params = append(params, v)
			return b.Param()
		},
		At: func(arg int, at []prim.Ix) prim.V {
			reads++
			if foreign && (!m.operand(arg, at) || !m.proven(arg, at)) {
				return other()
			}
			for i, x := range at {
				m, affine := affineOf(t, x, len(out), params)
				if !affine {
					ok = false
					break
				}
				a.Offset += m[len(out)] * base.Strides[i]
				for k := range out {
					a.Strides[k] += m[k] * base.Strides[i]
				}
			}
			return b.Emit(prim.Ins{Op: prim.Const, Type: base.Type.Register()})
		},
		Guarded: func(int, []prim.Ix, prim.V) prim.V { return other() },
		Checked: func(int, []prim.Ix) prim.V { return other() },
		Value:   func(ix prim.Ix) prim.V { ok = false; return b.Value(ix) },
	}
	gather := n.src.Op.Gather
	if foreign {
		gather = m.run
	}
	v := gather(g)
	if !ok || m.err != nil || reads != 1 || g.B.Err() != nil || len(b.K.Regions[0].Code) != 1 || len(b.K.Regions[1].Code) != 0 || v.ID != 0 {
		return nil
	}
	return a
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

// affineOf is the multiple of each axis, and the constant, of an index
// expression that is such a sum.
func affineOf(t *prim.IxTable, ix prim.Ix, axes int, params []int) ([]int, bool) {
	n := t.At(ix)
	m := make([]int, axes+1)
	switch n.Op {
	case prim.IxConst:
		m[axes] = int(n.K)
	case prim.IxParam:
		m[axes] = params[n.K]
	case prim.IxAxis:
		m[n.K] = 1
	case prim.IxAdd, prim.IxMul:
		a, ok := affineOf(t, n.A, axes, params)
		b, ok2 := affineOf(t, n.B, axes, params)
		if !ok || !ok2 {
			return nil, false
		}
		for i := range m {
			if n.Op == prim.IxAdd {
				m[i] = a[i] + b[i]
			} else {
				m[i] = a[i] * b[axes]
			}
		}
		if n.Op == prim.IxMul {
			for _, x := range b[:axes] {
				if x != 0 {
					return nil, false
				}
			}
		}
	default:
		return nil, false
	}
	return m, true
}
