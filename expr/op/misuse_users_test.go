package op_test

import (
	"context"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// userMisuses are wrong operators and views of users, derivatives and statements.
var userMisuses = map[string]func() error{
	// Operators and views of users.
	"Define, nil": func() error { return err(op.Map1(op.Define("mine", 1, nil), expr.Exp[float32](vec)).Node()) },
	"DefineReduction, nil": func() error {
		return err(op.Reduce(op.DefineReduction("mine", nil, nil, op.Finish(nil), nil), vec, nil).Node())
	},
	"ReduceBy nil": func() error { return err(untyped.ReduceBy(nil, vec.Node(), untyped.Options{})) },
	"Define, arity": func() error {
		return err(op.Map1(op.Define("mine", -7, func(b *op.B, x ...op.V) op.V { return x[0] }), expr.Exp[float32](vec)).Node())
	},
	"Define, arity 0": func() error {
		return err(untyped.Apply(op.Define("mine", 0, func(b *op.B, x ...op.V) op.V { return b.Const(dtype.F32, 1) })))
	},
	"Define, nil value": func() error { return err(lowered(func(b *op.B, x ...op.V) op.V { return op.V{} })) },
	"Define, type":      func() error { return err(lowered(func(b *op.B, x ...op.V) op.V { return b.Cvt(dtype.F64, x[0]) })) },
	"Define, id": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V { return op.V{ID: 99, Type: dtype.F32} }))
	},
	"Define, operand": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V { return b.Add(x[0], op.V{ID: -1, Type: dtype.F32}) }))
	},
	"Define, x[5]": func() error { return err(lowered(func(b *op.B, x ...op.V) op.V { return x[5] })) },
	"Define, cold": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V {
			var inside op.V
			b.Cold(b.Lt(x[0], x[0]), x[0], func() op.V { inside = b.Sqrt(x[0]); return inside })
			return b.Add(inside, inside)
		}))
	},
	"Define, cold type": func() error {
		return err(lowered(func(b *op.B, x ...op.V) op.V {
			return b.Cold(b.Lt(x[0], x[0]), x[0], func() op.V { return b.Int(dtype.I64, 1) })
		}))
	},
	"DefineView, nil":    func() error { return err(viewed(nil, nil)) },
	"DefineView, shape":  func() error { return err(viewed(nil, itself)) },
	"DefineView, gather": func() error { return err(viewed(same, nil)) },
	"DefineView, wild": func() error {
		return err(viewed(func(*tree.Node) (shape.Shape, error) { return shape.Shape{-4}, nil }, itself))
	},
	"DefineView, panic": func() error {
		return err(viewed(func(n *tree.Node) (shape.Shape, error) { return shape.Shape{n.Ints[3]}, nil }, itself))
	},
	"DefineView, larger": func() error {
		return err(viewed(func(*tree.Node) (shape.Shape, error) { return shape.Shape{9}, nil }, itself))
	},
	"DefineView, changes": func() error {
		return err(viewed(func() func(*tree.Node) (shape.Shape, error) {
			n := 2
			return func(*tree.Node) (shape.Shape, error) { n++; return shape.Shape{n}, nil }
		}(), itself))
	},
	"an operator without Types": func() error {
		return err(tree.Apply(tree.NewOperator(tree.Row{Name: "mine", Class: tree.Elementwise, Arity: 1, Lower: func(b *op.B, x ...op.V) op.V { return b.Sqrt(x[0]) }}), iota[int32](3).Node()))
	},
	"a condition alone": func() error {
		return err(tree.Apply(tree.NewOperator(tree.Row{Name: "mine", Class: tree.Elementwise, Arity: 1, Cond: true, Lower: func(b *op.B, x ...op.V) op.V { return x[0] }}), op.Less(vec, vec).Node()))
	},

	// Derivatives.
	"rule, no operand": func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Arg(7) }) },
	"rule, panic":      func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Node.Args[7] }) },
	"rule, no row": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Op("nothing", g.Out) })
	},
	"rule, nil": func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Mul(nil, g.Out) }) },
	"rule, no cast": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Cast(nil, dtype.F64) })
	},
	"rule, shape": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return iota[float32](2, 2, 7).Node() })
	},
	"rule, type": func() error { return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return iota[int32](3).Node() }) },
	"rule, reduction": func() error {
		return ruled(func(g *tree.Adjoint, arg int) *tree.Node { return g.Reduce("median", g.Out, nil) })
	},
	"grad of nil":      func() error { _, err := grad.Of[float32](nil, vec); return err },
	"grad by nil":      func() error { _, err := grad.Of[float32](op.Sum(vec), nil); return err },
	"grad by a tree":   func() error { _, err := grad.OfNodes(op.Sum(vec).Node(), &tree.Node{}); return err },
	"grad of a vector": func() error { _, err := grad.OfNodes(vec.Node(), vec.Node()); return err },
	"grad of a cycle": func() error {
		n := changed(func(n *tree.Node) { n.Args[0] = n })
		_, err := grad.OfNodes(untyped.Reduce("sum", n, untyped.Options{}), vec.Node())
		return err
	},

	// Statements.
	"zero statement": func() error { return engine.Run(context.Background(), expr.Statement{}) },
	"a saver": func() error {
		return engine.Run(context.Background(), expr.Statement{Saver: 99, Target: vec.Node(), Value: vec.Node()})
	},
	"a target": func() error {
		return engine.Run(context.Background(), expr.Statement{Target: grown.Node(), Value: vec.Node()})
	},
	"nil leaves": func() error {
		return engine.Run(context.Background(), plan.MapLeaves([]expr.Statement{expr.Let(vec, grown)}, func(*tree.Node) *tree.Node { return nil })...)
	},
	"nil statement": func() error {
		return engine.Run(context.Background(), plan.MapLeaves([]expr.Statement{{}}, func(n *tree.Node) *tree.Node { return n })...)
	},
}
