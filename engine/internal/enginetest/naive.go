package enginetest

import (
	"slices"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// unfused returns the value of a tree that the engine evaluates one node at a
// time. A program for each node stores its value in an array of its own. Halves
// are float32 inside a tree, and so in these arrays.
func (b backend) unfused(root *tree.Node) (*value, error) {
	known := map[*tree.Node]*tree.Node{}
	var err error
	tree.Walk(root, func(n *tree.Node) {
		if err == nil {
			known[n], err = b.single(n, known)
		}
	})
	if err != nil {
		return nil, err
	}
	v := read(known[root])
	v.typ = root.DType()
	return v, nil
}

// single evaluates one node, whose operands are arrays, and returns the array of
// its value.
func (b backend) single(n *tree.Node, known map[*tree.Node]*tree.Node) (*tree.Node, error) {
	t := n.DType().Register()
	if n.Leaf != nil && n.DType() == t {
		return n, nil
	}
	one := n
	if len(n.Args) > 0 {
		args := lists.Map(n.Args, func(a *tree.Node) *tree.Node { return known[a] })
		one = tree.ApplyWith(n.Op, *n.Attributes, args...)
	}
	if one.DType() != t {
		one = untyped.Cast(one, t)
	}
	if err := one.Err(); err != nil {
		return nil, err
	}
	if n.Op.Class() == tree.State || n.Op.Class() == tree.Elementwise && slices.ContainsFunc(one.Args, open) {
		return one, nil // a part of a step
	}
	a, err := engine.NewArray(t, n.Shape()...)
	if err != nil {
		return nil, err
	}
	if n.Shape().Size() == 0 {
		return a.Node(), nil
	}
	return a.Node(), b.run(expr.Statement{Target: a.Node(), Value: one})
}

// open reports whether a node is a part of the step of a scan.
func open(n *tree.Node) bool {
	return n.Op.Class() == tree.State || n.Op.Class() == tree.Elementwise && slices.ContainsFunc(n.Args, open)
}

// checkFused does what check does. It also compares each statement, run alone,
// with its value evaluated one node at a time.
func (s suite) checkFused(stmts ...expr.Statement) bool {
	s.Helper()
	return !slices.ContainsFunc(s.backends(), func(b backend) bool { return !b.fuses(stmts) }) && s.check(stmts...)
}

func (b backend) fuses(stmts []expr.Statement) bool {
	b.Helper()
	mems := memories(stmts)
	for i, st := range stmts {
		target := st.Target
		if target.Leaf == nil {
			continue // check tests targets of several arrays
		}
		before := mems.save()
		v, err := b.unfused(valueOf(st))
		if err != nil {
			break // check tests faults
		}
		full := newValue(v.typ, target.Shape())
		for k, at := range broadcastIndex(v.shape, target.Shape()) {
			full.bits[k] = v.bits[at]
		}
		if target.Shape().Size() > 0 {
			write(target, full)
		}
		want := mems.save()
		mems.restore(before)
		if err := b.run(st); err != nil {
			b.Errorf("fused: %v\nunfused it has none\nin\n%s", err, listing(stmts[i:i+1]))
			return false
		}
		d := mems.differ(want)
		mems.restore(before)
		if d != "" {
			b.Errorf("fused and unfused differ: %s\nin\n%s", d, listing(stmts[i:i+1]))
			return false
		}
	}
	return true
}
