// Package graph joins the trees of statements into one graph, in which equal
// nodes are one node. It rewrites nodes while they are added, and stores what
// is too large for one kernel.
package graph

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/slab"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A Node is a node of the graph: an tree.Node after equal sub-trees were
// joined. It belongs to one moment in the program: a leaf read before and after
// a store is two nodes.
type Node struct {
	ID    int32
	Src   *tree.Node // operator and attributes; the graph does not read its Args
	Args  []*Node
	Shape shape.Shape
	Type  dtype.Type
	Uses  int32  // number of uses as an operand
	Index *Index // of a view: how it reads its operands
	// Open are the states of scans that the node depends on, and that no scan below
	// it closes. Such a node is a part of a step, and is never stored.
	Open []*Node

	// A node in memory has an Array: a leaf, or a node that was stored.
	Array   *Array
	Why     string // why the node was stored
	Pending bool   // no stage computes Array yet
	// Faults, if not nil, holds for each element of Array the kind of the fault
	// because of which the element is undefined, or 0.
	Faults *Array

	// Estimates of what it takes to compute the node from nodes in memory.
	Cost      int  // primitives
	Work      int  // the same without operands of reductions: the cost of computing it again
	Complex   bool // there is a reduction, a contraction or a call
	Reduces   bool // there is a reduction that is no part of an operand of a contraction or a call
	Computes  bool // there is any operation but a view
	Fails     bool // the operation itself can fail on data
	Faulty    bool // some operation of the same loop can fail on data
	Raises    bool // some operation or call can fail on data, also of an operand of a contraction or a call
	AloneDown bool // a reduction that takes less time in a loop of its own; see [Graph.aloneDown]

	// Mark is the number of the last walk that visited the node; see
	// [Graph.Walk]. Slot is for that walk.
	Mark, Slot int32

	few    [3]*Node
	own    int32  // primitives of the operation itself
	stored int    // number of temporaries when the costs below were computed again
	terms  terms  // of the longest index expression
	inputs inputs // arrays that are read
	view   *Array // the value as a strided view of an array; a cache of View
	base   *Node  // the node of that array
}

// An Index describes how a view reads its operands. It follows from running the
// view's index map once on symbols.
type Index struct {
	Reads []Read

	affine []bound.Form // coordinates of the operand, if each element of the view is an element of its only operand
	terms  []terms      // size of the longest coordinate, by operand
	counts []int        // number of reads, by operand
	prims  int          // number of primitives that the map computes

	// The program of the map. Each read is a scalar of the kernel.
	kernel *ir.Kernel
	code   []ir.Ins // in order of their results
	flat   bool     // a read needs values of a cold region: code has the instructions of all regions
	params []int    // run-time integers, by number
	result prim.V
}

// A Read is one read of an operand by a view. Outside of the operand, a guarded
// read gives a fill value, and a clamped one raises ErrIndex.
type Read struct {
	Arg     int
	Bounds  ir.Bounds
	At      []Coord // one for each axis of the operand
	Outside []bool  // whether a coordinate may be outside, by axis
	Fails   bool    // some coordinate may be

	coords []prim.Ix
	fill   prim.V
}

// A Coord is what is known of a coordinate: the number of the axis that it
// equals, Zero or Other.
type Coord int

// Coordinates that are no axis.
const (
	Zero  Coord = -1
	Other Coord = -2 // anything else
)

// terms is the size of an index expression, written out as a tree. An
// expression of n nodes may have 2^n terms.
type terms struct {
	axes  int32 // leaves that are axes
	other int32
}

const manyTerms = 1 << 20

func (t terms) size() int32 { return t.axes + t.other }

// in returns the size of x after an expression of size t replaces each axis.
// Sizes saturate at manyTerms.
func (t terms) in(x terms) terms {
	saturated := func(a, b, c int32) int32 { return int32(min(int64(a)*int64(b)+int64(c), manyTerms)) }
	return terms{saturated(x.axes, t.axes, 0), saturated(x.axes, t.other, x.other)}
}

// longer returns the longer of two.
func longer(x, y terms) terms {
	if y.size() > x.size() {
		return y
	}
	return x
}

// inputs is a set of arrays, hashed by node number modulo 256. Two arrays may
// share a bit, so count may be too low.
type inputs [4]uint64

func (s *inputs) add(i int) { s[i>>6&3] |= 1 << (i & 63) }

