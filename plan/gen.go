package plan

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A task is the purpose of a generated kernel.
type task uint8

const (
	storing      task = iota // stores, and raises faults
	scanning                 // raises faults only
	noFaultCheck             // stores; a prescan has looked for faults
)

// A gen generates one kernel. It writes the value of a node at coordinates, and
// remembers the values that it wrote. Coordinates are index expressions, one
// for each axis of the node. A view maps coordinates to coordinates of its
// operands.
type gen struct {
	c     *compiler
	b     *ir.Builder
	p     *prim.B
	ix    *prim.IxTable
	nest  nest
	task  task
	first *node // the first root's value

	axes    []int // of the kernel, outer then inner
	bufs    map[bufKey]int
	ops     []Operand
	params  []int
	paramIx map[int]prim.Ix
	scalars []Scalar
	extents []int

	memo        map[valueKey]prim.V
	coords      map[string]int32
	text        []byte
	bounds      ir.Bounds // bounds of the loads below the current view
	needs       []*node
	sideOutputs []*node // shared values that this kernel also stores

	rows   rows
	faults faults
	faulty bool
	err    error
}

type valueKey struct {
	node   int32
	coords int32
	bounds ir.Bounds
}

type bufKey struct {
	array arrayKey
	full  bool // all axes have coordinates, also axes of size 1
}

func (c *compiler) newGen(roots []root, n nest, t task) *gen {
	k := &gen{
		c: c, b: ir.NewBuilder("k"), nest: n, task: t, first: roots[0].value,
		bufs: map[bufKey]int{}, paramIx: map[int]prim.Ix{},
		coords: map[string]int32{},
	}
	cost := 0
	for _, r := range roots {
		cost += r.value.cost
	}
	k.memo = make(map[valueKey]prim.V, min(cost, len(c.g.nodes)))
	k.b.Expect(min(cost, 2*maxCost))
	k.p, k.ix = prim.NewB(k.b), &k.b.K.Index
	for i, d := range append(append([]int{}, n.outer...), n.inner...) {
		k.axes = append(k.axes, k.b.Axis("i"+strconv.Itoa(i)))
		k.extents = append(k.extents, d)
	}
	return k
}

func (k *gen) outerAxes() []int { return k.axes[:len(k.nest.outer)] }
func (k *gen) innerAxes() []int { return k.axes[len(k.nest.outer):] }

// positions returns the coordinates of an array of shape s at the given loop
// axes. Axes of size 1 get the coordinate 0, and the others one loop axis each.
func (k *gen) positions(s shape.Shape, axes []int) []prim.Ix {
	out := make([]prim.Ix, len(s))
	next := 0
	for i, d := range s {
		if d == 1 {
			out[i] = k.ix.Const(0)
			continue
		}
		out[i] = k.ix.Axis(axes[next])
		next++
	}
	return out
}

