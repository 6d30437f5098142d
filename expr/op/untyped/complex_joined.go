package untyped

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// Joined returns a complex tree and the target that it is assigned to as real trees without parts, which are neighbours in memory: a loop
// takes them as it takes other elements. A complex64 tree that only moves elements has elements of 8 bytes. One that adds, negates or sums
// arrays has both parts along a last axis. Joined returns nil for other trees.
func Joined(target, value *tree.Node) (_, _ *tree.Node) {
	if !target.HasComplex() || !value.HasComplex() {
		return nil, nil
	}
	for _, as := range []func(*tree.Node, []*tree.Node) *tree.Node{words, pairs} {
		if t := rewritten(target, as); t != nil && t.Leaf != nil {
			if v := rewritten(value, as); v != nil {
				return t, v
			}
		}
	}
	return nil, nil
}

// rewritten returns a complex tree whose complex nodes are replaced by what as returns for them and their rewritten operands, or nil if
// one of them is nil.
func rewritten(root *tree.Node, as func(*tree.Node, []*tree.Node) *tree.Node) *tree.Node {
	made := map[*tree.Node]*tree.Node{}
	tree.Walk(root, func(n *tree.Node) {
		args := lists.Map(n.Args, func(a *tree.Node) *tree.Node { return made[a] })
		switch {
		case !n.HasComplex():
			made[n] = n
		case n.DType().IsComplex() && (n.Leaf != nil || byName[n.Op.Name()] == n.Op) && !slices.Contains(args, nil):
			if j := as(n, args); j != nil && j.Err() == nil {
				made[n] = j
			}
		}
	})
	return made[root]
}

// words replaces complex64 by elements of 8 bytes.
func words(n *tree.Node, args []*tree.Node) *tree.Node {
	switch {
	case n.DType() != dtype.C64:
		return nil
	case n.Leaf != nil:
		return tree.NewLeaf(dtype.I64, n.Shape(), n.Leaf)
	case n.Op.Class() == tree.View || n.Op.Name() == "where":
		return tree.ApplyWith(n.Op, *n.Attributes, args...)
	}
	return nil
}

// pairs appends an axis of the two parts.
func pairs(n *tree.Node, args []*tree.Node) *tree.Node {
	if n.Leaf != nil {
		p, _ := tree.PartsOf(n)
		both := *p.Re.Leaf
		both.Name, both.Strides = n.Leaf.Name, append(both.Strides, 1)
		return tree.NewLeaf(p.Re.DType(), append(n.Shape().Clone(), 2), &both)
	}
	at, last := *n.Attributes, len(n.Shape())-1
	at.Axes, at.Ints = slices.Clip(at.Axes), slices.Clip(at.Ints)
	switch n.Op.Name() {
	case "add", "sub", "neg", "rint", "stop_gradient", "concat", "take":
	case "sum": // along the last axis, the order is another
		if n.Axes[len(n.Axes)-1] == last || n.Shape()[last] < 2 {
			return nil
		}
	case "reshape", "broadcast_to":
		at.Ints = append(at.Ints, 2)
	case "slice":
		at.Ints = append(at.Ints, 0, 1, 2)
	case "transpose":
		at.Axes = append(at.Axes, len(n.Args[0].Shape()))
	default:
		return nil
	}
	return tree.ApplyWith(n.Op, at, args...)
}
