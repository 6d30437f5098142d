package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/fuse"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// value returns v at coordinates. It writes the value only if no visible one
// exists.
func (w *writer) value(v *fuse.Value, coords []prim.Ix) prim.V {
	if old := w.memo[v.Number]; old.Type.Valid() && w.b.Visible(old) {
		return old
	}
	from := w.b.From
	w.b.From = w.origins.Of(v.Node.Src)
	x := w.write(v, coords)
	w.b.Mark(x)
	w.b.From = from
	w.memo[v.Number] = x
	return x
}

func (w *writer) write(v *fuse.Value, coords []prim.Ix) prim.V {
	if v.Load != nil {
		w.loadFaults(v, coords)
		return w.load(v.Load, coords, v.Bounds, prim.V{})
	}
	if buf, ok := w.rows[v]; ok {
		return w.b.Load(buf, ir.InBounds, w.rowAt(), prim.V{})
	}
	x := w.compute(v, coords)
	if v.Kept {
		zero.Put(&w.rows, v, w.rowBuf(v.Node))
		w.b.Store(w.rows[v], w.rowAt(), x)
	}
	if v.Side && w.task != fuse.Scan && !slices.Contains(w.sides, v) {
		w.store(v.Node.Array, coords, x)
		w.sides = append(w.sides, v)
	}
	return x
}

// rowAt returns the position in the row.
func (w *writer) rowAt() []prim.Ix { return lists.Map(w.innerAxes(), w.ix.Axis) }

func (w *writer) compute(v *fuse.Value, coords []prim.Ix) prim.V {
	switch n := v.Node; n.Src.Op.Class() {
	case tree.Constant, tree.Parameter:
		return w.scalar(n, Scalar{Bits: n.Src.Bits, Cell: n.Src.Param})
	case tree.Elementwise:
		return w.elementwise(v, coords)
	case tree.View:
		return w.view(v, coords)
	case tree.State:
		return w.state(v, coords)
	case tree.Scan:
		if !n.Src.ScanIsLast() {
			return w.scan(v, coords)
		}
	}
	return w.reduced[v.Node]
}

func (w *writer) elementwise(v *fuse.Value, coords []prim.Ix) prim.V {
	n, first := v.Node, len(w.stack)
	for i, a := range v.Operands {
		at := coords
		if !a.Node.Shape.Equal(n.Shape) {
			at = w.aligned(coords, a.Node.Shape)
		}
		w.stack = append(w.stack, w.value(a, at))
		cond := prim.V{}
		if n.Src.Op.Cond() && i > 0 {
			cond = w.stack[first]
		}
		w.faults.edge(a, edge{v, cond, i == 2})
	}
	x := slices.Clip(w.stack[first:])
	w.stack = w.stack[:first]
	result := w.lower(n, x)
	if n.Fails && w.faults.on {
		if at := n.Src.Op.Fault()(w.p, x...); at.Type.Valid() && w.b.Has(at) {
			w.fault(v, at, Fault{n.Src, n.Src.Op.FaultKind()})
		}
	}
	return result
}

// lower returns the value of an element-wise node for the operands x. A panic
// or an error of the lowering becomes an error of the kernel.
func (w *writer) lower(n *graph.Node, x []prim.V) prim.V {
	v, why := w.try(n, x)
	if why == "" {
		return v
	}
	if w.err == nil {
		w.err = tree.NewError(tree.ErrType, n.Src.Op.Constructor(), "the lowering for %v %s", n.Type, why)
	}
	return w.p.Bits(n.Type.Register(), 0)
}

// try returns the value of an element-wise node, or why there is none.
func (w *writer) try(n *graph.Node, x []prim.V) (v prim.V, why string) {
	defer func() {
		if r := recover(); r != nil {
			why = fmt.Sprint("panics: ", r)
		}
	}()
	v = graph.Lower(w.p, n.Src, x...)
	if err := w.p.Err(); err != nil {
		why = "fails: " + err.Error()
	} else if t := n.Type.Register(); v.Type != t || !w.b.Has(v) {
		why = fmt.Sprintf("returns a value of type %v, not %v", v.Type, t)
	}
	return v, why
}

