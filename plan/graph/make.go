package graph

import (
	"encoding/binary"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/shape"
)

// make returns the node for an operation, after rewriting.
func (g *Graph) make(e *tree.Node, args []*Node) *Node {
	if e.Leaf != nil && len(g.subst) > 0 {
		if n := g.subst[keyOf(e)]; n != nil {
			return n
		}
	}
	k := g.key(e, args, e.Shape())
	if n := g.equal[k]; n != nil {
		return n
	}
	if len(g.rewritten) > 0 {
		if n := g.rewritten[rewriteKey{k, inMemory(args)}]; n != nil {
			return n
		}
	}
	n := g.rewrite(e, args)
	if n == nil {
		return g.node(k, e, args, e.Shape())
	}
	zero.Put(&g.rewritten, rewriteKey{k, inMemory(args)}, n)
	return n
}

func inMemory(args []*Node) bool { return len(args) > 0 && args[0].Array != nil }

// intern returns the node for an operation without rewriting it.
func (g *Graph) intern(e *tree.Node, args []*Node, s shape.Shape) *Node {
	k := g.key(e, args, s)
	if n := g.equal[k]; n != nil {
		return n
	}
	return g.node(k, e, args, s)
}

// key returns the key of an operation. Equal operations have equal keys.
func (g *Graph) key(e *tree.Node, args []*Node, s shape.Shape) nodeKey {
	k := nodeKey{op: e.Op, bits: e.Bits, typ: e.DType(), to: e.To, a: -1, b: -1, c: -1}
	var few [32]byte
	extra := few[:0]
	for i, a := range args {
		switch i {
		case 0:
			k.a = a.ID
		case 1:
			k.b = a.ID
		case 2:
			k.c = a.ID
		default:
			if i == 3 { // the number of operands ends their list
				extra = binary.AppendVarint(extra, int64(len(args)))
			}
			extra = binary.AppendVarint(extra, int64(a.ID))
		}
	}
	leaf := e.Leaf
	switch {
	case leaf != nil:
		k.ident = leaf.Mem
		g.epoch[leaf.Mem] += 0 // adds the memory, so that stored counts its stores
		k.bits, k.a = uint64(leaf.Offset), int32(g.epoch[leaf.Mem])
		extra = appendInts(appendInts(extra, leaf.Strides), s)
	case e.Param != nil:
		k.ident = e.Param
	case e.Ident != nil:
		k.ident = e.Ident
	case e.Op.Class() == tree.State: // the states of two scans are never one
		k.ident = e
	}
	if e.Axes != nil || e.Ints != nil || len(extra) > 0 {
		extra = appendInts(appendInts(extra, e.Axes), e.Ints)
		k.attributes = string(extra)
	}
	return k
}

// node adds a new node with key k.
func (g *Graph) node(k nodeKey, e *tree.Node, args []*Node, s shape.Shape) *Node {
	n := g.next()
	n.ID, n.Src, n.Shape, n.Type = int32(len(g.nodes)), e, s, e.DType()
	g.Origins.derived(e, g.from)
	g.borders = g.borders || e.Op == ConcatRow || e.Op == PadRow || e.Op == whereRow
	g.scans = g.scans || e.Op.Class() == tree.Scan
	n.Args = append(n.few[:0], args...)
	for _, a := range args {
		a.Uses++
	}
	if e.Leaf != nil {
		n.Array = g.arrays.New(4)
		*n.Array = ArrayOf(e)
	}
	if err := g.measure(n); err != nil && g.err == nil {
		g.err = err
	}
	g.settle(n)
	if g.Separates && e.Op.Class() == tree.Scan {
		g.storeAside(n)
	}
	n.AloneDown = len(args) > 0 && g.aloneDown(e, args[0])
	g.nodes = append(g.nodes, n)
	g.equal[k] = n
	return n
}

