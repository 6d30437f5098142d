package reuse

import (
	"slices"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// An Entry is a program for copies of statements, in which arrays and cells of its
// own replace the operands.
type Entry[O comparable, P any] struct {
	Statements []expr.Statement // the copies; they own the addresses in words
	Program    P
	Bytes      int // approximate size in the cache

	options O
	arrays  []*[]byte      // where the arrays keep their bytes; nil bytes between runs
	scalars []*tree.Scalar // nil for constants that are part of the program
	words   []uint64
	idents  []any
	hash    uint64

	next          *Entry[O, P] // in the bucket
	after, before *Entry[O, P] // in the ring
}

// New returns an entry for statements with a key. It is bound to the operands of
// the key, and has no program yet. Its Bytes do not count memory that the program
// keeps between runs.
func (c *Cache[O, P]) New(k *Key, o O, stmts []expr.Statement) *Entry[O, P] {
	e := &Entry[O, P]{
		Bytes:   12<<10 + 80*len(k.words), // a fit to plans, bindings and code of trees of 1 to 100 operators
		options: o,
		arrays:  make([]*[]byte, len(k.arrays)), scalars: make([]*tree.Scalar, len(k.scalars)),
		words: slices.Clone(k.words), idents: slices.Clone(k.idents), hash: k.hash,
	}
	y := copier{k: k, memories: make([]tree.Memory, len(k.arrays)), cells: e.scalars, made: make([]*tree.Node, len(k.nodes))}
	for i, a := range k.arrays {
		y.memories[i], e.arrays[i] = c.memory.New(len(a.data))
	}
	for i, s := range k.scalars {
		if !s.fixed {
			e.scalars[i] = &tree.Scalar{}
		}
	}
	e.bind(k)
	e.Statements = lists.Map(stmts, func(s expr.Statement) expr.Statement {
		return expr.Statement{Saver: s.Saver, Target: y.copy(s.Target), Value: y.copy(s.Value)}
	})
	return e
}

// A copier copies trees with other operands.
type copier struct {
	k        *Key
	memories []tree.Memory
	cells    []*tree.Scalar
	made     []*tree.Node // the copies so far, by the number of the node in the key
}

func (y *copier) copy(n *tree.Node) *tree.Node {
	_, i := y.k.find(n)
	if y.made[i] != nil {
		return y.made[i]
	}
	at := y.k.nodes[i].operand
	switch {
	case n.Leaf != nil:
		l := &tree.Leaf{Mem: y.memories[at], Offset: y.k.arrays[at].low, Strides: slices.Clone(n.Leaf.Strides), Name: n.Leaf.Name}
		y.made[i] = tree.NewLeaf(n.DType(), slices.Clone(n.Shape()), l)
	case n.Param != nil || n.Op.Class() == tree.Constant && y.cells[at] != nil:
		y.made[i] = tree.NewParamNode(n.DType(), y.cells[at])
	default:
		y.made[i] = n.WithArgs(lists.Map(n.Args, y.copy)...)
	}
	return y.made[i]
}

// bind gives the arrays and cells of e the bytes and values of the operands of k.
func (e *Entry[O, P]) bind(k *Key) {
	for i, data := range e.arrays {
		*data = k.arrays[i].data
	}
	for i, c := range e.scalars {
		switch s := &k.scalars[i]; {
		case c == nil:
		case s.cell != nil:
			c.Store(s.cell.Load())
		default:
			c.Store(s.bits)
		}
	}
}

// Original returns the node of stmts that node n of an entry is a copy of, or nil.
// The entry is for stmts, so both have the same nodes in the same order.
func (c *Cache[O, P]) Original(e *Entry[O, P], n *tree.Node, stmts []expr.Statement) *tree.Node {
	own, others := c.Key(e.Statements), c.Key(stmts)
	defer c.Free(own)
	defer c.Free(others)
	if own == nil || others == nil {
		return nil
	}
	if _, i := own.find(n); i >= 0 && int(i) < len(others.nodes) {
		return others.nodes[i].node
	}
	return nil
}