// view returns a view at coordinates. It writes the program of the index map.
func (w *writer) view(v *fuse.Value, coords []prim.Ix) prim.V {
	reads := v.Node.Index.Reads
	m := w.maps
	m.Read = func(i int, at []prim.Ix, fill prim.V) prim.V {
		a := v.Operands[i]
		switch reads[i].Bounds {
		case ir.InBounds:
			return w.operand(v, a, at, prim.V{})
		case ir.Clamped:
			return w.checked(v, i, at)
		}
		if a.Load == a.Node.Array && a.Load != nil && v.Bounds == ir.InBounds && a.Of.Faults == nil {
			return w.load(a.Load, at, ir.Guarded, fill)
		}
		inside := w.inside(at, a.Node.Shape)
		return w.p.Select(inside, w.operand(v, a, at, inside), fill)
	}
	return v.Node.Index.Write(&m, coords)
}

// checked returns the clamped read number i of a view. It raises ErrIndex for a
// coordinate that is outside.
func (w *writer) checked(v *fuse.Value, i int, at []prim.Ix) prim.V {
	a := v.Operands[i]
	site := Fault{v.Node.Src, tree.ErrIndex}
	if a.Node.Shape.Size() == 0 { // nowhere inside
		w.fault(v, w.p.Int(dtype.Bool, 1), site)
		return w.p.Bits(a.Node.Type.Register(), 0)
	}
	for k, c := range at {
		if v.Node.Index.Reads[i].Outside[k] && w.faults.on {
			w.fault(v, w.outside(c, a.Node.Shape[k]), site)
		}
	}
	return w.operand(v, a, at, prim.V{})
}

// outside returns the condition that coordinate c lies outside of an axis of size n. Where c is an index of which n was added to
// negative ones, that is where the index less -n is greater than 2n-1, as numbers without sign. Both have the bit of the sign
// changed, so that the comparison has signs: AVX2 has no other. An index of 32 bits is compared in lanes of 32 bits.
func (w *writer) outside(c prim.Ix, n int) prim.V {
	p, at, size := w.p, w.b.Value(c), w.b.Value(w.int(n))
	i, ok := w.b.FromEnd(at, size)
	if !ok {
		return p.Le(p.Bitcast(dtype.U64, size), p.Bitcast(dtype.U64, at))
	}
	low, high, sign := p.Neg(size), p.Sub(size, p.Int(dtype.I64, 1)), p.Int(dtype.I64, math.MinInt64)
	if i.Type == dtype.I32 {
		low = p.Cvt(dtype.I32, p.Max(low, p.Int(dtype.I64, math.MinInt32)))
		high = p.Cvt(dtype.I32, p.Min(high, p.Int(dtype.I64, math.MaxInt32)))
		sign = p.Int(dtype.I32, math.MinInt32)
	}
	return p.Lt(p.Add(p.Sub(high, low), sign), p.Add(i, p.Sub(sign, low)))
}

// operand returns operand a of the view v. wanted is the condition under which
// the view uses the value.
func (w *writer) operand(v, a *fuse.Value, at []prim.Ix, wanted prim.V) prim.V {
	x := w.value(a, at)
	w.faults.edge(a, edge{v, wanted, false})
	return x
}

// inside returns the condition that the coordinates lie within a shape.
func (w *writer) inside(at []prim.Ix, s shape.Shape) prim.V {
	all := w.p.Int(dtype.Bool, 1)
	for i, c := range at {
		if n := w.ix.At(c); n.Op == prim.IxAxis && w.extents[n.K] <= s[i] {
			continue
		}
		v := w.b.Value(c)
		low := w.p.Le(w.p.Int(dtype.I64, 0), v)
		high := w.p.Lt(v, w.b.Value(w.int(s[i])))
		all = w.p.And(all, w.p.And(low, high))
	}
	return all
}
