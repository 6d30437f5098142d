package enginetest

import (
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
	"pgregory.net/rapid"
)

// extent returns the extent of an axis, up to limit.
func (g *generator) extent(limit int) int {
	most := pick(g, "largest extent", []int{5, 9, 18, 34, 70, 140, 700, 1})
	return rapid.IntRange(1, min(most, max(limit, 1))).Draw(g.t, "extent")
}

// fenced returns an array in an area between inaccessible pages, or nil if none is left or large enough.
func (g *generator) fenced(t dtype.Type, s shape.Shape, st shape.Strides, elements int) *tree.Node {
	f := g.fence
	if f == nil || f.next == len(f.areas) || (elements+1)*t.Size() > len(f.areas[0]) || g.flip("in a pool", 4) {
		return nil
	}
	f.at = pick(g, "fence", []fencePost{atBegin, atEnd, atEnd, misplaced})
	return f.array(t, s, st)
}

// few returns one operation on operands that are arrays or one operation more.
func (g *generator) few(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if depth < 0 {
		return g.leaf(t, s)
	}
	product := g.product
	if t == dtype.Bool {
		product = g.same
	}
	return pick(g, "kind", []func(dtype.Type, shape.Shape, int) *tree.Node{
		g.elementwise, g.elementwise, g.view, g.view, g.reduction, g.reduction, g.cumulative, g.stack, g.rows, g.roll,
		g.pooling, g.convert, product, g.same, g.columns, g.composition,
	})(t, s, depth)
}

func (g *generator) same(t dtype.Type, s shape.Shape, _ int) *tree.Node { return g.leaf(t, s) }

func (g *generator) convert(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	return untyped.Cast(g.node(g.elem("from"), s, depth), t)
}

func (g *generator) pooling(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	return g.pool2(pick(g, "reduction", reductionsOf(t, false)), t, s, depth)
}

// cumulative returns a scan of one operation along an axis.
func (g *generator) cumulative(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 || t == dtype.Bool {
		return nil
	}
	axis := rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")
	if g.flip("any scan", 3) {
		return g.scan(t, s, axis, depth)
	}
	name := pick(g, "scan", []string{"add", "mul", "maximum", "minimum"})
	x := g.node(t, s, depth)
	first := tree.ConstInt(t, 0)
	return untyped.Scan([]*tree.Node{first}, []*tree.Node{x}, op.ScanOptions{Axis: axis, Reverse: g.flip("reverse", 2)}, func(_ *tree.Node, state, x []*tree.Node) (next, out []*tree.Node) {
		y := apply(name, state[0], x[0])
		return []*tree.Node{y}, []*tree.Node{y}
	}).Out(0)
}

// stack returns arrays that alternate along an axis.
func (g *generator) stack(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 {
		return nil
	}
	axis := pick(g, "axis", []int{len(s) - 1, len(s) - 1, 0})
	n := s[axis]
	if n == 0 || n > 17 {
		return nil
	}
	part := s.Clone()
	part[axis] = 1
	var parts []*tree.Node
	for range n {
		parts = append(parts, g.node(t, part, min(depth, g.index("stacked depth", 3)-1)))
	}
	return concat(axis, parts...)
}

// rows returns rows of an array that an index selects.
func (g *generator) rows(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 {
		return nil
	}
	from := s.Clone()
	axis := g.index("axis", len(s))
	from[axis] = g.extent(g.size)
	if from.Size() > g.grow || from.Size() == 0 {
		return nil
	}
	typ := pick(g, "index type", []dtype.Type{dtype.I64, dtype.I32, dtype.U8, dtype.I16})
	n := int64(from[axis])
	if typ.Size() == 1 {
		n = min(n, 100)
	}
	index := g.node(typ, s[axis:axis+1], min(depth, 1))
	if !g.flip("any index", 8) {
		index = apply("mod", index, tree.ConstInt(typ, n))
	}
	return untyped.Take(g.node(t, from, depth), index, axis)
}

// roll returns an operand rotated along an axis, with parts of two slices.
func (g *generator) roll(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 {
		return nil
	}
	axis := g.index("axis", len(s))
	return untyped.Compose("roll", untyped.Options{Axes: []int{axis}, Ints: []int{rapid.IntRange(-3, 40).Draw(g.t, "by")}}, g.node(t, s, depth))
}

// columns returns a reduction over several axes, also of views, with its axes kept or not.
func (g *generator) columns(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	in, axes := s.Clone(), []int(nil)
	for range 1 + g.index("reduced axes", 3) {
		n := g.extent(g.grow / max(in.Size(), 1))
		if len(in) >= 5 || in.Size()*n > g.grow {
			break
		}
		in, axes = g.insertAxis(in, axes, n)
	}
	if len(axes) == 0 {
		return nil
	}
	from, position := t, t == dtype.I64 && g.flip("position", 2)
	if position {
		from = g.number("operand type")
	}
	return untyped.ReduceBy(pick(g, "reduction", reductionsOf(from, position)), g.node(from, in, depth), untyped.Options{Axes: axes})
}
