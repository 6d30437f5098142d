package acceptance

import (
	"context"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// naive evaluates statements one operator at a time: each has a program and a
// temporary of its own, so that nothing can fuse, and runs in the interpreter,
// which defines the result. The value of a half tree is float32
// (docs/numerics.md), and so are its temporaries.
type naive struct{ programs []*engine.Program }

func (v *naive) statement(s expr.Statement) error {
	if err := s.Err(); err != nil {
		return err
	}
	known := map[*tree.Node]*tree.Node{}
	val, err := v.value(s.Value, known)
	if err != nil {
		return err
	}
	if s.Saver != expr.Set {
		old, err := v.value(s.Target, known)
		if err != nil {
			return err
		}
		row, _ := untyped.Lookup(map[expr.Saver]string{expr.Plus: "add", expr.Minus: "sub", expr.Times: "mul", expr.Over: "div"}[s.Saver])
		if val, err = v.store(untyped.Apply(row, old, val)); err != nil {
			return err
		}
	}
	return v.add(expr.Statement{Target: s.Target, Value: untyped.Cast(val, s.Target.DType())})
}

func (v *naive) add(s expr.Statement) error {
	p, err := engine.CompileWith(context.Background(), engine.Options{Backend: "interp", Threads: 1}, s)
	v.programs = append(v.programs, p)
	return err
}

// store gives the value of one operation a temporary.
func (v *naive) store(n *tree.Node) (*tree.Node, error) {
	if n.Err() != nil {
		return nil, n.Err()
	}
	t := n.DType().Register()
	tmp, err := engine.NewArray(t, n.Shape()...)
	if err != nil {
		return nil, err
	}
	return tmp.Node(), v.add(expr.Statement{Target: tmp.Node(), Value: untyped.Cast(n, t)})
}

// value is the leaf that holds the value of n after the programs so far.
func (v *naive) value(n *tree.Node, known map[*tree.Node]*tree.Node) (*tree.Node, error) {
	if leaf, ok := known[n]; ok {
		return leaf, nil
	}
	leaf, err := v.operation(n, known)
	known[n] = leaf
	return leaf, err
}

func (v *naive) operation(n *tree.Node, known map[*tree.Node]*tree.Node) (*tree.Node, error) {
	half := n.DType().IsHalf()
	switch n.Op.Class() {
	case tree.Storage:
		if half {
			return v.store(untyped.Cast(n, dtype.F32))
		}
		return n, nil
	case tree.Constant:
		return tree.NewConst(n.DType().Register(), n.Bits), nil
	case tree.Parameter:
		return tree.NewParamNode(n.DType().Register(), n.Param), nil
	}
	args := make([]*tree.Node, 0, len(n.Args))
	for _, a := range n.Args {
		x, err := v.value(a, known)
		if err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	return v.store(tree.ApplyWith(n.Op, *n.Attributes, args...))
}
