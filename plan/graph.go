package plan

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/shape"
)

// A node is a node of the graph: an expr.Node after equal sub-trees were
// joined. It belongs to one moment in the program: a leaf read before and after
// a store is two nodes.
type node struct {
	id    int32
	src   *expr.Node // operator and attributes; the graph does not read its Args
	args  []*node
	shape shape.Shape
	typ   dtype.Type

	few      [3]*node
	uses     int       // number of uses as an operand
	array    *Array    // memory of the value: of leaves, and of nodes with a stage of their own
	index    *indexing // of a view: the result of analysing its index map
	view     *Array    // the value as a strided view of an array; a cache of strided
	pending  bool      // no stage computes array yet
	shared   *node     // root of a stage that loads this value; an earlier stage computes and stores it as a side output
	reason   string    // why the node has a stage of its own
	complex  bool      // the inlined tree has a reduction, contraction or call that is not in memory
	cost     int       // primitives of the inlined tree
	terms    terms     // of the longest index expression of the inlined tree
	work     int       // the same without operands of reductions: the cost of computing it again
	inputs   inputs    // arrays that the inlined tree reads
	computes bool      // the inlined tree computes something
	fails    bool      // the operation itself can fail on data
	faulty   bool      // the inlined tree can fail on data
}

// inputs is a set of arrays, hashed by node number modulo 256. Two arrays may
// share a bit, so count may be too low.
type inputs [4]uint64

func (s *inputs) add(i int) { s[i>>6&3] |= 1 << (i & 63) }

type nodeKey struct {
	op         *expr.Operator
	bits       uint64
	ident      any
	a, b, c    int32
	typ, to    dtype.Type
	attributes string
}

// A graph joins equal nodes, and rewrites each node before it is added.
type graph struct {
	nodes     []*node
	free      []node
	equal     map[nodeKey]*node
	known     map[*expr.Node]*node
	rewritten map[rewriteKey]*node // operations that rewrite replaced, and their replacements
	// pinned maps a tree to a node in memory that holds its value from before
	// later stores.
	pinned   map[*expr.Node]*node
	epoch    map[expr.Memory]int // number of stores to each memory so far
	subst    map[arrayKey]*node  // arrays that the current group assigned, and their new values
	separate func(*node)         // materialises a node
	costs    map[costKey]int     // primitives of users' operators
}

func newGraph() *graph {
	return &graph{pinned: map[*expr.Node]*node{}, epoch: map[expr.Memory]int{}, subst: map[arrayKey]*node{}}
}

// expect allocates room for n nodes, if the graph is empty.
func (g *graph) expect(n int) {
	if g.nodes == nil {
		g.nodes, g.free = make([]*node, 0, n), make([]node, n)
		g.equal, g.known = make(map[nodeKey]*node, n), make(map[*expr.Node]*node, n)
	}
}

// add adds a tree to the graph and returns its root. It does not recurse, so
// trees may be deep. It returns an error if the context is cancelled.
func (c *compiler) add(root *expr.Node) (*node, error) {
	type frame struct {
		e    *expr.Node
		next int // next operand to visit
	}
	g := c.g
	g.expect(16)
	stack := append(make([]frame, 0, 16), frame{e: root})
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		e := top.e
		switch {
		case g.known[e] != nil:
		case top.next < len(e.Args):
			top.next++
			stack = append(stack, frame{e: e.Args[top.next-1]})
			continue
		default:
			var few [3]*node
			args := few[:0]
			for _, a := range e.Args {
				args = append(args, g.known[a])
			}
			g.known[e] = g.make(e, args)
			if len(g.known)%cancelEvery == 0 {
				if err := c.cancelled(); err != nil {
					return nil, err
				}
			}
		}
		stack = stack[:len(stack)-1]
	}
	return g.known[root], nil
}

// forget drops the nodes known for expressions, except pinned ones, so that
// leaves are read again after a store.
func (g *graph) forget() {
	clear(g.known)
	maps.Copy(g.known, g.pinned)
}

// make returns the node for an operation, after rewriting.
func (g *graph) make(e *expr.Node, args []*node) *node {
	if e.Leaf != nil && len(g.subst) > 0 {
		if n := g.subst[keyOf(e)]; n != nil {
			return n
		}
	}
	k := g.key(e, args, e.Shape())
	if n := g.equal[k]; n != nil {
		return n
	}
	if n := g.rewritten[rewriteKey{k, inMemory(args)}]; n != nil {
		return n
	}
	n := g.rewrite(e, args)
	if n == nil {
		return g.node(k, e, args, e.Shape())
	}
	if g.rewritten == nil {
		g.rewritten = map[rewriteKey]*node{}
	}
	g.rewritten[rewriteKey{k, inMemory(args)}] = n
	return n
}

// A rewriteKey is an operation, and whether its first operand was in memory at
// the time of rewriting.
type rewriteKey struct {
	nodeKey
	inMemory bool
}

func inMemory(args []*node) bool { return len(args) > 0 && args[0].array != nil }

// intern returns the node for an operation without rewriting it.
func (g *graph) intern(e *expr.Node, args []*node, s shape.Shape) *node {
	k := g.key(e, args, s)
	if n := g.equal[k]; n != nil {
		return n
	}
	return g.node(k, e, args, s)
}