func (s *inputs) union(o *inputs) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s *inputs) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// A Graph joins equal nodes, and rewrites each node before it is added.
type Graph struct {
	// Temps are the arrays of nodes that were stored, by number.
	Temps []*Array
	// Origins, if not nil, records which nodes of the statements the nodes compute.
	Origins *Origins
	// Separates finds the extremes of windows axis by axis, with a temporary.
	Separates bool

	from      *tree.Node // being added, if Origins is not nil
	last      *tree.Node // the reduction whose results the statement stores, or nil
	nodes     []*Node
	batch     []Node // the last batch of nodes
	free      []Node // the rest of it
	equal     map[nodeKey]*Node
	known     map[*tree.Node]*Node
	rewritten map[rewriteKey]*Node // operations that were rewritten, and their replacements
	pinned    map[*tree.Node]*Node // trees whose values are in memory, whatever is stored later
	epoch     map[tree.Memory]int  // number of stores to each memory so far
	subst     map[arrayKey]*Node   // arrays that the current group assigned, and their new values
	held      map[*Node]*Array     // values that an array of the program has since an earlier group
	arrays    slab.Slab[Array]     // of leaves; plans keep them
	own       map[costKey]int      // primitives of users' operators
	marks     int32                // number of counts so far
	borders   bool                 // some node has borders: see bordered
	scans     bool                 // some node is a scan
	widens    bool                 // some node may have a narrow operand: see storeNarrow
	err       error                // the first error of an index map
}

type nodeKey struct {
	op         *tree.Operator
	bits       uint64
	ident      any
	a, b, c    int32
	typ, to    dtype.Type
	attributes string
}

// A rewriteKey is an operation, and whether its first operand was in memory at
// the time of rewriting.
type rewriteKey struct {
	nodeKey
	loads bool
}

type costKey struct {
	op    *tree.Operator
	t, to dtype.Type
}

// New returns an empty graph. The caller calls Free at its end.
func New() *Graph { return graphs.Get().(*Graph) }

// graphs has graphs without nodes.
var graphs = sync.Pool{New: func() any {
	return &Graph{equal: map[nodeKey]*Node{}, known: map[*tree.Node]*Node{}, epoch: map[tree.Memory]int{}}
}}

// Free lets other graphs use the memory of g and of its nodes, which may not be used any
// more. It leaves the memory of a large graph to the garbage collector.
func (g *Graph) Free() {
	const most = 256
	if max(len(g.nodes), len(g.batch), len(g.known), len(g.epoch)) > most {
		return
	}
	clear(g.equal)
	clear(g.known)
	clear(g.epoch)
	clear(g.nodes)
	clear(g.batch)
	*g = Graph{equal: g.equal, known: g.known, epoch: g.epoch, nodes: g.nodes[:0], batch: g.batch, free: g.batch}
	graphs.Put(g)
}

// Store gives a node a temporary, which a stage of its own will compute. It
// does nothing if the node is in memory.
func (g *Graph) Store(n *Node, why string) {
	if n.Array != nil {
		return
	}
	n.Array, n.Why, n.Pending = g.Temp(n.Type.Register(), n.Shape), why, true
}

// Temp returns a new temporary.
func (g *Graph) Temp(t dtype.Type, s shape.Shape) *Array {
	a := &Array{Temp: len(g.Temps), Type: t, Shape: s, Strides: s.Strides()}
	g.Temps = append(g.Temps, a)
	return a
}

// Walk returns a number for Node.Mark that no node has.
func (g *Graph) Walk() int32 {
	g.marks++
	return g.marks
}

// finder returns a function that reports whether visit finds something at a node or at what it is
// computed from. It visits each node once, and what is below a node unless visit says stop.
func (g *Graph) finder(visit func(n *Node) (found, stop bool)) func(n *Node) bool {
	mark := g.Walk()
	var find func(n *Node) bool
	find = func(n *Node) bool {
		if n.Mark == mark {
			return false
		}
		n.Mark = mark
		found, stop := visit(n)
		return found || !stop && slices.ContainsFunc(n.Args, find)
	}
	return find
}

// expect allocates room for n nodes.
func (g *Graph) expect(n int) {
	if len(g.free) < n {
		g.batch = make([]Node, n)
		g.free = g.batch
	}
}

// next returns a zero node. It allocates nodes in batches, because there is one
// for each operation and all die with the graph.
func (g *Graph) next() *Node {
	if len(g.free) == 0 {
		g.expect(max(8, len(g.nodes)))
	}
	n := &g.free[0]
	g.free = g.free[1:]
	return n
}

// States returns the states of a scan, and the value of each in the next step. n is
// of class Scan.
func (n *Node) States() (states, next []*Node) {
	k := (len(n.Args) - 1) / 2
	return n.Args[1+k:], n.Args[1 : 1+k]
}

// Reversed reports whether a scan goes from the end of its axis to the start.
func (n *Node) Reversed() bool {
	states, _ := n.States()
	return states[0].Src.Ints[1] == 1
}

// constantOf returns the constant that all elements of n are copies of, or nil.
func constantOf(n *Node) *Node {
	for n.Array == nil && (n.Src.Op == BroadcastRow || n.Src.Op == ReshapeRow) {
		n = n.Args[0]
	}
	if n.Src.Op.Class() != tree.Constant {
		return nil
	}
	return n
}