// rewrite returns a simpler node with the same bits as an operation, or nil.
func (g *Graph) rewrite(e *tree.Node, args []*Node) *Node {
	if e.Op.Same() {
		return args[0]
	}
	switch e.Op.Class() {
	case tree.Elementwise:
		if e.Op.Result() == tree.ResultTo && args[0].Type == e.To && !e.To.IsHalf() {
			return args[0]
		}
		if x := args[0]; e.Op == castRow && x.Array == nil && x.Src.Op == castRow && widens(x.Args[0].Type, x.Type) {
			return g.make(e, x.Args)
		}
		g.widens = g.widens || e.Op == castRow && g.Separates && widens(args[0].Type, e.To)
		return g.fold(e, args)
	case tree.Reduction:
		if !g.Separates {
			return g.shortReduction(e, args[0])
		}
		for _, by := range []func(*tree.Node, *Node) *Node{g.separated, g.narrowSum, g.shortReduction, g.alongRows, g.groupsRows, g.inMemoryOrder} {
			if n := by(e, args[0]); n != nil {
				return n
			}
		}
		g.order(e, args[0])
		g.again(e, args[0])
	case tree.View:
		if len(args) > 0 && args[0].Shape.Equal(e.Shape()) && isIdentity(e) {
			return args[0]
		}
		switch {
		case e.Op == ReshapeRow:
			return g.pushReshape(e, args[0])
		case e.Op == SliceRow && args[0].Array == nil && e.Shape().Size() > 0:
			return g.nestSlice(e, args[0])
		case e.Op == ConcatRow && len(args) > maxParts:
			return g.nestConcat(e, slices.Clone(args))
		}
	}
	return nil
}

// widens reports whether a cast of integers keeps all values.
func widens(from, to dtype.Type) bool {
	return from.IsInt() && to.IsInt() && from.Size() < to.Size() && (to.IsSigned() || !from.IsSigned())
}

func isIdentity(e *tree.Node) bool {
	switch e.Op {
	case ReshapeRow, BroadcastRow, PadRow:
		return true
	case TransposeRow:
		return slices.Equal(e.Axes, lists.UpTo(len(e.Axes)))
	case SliceRow:
		for i := 0; i < len(e.Ints); i += 3 {
			if e.Ints[i] != 0 || e.Ints[i+1] != 1 {
				return false
			}
		}
		return true
	}
	return false
}

// fold returns the value of an operation on constants, or nil.
func (g *Graph) fold(e *tree.Node, args []*Node) *Node {
	for _, a := range args {
		if a.Src.Op.Class() != tree.Constant {
			return nil
		}
	}
	if len(args) == 0 || canFail(e, args) {
		return nil
	}
	types := make([]dtype.Type, len(args))
	bits := make([]uint64, len(args))
	for i, a := range args {
		types[i], bits[i] = a.Type.Register(), a.Src.Bits
	}
	p, err := prim.NewProgram(types, func(b *prim.B, x ...prim.V) prim.V { return Lower(b, e, x...) })
	if err != nil {
		return nil
	}
	c := tree.NewConst(e.DType(), p.Call(bits...))
	return g.intern(c, nil, c.Shape())
}

// pushReshape moves a reshape from an element-wise operation to its operands.
// There it is often only another view of an array. It returns nil if it cannot.
func (g *Graph) pushReshape(e *tree.Node, a *Node) *Node {
	if a.Array != nil {
		return g.reshapeArray(e, a)
	}
	if a.Src.Op == ReshapeRow {
		return g.reshape(a.Args[0], e.Shape())
	}
	if a.Src.Op.Class() != tree.Elementwise || a.Uses > 1 && a.Work > 2 && slices.Equal(LoopShape(a.Shape), LoopShape(e.Shape())) {
		return nil // others use a as it is
	}
	for _, x := range a.Args {
		if x.Shape.Size() != 1 && !x.Shape.Equal(a.Shape) {
			return nil
		}
	}
	args := make([]*Node, len(a.Args))
	for i, x := range a.Args {
		if args[i] = x; x.Shape.Equal(a.Shape) {
			args[i] = g.reshape(x, e.Shape())
		} else {
			args[i] = g.reshape(x, nil)
		}
	}
	return g.intern(a.Src, args, e.Shape())
}

func (g *Graph) reshape(a *Node, to shape.Shape) *Node {
	if a.Shape.Equal(to) {
		return a
	}
	r := tree.NewView(ReshapeRow, to, a.Type, to)
	return g.make(r, []*Node{a})
}

// reshapeArray returns the array with the strides of the new shape, or nil if
// no strides express it.
func (g *Graph) reshapeArray(e *tree.Node, a *Node) *Node {
	leaf := a.Src.Leaf
	if leaf == nil {
		return nil
	}
	st, ok := shape.Reshape(a.Shape, leaf.Strides, e.Shape())
	if !ok {
		return nil
	}
	l := *leaf
	l.Strides = st
	return g.intern(tree.NewLeaf(a.Type, e.Shape(), &l), nil, e.Shape())
}