// key returns the key of an operation. Equal operations have equal keys.
func (g *graph) key(e *expr.Node, args []*node, s shape.Shape) nodeKey {
	k := nodeKey{op: e.Op, bits: e.Bits, typ: e.DType(), to: e.To, a: -1, b: -1, c: -1}
	var extra []byte
	for i, a := range args {
		switch i {
		case 0:
			k.a = a.id
		case 1:
			k.b = a.id
		case 2:
			k.c = a.id
		default:
			extra = binary.AppendVarint(extra, int64(a.id))
		}
	}
	leaf := e.Leaf
	switch {
	case leaf != nil:
		k.ident = leaf.Mem
		g.epoch[leaf.Mem] += 0 // adds the memory, so that stored counts its stores
		k.bits = uint64(g.epoch[leaf.Mem])<<48 ^ uint64(leaf.Offset)
		extra = appendInts(appendInts(extra, leaf.Strides), s)
	case e.Param != nil:
		k.ident = e.Param
	case e.Func != nil:
		k.ident = e.Func
	case e.Ident != nil:
		k.ident = e.Ident
	}
	if e.Axes != nil || e.Ints != nil || len(extra) > 0 {
		extra = appendInts(appendInts(extra, e.Axes), e.Ints)
		k.attributes = string(extra)
	}
	return k
}

// node adds a new node with key k.
func (g *graph) node(k nodeKey, e *expr.Node, args []*node, s shape.Shape) *node {
	n := g.next()
	n.id, n.src, n.shape, n.typ = int32(len(g.nodes)), e, s, e.DType()
	n.args = append(n.few[:0], args...)
	for _, a := range args {
		a.uses++
	}
	if e.Leaf != nil {
		n.array = arrayOf(e)
	}
	g.measure(n)
	g.nodes = append(g.nodes, n)
	g.equal[k] = n
	return n
}

// next returns a zero node. It allocates nodes in batches, because there is one
// for each operation and all die with the graph.
func (g *graph) next() *node {
	if len(g.free) == 0 {
		g.free = make([]node, max(8, len(g.nodes)))
	}
	n := &g.free[0]
	g.free = g.free[1:]
	return n
}

func appendInts(b []byte, v []int) []byte {
	b = binary.AppendVarint(b, int64(len(v)))
	for _, x := range v {
		b = binary.AppendVarint(b, int64(x))
	}
	return b
}

// rewrite returns a simpler node with the same bits as an operation, or nil.
func (g *graph) rewrite(e *expr.Node, args []*node) *node {
	switch e.Op.Class {
	case expr.Elementwise:
		if e.Op == stopGradientRow { // it only affects derivatives
			return args[0]
		}
		if e.Op.Result == expr.ResultTo && args[0].typ == e.To && !e.To.IsHalf() {
			return args[0]
		}
		return g.fold(e, args)
	case expr.Reduction:
		return g.shortReduction(e, args[0])
	case expr.View:
		if len(args) == 1 && args[0].shape.Equal(e.Shape()) && isIdentity(e) {
			return args[0]
		}
		switch {
		case e.Op == reshapeRow:
			return g.pushReshape(e, args[0])
		case e.Op == concatRow && len(args) > maxParts:
			return g.nestConcat(e, slices.Clone(args))
		}
	}
	return nil
}

func isIdentity(e *expr.Node) bool {
	switch e.Op {
	case reshapeRow, broadcastRow:
		return true
	case transposeRow:
		for i, a := range e.Axes {
			if a != i {
				return false
			}
		}
		return true
	case sliceRow:
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
func (g *graph) fold(e *expr.Node, args []*node) *node {
	for _, a := range args {
		if a.src.Op.Class != expr.Constant {
			return nil
		}
	}
	if len(args) == 0 || canFail(e, args) {
		return nil
	}
	types := make([]dtype.Type, len(args))
	bits := make([]uint64, len(args))
	for i, a := range args {
		types[i], bits[i] = a.typ.Register(), a.src.Bits
	}
	p, err := prim.NewProgram(types, func(b *prim.B, x ...prim.V) prim.V { return lower(b, e, x...) })
	if err != nil {
		return nil
	}
	c := expr.NewConst(e.DType(), p.Call(bits...))
	return g.intern(c, nil, c.Shape())
}

// pushReshape moves a reshape from an element-wise operation to its operands.
// There it is often only another view of an array. It returns nil if it cannot.
func (g *graph) pushReshape(e *expr.Node, a *node) *node {
	if a.array != nil {
		return g.reshapeArray(e, a)
	}
	if a.src.Op == reshapeRow {
		return g.reshape(a.args[0], e.Shape())
	}
	if a.src.Op.Class != expr.Elementwise {
		return nil
	}
	for _, x := range a.args {
		if x.shape.Size() != 1 && !x.shape.Equal(a.shape) {
			return nil
		}
	}
	args := make([]*node, len(a.args))
	for i, x := range a.args {
		if args[i] = x; x.shape.Equal(a.shape) {
			args[i] = g.reshape(x, e.Shape())
		} else {
			args[i] = g.reshape(x, nil)
		}
	}
	return g.intern(a.src, args, e.Shape())
}

func (g *graph) reshape(a *node, to shape.Shape) *node {
	if a.shape.Equal(to) {
		return a
	}
	r := expr.NewView(reshapeRow, to, a.typ, to)
	return g.make(r, []*node{a})
}

// reshapeArray returns the array with the strides of the new shape, or nil if
// no strides express it.
func (g *graph) reshapeArray(e *expr.Node, a *node) *node {
	leaf := a.src.Leaf
	if leaf == nil {
		return nil
	}
	st, ok := shape.Reshape(a.shape, leaf.Strides, e.Shape())
	if !ok {
		return nil
	}
	l := *leaf
	l.Strides = st
	return g.intern(expr.NewLeaf(a.typ, e.Shape(), &l), nil, e.Shape())
}