func (k *gen) key(n *node, coords []prim.Ix) valueKey {
	k.text = k.text[:0]
	for _, c := range coords {
		k.text = append(k.text, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	id, ok := k.coords[string(k.text)]
	if !ok {
		id = int32(len(k.coords))
		k.coords[string(k.text)] = id
	}
	return valueKey{n.id, id, k.bounds}
}

// value returns the value of n at coordinates. It writes the value only if no
// visible one exists.
func (k *gen) value(n *node, coords []prim.Ix) prim.V {
	key := k.key(n, coords)
	if v, ok := k.memo[key]; ok && k.b.Visible(v) {
		k.rows.touch(key)
		return v
	}
	v := k.rows.enter(k, key, n, coords, func() prim.V { return k.write(key, n, coords) })
	k.memo[key] = v
	return v
}

func (k *gen) write(key valueKey, n *node, coords []prim.Ix) prim.V {
	if k.storesBeside(n, coords) {
		v := k.elementwise(key, n, coords)
		k.b.Store(k.buf(n.array, false, ir.Out), dropUnit(coords, n.shape), v)
		k.sideOutputs = append(k.sideOutputs, n)
		return v
	}
	if n.array != nil {
		k.need(n)
		return k.load(n.array, coords)
	}
	e := n.src
	switch e.Op.Class {
	case expr.Constant:
		return k.scalar(n, Scalar{Bits: e.Bits})
	case expr.Parameter:
		return k.scalar(n, Scalar{Cell: e.Param})
	case expr.Elementwise:
		return k.elementwise(key, n, coords)
	case expr.View:
		return k.view(key, n, coords)
	case expr.Reduction:
		if v, ok := k.reduced(n, coords); ok {
			return v
		}
		return k.alone(n, coords, "a reduction ends the loop over what it reduces")
	}
	return k.alone(n, coords, "it has a schedule of its own")
}

// storesBeside reports whether this kernel computes a shared value and stores
// it as a side output. It does so if it needs the value at every position of
// its loops.
func (k *gen) storesBeside(n *node, coords []prim.Ix) bool {
	return n.shared != nil && n.pending && n.shared != k.first && k.task != scanning && !slices.Contains(k.sideOutputs, n) && k.bounds == ir.InBounds && k.alongRow(n, coords)
}

// alone gives n a stage of its own and loads the result.
func (k *gen) alone(n *node, coords []prim.Ix, why string) prim.V {
	k.c.materialise(n, why)
	k.need(n)
	return k.load(n.array, coords)
}

func (k *gen) need(n *node) {
	if n.pending {
		k.needs = append(k.needs, n)
	}
}

func (k *gen) scalar(n *node, s Scalar) prim.V {
	v := k.b.Scalar(n.typ.Register())
	k.scalars = append(k.scalars, s)
	return v
}

func (k *gen) elementwise(key valueKey, n *node, coords []prim.Ix) prim.V {
	var few [4]prim.V
	x := few[:0]
	for i, a := range n.args {
		at := k.align(coords, n, a)
		if k.repeats(n, a, at) {
			k.c.materialise(a, "it is broadcast, and would be computed again for every element")
		}
		v := k.value(a, at)
		if k.faults.on {
			cond := prim.V{}
			if n.src.Op.Cond && i > 0 {
				cond = x[0]
			}
			k.faults.edge(k.key(a, at), key, cond, i == 2)
		}
		x = append(x, v)
	}
	v := k.lower(n, x)
	if n.fails && k.faults.on {
		if at := n.src.Op.Fault(k.p, x...); at.Type.Valid() && k.b.Has(at) {
			k.fault(key, n, at, n.src.Op.FaultKind)
		}
	}
	return v
}

// lower returns the value of an element-wise node for the operands x. A panic
// or an error of the lowering becomes an error of the kernel.
func (k *gen) lower(n *node, x []prim.V) (v prim.V) {
	why := ""
	defer func() {
		if r := recover(); r != nil {
			why = fmt.Sprint("panics: ", r)
		}
		if why == "" {
			return
		}
		if k.err == nil {
			k.err = expr.NewError(expr.ErrType, n.src.Op.Constructor(), "the lowering for %v %s", n.typ, why)
		}
		v = k.p.Bits(n.typ.Register(), 0)
	}()
	v = lower(k.p, n.src, x...)
	if err := k.p.Err(); err != nil {
		why = "fails: " + err.Error()
	} else if t := n.typ.Register(); v.Type != t || !k.b.Has(v) {
		why = fmt.Sprintf("returns a value of type %v, not %v", v.Type, t)
	}
	return v
}

// align returns the coordinates of operand a of n after broadcasting.
func (k *gen) align(coords []prim.Ix, n, a *node) []prim.Ix {
	if a.shape.Equal(n.shape) {
		return coords
	}
	out := make([]prim.Ix, len(a.shape))
	for i, d := range a.shape {
		if out[i] = coords[len(coords)-len(a.shape)+i]; d == 1 {
			out[i] = k.ix.Const(0)
		}
	}
	return out
}

// repeats reports whether inlining operand a would compute its elements more
// than once, because a is broadcast along an axis of the innermost loop.
func (k *gen) repeats(n, a *node, at []prim.Ix) bool {
	// An operand that can fail stays inline, where faults count only if a user
	// demands the value.
	if a.array != nil || !a.computes || a.faulty || a.shape.Size() == n.shape.Size() || a.shape.Size() == 1 {
		return false
	}
	if k.nest.kind == mapNest {
		return true
	}
	for _, c := range at {
		if n := k.ix.At(c); n.Op != prim.IxConst && !(n.Op == prim.IxAxis && int(n.K) < len(k.nest.outer)) {
			return true
		}
	}
	return false
}

// int returns the index expression of a run-time integer. 0, 1 and -1 are
// constants.
func (k *gen) int(v int) prim.Ix {
	if v >= -1 && v <= 1 {
		return k.ix.Const(int64(v))
	}
	if ix, ok := k.paramIx[v]; ok {
		return ix
	}
	ix := k.b.Param()
	k.params = append(k.params, v)
	k.paramIx[v] = ix
	return ix
}

// stage returns the finished kernel as a stage.
func (k *gen) stage(why string) *Stage {
	if k.task == scanning {
		ir.Prune(k.b.K)
	}
	s := &Stage{Kind: Loop, Why: why, Kernel: k.b.K, Extents: k.extents, Params: k.params, Scalars: k.scalars, Bufs: k.ops, Prescan: k.task == scanning, Faults: k.faults.sites}
	for i, o := range k.ops {
		if o.Array == nil {
			continue
		}
		if m := k.b.K.Bufs[i].Mode; m != ir.Out {
			s.Reads = append(s.Reads, o.Array)
		}
		if m := k.b.K.Bufs[i].Mode; m != ir.In {
			s.Writes = append(s.Writes, o.Array)
		}
	}
	return s
}
