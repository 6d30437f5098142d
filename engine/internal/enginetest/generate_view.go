package enginetest

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/shape"
)

// view returns a Chainer whose result has the shape s.
func (g *generator) view(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	switch pick(g, "view", []string{"transpose", "slice", "reshape", "pad", "concat", "take", "broadcast", "newaxis", "iota", "squeeze", "unslice", "user", "sort", "scatter"}) {
	case "user":
		return g.user(t, s, depth)
	case "transpose":
		perm := rapid.Permutation(lists.UpTo(len(s))).Draw(g.t, "permutation")
		from := make(shape.Shape, len(s))
		for i, a := range perm {
			from[a] = s[i]
		}
		return untyped.Transpose(g.node(t, from, depth), perm)
	case "slice":
		return g.slice(t, s, depth)
	case "unslice":
		return g.unslice(t, s, depth)
	case "reshape":
		return untyped.Reshape(g.node(t, g.regroup(s), depth), s)
	case "pad":
		return g.pad(t, s, depth)
	case "concat":
		if len(s) == 0 {
			return nil
		}
		axis := rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")
		var parts []*tree.Node
		for rest := s[axis]; rest > 0 || parts == nil; {
			d := rapid.IntRange(0, rest).Draw(g.t, "part")
			if len(parts) == 3 {
				d = rest
			}
			part := s.Clone()
			part[axis] = d
			parts = append(parts, g.node(t, part, depth))
			rest -= d
			if rest == 0 {
				break
			}
		}
		return concat(axis, parts...)
	case "take":
		return g.take(t, s, depth)
	case "sort":
		return g.sort(t, s, depth)
	case "scatter":
		return g.scatter(t, s, depth)
	case "broadcast":
		return untyped.BroadcastTo(g.node(t, g.narrow(s), depth), s)
	case "newaxis":
		i := slices.Index(s, 1)
		if i < 0 {
			return nil
		}
		return untyped.Compose("expand_dims", untyped.Options{Axes: []int{i}}, g.node(t, slices.Delete(s.Clone(), i, i+1), depth))
	case "squeeze":
		i := rapid.IntRange(0, len(s)).Draw(g.t, "axis")
		if len(s) >= 4 {
			return nil
		}
		return untyped.Compose("squeeze", untyped.Options{Axes: []int{i}}, g.node(t, slices.Insert(s.Clone(), i, 1), depth))
	}
	if len(s) != 1 {
		return nil
	}
	return untyped.Cast(untyped.Iota(s[0]), t)
}

func concat(axis int, parts ...*tree.Node) *tree.Node { return untyped.Concat(axis, parts) }

// slice returns a slice of a larger operand, with steps of either sign.
func (g *generator) slice(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	from := s.Clone()
	ints := make([]int, 0, 3*len(s))
	for i, d := range s {
		step := pick(g, "step", []int{1, 2, -1, -2, 3})
		before := rapid.IntRange(0, 2).Draw(g.t, "before")
		after := rapid.IntRange(0, 2).Draw(g.t, "after")
		span := max(d-1, 0) * max(step, -step)
		from[i] = before + span + after + b2i[int](d > 0)
		start := before
		if step < 0 {
			start += span
		}
		ints = append(ints, start, step, d)
	}
	if from.Size() > g.grow {
		return nil
	}
	return tree.ApplyWith(untyped.Row("slice"), tree.Attributes{Ints: ints}, g.node(t, from, depth))
}

// unslice returns an unslice of a smaller operand, with steps of either sign.
func (g *generator) unslice(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	from := s.Clone()
	ints := make([]int, 0, 3*len(s))
	for i, d := range s {
		step := pick(g, "step", []int{1, 2, -1, -2, 3})
		from[i] = rapid.IntRange(0, (d+max(step, -step)-1)/max(step, -step)).Draw(g.t, "count")
		span := max(from[i]-1, 0) * max(step, -step)
		start := rapid.IntRange(0, max(d-1-span, 0)).Draw(g.t, "start")
		if step < 0 {
			start += span
		}
		ints = append(ints, start, step, d)
	}
	return tree.ApplyWith(untyped.Row("unslice"), tree.Attributes{Ints: ints}, g.node(t, from, depth))
}

// regroup returns another shape of the same size.
func (g *generator) regroup(s shape.Shape) shape.Shape {
	n := s.Size()
	if n == 0 {
		return rapid.SampledFrom([]shape.Shape{{0}, {0, 3}, {2, 0}, {1, 0, 2}}).Draw(g.t, "empty shape")
	}
	var out shape.Shape
	for len(out) < 3 && n > 1 {
		var divisors []int
		for d := 1; d <= n && d < 5000; d++ {
			if n%d == 0 {
				divisors = append(divisors, d)
			}
		}
		d := rapid.SampledFrom(divisors).Draw(g.t, "divisor")
		out = append(out, d)
		n /= d
	}
	return append(out, n)
}

