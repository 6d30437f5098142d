package graph

import (
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// Origins record which nodes of the trees of statements the nodes of a graph compute. The
// methods of a nil *Origins do nothing.
type Origins struct {
	Nodes []*tree.Node // of the statements, without arrays

	of map[*tree.Node][]int32 // by Src: numbers of Nodes
}

// Number adds the nodes of a statement's tree.
func (o *Origins) Number(root *tree.Node) {
	if o == nil {
		return
	}
	if o.of == nil {
		o.of = map[*tree.Node][]int32{}
	}
	tree.Walk(root, func(n *tree.Node) {
		if n.Leaf == nil && o.of[n] == nil {
			o.of[n] = []int32{int32(len(o.Nodes))}
			o.Nodes = append(o.Nodes, n)
		}
	})
}

// Of returns the numbers of the nodes that a node of the graph with source src computes.
func (o *Origins) Of(src *tree.Node) []int32 {
	if o == nil {
		return nil
	}
	return o.of[src]
}

// Stands says that a tree was made of n, and stands for it. The nodes of the tree that
// stand for something already keep that.
func (o *Origins) Stands(made, n *tree.Node) {
	if o == nil || made == nil || made.Leaf != nil || made == n || o.of[made] != nil || len(o.of[n]) == 0 {
		return
	}
	o.of[made] = o.of[n]
	for _, a := range made.Args {
		o.Stands(a, n)
	}
}

// same says that a node of the graph with source src has the value of n. A constant in place
// of an operation computes nothing.
func (o *Origins) same(src, n *tree.Node) {
	if o == nil || src == n || src.Op.Class() == tree.Constant && n.Op.Class() != tree.Constant {
		return
	}
	o.of[src] = lists.Union(o.of[src], o.of[n])
}

// derived says that a node of the graph with source src is a part of n, unless it has an origin.
func (o *Origins) derived(src, n *tree.Node) {
	if o != nil && n != nil && o.of[src] == nil && src.Op.Class() != tree.Constant {
		o.of[src] = o.of[n]
	}
}
