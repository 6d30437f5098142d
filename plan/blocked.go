package plan

import (
	"slices"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// blocked returns a loop as a part of a chain. The axis that blocks cut is divided
// in two: the number of the block and the position within the block. Temporaries
// in own have the rows of one block. So the units of a block follow each other,
// and the addresses of own do not depend on the block.
func (s *Stage) blocked(dims []int, r RowBlocks, own []*Array) *Stage {
	old := s.Kernel
	k := *old
	out := *s
	w := newBlocker(s, &k, &out, int(s.mainAxes()[r.axis]), r.Extent, r.Size)
	for i := range k.Loops {
		l := &k.Loops[i]
		if at := slices.Index(l.Axes, int32(out.cut.axis)); at >= 0 {
			l.Axes = slices.Insert(slices.Clone(l.Axes), at, int32(out.cut.block))
		}
	}
	for i := range k.Access {
		a := &k.Access[i]
		x := ownIn(own, s.Bufs[a.Buf].Array)
		switch {
		case x == nil:
			a.Coords = w.exprs(a.Coords)
		case s.byCoords(int(a.Buf), x, dims):
			at := rowDims(&s.Bufs[a.Buf], dims)[r.axis]
			a.Coords = w.exprs(a.Coords[at:])
			a.Coords[0] = k.Index.Axis(out.cut.axis)
		default:
			at, _ := s.inRow(a, x, dims)
			for _, outer := range s.mainAxes()[:r.axis] {
				at.Coef[outer] = 0
			}
			sum := w.number(at.C)
			for d, c := range at.Coef {
				if c != 0 {
					sum = k.Index.Add(sum, k.Index.Mul(k.Index.Axis(d), w.number(c)))
				}
			}
			a.Coords = []prim.Ix{sum}
		}
	}
	for i, o := range s.Bufs {
		x := ownIn(own, o.Array)
		switch {
		case x == nil:
			continue
		case s.byCoords(i, x, dims):
			at := rowDims(&s.Bufs[i], dims)[r.axis]
			o.Strides, o.Extents = o.Strides[at:], slices.Clone(o.Extents[at:])
			o.Extents[0] = r.Size
		default:
			o.Strides, o.Extents = []int{1}, []int{x.Shape.Size() / shape.Shape(dims).Size() * r.Rows()}
		}
		o.Array = x // the coordinates count from its first element
		out.Bufs[i], k.Bufs[i].Rank = o, len(o.Extents)
	}
	w.indices()
	return &out
}

// ownIn returns the array of own that has the elements of a, or nil.
func ownIn(own []*Array, a *Array) *Array {
	if a == nil || a.Mem != nil {
		return nil
	}
	if i := slices.IndexFunc(own, func(x *Array) bool { return x.Temp == a.Temp }); i >= 0 {
		return own[i]
	}
	return nil
}

// A blocker writes the index expressions of a kernel whose axis cut is divided.
type blocker struct {
	old, k *ir.Kernel
	stage  *Stage
	size   prim.Ix
	first  prim.Ix // of axis cut, or -1: 0
	memo   map[prim.Ix]prim.Ix
}

// newBlocker returns the blocker that makes k and out, copies of the kernel of s and of s, with blocks of size of the n positions
// of an axis. They share with s what a blocker does not change.
func newBlocker(s *Stage, k *ir.Kernel, out *Stage, axis, n, size int) *blocker {
	old := s.Kernel
	k.Index, k.InOrder = prim.IxTable{}, true
	k.Axes = append(slices.Clip(old.Axes), "block")
	k.Bufs, k.Access, k.Loops = slices.Clone(old.Bufs), slices.Clone(old.Access), slices.Clone(old.Loops)
	out.Kernel, out.Bufs, out.Params = k, slices.Clone(s.Bufs), slices.Clone(s.Params)
	out.cut = cut{axis: axis, block: len(old.Axes), last: n % size}
	out.Extents = append(slices.Clone(s.Extents), n/size)
	out.Extents[axis] = size
	w := &blocker{old: old, k: k, stage: out, first: -1, memo: map[prim.Ix]prim.Ix{}}
	w.size = w.number(size)
	if out.cut.last > 0 {
		out.cut.first = len(out.Params)
		out.Params = append(out.Params, 0)
		k.Params++
		w.first = k.Index.Param(out.cut.first)
	}
	return w
}

// indices writes the values of the kernel that are indices for the divided axis.
func (w *blocker) indices() {
	k := w.k
	k.Regions = slices.Clone(k.Regions)
	for i := range k.Regions {
		k.Regions[i].Code = slices.Clone(k.Regions[i].Code)
		for j := range k.Regions[i].Code {
			if in := &k.Regions[i].Code[j]; in.Op == ir.Index {
				in.Imm = uint64(w.expr(prim.Ix(in.Imm)))
			}
		}
	}
}

// number returns an integer as an index expression: 0, 1 and -1 are constants, as
// in the kernels that a writer writes.
func (w *blocker) number(v int) prim.Ix {
	if v >= -1 && v <= 1 {
		return w.k.Index.Const(int64(v))
	}
	i := slices.Index(w.stage.Params, v)
	if i < 0 {
		i = len(w.stage.Params)
		w.stage.Params = append(w.stage.Params, v)
		w.k.Params++
	}
	return w.k.Index.Param(i)
}

func (w *blocker) exprs(list []prim.Ix) []prim.Ix { return lists.Map(list, w.expr) }

// expr returns an expression of the old kernel for the divided axis.
func (w *blocker) expr(ix prim.Ix) prim.Ix {
	if to, ok := w.memo[ix]; ok {
		return to
	}
	t, n := &w.k.Index, w.old.Index.At(ix)
	var to prim.Ix
	switch n.Op {
	case prim.IxConst:
		to = t.Const(n.K)
	case prim.IxParam:
		to = t.Param(int(n.K))
	case prim.IxAxis:
		if to = t.Axis(int(n.K)); int(n.K) == w.stage.cut.axis {
			to = t.Add(t.Mul(t.Axis(w.stage.cut.block), w.size), to)
			if w.first >= 0 {
				to = t.Add(w.first, to)
			}
		}
	case prim.IxValue:
		to = t.Value(prim.V{ID: int32(n.K)})
	case prim.IxAdd:
		to = t.Add(w.expr(n.A), w.expr(n.B))
	case prim.IxMul:
		to = t.Mul(w.expr(n.A), w.expr(n.B))
	case prim.IxDiv:
		to = t.Div(w.expr(n.A), w.expr(n.B))
	case prim.IxMod:
		to = t.Mod(w.expr(n.A), w.expr(n.B))
	}
	w.memo[ix] = to
	return to
}