// pad returns a smaller operand with padding, or a padded operand from which a
// slice cuts the padding off.
func (g *generator) pad(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	from := s.Clone()
	widths := make([]int, 0, 2*len(s))
	for i, d := range s {
		before := rapid.IntRange(0, min(d, 3)).Draw(g.t, "before")
		after := rapid.IntRange(0, min(d-before, 3)).Draw(g.t, "after")
		from[i] -= before + after
		widths = append(widths, before, after)
	}
	fill := g.scalar(t)
	if g.flip("tree fill", 4) {
		fill = g.node(t, shape.Shape{}, depth)
	}
	return untyped.Pad(g.node(t, from, depth), widths, fill)
}

// take returns a lookup of computed positions in an operand. Most of them are in
// range.
func (g *generator) take(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 {
		return nil
	}
	axis := rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")
	rank := rapid.IntRange(0, min(2, len(s)-axis)).Draw(g.t, "index rank")
	n := pick(g, "taken axis", []int{1, 3, 2, 9, 64})
	idx, along := s[axis:axis+rank].Clone(), g.flip("along", 3)
	if along {
		idx, rank = s.Clone(), 1
	}
	from := slices.Concat(s[:axis], shape.Shape{n}, s[axis+rank:])
	if from.Size() > g.grow || len(from) > 4 {
		return nil
	}
	typ := pick(g, "index type", []dtype.Type{dtype.I64, dtype.I32, dtype.U8, dtype.I8, dtype.U64, dtype.U32, dtype.I16, dtype.U16})
	index := g.node(typ, idx, min(depth, 2))
	if !g.flip("indices out of range", 4) {
		index = apply("mod", index, tree.ConstInt(typ, int64(n)))
		if typ.IsSigned() && g.flip("negative indices", 2) {
			index = apply("sub", index, tree.ConstInt(typ, int64(n)))
		}
	}
	if along {
		return untyped.TakeAlongAxis(g.node(t, from, depth), index, axis)
	}
	return untyped.Take(g.node(t, from, depth), index, axis)
}