// nestSlice returns a slice of a slice, a transpose, something broadcast, or of one element
// of each window, as a slice of what that reads. It returns nil for others.
func (g *Graph) nestSlice(e *tree.Node, a *Node) *Node {
	if a.Src.Op.Class() == tree.Elementwise {
		return g.pushSlice(e, a)
	}
	ints := slices.Clone(e.Ints)
	inner := a.Src.Ints
	switch r := len(a.Shape) / 2; a.Src.Op {
	case BroadcastRow:
		x := g.sliceOperand(e, a.Args[0])
		return g.make(tree.NewView(BroadcastRow, e.Shape(), a.Type, e.Shape()), []*Node{x})
	case SliceRow:
		for i := 0; i < len(ints); i += 3 {
			ints[i], ints[i+1] = inner[i]+ints[i]*inner[i+1], ints[i+1]*inner[i+1]
		}
	case ReshapeRow:
		return g.sliceReshape(e, a)
	case TransposeRow:
		return g.sliceTranspose(e, a)
	case WindowsRow:
		for i := range r {
			stride, dilation := inner[3*i+1], inner[3*i+2]
			if ints[3*(r+i)+2] != 1 {
				return nil
			}
			ints[3*i] = ints[3*i]*stride + ints[3*(r+i)]*dilation
			ints[3*i+1] *= stride
		}
		ints = ints[:3*r]
	case PadRow:
		for i, d := range a.Args[0].Shape {
			ints[3*i] -= inner[2*i]
			if last := ints[3*i] + ints[3*i+1]*(ints[3*i+2]-1); min(ints[3*i], last) < 0 || max(ints[3*i], last) >= d {
				return nil // it has some of the border
			}
		}
	default:
		return nil
	}
	to := make(shape.Shape, len(ints)/3)
	for i := range to {
		if to[i] = ints[3*i+2]; to[i] == 1 {
			ints[3*i+1] = 1
		}
	}
	n := g.make(tree.NewView(SliceRow, to, a.Type, ints), []*Node{a.Args[0]})
	return g.reshape(n, e.Shape())
}

// sliceTranspose returns a slice of a transpose as the transpose of a slice.
func (g *Graph) sliceTranspose(e *tree.Node, a *Node) *Node {
	x, axes := a.Args[0], a.Src.Axes
	if x.Array != nil {
		return nil
	}
	to, ints := x.Shape.Clone(), make([]int, 0, 3*len(x.Shape))
	for _, d := range x.Shape {
		ints = append(ints, 0, 1, d)
	}
	for i, axis := range axes {
		if axis >= 0 {
			copy(ints[3*axis:], e.Ints[3*i:3*i+3])
			to[axis] = e.Ints[3*i+2]
		}
	}
	return g.transpose(g.make(tree.NewView(SliceRow, to, a.Type, ints), []*Node{x}), axes, e.Shape())
}

// transpose returns a with its axes in another order, in shape to; -1 is a new axis.
func (g *Graph) transpose(a *Node, axes []int, to shape.Shape) *Node {
	view := tree.NewView(TransposeRow, to, a.Type, nil)
	view.Axes = axes
	return g.make(view, []*Node{a})
}

// cast returns a converted to another type.
func (g *Graph) cast(a *Node, to dtype.Type) *Node {
	return g.make(tree.ApplyWith(castRow, tree.Attributes{To: to}, tree.Untyped(castRow, a.Shape, a.Type)), []*Node{a})
}

// sliceReshape returns a slice of a reshape that adds or removes axes of size 1 as the
// reshape of a slice, or nil for others.
func (g *Graph) sliceReshape(e *tree.Node, a *Node) *Node {
	x := a.Args[0]
	if x.Array != nil || !slices.Equal(LoopShape(x.Shape), LoopShape(a.Shape)) {
		return nil
	}
	to, ints, k := x.Shape.Clone(), make([]int, 0, 3*len(x.Shape)), 0
	for i, d := range x.Shape {
		if d == 1 {
			ints = append(ints, 0, 1, 1)
			continue
		}
		for a.Shape[k] == 1 {
			k++
		}
		ints = append(ints, e.Ints[3*k:3*k+3]...)
		to[i] = e.Ints[3*k+2]
		k++
	}
	n := g.make(tree.NewView(SliceRow, to, a.Type, ints), []*Node{x})
	return g.reshape(n, e.Shape())
}

