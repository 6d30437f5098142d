package enginetest

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A generator makes random trees from the root down. It makes each node for a
// given element type and shape, so that every tree is valid.
type generator struct {
	t      *rapid.T
	r      *rand.Rand // makes the contents of arrays
	size   int        // the largest number of elements of an array
	pools  map[dtype.Type]*engine.Memory
	arrays int
	made   []*tree.Node // nodes that later ones may share
	grow   int          // the largest number of elements of an operand of a reduction

	shallow bool   // trees have few operations, and shapes any extents
	fence   *fence // of most arrays, or nil
}

func newGenerator(t *rapid.T, size int) *generator {
	seed := rapid.Uint64Range(0, 1<<20).Draw(t, "contents")
	return &generator{t: t, r: newRand(seed), size: size, pools: map[dtype.Type]*engine.Memory{}, grow: 4 * size}
}

// flip returns true with probability 1/n. Shrinking makes it false.
func (g *generator) flip(label string, n int) bool { return g.index(label, n) == n-1 }

// index returns 0..n-1, all with the same probability. (The generators of rapid
// prefer small numbers.)
func (g *generator) index(label string, n int) int {
	i := 0
	for range bits.Len(uint(n - 1)) {
		i = 2*i + b2i[int](rapid.Bool().Draw(g.t, label))
	}
	return i % n
}

func pick[T any](g *generator, label string, list []T) T { return list[g.index(label, len(list))] }

// elem returns an element type, float32 more often than others.
func (g *generator) elem(label string) dtype.Type {
	return pick(g, label, []dtype.Type{
		dtype.F32, dtype.F32, dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.Bool,
		dtype.F16, dtype.BF16, dtype.I8, dtype.U8, dtype.U32, dtype.U64, dtype.I16, dtype.U16,
	})
}

// extents are the extents of axes. They include the boundaries of vectors and
// lanes.
var extents = []int{2, 3, 1, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 100, 130, 0, 513, 1000, 4096, 4097}

// shape returns a shape of at most limit elements.
func (g *generator) shape(label string, limit int) shape.Shape {
	rank := pick(g, label+" rank", []int{1, 2, 2, 0, 3, 3, 1, 4})
	s := make(shape.Shape, rank)
	n := 1
	for i := range s {
		if g.shallow && !g.flip("listed extent", 4) {
			s[i] = g.extent(limit / n)
			n *= s[i]
			continue
		}
		fit := slices.DeleteFunc(slices.Clone(extents), func(d int) bool { return d*n > limit })
		s[i] = rapid.SampledFrom(fit).Draw(g.t, label)
		n *= max(s[i], 1)
	}
	return s
}

// narrow returns a shape that broadcasts to s.
func (g *generator) narrow(s shape.Shape) shape.Shape {
	out := s.Clone()
	for i := range out {
		if g.flip("broadcast", 2) {
			out[i] = 1
		}
	}
	for len(out) > 0 && (out[0] == 1 || s[len(s)-len(out)] == 1) && g.flip("drop axis", 2) {
		out = out[1:]
	}
	return out
}

// array returns an array of shape s, usually as a view of the pool of its type.
// All arrays of a type share the pool, so they may overlap. If the array does not
// fit, or by chance, it has a memory of its own. Some arrays reach their memory
// through another memory object.
func (g *generator) array(t dtype.Type, s shape.Shape, target bool) *tree.Node {
	st, lo, hi := g.strides(s, target)
	if a := g.fenced(t, s, st, hi-lo+1); a != nil {
		return a
	}
	pool := g.pool(t)
	n := pool.Size() / t.Size()
	if hi-lo+1 > n || g.flip("own memory", 4) {
		pool = g.memory(t, hi-lo+1+2)
		n = hi - lo + 1 + 2
	}
	at := rapid.IntRange(0, n-(hi-lo+1)).Draw(g.t, "offset") - lo
	if g.flip("another memory object", 6) {
		skip := rapid.IntRange(0, at+lo).Draw(g.t, "skip")
		pool = engine.MemoryOf(host(pool)[skip*t.Size():])
		at -= skip
	}
	g.arrays++
	return array(pool, t, s, st, at).Named(string(rune('a'+g.arrays%26)) + string(rune('0'+g.arrays/26%10))).Node()
}

// strides returns the strides of a random layout, and the least and the largest
// offset that they reach.
func (g *generator) strides(s shape.Shape, target bool) (st shape.Strides, lo, hi int) {
	order := make([]int, len(s)) // axes, the innermost first
	for i := range order {
		order[i] = len(s) - 1 - i
	}
	if g.flip("permuted", 3) {
		order = rapid.Permutation(order).Draw(g.t, "order")
	}
	st = make(shape.Strides, len(s))
	n := 1
	for _, a := range order {
		if g.flip("gap", 5) {
			n *= rapid.IntRange(2, g.largestGap()).Draw(g.t, "step")
		}
		st[a] = n
		n *= max(s[a], 1)
		if g.flip("reversed", 5) {
			st[a] = -st[a]
		}
		if !target && g.flip("repeated", 12) {
			st[a] = 0
		}
	}
	lo, hi = shape.Bounds(s, st, 0)
	if lo > hi {
		lo, hi = 0, 0
	}
	return st, lo, hi
}