// sort returns a sort or a partition, or the order or the ranks that it gives.
func (g *generator) sort(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 {
		return nil
	}
	name := pick(g, "sort", []string{"sort", "partition"})
	if t == dtype.I64 {
		name, t = pick(g, "sort", []string{"argsort", "rank", "argpartition"}), pick(g, "sorted type", dtype.Real())
	}
	at := tree.Attributes{Axes: []int{rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")}, Ints: []int{g.index("order", 2)}}
	if n := s[at.Axes[0]]; n > 0 && strings.HasSuffix(name, "partition") {
		at.Ints = append(at.Ints, g.index("place", n))
	}
	return tree.ApplyWith(untyped.Row(name), at, g.node(t, s, depth))
}

// scatter returns a scatter of up to 9 updates along an axis.
func (g *generator) scatter(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 {
		return nil
	}
	names := []string{"scatter", "scatter_add", "scatter_max", "scatter_min"}
	if t == dtype.Bool {
		names = names[:1]
	}
	axis := rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")
	updates := s.Clone()
	updates[axis] = pick(g, "updates", []int{1, 3, 2, 9})
	if s[axis] == 0 || updates.Size() > g.grow {
		return nil
	}
	index := g.node(dtype.I64, updates[axis:axis+1], min(depth, 2))
	if !g.flip("indices out of range", 4) {
		index = apply("mod", index, tree.ConstInt(dtype.I64, int64(s[axis])))
	}
	var base *tree.Node
	if g.flip("base", 2) {
		base = g.node(t, s, depth)
	}
	return untyped.Scatter(pick(g, "scatter", names), index, g.node(t, updates, depth), base, axis, s)
}

// reduction returns a reduction of an operand that has one or two axes more than
// s.
func (g *generator) reduction(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	from, position := t, t == dtype.I64 && g.flip("position", 2)
	if position {
		from = g.number("operand type")
	}
	row := pick(g, "reduction", reductionsOf(from, position))
	if g.flip("windows", 6) {
		return g.pool2(row, from, s, depth)
	}
	in := s.Clone()
	var axes []int
	keep := slices.Contains(s, 1) && g.flip("keep", 2)
	for range rapid.IntRange(1, 2).Draw(g.t, "axes") {
		n := pick(g, "reduced axis", []int{2, 1, 3, 8, 9, 33, 64, 65, 130, 700, 4100})
		if in.Size()*n > g.grow {
			n = 2
		}
		if keep {
			if i := slices.Index(in, 1); i >= 0 && !slices.Contains(axes, i) {
				in[i] = n
				axes = append(axes, i)
			}
			continue
		}
		if len(in) >= 4 {
			break
		}
		in, axes = g.insertAxis(in, axes, n)
	}
	if len(axes) == 0 {
		return nil
	}
	r := untyped.Options{Axes: axes, Keep: keep}
	if from.IsFloat() && row.Reduce().Ordered(dtype.F64) && row.Types().Has(dtype.F64) && g.flip("accumulator", 6) {
		r.Acc = dtype.F64
	}
	return untyped.ReduceBy(row, g.node(from, in, depth), r)
}

// insertAxis returns a shape with one axis more, of size n, and its reduced axes with that one.
func (g *generator) insertAxis(s shape.Shape, axes []int, n int) (shape.Shape, []int) {
	i := rapid.IntRange(0, len(s)).Draw(g.t, "position of the axis")
	for k := range axes {
		if axes[k] >= i {
			axes[k]++
		}
	}
	return slices.Insert(s, i, n), append(axes, i)
}

// reductionsOf returns the reductions that take elements of type t: those that
// return a position, or the others.
func reductionsOf(t dtype.Type, position bool) []*tree.Operator {
	return lists.Where(reductionRows(), func(o *tree.Operator) bool { return o.Types().Has(t) && o.Reduce().Position() == position })
}

func (g *generator) number(label string) dtype.Type {
	t := g.elem(label)
	if t == dtype.Bool {
		return dtype.I32
	}
	return t
}

// pool2 returns a pooling: a reduction over sliding windows.
func (g *generator) pool2(row *tree.Operator, t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) == 0 || len(s) > 2 || s.Size() == 0 {
		return nil
	}
	in := make(shape.Shape, len(s))
	var ints, axes []int
	for i, d := range s {
		size := rapid.IntRange(1, 3).Draw(g.t, "window")
		stride := rapid.IntRange(1, 3).Draw(g.t, "stride")
		dilation := rapid.IntRange(1, 2).Draw(g.t, "dilation")
		in[i] = (d-1)*stride + dilation*(size-1) + 1 + rapid.IntRange(0, stride-1).Draw(g.t, "rest")
		ints = append(ints, size, stride, dilation)
		axes = append(axes, len(s)+i)
	}
	if in.Size() > g.grow {
		return nil
	}
	w := tree.ApplyWith(untyped.Row("windows"), tree.Attributes{Ints: ints}, g.node(t, in, depth))
	return untyped.ReduceBy(row, w, untyped.Options{Axes: axes})
}

// composition returns a larger pattern that the plan handles as a whole.
func (g *generator) composition(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if s.Size() == 0 || len(s) == 0 || !t.IsFloat() && !t.IsInt() {
		return nil
	}
	axis := rapid.IntRange(0, len(s)-1).Draw(g.t, "axis")
	if g.flip("product", 3) {
		return g.product(t, s, depth)
	}
	if g.flip("scan", 3) {
		return g.scan(t, s, axis, depth)
	}
	if t.IsInt() {
		x := g.node(t, s, depth)
		return apply("sub", x, untyped.Reduce("max", x, untyped.Options{Axes: []int{axis}, Keep: true}))
	}
	x := g.node(t, s, depth)
	r := untyped.Options{Axes: []int{axis}, Keep: true}
	switch pick(g, "composition", []string{"softmax", "centre", "layernorm", "standard", "logsumexp", "one-hot"}) {
	case "softmax":
		return untyped.Compose("softmax", untyped.Options{Axes: []int{axis}}, x)
	case "centre":
		return apply("sub", x, untyped.Compose("mean", r, x))
	case "layernorm":
		last := s[len(s)-1:]
		return untyped.Compose("layernorm", untyped.Options{Numbers: []float64{1e-5}}, x, g.node(t, last, depth-1), g.node(t, last, depth-1))
	case "standard":
		return apply("div", x, untyped.Compose("std", r, x))
	case "logsumexp":
		return apply("sub", x, untyped.Compose("logsumexp", r, x))
	}
	idx := g.node(dtype.I32, s[:len(s)-1], depth)
	return untyped.Cast(untyped.Compose("one_hot", untyped.Options{Ints: []int{s[len(s)-1]}, To: dtype.Bool}, apply("mod", idx, tree.ConstInt(dtype.I32, int64(s[len(s)-1])))), t)
}

// product returns a matrix product of small integers, whose sums are exact.
func (g *generator) product(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if len(s) < 2 || len(s) > 3 {
		return nil
	}
	k := pick(g, "inner size", []int{2, 1, 5, 16, 33})
	a, b := s.Clone(), s.Clone()
	a[len(s)-1], b[len(s)-2] = k, k
	if g.flip("one right matrix", 2) {
		b = b[len(s)-2:]
	}
	if a.Size() > g.grow || b.Size() > g.grow {
		return nil
	}
	small := func(s shape.Shape) *tree.Node {
		if t.IsInt() {
			return g.node(t, s, depth)
		}
		return untyped.Cast(apply("mod", g.node(dtype.I8, s, depth), tree.ConstInt(dtype.I8, 5)), t)
	}
	return untyped.MatMul(small(a), small(b))
}