// pushSlice moves a slice of few of the elements from an element-wise operation to its operands. There it is often only another view of an
// array. Operations that take little work pass on slices of up to half of their elements, although two that overlap compute some elements
// twice. It returns nil for others.
func (g *Graph) pushSlice(e *tree.Node, a *Node) *Node {
	few, cheap, times := maxPushed, KeepCost, a.Shape.Size()/e.Shape().Size()
	if times < 2 || !a.spend(&few, func(*Node) int { return 1 }) || times < smallPart && !a.spend(&cheap, func(x *Node) int { return int(x.own) }) {
		return nil
	}
	args := lists.Map(a.Args, func(x *Node) *Node { return g.sliceOperand(e, x) })
	return g.intern(a.Src, args, e.Shape())
}

// sliceOperand returns the part of x, which broadcasts to the operand of slice e,
// that broadcasts to e.
func (g *Graph) sliceOperand(e *tree.Node, x *Node) *Node {
	ints, to, same := make([]int, 0, 3*len(x.Shape)), x.Shape.Clone(), true
	for i, d := range x.Shape {
		span := e.Ints[3*(len(e.Shape())-len(x.Shape)+i):][:3]
		if d == 1 {
			span = []int{0, 1, 1}
		}
		ints, to[i] = append(ints, span...), span[2]
		same = same && span[2] == d && span[1] == 1
	}
	if same {
		return x
	}
	return g.make(tree.NewView(SliceRow, to, x.Type, ints), []*Node{x})
}

// spend takes what each of the element-wise operations of the shape of n costs from left.
// It returns false if they cost more.
func (n *Node) spend(left *int, cost func(*Node) int) bool {
	*left -= cost(n)
	for _, x := range n.Args {
		if *left >= 0 && x.Array == nil && x.Src.Op.Class() == tree.Elementwise && x.Shape.Equal(n.Shape) && !x.spend(left, cost) {
			return false
		}
	}
	return *left >= 0
}

// maxPushed bounds the operations that a slice is moved through. Each slice
// makes as many new nodes.
const maxPushed = 16

// smallPart is the least number of elements of an operation for each one that a
// slice reads, so that the slice is moved to the operands, if the operation takes much work.
const smallPart = 4

// maxParts bounds the operands of a concatenation in one kernel.
const maxParts = 256

// nestConcat returns a concatenation of concatenations of at most maxParts
// operands.
func (g *Graph) nestConcat(e *tree.Node, args []*Node) *Node {
	var outer []*Node
	for part := range slices.Chunk(args, maxParts) {
		to := e.Shape().Clone()
		to[e.Axes[0]] = lists.Sum(part, func(a *Node) int { return a.Shape[e.Axes[0]] })
		outer = append(outer, g.make(concatenation(e, to), part))
	}
	return g.make(concatenation(e, e.Shape()), outer)
}

func concatenation(e *tree.Node, to shape.Shape) *tree.Node {
	v := tree.NewView(ConcatRow, to, e.DType(), nil)
	v.Attributes = e.Attributes
	return v
}

// pick returns element i of a along an axis, which keeps size 1. For an
// element-wise operation it picks from the operands. done holds the result for
// each node.
func (g *Graph) pick(a *Node, axis, i int, done map[*Node]*Node) *Node {
	if a.Shape[axis] == 1 {
		return a
	}
	if done[a] == nil {
		done[a] = g.picked(a, axis, i, done)
	}
	return done[a]
}

func (g *Graph) picked(a *Node, axis, i int, done map[*Node]*Node) *Node {
	to := a.Shape.Clone()
	to[axis] = 1
	if a.Array == nil && a.Src.Op.Class() == tree.Elementwise {
		args := make([]*Node, len(a.Args))
		for k, x := range a.Args {
			args[k] = x
			if at := axis - (len(a.Shape) - len(x.Shape)); at >= 0 {
				args[k] = g.pick(x, at, i, done)
			}
		}
		return g.intern(a.Src, args, to)
	}
	return g.part(a, axis, i, to)
}

// part returns the slice of n with shape to, from lo along an axis.
func (g *Graph) part(n *Node, axis, lo int, to shape.Shape) *Node {
	ints := make([]int, 0, 3*len(to))
	for k, d := range to {
		start := 0
		if k == axis {
			start = lo
		}
		ints = append(ints, start, 1, d)
	}
	return g.make(tree.NewView(SliceRow, to, n.Type, ints), []*Node{n})
}