// largestGap returns the largest factor by which a stride is larger than packed elements need.
func (g *generator) largestGap() int {
	if g.shallow && g.flip("large gap", 3) {
		return 17
	}
	return 3
}

func (g *generator) pool(t dtype.Type) *engine.Memory {
	if g.pools[t] == nil {
		g.pools[t] = g.memory(t, g.size+g.size/2+8)
	}
	return g.pools[t]
}

func (g *generator) memory(t dtype.Type, n int) *engine.Memory {
	m := must(engine.NewMemory(n * t.Size()))
	k := wild
	if g.r.IntN(2) == 0 {
		k = tame
	}
	for i := range n {
		put(t, mutable(m), i, sample(g.r, t, k))
	}
	return m
}

// node returns a tree of type t and shape s.
func (g *generator) node(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if g.flip("shared", 8) {
		for _, n := range g.made {
			if n.DType() == t && n.Shape().Equal(s) {
				return n
			}
		}
	}
	n := g.fresh(t, s, depth)
	if n == nil && depth > 0 { // no node of the chosen kind has this shape
		n = g.elementwise(t, s, depth-1)
	}
	if n == nil || n.Err() != nil || n.DType() != t || !n.Shape().Equal(s) {
		if n != nil {
			g.t.Fatalf("the generator made %v %v%v for %v%v: %v", n, n.DType(), n.Shape(), t, s, n.Err())
		}
		n = g.array(t, s, false)
	}
	g.made = append(g.made, n)
	return n
}

func (g *generator) fresh(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	if g.shallow {
		return g.few(t, s, depth-1)
	}
	if depth <= 0 {
		return g.leaf(t, s)
	}
	return pick(g, "kind", []func(dtype.Type, shape.Shape, int) *tree.Node{
		g.same, g.elementwise, g.elementwise, g.elementwise, g.view, g.view, g.reduction, g.composition,
	})(t, s, depth-1)
}

// leaf returns an array, or a scalar broadcast to s.
func (g *generator) leaf(t dtype.Type, s shape.Shape) *tree.Node {
	if len(s) == 0 && g.flip("scalar", 2) {
		return g.scalar(t)
	}
	return g.array(t, s, false)
}

func (g *generator) scalar(t dtype.Type) *tree.Node {
	bits := sample(g.r, t, data(g.r.IntN(3)))
	if g.flip("parameter", 3) {
		c := &tree.Scalar{}
		c.Store(bits)
		return tree.NewParamNode(t, c)
	}
	return tree.NewConst(t, bits)
}

// operand returns a tree that broadcasts to s.
func (g *generator) operand(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	switch g.index("operand", 8) {
	case 7:
		return g.scalar(t)
	case 6, 5:
		return g.node(t, g.narrow(s), depth)
	}
	return g.node(t, s, depth)
}

var table = untyped.Table()

// elementwise returns a node of an element-wise row that yields t. At least one
// operand has the shape s.
func (g *generator) elementwise(t dtype.Type, s shape.Shape, depth int) *tree.Node {
	var fit []*tree.Operator
	for _, o := range table {
		switch {
		case o.Class() != tree.Elementwise:
		case o.Result() == tree.ResultTo, o.Result() == tree.ResultBool && t == dtype.Bool, o.Result() == tree.ResultSame && o.Types().Has(t):
			fit = append(fit, o)
		}
	}
	o := pick(g, "operator", fit)
	from := t
	if o.Result() != tree.ResultSame {
		from = pick(g, "operand type", o.Types().List())
	}
	args := make([]*tree.Node, o.Arity())
	whole := rapid.IntRange(0, o.Arity()-1).Draw(g.t, "whole operand")
	for i := range args {
		typ := from
		if o.Cond() && i == 0 {
			typ = dtype.Bool
		}
		if i == whole {
			args[i] = g.node(typ, s, depth)
		} else {
			args[i] = g.operand(typ, s, depth)
		}
	}
	if o.Fault() != nil && from.IsInt() && !g.flip("zero divisors", 4) {
		args[1] = g.nonzero(args[1])
	}
	if o.Name() == "copysign" { // the contract does not define the sign of a NaN
		args[1] = apply("where", apply("isnan", args[1]), tree.ConstFloat(from, 1), args[1])
	}
	return tree.ApplyWith(o, tree.Attributes{To: toOf(o, t)}, args...)
}

func toOf(o *tree.Operator, t dtype.Type) dtype.Type {
	if o.Result() == tree.ResultTo {
		return t
	}
	return dtype.Invalid
}

// nonzero returns an integer tree without zeros.
func (g *generator) nonzero(n *tree.Node) *tree.Node {
	return apply("where", apply("equal", n, tree.ConstInt(n.DType(), 0)), tree.ConstInt(n.DType(), 3), n)
}
